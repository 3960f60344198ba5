"""Model cards: what a shipped network is, how it was made and how good it is, as JSON and as a page."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from haustra.files import write_json, write_text


@dataclass(frozen=True)
class ModelCard:
    """`scores` holds measured numbers only, each under a name that says its protocol; `limits` is plain English."""

    name: str
    task: str
    recipe: str
    command: str
    data: str
    seed: int
    steps: int
    scores: Mapping[str, float | str | None]
    limits: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    licence: str = "Apache-2.0"


def this_command() -> str:
    """The command that is running, with file names only: a card must not carry the paths of one machine."""
    words = [Path(word).name if "/" in word else word for word in sys.argv]
    return shlex.join(words)


def measured(figures: Mapping[str, float]) -> dict[str, float | None]:
    """Figures that JSON can hold: what was not measurable is None."""
    return {name: value if math.isfinite(value) else None for name, value in figures.items()}


def write_card(card: ModelCard, model_path: Path) -> None:
    """`motion.onnx` gets `motion.json` and `motion.md` beside it."""
    write_json(model_path.with_suffix(".json"), asdict(card))
    write_text(model_path.with_suffix(".md"), card_page(card))


def card_page(card: ModelCard) -> str:
    lines = [
        f"# {card.name}",
        "",
        card.task,
        "",
        f"- Recipe: {card.recipe}, {card.steps} steps, seed {card.seed}",
        f"- Data: {card.data}",
        f"- Command: `{card.command}`",
        f"- Licence: {card.licence}",
        "",
        "| score | value |",
        "|---|---|",
        *(f"| {name} | {_number(value)} |" for name, value in card.scores.items()),
        "",
        "## Settings",
        "",
        *(f"- {name}: {_setting(value)}" for name, value in card.settings.items()),
        "",
        "## Limits",
        "",
        card.limits,
        "",
    ]
    return "\n".join(lines)


def _setting(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_setting(part)}" for name, part in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


def _number(value: float | str | None) -> str:
    if value is None:
        return "not measured"
    return value if isinstance(value, str) else f"{value:.4g}"
