"""docs/reference/commands.md: every command of the command line with its options, from Typer.

Typer brings a click of its own, so commands and parameters are told by what they have, not by their classes.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer

from haustra.cli.cohort import RUN
from haustra.cli.commands import app

HEAD = """# Commands

What `haustra COMMAND --help` prints, on one page. Options that a command shares with others mean the same everywhere:
`--out`/`-o` is what it writes, `--json` prints one JSON object on standard output, `--quiet` nothing but errors. Times
are seconds, `MM:SS` or `HH:MM:SS(.mmm)`.
"""


def commands_page() -> str:
    return "\n".join([HEAD, *(command_text(name, command) for name, command in every_command())])


def every_command() -> Iterator[tuple[str, Any]]:
    """All that can be run, groups opened, in the order of `haustra --help`."""
    yield from _walk(typer.main.get_command(app), "haustra")


def _walk(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    children = getattr(command, "commands", {})
    if not children or options_of(command):
        yield name, command
    for child, found in children.items():
        if not found.hidden:
            yield from _walk(found, name if child == RUN else f"{name} {child}")  # `run` need not be typed


def command_text(name: str, command: Any) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    usage = " ".join([name, "[OPTIONS]", *(_shown(parameter) for parameter in arguments)])
    lines = [f"## {name}", "", inspect.cleandoc(command.help or ""), "", f"    {usage}", ""]
    rows = [*(argument_row(one) for one in arguments), *(option_row(one) for one in options_of(command))]
    if rows:
        lines += ["| argument or option | meaning | default |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def options_of(command: Any) -> list[Any]:
    """But for --help and those of the shell."""
    return [
        parameter
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.hidden and parameter.name != "help"
    ]


def argument_row(parameter: Any) -> str:
    required = "required" if parameter.required else ""
    return f"| `{_shown(parameter)}` | {_meaning(parameter)} | {required} |"


def option_row(parameter: Any) -> str:
    names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
    if parameter.metavar:
        names += f" {_escaped(parameter.metavar)}"
    default = parameter.default
    shown = "" if default in (None, False, (), []) or callable(default) else f"`{getattr(default, 'value', default)}`"
    more = " Can be given more than once." if parameter.multiple else ""
    meaning, _, told = _meaning(parameter).partition(" [default: ")  # where the help text tells it
    default = "required" if parameter.required else f"`{told.removesuffix(']')}`" if told else shown
    return f"| {names} | {meaning}{more} | {default} |"


def _shown(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _meaning(parameter: Any) -> str:
    return _escaped(" ".join((getattr(parameter, "help", None) or "").split()))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
