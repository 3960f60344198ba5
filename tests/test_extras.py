"""Without the extras: what needs one says so in one line, and the ordinary commands need none."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

EXTRAS = (
    *("numba", "sklearn", "torch", "onnx", "safetensors", "pydicom", "dask", "distributed"),
    *("starlette", "uvicorn", "platformdirs"),
)


def _without_extras(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in which no package of an extra can be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS}))\n"
    return subprocess.run([sys.executable, "-c", blocked + code, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["simulate", "withdrawal", "--seconds", "1", "--out", "OUT"], "simulate"),
        (["train", "quality", "--out", "OUT"], "train"),
        (["evaluate", "quality", "OUT", "--all"], "evaluate"),
        (["app"], "app"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_missing_extra_is_one_line_that_names_it(command: list[str], extra: str, tmp_path: Path) -> None:
    if extra == "evaluate":
        _labelled_pictures(tmp_path / "out")
    words = [word.replace("OUT", str(tmp_path / "out")) for word in command]
    result = _without_extras("from haustra.cli import main; main()", *words)
    assert result.returncode == 2, result.stderr
    assert result.stderr.splitlines()[-1].endswith(f"pip install 'haustra[{extra}]'")
    assert "Traceback" not in result.stderr


def test_locating_and_comparing_need_no_extra() -> None:
    code = "import haustra.pipeline, haustra.lab.evaluate.score_result, haustra.demo; print('ok')"
    result = _without_extras(code)
    assert result.stdout.strip() == "ok", result.stderr


def test_the_app_adds_at_most_15_mb() -> None:
    """What the extra brings that the base installation has not, as its files lie on the disk."""
    declared = metadata.metadata("haustra").get_all("Requires-Dist") or []
    wanted = [Requirement(line) for line in declared]
    base = _needed([one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})])
    more = _needed([one for one in wanted if one.marker is not None and one.marker.evaluate({"extra": "app"})])
    added = {name: _megabytes(metadata.distribution(name)) for name in sorted(more - base)}
    assert {"starlette", "uvicorn", "platformdirs"} <= set(added)
    assert sum(added.values()) <= 15, added


def _needed(wanted: list[Requirement]) -> set[str]:
    """Names of these and of all that they need in turn."""
    found: set[str] = set()
    while wanted:
        one = wanted.pop()
        name = canonicalize_name(one.name)
        if name in found:
            continue
        found.add(name)
        further = [Requirement(line) for line in metadata.requires(name) or []]
        extras = one.extras or {""}
        wanted += [
            own for own in further if own.marker is None or any(own.marker.evaluate({"extra": e}) for e in extras)
        ]
    return found


def _megabytes(distribution: metadata.Distribution) -> float:
    files = [Path(str(file.locate())) for file in distribution.files or [] if not file.name.endswith(".pyc")]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def _labelled_pictures(folder: Path) -> None:
    import cv2
    import numpy as np

    for label in ("informative", "non-informative"):
        (folder / label).mkdir(parents=True)
        for number in range(2):
            picture = np.random.default_rng(number).integers(0, 255, (64, 64, 3), np.uint8)
            cv2.imwrite(str(folder / label / f"{number}.png"), picture)
