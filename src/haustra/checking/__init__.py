"""Whether a recording suits the tool, found out without truth: `check()`.

`stretches` reads some seconds of the recording, `matches` follows points through them, `agreement` compares our motion
with these, with itself and with the lumen, `picture_quality` looks at sharpness and colour, `figures` puts all of it
together, `verdict` says in words what to expect, from the tuned numbers in `parameters`.
"""

from __future__ import annotations

from haustra.checking.recording_check import RecordingCheck, check

__all__ = ["RecordingCheck", "check"]
