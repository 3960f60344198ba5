"""Damaged files and disks that take no more: never more than one clear line."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

COPIES = 100


def _command(video: Path, out: Path) -> list[str]:
    options = ["--no-overlay", "--withdrawal-start", "0", "--quiet", "--threads", "1", "--out", str(out)]
    return [sys.executable, "-m", "haustra", "locate", str(video), *options]


def _mutated(content: bytes, moments: random.Random) -> bytes:
    """Bit flips, truncation, or two stretches of the file swapped."""
    data = bytearray(content)
    kind = moments.choice(["flip", "flip", "cut", "swap"])
    if kind == "cut":
        return bytes(data[: moments.randrange(len(data))])
    if kind == "swap":
        length = moments.randrange(8, 400)
        a, b = (moments.randrange(len(data) - length) for _ in range(2))
        data[a : a + length], data[b : b + length] = data[b : b + length], data[a : a + length]
        return bytes(data)
    for _ in range(moments.choice([1, 4, 40])):
        data[moments.randrange(len(data))] ^= 1 << moments.randrange(8)
    return bytes(data)


WORKER = """
import signal, sys
from pathlib import Path
import haustra
def too_long(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, too_long)
for name in sys.argv[1:]:
    path = Path(name)
    signal.alarm(600)
    try:
        haustra.locate(path, withdrawal_start=0, quality="none", overlay=False, threads=1, out=path.with_suffix(""))
        print("ok", name, flush=True)
    except haustra.HaustraError as error:
        assert "\\n" not in str(error), error
        print("line", name, error, flush=True)
"""


@pytest.mark.slow
def test_mutated_copies_give_a_result_or_one_line(clip: Path, tmp_path: Path) -> None:
    moments = random.Random(3)
    content = clip.read_bytes()
    copies = []
    for number in range(COPIES):
        copies.append(tmp_path / f"copy{number:03d}.mp4")
        copies[-1].write_bytes(_mutated(content, moments))
    result = subprocess.run([sys.executable, "-c", WORKER, *map(str, copies)], capture_output=True, text=True)
    answers = result.stdout.splitlines()
    assert result.returncode == 0, f"after {len(answers)} copies: {result.stderr[-2000:]}"
    assert len(answers) == len(copies)
    assert {answer.split()[0] for answer in answers} == {"ok", "line"}


def test_an_output_that_cannot_be_written_is_one_line(clip: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    result = subprocess.run(_command(clip, tmp_path / "file" / "out"), capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith("haustra: cannot write")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.posix
def test_a_full_disk_is_one_line(clip: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk that fills up while results are written."""
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); "
    code = limit + "import sys; from haustra.cli import main; sys.argv[0] = 'haustra'; main()"
    command = [sys.executable, "-c", code, *_command(clip, tmp_path / "out")[3:]]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2, result.stderr
    assert result.stderr.startswith("haustra: cannot write")
    assert not list((tmp_path / "out").glob("frames*"))
