"""One word for one thing: options are called the same in every command, and a default is typed in one place."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
import typer.main

import haustra
from haustra.cli.commands import app
from haustra.cli.output import JsonOption
from haustra.core import vocabulary

STREAMS = "cohort run"  # takes hours: it prints an event a line instead of one object at the end


def _options() -> list[tuple[str, click.Parameter]]:
    """Every option with the name of its command, such as 'train motion'."""
    found: list[tuple[str, click.Parameter]] = []
    waiting: list[tuple[str, object]] = [("", typer.main.get_command(app))]
    while waiting:
        path, command = waiting.pop()
        waiting += [(f"{path} {name}".strip(), child) for name, child in getattr(command, "commands", {}).items()]
        found += [(path, option) for option in getattr(command, "params", ()) if option.opts[0].startswith("-")]
    return found


def test_what_is_written_is_called_out() -> None:
    for command, option in _options():
        assert not {"--output", "--page"} & set(option.opts), command
        assert ("--out" in option.opts) == ("-o" in option.opts), command


def test_json_is_one_option() -> None:
    help_text = JsonOption.__metadata__[0].help  # type: ignore[attr-defined]
    options = [option for command, option in _options() if "--json" in option.opts and command != STREAMS]
    assert len(options) > 10
    assert {getattr(option, "help", "") for option in options} == {help_text}


def test_start_is_a_time() -> None:
    commands = {command.split()[0] for command, option in _options() if "--start" in option.opts}
    assert "train" not in commands, "there it would mean weights"


@pytest.mark.parametrize("word", [vocabulary.GENERIC, vocabulary.DEFAULT_TEMPLATE, vocabulary.DEFAULT_QUALITY])
def test_a_default_is_typed_once(word: str) -> None:
    as_default = re.compile(rf'( =|\bor) "{word}"')
    source = Path(haustra.__file__).parent
    found = [path.name for path in source.rglob("*.py") if as_default.search(path.read_text(encoding="utf-8"))]
    assert found == ["vocabulary.py"]
