"""Golden numbers: the observations of the demo, and what stages 6 and 7 make of them, so that none changes unnoticed.

    python tests/golden.py                     renew the table after a change that was meant
    python tests/golden.py --observations DIR  renew both, from a result of the demo located from 0 s on

A result on a user's disk is taken as finished when its identity is that of the run (`haustra.identity`): version,
parameters, models. Code that gives other numbers under the same identity would leave old numbers standing, so renewing
refuses until one of them has changed; for a change of the code that is the version. No pictures are kept.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import haustra
from haustra.anatomy import load_template
from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.cecum import start_log_likelihood
from haustra.anatomy.frame_places import place_withdrawal
from haustra.anatomy.segment_labels import Labelling
from haustra.core.files import read_json, replacing, write_json
from haustra.core.vocabulary import DEFAULT_TEMPLATE, Naming
from haustra.identity import made_by
from haustra.path import PathParameters
from haustra.path.frame_locations import whole_colon
from haustra.path.withdrawal import follow_withdrawal
from haustra.quality.cecum_classifier import CecumScores
from haustra.results.folder import OBSERVATIONS
from haustra.results.observations import Observations
from haustra.results.run import file_digest, value_digest
from haustra.results.table import POSE_COLUMNS, PROBABILITY_COLUMNS

FOLDER = Path(__file__).parent / "data" / "golden"
TABLE, IDENTITY = FOLDER / "table.parquet", FOLDER / "identity.json"
# Start and ends given with the decoder; nothing given with the paper's template.
CASES = {
    "given": (0.0, whole_colon(PathParameters().location.end_std), Naming.DECODER),
    "found": (None, (None, None), Naming.TEMPLATE),
}
EVERY = 4  # rows
OBSERVED = ("p_noninformative", "p_forceps", "p_cecum_view", "motion", "motion_std", "lumen")
NUMBERS = ("location_index", "location_std", *POSE_COLUMNS, *PROBABILITY_COLUMNS)
# Linear algebra and ONNX Runtime differ in the last digits from machine to machine, and a frame at a boundary may go
# either way.
TOLERANCE = 1e-4
SAME_WORDS = 0.99


def observations(folder: Path = FOLDER) -> Observations:
    with np.load(folder / OBSERVATIONS, allow_pickle=False) as arrays:
        return Observations.from_arrays(arrays)


def identity() -> dict[str, str]:
    """What identifies the code that makes the numbers."""
    code = made_by()
    weights = sorted(Path(haustra.__file__).parent.glob("weights/*.onnx"))
    models = value_digest({path.name: file_digest(path) for path in weights})
    return {"haustra": code["haustra"], "parameters": code["parameters"], "models": models}


def made() -> pl.DataFrame:
    """The table of today's code."""
    return pl.concat([_located(observations(), *case).with_columns(case=pl.lit(name)) for name, case in CASES.items()])


def _located(seen: Observations, start_s: float | None, ends: Any, naming: Naming) -> pl.DataFrame:
    labelling = Labelling(load_template(DEFAULT_TEMPLATE), naming, bend_network=open_bend_network())
    support = partial(start_log_likelihood, CecumScores.of(seen), parameters=labelling.parameters.cecum)
    withdrawal = follow_withdrawal(seen, start_s, ends, support)
    table = place_withdrawal(withdrawal, labelling, CecumScores.of(withdrawal.seen)).table
    return (
        table.gather_every(EVERY)
        .select("time_s", "segment", "basis", *NUMBERS)
        .with_columns(pl.col(NUMBERS).cast(pl.Float32))
    )


def difference(kept: pl.DataFrame, found: pl.DataFrame) -> str:
    """The first thing that is another, in one line; nothing where the tables are the same."""
    if not kept.select("case", "time_s").equals(found.select("case", "time_s")):
        return f"{found.height} rows instead of {kept.height}, or other times"
    for name in NUMBERS:
        was, now = kept[name], found[name]
        if (was.is_null() != now.is_null()).any():
            return f"{name} is known in other rows"
        if (largest := float((was - now).abs().max() or 0.0)) > TOLERANCE:  # type: ignore[arg-type]
            return f"{name} differs by up to {largest:.2g}"
    for name in ("segment", "basis"):
        if (same := float((kept[name] == found[name]).mean())) < SAME_WORDS:  # type: ignore[arg-type]
            return f"{name} is the same in {same:.1%} of the rows only"
    return ""


def observed_difference(kept: Observations, found: Observations) -> str:
    """The same for observations; pictures are not compared."""
    if len(kept) != len(found) or not np.allclose(kept.time_s, found.time_s):
        return f"{len(found)} frames instead of {len(kept)}, or other times"
    if (same := np.mean([a == b for a, b in zip(kept.reason, found.reason, strict=True)])) < SAME_WORDS:
        return f"reason is the same in {same:.1%} of the frames only"
    for name in OBSERVED:
        was, now = getattr(kept, name), getattr(found, name)
        if (known := float((np.isfinite(was) == np.isfinite(now)).mean())) < SAME_WORDS:
            return f"{name} is known in the same {known:.1%} of the frames only"
        if (largest := float(np.nanquantile(np.abs(was - now), SAME_WORDS))) > TOLERANCE:
            return f"{name} differs by up to {largest:.2g}"
    return ""


def renew(result: Path | None = None) -> str:
    """Keep today's numbers; a line that says why not where they must not be renewed."""
    same = IDENTITY.is_file() and read_json(IDENTITY) == identity()
    advice = "under the same identity: raise the version in src/haustra/__init__.py, CHANGELOG.md, CITATION.cff"
    if result is not None:
        seen = observations(result)
        if same and (found := observed_difference(observations(), seen)):
            return f"{found} {advice}"
        with replacing(FOLDER / OBSERVATIONS) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **replace(seen, thumbnail=(b"",) * len(seen)).to_arrays())
    table = made()
    if same and (found := difference(pl.read_parquet(TABLE), table)):
        return f"{found} {advice}"
    with replacing(TABLE) as temporary:
        table.write_parquet(temporary, compression_level=19)
    write_json(IDENTITY, identity())
    return ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Renew the golden table.")
    parser.add_argument("--observations", type=Path, help="Result folder whose observations to take.")
    sys.exit(renew(parser.parse_args().observations) or None)
