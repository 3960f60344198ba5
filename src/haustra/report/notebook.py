"""What a notebook shows of a result: figures, the curve of location over time, segments, and what to check."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from haustra.anatomy.frame_places import Located, located
from haustra.core.files import write_text
from haustra.core.markup import escape
from haustra.core.times import format_time
from haustra.report import figures
from haustra.report.curve_svg import curve_svg
from haustra.report.facts import subtitle, title
from haustra.report.headline import headline
from haustra.report.uncertainty import fastest_places, uncertain_places

HEADINGS: Final = ("Segment", "Time", "Net", "Speed per min", "Dropped", "Probability")
UNKNOWN: Final = "–"


@dataclass(frozen=True)
class CurveDrawing:
    """A drawing that a notebook shows by itself; `save` writes it as an SVG file."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "CurveDrawing(location over time): save('curve.svg') writes it"

    def save(self, file: str | Path) -> Path:
        """Write the drawing, and say where it is."""
        write_text(Path(file), self.svg)
        return Path(file)


def result_html(table: pl.DataFrame, summary: Mapping[str, Any]) -> str:
    """The result as a part of a page, without scripts: notebooks that are not trusted show it, too."""
    placed = located(table)
    curve = base64.b64encode(curve_svg(table).encode()).decode()
    return "".join(
        [
            f'<div class="haustra"><p><b>{escape(title(summary))}</b> {escape(subtitle(table, summary))}</p>',
            _facts(placed, summary),
            f'<img alt="Location over time" style="max-width:100%" src="data:image/svg+xml;base64,{curve}">',
            _segments(placed),
            _list("To check", to_check(table, summary)),
            "</div>",
        ]
    )


def to_check(table: pl.DataFrame, summary: Mapping[str, Any]) -> list[str]:
    """Warnings, and the places that the report names."""
    warnings = [str(warning) for warning in summary.get("warnings", [])]
    # The trajectory of another program has no frames that could be looked at again.
    places = [*uncertain_places(table), *fastest_places(table)] if _has_frames(table) else []
    return [*warnings, *(f"{place['when']}: {place['text']}" for place in places)]


def _facts(placed: Located, summary: Mapping[str, Any]) -> str:
    if not _has_frames(placed.table):
        return ""
    found = summary.get("findings")
    findings = int(found["count"] or 0) if isinstance(found, Mapping) else 0
    facts = headline(placed, summary, findings, len(to_check(placed.table, summary)))
    cells = (
        f'<td style="text-align:left;vertical-align:top"><small>{escape(fact["label"])}</small><br>'
        f'<b style="font-size:1.3em">{escape(fact["value"])}</b><br><small>{escape(fact["note"])}</small></td>'
        for fact in facts
    )
    return f"<table><tr>{''.join(cells)}</tr></table>"


def _segments(placed: Located) -> str:
    rows = [row for row in figures.segment_figures(placed) if row["time_s"]]
    return _table(HEADINGS, (_segment_row(row) for row in rows)) if rows else ""


def _segment_row(row: Mapping[str, Any]) -> Iterator[str]:
    yield str(row["segment"]).capitalize()
    yield format_time(row["time_s"])
    yield format_time(row["net_s"])
    speed = row["speed_percent_per_min"]
    yield UNKNOWN if speed is None else f"{figures.percent(speed / 100)}, {row['pace']}"
    yield _share(row["share_dropped"])
    yield _share(row["mean_probability"])


def _share(value: float | None) -> str:
    return UNKNOWN if value is None else figures.percent(value)


def _table(head: Sequence[str], rows: Iterator[Iterator[str]]) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr></thead><tbody>{body}</tbody></table>"


def _list(name: str, lines: Sequence[str]) -> str:
    return f"<p>{name}:</p><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""


def _has_frames(table: pl.DataFrame) -> bool:
    return "kept" in table.columns and not table.is_empty()
