"""Stage 1: decode a recording, sample it at 15 Hz, find the endoscope picture in the frame."""

from __future__ import annotations

from haustra.video.picture import Picture, find_picture
from haustra.video.problems import Problems
from haustra.video.recording import Recording, open_recording
from haustra.video.standard import standard_frame
from haustra.video.types import Box, Frame

__all__ = ["Box", "Frame", "Picture", "Problems", "Recording", "find_picture", "open_recording", "standard_frame"]
