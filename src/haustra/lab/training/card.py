"""Model cards: what a network is, how it was trained and how it scores, as JSON and as a page."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from haustra.core.files import write_json, write_text


@dataclass(frozen=True)
class ModelCard:
    """`scores`: measured numbers, each named by its protocol; `limits`: plain English.

    `history`: how the network came about, where the command does not tell all of it.
    """

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
    history: str = ""


def this_command() -> str:
    """The running command with file names only: a card must not contain paths of this machine."""
    words = [Path(word).name if "/" in word else word for word in sys.argv]
    return shlex.join(words)


def measured(figures: Mapping[str, float]) -> dict[str, float | None]:
    """Figures for JSON: non-finite ones become None."""
    return {name: value if math.isfinite(value) else None for name, value in figures.items()}


def write_card(card: ModelCard, model_path: Path) -> None:
    """Write `motion.json` and `motion.md` next to `motion.onnx`."""
    write_json(model_path.with_suffix(".json"), asdict(card))
    write_text(model_path.with_suffix(".md"), card_page(card))


def card_page(card: ModelCard) -> str:
    """The card as a Markdown page."""
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
        *(["## How it came about", "", card.history, ""] if card.history else []),
        *(["## Settings", ""] if card.settings else []),
        *(f"- {name}: {_setting(value)}" for name, value in card.settings.items()),
        *([""] if card.settings else []),
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
