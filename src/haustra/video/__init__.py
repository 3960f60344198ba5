"""Stage 1: decode a recording, sample it at 15 Hz, find the endoscope picture in the frame."""
