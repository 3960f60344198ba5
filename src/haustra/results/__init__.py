"""What a run leaves behind: its identity, its folder, its journal, what was observed, and the table of frames."""
