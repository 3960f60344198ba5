"""No lens given, the bundled recording: nearly as good as its calibration, and said in the summary."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

import haustra
from haustra.correctable import open_correctable
from haustra.lab.evaluate.score_result import read_truth
from haustra.results.table import column


def test_a_lens_found_from_the_recording_serves_nearly_as_well_as_its_calibration(
    demo: Path, demo_cohort: Path, tmp_path: Path
) -> None:
    truth = read_truth(demo)
    shutil.copytree(demo_cohort / "recordings" / "demo", tmp_path / "None")  # what was seen with it is used again
    off = {}
    for camera in (None, "generic"):
        result = haustra.locate(
            demo / "video.mp4", camera=camera, withdrawal_start=0, from_place=0, to_place=1, overlay=False,
            out=tmp_path / str(camera),
        )  # fmt: skip
        located = np.interp(column(result.frames, "time_s"), truth.time_s, truth.index)
        off[str(camera)] = float(np.abs(column(result.frames, "location_index") - located).mean())
    assert max(off.values()) < 0.045  # 0.100 as long as a typical lens took no notice of the round picture's rim
    found, typical = (haustra.open(tmp_path / name).summary for name in ("None", "generic"))
    assert found["lens"]["source"] == "found"
    assert found["lens"]["relative_std"] < 0.5 * typical["lens"]["relative_std"]
    stated = {}
    for name in ("None", "generic"):
        table = column(haustra.open(tmp_path / name).frames, "location_std")
        again = open_correctable(tmp_path / name).uncorrected  # corrections know the lens, too
        np.testing.assert_allclose(again.std, table, atol=1e-6)
        stated[name] = float(table.mean())
    assert stated["generic"] > 1.05 * stated["None"]
    assert any("an ordinary colonoscope" in warning for warning in typical["warnings"])
