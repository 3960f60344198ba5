"""`cohort.parquet`: the frames of all recordings, in a folder for each, so that workers write independently."""

from __future__ import annotations

import io
from collections.abc import Sequence

import polars as pl

from haustra.cohort.store import Store
from haustra.core.checked_tables import checked, parse_parquet
from haustra.core.errors import HaustraError
from haustra.results.table import CHECKED, SCHEMA, parquet_metadata

FOLDER = "cohort.parquet"


def part_name(recording: str) -> str:
    """Where the frames of a recording lie in the cohort's folder: a Hive partition."""
    return f"{FOLDER}/recording={recording}/part.parquet"


def write_part(store: Store, recording: str, frames: pl.DataFrame) -> None:
    """The frames with the recording's id as a column, too, so that 007 stays text; all parts have the same columns."""
    buffer = io.BytesIO()
    columns = [
        pl.col(name) if name in frames.columns else pl.lit(None, kind).alias(name) for name, kind in SCHEMA.items()
    ]
    frames.select(pl.lit(recording).alias("recording"), *columns).write_parquet(buffer, metadata=parquet_metadata())
    store.write(part_name(recording), buffer.getvalue())


def read_part(store: Store, recording: str, columns: Sequence[str]) -> pl.DataFrame:
    """Some columns of a recording's frames."""
    data = store.read(part_name(recording))
    if data is None:
        raise HaustraError(f"{store.address}/{part_name(recording)} is missing: run the cohort again")
    source = f"{store.address}/{part_name(recording)}"
    return checked(parse_parquet(data, source)[0], CHECKED, source, columns).select(columns)


def keep_parts(store: Store, recordings: set[str]) -> set[str]:
    """Remove the parts of all other recordings; returns those of these that have a part."""
    wanted = {part_name(recording): recording for recording in recordings}
    found = [f"{FOLDER}/{name}" for name in store.names(FOLDER)]
    for name in found:
        if name not in wanted:
            store.remove(name)
    return {wanted[name] for name in found if name in wanted}
