"""A result folder with everything that can be exported."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_result import NOTED, made_frames, made_summary

from haustra.anatomy.frame_places import located
from haustra.core.files import write_json
from haustra.report.write import write_intervals
from haustra.results import versions
from haustra.results.table import write_frames


@pytest.fixture
def result(tmp_path: Path) -> Path:
    folder = tmp_path / "result"
    frames = made_frames()
    write_frames(folder, frames)
    write_intervals(folder, located(frames))
    recording = {"name": "case 7 Ä.mp4", "width": 320, "height": 256, "duration_s": 62.0, "frame_rate": 25.0}
    recording["picture"] = [10, 0, 300, 256]
    recording |= {"codec": "h264", "read_s": [0.0, 60.0]}
    write_json(folder / "summary.json", made_summary(located(frames)) | {"recording": recording})
    versions.append(folder, versions.next_version(folder, NOTED, by="Dr. A"))
    return folder
