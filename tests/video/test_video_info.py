"""`haustra info` through the real command, and the memory of a long reading."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from video_files import numbered, write_video

from haustra.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))


def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["haustra", "info", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    out, err = capfd.readouterr()
    return int(left.value.code or 0), out, err


def test_json_has_one_object_with_all_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_video(tmp_path / "a b.mp4", 75, paint=lambda n: numbered(n * 11 % 256), fps=25)
    code, out, err = run(monkeypatch, capfd, str(path), "--json")
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["path"] == str(path)
    assert (told["width"], told["height"], told["codec"], told["frames"]) == (128, 96, "h264", 75)
    assert told["duration_s"] == pytest.approx(3.0)
    assert told["frame_rate"] == pytest.approx(25.0)
    assert told["variable_rate"] is False
    assert told["problems"] == []
    assert set(told["picture"]) == {"x", "y", "width", "height", "valid_share"}


def test_lines_for_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    times_ms = [*range(0, 2000, 40), *range(2000, 4000, 100)]
    code, out, _ = run(monkeypatch, capfd, str(write_video(tmp_path / "a.mkv", times_ms=times_ms)))
    assert code == 0
    assert "128 x 96, h264" in out
    assert "70 frames" in out
    assert "variable" in out
    assert "none found" in out


def test_a_cut_off_file_is_told_and_still_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_video(tmp_path / "a.mkv", 150)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    code, out, _ = run(monkeypatch, capfd, str(path), "--json")
    told = json.loads(out)
    assert code == 0
    assert 1.0 < told["duration_s"] < 4.0
    assert any("cut off" in line for line in told["problems"])


def test_a_folder_without_fps_names_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1.png").touch()
    code, out, err = run(monkeypatch, capfd, str(tmp_path))
    assert (code, out) == (2, "")
    assert "--fps" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_memory_does_not_grow_with_the_length(tmp_path: Path) -> None:
    from benchmarks.bench_video import peak_rss_mb

    short, long = (write_video(tmp_path / f"{n}.mp4", n) for n in (300, 3000))
    assert peak_rss_mb(long) < 1.1 * peak_rss_mb(short)
