"""An interlaced copy of a recording keeps as many frames as the recording itself."""

from __future__ import annotations

from pathlib import Path

from benchmarks.interlaced_copies import woven, write

import haustra
from haustra.quality import QualityModel, assess_recording
from haustra.video import open_recording

DEMO = Path(haustra.__file__).parent / "data" / "demo" / "video.mp4"
SECONDS = 16


def test_an_interlaced_copy_keeps_as_many_frames(tmp_path: Path) -> None:
    whole = [frame.image for frame in open_recording(DEMO).frames(end_s=SECONDS)]
    model = QualityModel("lite")
    copies = [write(tmp_path / "progressive.mp4", whole), write(tmp_path / "interlaced.mp4", woven(whole))]
    recordings = [open_recording(copy) for copy in copies]
    assert [recording.interlaced for recording in recordings] == [False, True]
    kept = [int(assess_recording(recording, model).kept.sum()) for recording in recordings]
    assert kept[0] > 100
    assert abs(kept[1] - kept[0]) <= 0.03 * kept[0]
