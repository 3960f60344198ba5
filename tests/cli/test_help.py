"""`--help` is instant because nothing heavy is imported for it, and every command has one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer.main
from typer.testing import CliRunner

import haustra
from haustra.cli.commands import app

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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_words_are_completed(shell: str) -> None:
    """As the script that --install-completion writes asks for them."""
    asked = {"COMP_WORDS": "haustra do", "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "haustra do"}
    environment = {
        **os.environ,
        **asked,
        "_TYPER_COMPLETE_WORD_TO_COMPLETE": "do",
        "_HAUSTRA_COMPLETE": f"complete_{shell}",
    }
    environment["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    code = "import sys; sys.argv = ['haustra']; from haustra.cli import main; main()"
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "doctor" in ended.stdout
    assert "locate" not in ended.stdout


@pytest.mark.parametrize("path", _commands(), ids=" ".join)
def test_every_command_explains_itself(path: list[str]) -> None:
    result = CliRunner().invoke(app, [*path, "--help"])
    assert result.exit_code == 0
    assert "Usage:" in result.output
