"""Without the extras: what needs one says so in one line, and the ordinary commands need none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = ("numba", "sklearn", "torch", "onnx", "safetensors", "pydicom", "dask", "distributed")


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


def _labelled_pictures(folder: Path) -> None:
    import cv2
    import numpy as np

    for label in ("informative", "non-informative"):
        (folder / label).mkdir(parents=True)
        for number in range(2):
            picture = np.random.default_rng(number).integers(0, 255, (64, 64, 3), np.uint8)
            cv2.imwrite(str(folder / label / f"{number}.png"), picture)
