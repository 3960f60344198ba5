"""docs/reference/schemas.md: the layout of a result, from `haustra.results.schema`."""

from __future__ import annotations

import json
from collections.abc import Mapping

from haustra.anatomy.findings import FINDING_COLUMNS, PLACE_COLUMNS
from haustra.anatomy.intervals import INTERVALS as INTERVAL_TYPES
from haustra.results import schema
from haustra.results.table import SCHEMA

HEAD = f"""# Schemas

The layout of a result has version **{schema.VERSION}**: `{schema.KEY}` in `summary.json`, and in the metadata of
`frames.parquet`. Of csv files the summary beside them says it. A column or key may be added within a version; where one
is removed, renamed or means something else, the version is raised, and results of another version are refused in one
line.
"""


def schemas_page() -> str:
    """Tables first, then summary.json."""
    frames = {name: str(kind) for name, kind in SCHEMA.items()}
    intervals = {name: str(kind) for name, kind in INTERVAL_TYPES.items()}
    places = {name: str(SCHEMA.get(name, "Float64")) for name in PLACE_COLUMNS}
    findings = {name: str(kind) for name, kind in FINDING_COLUMNS.items()} | places
    parts = [
        HEAD,
        _table("frames.parquet, frames.csv", frames, schema.FRAMES),
        _table("segments.csv", intervals, schema.INTERVALS),
        _table("findings.csv", findings, schema.FINDINGS),
        "## summary.json",
        "",
        "```json",
        json.dumps(schema.summary_schema(), indent=1),
        "```",
        "",
    ]
    return "\n".join(parts)


def _table(title: str, types: Mapping[str, str], meanings: Mapping[str, str]) -> str:
    rows = [f"| `{name}` | {kind} | {meanings[name]} |" for name, kind in types.items()]
    return "\n".join([f"## {title}", "", "| column | type | meaning |", "|---|---|---|", *rows, ""])
