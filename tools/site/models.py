"""docs/reference/models.md: the cards of the shipped networks."""

from __future__ import annotations

from pathlib import Path

import haustra
from haustra.core.files import read_json

WEIGHTS = Path(haustra.__file__).parent / "weights"
HEAD = """# Models

The networks that come with the package, in `src/haustra/weights`, each with its card. Scores are as measured when the
network was made; [results](../results/index.md) has today's. All are for research; none is a medical device.
"""


def models_page() -> str:
    cards = {path.stem: read_json(path) for path in sorted(WEIGHTS.glob("*.json"))}
    lines = [HEAD, "| model | what it does | size |", "|---|---|---|"]
    for name, card in cards.items():
        size = (WEIGHTS / f"{name}.onnx").stat().st_size / 2**20
        lines.append(f"| [{name}](#{name}) | {card['task']} | {size:.1f} MB |")
    pages = [_lower((WEIGHTS / f"{name}.md").read_text(encoding="utf-8")) for name in cards]
    return "\n".join([*lines, "", *pages])


def _lower(page: str) -> str:
    """The card's headings one level down: it is a section here."""
    return "\n".join(f"#{line}" if line.startswith("#") else line for line in page.splitlines()) + "\n"
