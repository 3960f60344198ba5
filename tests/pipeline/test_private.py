"""Nothing leaves the machine: no network, and no file outside the output and temporary folders."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import haustra
from traced import outside, own_home, sockets, strace, without_network, written

FAST = ("--withdrawal-start", "0", "--quality", "none", "--quiet")


def haustra_command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "haustra", *arguments]


def test_a_run_leaves_the_home_folder_empty(clip: Path, tmp_path: Path) -> None:
    command = haustra_command("locate", str(clip), "--withdrawal-start", "0", "--quiet", "--out", str(tmp_path / "out"))
    subprocess.run(command, env=own_home(tmp_path), check=True, cwd=tmp_path)
    assert list((tmp_path / "home").rglob("*")) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "out", "tmp"]
    assert list((tmp_path / "tmp").iterdir()) == [], "temporary files are removed"


def test_no_command_makes_a_network_call_or_writes_outside_its_folder(clip: Path, tmp_path: Path) -> None:
    """Each is traced with all that it starts, and where the system allows it there is no network to call."""
    (tmp_path / "run").mkdir()
    (tmp_path / "findings.csv").write_text("time_s,label\n1,polyp\n")
    run, environment = tmp_path / "run", own_home(tmp_path / "run")
    out = str(run / "out")
    commands = {
        "locate": haustra_command("locate", str(clip), *FAST, "--threads", "2", "--out", out),
        "map": haustra_command("map", out, "--findings", str(tmp_path / "findings.csv"), "--out", str(run / "map")),
        "export": haustra_command("export", out, "--to", "elan"),
        "cohort": haustra_command("cohort", str(clip), *FAST, "--out", str(run / "cohort")),
    }
    for name, command in commands.items():
        log = tmp_path / f"{name}.calls"
        subprocess.run([*without_network(), *strace(log), *command], env=environment, check=True, cwd=run)
        assert sockets(log) == [], name
        assert outside(log, run) == set(), name
    assert any(path.endswith("report.html") for path in written(tmp_path / "locate.calls")), "the log shows writing"
    assert any(path.endswith("colon_map.svg") for path in written(tmp_path / "map.calls"))
    assert (run / "cohort" / "index.html").is_file()
    assert list((run / "home").rglob("*")) == []


def test_onnx_runtime_is_imported_in_one_place_only() -> None:
    imports = re.compile(r"""(import|from) onnxruntime|(import_module|__import__|require)\(.onnxruntime""")
    source = Path(haustra.__file__).parent
    found = [path.name for path in source.rglob("*.py") if imports.search(path.read_text(encoding="utf-8"))]
    assert found == ["onnx.py"]
