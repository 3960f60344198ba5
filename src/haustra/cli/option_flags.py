"""Flags of a command made from `LocateOptions`: one for each option, with its help text and its default."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any

import typer

from haustra.core.option import Decides, Option


def with_flags(
    options: Mapping[str, Option[Any, Any]], **defaults: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a command with `**given`: it gets a flag for each option, and in `given` what the user wrote.

    The flags come before the command's keyword-only parameters in the help. Values stay text: `LocateOptions` checks
    them. `defaults` are those of the command where they differ from the options' own.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())
        flags = [_parameter(option, defaults.get(name, option.default)) for name, option in options.items()]
        parameters = [parameter for parameter in own if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
        parameters += [*flags, *(parameter for parameter in own if parameter.kind is parameter.KEYWORD_ONLY)]
        parameters = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in parameters]

        @wraps(command)
        def wrapped(**arguments: Any) -> None:
            command(**{name: value for name, value in arguments.items() if name not in options or value is not None})

        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return wrapped

    return decorate


def _parameter(option: Option[Any, Any], default: Any) -> inspect.Parameter:
    """None means that the flag was not given: haustra.toml or a table may say something else than the default."""
    kind: Any = bool if isinstance(default, bool) else list[str] if isinstance(default, tuple) else str
    name, *short = option.flags
    shown = default
    if kind is bool and option.decides is not Decides.CALL:
        no = f"--no-{name.removeprefix('--')}"
        shown, name = (name if default else no).removeprefix("--"), f"{name}/{no}"
    text = option.help if shown in (None, (), False) else f"{option.help} [default: {shown}]"
    flag = typer.Option(name, *short, help=text, show_default=False, metavar=None if kind is bool else option.kind)
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, flag]
    )
