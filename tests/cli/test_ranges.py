"""Every number on the command line has a range, and NaN is in none."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import typer

from haustra.cli.commands import app
from haustra.cli.ranges import real, whole


def numbers_of(command: Any, path: tuple[str, ...] = ()) -> list[str]:
    """Options whose values become numbers without a range."""
    if hasattr(command, "commands"):
        return [found for name, sub in command.commands.items() for found in numbers_of(sub, (*path, name))]
    kinds = {parameter.name: getattr(getattr(parameter, "type", None), "name", "") for parameter in command.params}
    return [f"{' '.join(path)} {name}: {kind}" for name, kind in kinds.items() if kind.startswith(("int", "float"))]


def test_no_option_is_a_bare_number() -> None:
    assert numbers_of(typer.main.get_command(app)) == []


@pytest.mark.parametrize("given", ["nan", "inf", "-inf", "-1", "1e400", "9" * 400, "0x1", "", "1,5"])
def test_what_is_outside_is_refused_with_the_range(given: str) -> None:
    for parser, said in (
        (whole(1, 9)["parser"], "whole number from 1 to 9"),
        (real(0, 0.5)["parser"], "from 0 to 0.5"),
    ):
        with pytest.raises(typer.BadParameter, match=said):
            parser(given)


def test_a_command_line_that_is_not_understood_is_one_line() -> None:
    for words in (["undistort", "a.png", "-o", "x", "--size", "nan"], ["locat"], ["place"], ["place", "--no-such"]):
        ended = subprocess.run([sys.executable, "-m", "haustra", *words], capture_output=True, text=True, check=False)
        assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1), ended.stderr
