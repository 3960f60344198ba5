"""`haustra datasets`: which datasets can be read, where to get them, and their terms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.core.wording import counted


def datasets(
    folder: Annotated[Path | None, typer.Argument(help="A folder to identify. Default: list the datasets.")] = None,
    name: Annotated[str | None, typer.Option("--dataset", help="Read the folder as this dataset.")] = None,
    json: JsonOption = False,
) -> None:
    """List the datasets that can be read, with contents, source, terms and layout; or say what a folder holds."""
    from haustra.lab.datasets.catalogue import DATASETS, open_dataset

    if folder is None:
        if json:
            print_json({entry.name: entry.as_dict() for entry in DATASETS})
            return
        for entry in DATASETS:
            print(f"{entry.name:<11} {entry.title}\n            holds  {entry.holds}\n            from   {entry.where}")
            print(f"            terms  {entry.terms}\n            layout {entry.layout}")
        return
    entry, found = open_dataset(folder, name)
    rows = [
        {
            "name": one.name, "frames": len(one), "seconds": round(float(one.time_s[-1] - one.time_s[0]), 3),
            "camera": one.camera is not None, "poses": one.T_w_c is not None, "segments": one.segment is not None,
            "notes": list(one.notes),
        }
        for one in found
    ]  # fmt: skip
    if json:
        print_json({"dataset": entry.name, "recordings": rows})
        return
    print(f"{entry.name}: {entry.title}")
    for row, one in zip(rows, found, strict=True):
        has = ", ".join(key for key in ("camera", "poses", "segments") if row[key]) or "pictures only"
        print(f"{row['name']}: {counted(len(one), 'frame')}, {has}")
