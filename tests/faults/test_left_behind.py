"""No picture of a patient stays behind: temporary files are gone after a signal, and after a kill at the next start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from kills import write_videos

from haustra.core.temporary import is_temporary
from haustra.demo import DEMO

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


def temporary_below(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob(".haustra-*") if is_temporary(path.name)]


PATIENCE_S = 600.0  # the machine may be busy


def wait_for(ready: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not ready():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def start(arguments: list[str], tmp: Path) -> subprocess.Popen[str]:
    tmp.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "haustra", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp)},
    )


@pytest.mark.posix
@pytest.mark.parametrize("ending", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_fetched_recording_is_gone_however_the_cohort_ends(ending: str, tmp_path: Path) -> None:
    out, tmp = tmp_path / "out", tmp_path / "tmp"
    video = f"file://{DEMO / 'video.mp4'}"
    command = start(["cohort", video, "--out", str(out), "--quiet"], tmp)
    wait_for(lambda: [path for path in temporary_below(out, tmp) if (path / "video.mp4").is_file()])
    command.send_signal(getattr(signal, ending))
    _, said = command.communicate(timeout=PATIENCE_S)
    if ending == "SIGKILL":  # its worker sees that it is gone
        wait_for(lambda: not [path for path in temporary_below(out, tmp) if path.is_dir()])
    else:
        assert command.returncode == 128 + getattr(signal, ending)
        assert said.splitlines() == ["haustra: interrupted: run the same command again to resume"]
        assert not temporary_below(out, tmp)


# A process that is killed as it gives the overlay its name.
KILLED_BEFORE_THE_OVERLAY = """
import os, signal, sys
from pathlib import Path
replace = Path.replace
def dies(self, target):
    if Path(target).name == "overlay.mp4":
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)
Path.replace = dies
from haustra.cli import main
sys.argv[0] = "haustra"
main()
"""


@pytest.mark.posix
def test_the_next_start_removes_a_half_written_overlay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_videos(tmp_path / "videos", seconds=1.5)
    clip = str(tmp_path / "videos" / "intact.mp4")
    arguments = ["locate", clip, "--withdrawal-start", "0", "--quality", "none", "--quiet", "--out", str(out)]
    (tmp_path / "tmp").mkdir()
    killed = subprocess.run([sys.executable, "-c", KILLED_BEFORE_THE_OVERLAY, *arguments], cwd=tmp_path, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert [path.suffix for path in temporary_below(out)] == [".mp4"]
    again = start(arguments, tmp_path / "tmp")
    again.communicate(timeout=PATIENCE_S)
    assert (again.returncode, temporary_below(out)) == (0, [])
    assert (out / "overlay.mp4").is_file()
    assert not (out / ".work").exists()
