"""What a section was recorded with, and whether that is what the code has today."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import haustra
from haustra.core.files import read_json
from haustra.identity import parameters
from haustra.results.run import file_digest, value_digest

_LINE = re.compile(r"<!-- recorded (\S+) by (\S+?)(?:; parameters (\w+); models (\w+))? -->\n")
_DIGITS = 12
STAGES = ("video", "quality", "camera", "flow", "motion", "path", "anatomy")


@dataclass(frozen=True)
class Stamp:
    """Digests are None in sections that were recorded before digests were kept."""

    date: str
    version: str
    parameters: str | None = None
    models: str | None = None

    def line(self) -> str:
        digests = "" if self.parameters is None else f"; parameters {self.parameters}; models {self.models}"
        return f"<!-- recorded {self.date} by {self.version}{digests} -->\n"

    def verdict(self, today: Stamp) -> str:
        """What a reader has to know: recorded when, by what, and what has changed since."""
        recorded = f"Recorded on {self.date} by version {self.version}"
        if self.parameters is None:
            return f"{recorded}, before digests were kept: parameters or models may have changed since."
        if changed := self.changed(today):
            return f"{recorded}; {' and '.join(changed)} changed since."
        return f"{recorded}, with today's parameters and models."

    def changed(self, today: Stamp) -> list[str]:
        """What is another today; nothing is known of what was recorded without digests."""
        if self.parameters is None:
            return []
        pairs = {
            "version": (self.version, today.version),
            "parameters": (self.parameters, today.parameters),
            "models": (self.models, today.models),
        }
        return [what for what, (then, now) in pairs.items() if then != now]


def stamp_today() -> Stamp:
    return Stamp(datetime.date.today().isoformat(), haustra.__version__, parameters_digest(), models_digest())


def tuned_stages() -> list[str]:
    """The stages that have a parameters file, in the order of the data."""
    return [stage for stage in STAGES if find_spec(f"haustra.{stage}.parameters") is not None]


def parameters_digest() -> str:
    """Of every tuned number of every stage."""
    return value_digest(parameters())[:_DIGITS]


def models_digest() -> str:
    """Of all shipped networks by content, and of the numbers of templates and tables: their notes may be reworded."""
    package = Path(str(files(haustra)))
    networks = {path.name: file_digest(path) for path in package.glob("weights/*.onnx")}
    tables = {path.name: _numbers(read_json(path)) for path in package.glob("data/**/*.json")}
    return value_digest(networks | tables)[:_DIGITS]


def _numbers(value: Any) -> Any:
    """A JSON value without its texts."""
    if isinstance(value, dict):
        return {key: _numbers(inner) for key, inner in value.items() if not isinstance(inner, str)}
    return [_numbers(inner) for inner in value if not isinstance(inner, str)] if isinstance(value, list) else value


def stamped(text: str) -> tuple[Stamp, str]:
    """What was kept, apart: its stamp and what the command printed."""
    found = _LINE.match(text)
    if found is None:
        raise ValueError("what was recorded has no line that says when and by which version")
    return Stamp(*found.groups()), text[found.end() :]
