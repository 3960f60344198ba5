"""Tables of location errors: mean over recordings, and each recording."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haustra.core.errors import HaustraError
from haustra.lab.evaluate.locate_dataset import Case, with_index
from haustra.lab.evaluate.location_errors import LocationErrors, location_errors
from haustra.lab.evaluate.result_table import ResultTable, Value, of_rows

FIGURES = ("location_mae", "location_rmse", "location_max", "location_correlation", "within_2std")


def location_results(cases: Sequence[Case]) -> dict[str, dict[str, LocationErrors]]:
    """By index and recording."""
    known = [case for case in cases if case.location is not None]
    if not known:
        raise HaustraError("no recording has a true location index: use `evaluate segments` where segments are known")
    names = dict.fromkeys(name for case in known for name in case.index)
    return {name: {case.name: _errors(case, name) for case in with_index(known, name)} for name in names}


def _errors(case: Case, name: str) -> LocationErrors:
    assert case.location is not None
    return location_errors(case.index[name], case.location, case.std.get(name))


def location_tables(results: dict[str, dict[str, LocationErrors]]) -> list[ResultTable]:
    """Mean (std) over recordings, and the mean absolute error of each recording."""
    over = {name: [_over(list(found.values()), figure) for figure in FIGURES] for name, found in results.items()}
    recordings = list(dict.fromkeys(one for found in results.values() for one in found))
    each = {
        name: [Value(found[one].location_mae) if one in found else None for one in recordings]
        for name, found in results.items()
    }
    title = f"Location index: mean (std) over {len(recordings)} recordings"
    return [
        of_rows("location", title, FIGURES, over),
        of_rows("location-by-recording", "Mean absolute error of the location index", recordings, each),
    ]


def _over(found: Sequence[LocationErrors], figure: str) -> Value | None:
    values = [getattr(one, figure) for one in found]
    return Value.of([np.nan if value is None else value for value in values])
