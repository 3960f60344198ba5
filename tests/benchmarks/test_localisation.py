"""The paper's accuracy table for the whole pipeline: its rows, on made results."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from benchmarks.results_page.tables import tables

import haustra
from benchmarks import localisation
from haustra.anatomy.template import load_template
from haustra.core.vocabulary import DEFAULT_TEMPLATE
from haustra.demo import DEMO
from haustra.lab.evaluate.score_result import read_truth

ERRORS = {"motion": "0.010", "paper's index": "0.040", "generic camera": "0.020", "all frames": "0.030"}


def variant(options: dict[str, Any]) -> str:
    """Which one is asked for by these options."""
    special = {"index": "paper's index", "quality": "all frames"}
    found = next((name for option, name in special.items() if option in options), "motion")
    return "generic camera" if options["camera"] == "generic" else found


def test_every_variant_has_its_row_and_the_papers_index_costs_no_second_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth, folders = read_truth(DEMO), []

    def locate(_: Path, *, out: Path, **options: Any) -> SimpleNamespace:
        name = variant(options)
        folders.append((name, out.name))
        table = pl.DataFrame({"time_s": truth.time_s, "kept": True, "location_std": 0.02})
        return SimpleNamespace(frames=table.with_columns(location_index=pl.Series(truth.index) + float(ERRORS[name])))

    template = load_template(DEFAULT_TEMPLATE)
    monkeypatch.setattr(haustra, "locate", locate)
    monkeypatch.setattr(localisation, "templates", lambda *_: {"location": template})
    accuracy, errors = tables(localisation.run([DEMO], tmp_path, 1, 60.0))
    assert list(accuracy) == list(errors) == [*ERRORS, "true poses", "oracle", "time index", "ScopeGuide"]
    assert {name: errors[name]["mean abs. error"] for name in ERRORS} == {k: f"{v} (0.000)" for k, v in ERRORS.items()}
    assert dict(folders)["paper's index"] == dict(folders)["motion"]
    assert folders[-1][0] == "motion", "its result is the one that stays"
