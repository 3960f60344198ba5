"""`--help` is instant because nothing heavy is imported for it, and every command has one."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer.main
from typer.testing import CliRunner

import haustra
from haustra.cli import app

HEAVY = ("numpy", "scipy", "cv2", "av", "polars", "numba", "onnxruntime", "sklearn", "torch")


def _commands() -> list[list[str]]:
    """Every command path, such as ['simulate', 'cohort']."""
    found: list[list[str]] = []
    waiting: list[tuple[list[str], object]] = [([], typer.main.get_command(app))]
    while waiting:
        path, command = waiting.pop()
        found.append(path)
        waiting += [([*path, name], child) for name, child in getattr(command, "commands", {}).items()]
    return found


def test_the_command_line_imports_nothing_heavy() -> None:
    code = f"import sys, haustra.cli; print([name for name in {HEAVY} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_version_is_one_line() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"haustra {haustra.__version__}\n")


@pytest.mark.parametrize("path", _commands(), ids=" ".join)
def test_every_command_explains_itself(path: list[str]) -> None:
    result = CliRunner().invoke(app, [*path, "--help"])
    assert result.exit_code == 0
    assert "Usage:" in result.output
