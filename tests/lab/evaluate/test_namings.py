"""The ways to name segments side by side, by value."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.anatomy import load_template, segments_of
from haustra.lab.evaluate.locate_dataset import SCOPEGUIDE, Case, Named
from haustra.lab.evaluate.segment_methods import BY_SCOPEGUIDE, ORACLE, calibration_error, naming_table
from haustra.lab.evaluate.segment_scores import segment_result

TEMPLATE = load_template("paper-set2")


def test_calibration_error_bin_by_bin() -> None:
    rng = np.random.default_rng(0)
    sure = np.append(rng.random(200), [1.0, 0.0, 0.1, 0.9999])
    right = rng.random(204) < sure
    total = 0.0
    for k in range(10):
        rows = [i for i in range(204) if min(int(10 * sure[i]), 9) == k]
        if rows:
            total += len(rows) / 204 * abs(np.mean(sure[rows]) - np.mean(right[rows]))
    assert calibration_error(sure, right) == pytest.approx(total)


def made_case(seed: int, *, location: bool = True, scopeguide: bool = True, certainty: bool = True) -> Case:
    rng = np.random.default_rng(seed)
    time_s = np.arange(100.0)
    place = time_s / 99
    segment = segments_of(place, TEMPLATE)
    said = np.where(rng.random(100) < 0.8, segment, np.clip(segment + 1, 1, 6))
    sure = rng.random(100)
    sure[:3] = np.nan
    index = {SCOPEGUIDE: place**2} if scopeguide else {}
    named = {"template": Named(said, sure if certainty else None)}
    return Case(f"r{seed}", time_s, segment, place**1.1 if location else None, None, index, named=named)


def test_each_way_has_its_row() -> None:
    cases = [made_case(0), made_case(1, scopeguide=False, location=False)]
    table = naming_table(cases, ("template", BY_SCOPEGUIDE))
    rows = {row.name: row.cells for row in table.rows}
    assert list(rows) == ["template", BY_SCOPEGUIDE, ORACLE]
    results = [segment_result(case.named["template"].segment, case.segment) for case in cases]
    for k, name in enumerate(("accuracy", "average_error", "maximal_error")):
        values = [float(getattr(result, name)) for result in results]
        assert (rows["template"][k].mean, rows["template"][k].std) == pytest.approx((np.mean(values), np.std(values)))
    sure = np.concatenate([case.named["template"].certainty for case in cases])
    right = np.concatenate([case.named["template"].segment == case.segment for case in cases])
    known = np.isfinite(sure)
    assert rows["template"][3].mean == pytest.approx(calibration_error(sure[known], right[known]))
    lengths = load_template("paper-set3-scopeguide")
    guided = segment_result(segments_of(cases[0].index[SCOPEGUIDE], lengths), cases[0].segment)
    assert rows[BY_SCOPEGUIDE][0].mean == pytest.approx(guided.accuracy), "of the one recording that has a track"
    assert rows[BY_SCOPEGUIDE][3] is None
    oracle = segment_result(segments_of(cases[0].location, TEMPLATE), cases[0].segment)
    assert rows[ORACLE][0].mean == pytest.approx(oracle.accuracy)


def test_a_way_that_no_recording_has_is_left_out() -> None:
    bare = made_case(0, scopeguide=False, location=False, certainty=False)
    table = naming_table([bare], ("template", BY_SCOPEGUIDE))
    assert [row.name for row in table.rows] == ["template"]
    assert table.rows[0].cells[3] is None
