"""Do two trees give the same table, to the bit? `python -m benchmarks.same_tables TREE TREE DATA ... --work DIR`.

A TREE is a checkout or a revision of this one (`main`, `v0.2.0`). Every recording of DATA is located by the code of
both, each in a process of its own, with its lens and the start of its withdrawal where these are known; then the tables
are compared column by column. Observations are kept in DIR, so the trees share nothing but the installed libraries.
The exit code is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from haustra.camera import write_camera
from haustra.core.errors import HaustraError
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording
from haustra.lab.evaluate.locate_dataset import truth_of
from haustra.lab.evaluate.text_table import text_table
from haustra.results.table import read_frames

REPOSITORY = Path(__file__).parents[1]


@dataclass(frozen=True)
class Difference:
    """A column that is not the same, in how many rows, and by how much where it holds numbers."""

    column: str
    rows: int
    largest: float | None = None


def tree_of(name: str, work: Path) -> Path:
    """A folder with `src/haustra`: the one named, or a revision of this repository, unpacked."""
    if (Path(name) / "src" / "haustra").is_dir():
        return Path(name).resolve()
    done = subprocess.run(["git", "-C", str(REPOSITORY), "archive", name], check=False, capture_output=True)
    if done.returncode:
        raise HaustraError(f"'{name}' is neither a checkout nor a revision: {done.stderr.decode().strip()}")
    folder = work / "trees" / name.replace("/", "-")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder.resolve()


def located(recording: DatasetRecording, tree: Path, work: Path) -> pl.DataFrame:
    """The table that the code of a tree makes of a recording."""
    words = ["locate", str(recording.source), "--out", str(work), "--no-overlay", "--quiet", "--threads", "1"]
    truth = truth_of(recording)
    if truth is not None:
        words += ["--withdrawal-start", str(float(truth.time_s[0]))]
    if recording.fps is not None:
        words += ["--fps", str(recording.fps)]
    if recording.camera is not None:
        camera = work.with_suffix(".camera.json")
        write_camera(camera, recording.camera)
        words += ["--camera", str(camera)]
    code = os.environ | {"PYTHONPATH": str(tree / "src")}
    done = subprocess.run([sys.executable, "-m", "haustra", *words], check=False, env=code, cwd=tree)
    if done.returncode:
        raise HaustraError(f"{recording.name} could not be located by {tree}: exit code {done.returncode}")
    return read_frames(work)


def both(recording: DatasetRecording, trees: tuple[Path, Path], work: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables that the two trees make of a recording."""
    return located(recording, trees[0], work / "first"), located(recording, trees[1], work / "second")


def differences(first: pl.DataFrame, second: pl.DataFrame) -> list[Difference]:
    """Columns of both tables whose values are not the same bits; two empty cells are the same."""
    if first.height != second.height:
        return [Difference("(rows)", abs(first.height - second.height))]
    shared = (name for name in first.columns if name in second.columns)
    return [found for name in shared if (found := _difference(first[name], second[name])) is not None]


def _difference(first: pl.Series, second: pl.Series) -> Difference | None:
    if first.dtype != second.dtype:
        return Difference(f"{first.name} ({first.dtype}, {second.dtype})", len(first))
    if not first.dtype.is_float():
        rows = int(first.ne_missing(second).sum())
        return Difference(first.name, rows) if rows else None
    a, b = (column.fill_null(0.0).to_numpy() for column in (first, second))
    unequal = (a.view(f"u{a.itemsize}") != b.view(f"u{b.itemsize}")) | (first.is_null() != second.is_null()).to_numpy()
    if not unequal.any():
        return None
    return Difference(first.name, int(unequal.sum()), float(np.nanmax(np.abs(a - b)[unequal])))


def report(tables: dict[str, tuple[pl.DataFrame, pl.DataFrame]]) -> tuple[str, bool]:
    """A row for each recording and differing column, and whether all are the same."""
    rows, same = [], True
    for name, (first, second) in tables.items():
        found = differences(first, second)
        only = sorted({*first.columns} ^ {*second.columns})
        shared = len({*first.columns} & {*second.columns})
        rows.append([name, str(first.height), f"{shared - len(found)} of {shared} columns are the same", "", ""])
        rows += [[name, "", one.column, str(one.rows), f"{one.largest or 0:.2g}"] for one in found]
        rows += [[name, "", f"{column}: in one tree only", "", ""] for column in only]
        same = same and not found
    return text_table(["recording", "rows", "column", "rows that differ", "by up to"], rows), same


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.same_tables", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("trees", nargs=2, metavar="TREE")
    parser.add_argument("data", type=Path, nargs="+", metavar="DATA")
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args(arguments)
    work = options.work.resolve()
    try:
        trees = tree_of(options.trees[0], work), tree_of(options.trees[1], work)
        recordings = [one for data in options.data for one in open_dataset(data.resolve(), None)[1]]
        tables = {one.name: both(one, trees, work / one.name) for one in recordings}
    except HaustraError as error:
        print(error, file=sys.stderr)
        return 2
    text, same = report(tables)
    print(text)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
