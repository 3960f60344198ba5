"""haustra.toml beside a recording, through the whole of `locate`."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import haustra


@pytest.mark.posix
def test_a_recording_is_located_with_the_options_beside_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, clip: Path
) -> None:
    video = tmp_path / "a.mp4"
    video.symlink_to(clip)
    (tmp_path / "haustra.toml").write_text('withdrawal_start = 0.2\nquality = "none"\noverlay = false\n')
    with caplog.at_level(logging.INFO, logger="haustra"):
        result = haustra.locate(video, out=tmp_path / "out", withdrawal_start=0, threads=1, quiet=True)
    assert (result.options["withdrawal_start"], result.options["quality"]) == (0.0, "none")
    assert not (tmp_path / "out" / "overlay.mp4").exists()
    line = "from haustra.toml beside the recording: quality = none, overlay = False"
    assert line in caplog.text
    assert line in (tmp_path / "out" / "haustra.log").read_text()
