"""Nothing leaves the machine: no network, and no file outside the output and temporary folders."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import haustra

# Calls that reach the network, and calls that make or change a file.
NETWORK = "socket,connect,bind,sendto,sendmsg,sendmmsg"
FILES = "open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate"
WRITES = re.compile(r"^(\d+ +)?(open(at2?)?\(.*O_(WRONLY|RDWR|CREAT)|creat|mkdir|rename|link|symlink|truncate)")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def _locate(clip: Path, folder: Path, *prefix: str) -> Path:
    """Locate `clip` with `folder/home` as the home and `folder/tmp` for temporary files; the (empty) home."""
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ORT_", "CI"))}
    own = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
    options = ["--withdrawal-start", "0", "--quiet", "--threads", "1", "--out", str(folder / "out")]
    run = [*prefix, sys.executable, "-m", "haustra", "locate", str(clip), *options]
    subprocess.run(run, env=kept | own, check=True, cwd=folder)
    return folder / "home"


def test_a_run_leaves_the_home_folder_empty(clip: Path, tmp_path: Path) -> None:
    home = _locate(clip, tmp_path)
    assert list(home.rglob("*")) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "out", "tmp"]
    assert list((tmp_path / "tmp").iterdir()) == [], "temporary files are removed"


def test_a_run_makes_no_network_call_and_writes_only_into_its_folder(clip: Path, tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None or subprocess.run([strace, "-f", "true"], capture_output=True).returncode:
        pytest.skip("strace is not installed or not allowed here")
    log = tmp_path / "calls"
    run = tmp_path / "run"
    run.mkdir()
    _locate(clip, run, strace, "-f", "--seccomp-bpf", "-qq", "-e", f"trace={NETWORK},{FILES}", "-o", str(log))
    lines = log.read_text(errors="replace").splitlines()
    assert [line for line in lines if "AF_INET" in line] == []
    written = {path for line in lines if WRITES.match(line) for path in QUOTED.findall(line)}
    assert any(path.endswith("report.html") or ".report.html" in path for path in written), "the log shows writing"
    outside = {path for path in written if path.startswith("/") and not path.startswith((str(run), "/dev/", "/proc/"))}
    assert outside == set()


def test_onnx_runtime_is_imported_in_one_place_only() -> None:
    imports = re.compile(r"""(import|from) onnxruntime|(import_module|__import__|require)\(.onnxruntime""")
    source = Path(haustra.__file__).parent
    found = [path.name for path in source.rglob("*.py") if imports.search(path.read_text(encoding="utf-8"))]
    assert found == ["onnx.py"]
