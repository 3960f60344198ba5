"""The table of a withdrawal and what is read off it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from haustra.anatomy import load_template, segment_probabilities
from haustra.anatomy.frame_places import (
    located,
    place_columns,
    place_of,
    place_withdrawal,
    segment_numbers,
    shown_colon,
)
from haustra.anatomy.segment_labels import Labelling
from haustra.core.vocabulary import SEGMENTS, Basis, Extent, Naming, Reason
from haustra.path import PathParameters
from haustra.quality.cecum_classifier import CecumScores
from haustra.results.table import PROBABILITY_COLUMNS, frames_table, poses_of

TEMPLATE = load_template("paper-set2")
BY_TEMPLATE = Labelling(TEMPLATE, Naming.TEMPLATE)


@pytest.mark.parametrize("name", SEGMENTS)
def test_a_segment_is_a_place_somewhere_in_it(name: str) -> None:
    """Uniform between its boundaries: the middle, and a twelfth of the squared length as variance."""
    low, high = TEMPLATE.boundaries[SEGMENTS.index(name) : SEGMENTS.index(name) + 2]
    drawn = np.linspace(low, high, 200_001)
    end = place_of(name, TEMPLATE)
    assert end is not None
    assert (end.location, end.std) == pytest.approx((drawn.mean(), drawn.std()), rel=1e-4)


@pytest.mark.parametrize("place", [0.0, 1.0, 0.25])
def test_a_location_is_a_place_that_is_known_as_well_as_the_ends(place: float) -> None:
    end = place_of(place, TEMPLATE)
    assert end is not None
    assert (end.location, end.std) == (place, PathParameters().location.end_std)
    assert place_of(None, TEMPLATE) is None


def made_withdrawal() -> SimpleNamespace:
    rng = np.random.default_rng(0)
    T = np.tile(np.eye(4), (5, 1, 1))
    T[:, :3, 3] = rng.normal(size=(5, 3))
    seen = SimpleNamespace(
        time_s=10 + np.arange(5) / 15,
        p_noninformative=rng.random(5),
        p_forceps=rng.random(5),
        kept=np.array([True, False, True, True, True]),
        reason=[Reason.KEPT, Reason.FORCEPS, Reason.KEPT, Reason.KEPT, Reason.KEPT],
    )
    return SimpleNamespace(
        seen=seen,
        location=SimpleNamespace(T_w_c=T),
        start=None,
        basis=[Basis.SEEN, Basis.POOR, Basis.UNSEEN, Basis.SEEN, Basis.SEEN],
        index=np.linspace(0, 1, 5),
        std=np.linspace(0.01, 0.05, 5),
        extent=Extent.LIKELY,
        start_s=10.0,
        end_s=10.3,
    )


def test_the_table_holds_what_the_withdrawal_says() -> None:
    given = made_withdrawal()
    table = place_withdrawal(given, BY_TEMPLATE).table  # type: ignore[arg-type]
    assert table["frame"].to_list() == [0, 1, 2, 3, 4]
    for name in ("time_s", "kept"):
        assert table[name].to_list() == getattr(given.seen, name).tolist()
    for name in ("p_noninformative", "p_forceps"):
        assert table[name].to_list() == pytest.approx(getattr(given.seen, name), rel=1e-6)
    assert table["location_index"].to_list() == given.index.tolist()
    assert table["location_std"].to_list() == given.std.tolist()
    assert table["reason"].to_list() == ["", "forceps", "", "", ""]
    assert table["basis"].to_list() == ["seen", "poor", "unseen", "seen", "seen"]
    np.testing.assert_allclose(poses_of(table), given.location.T_w_c, atol=1e-12)
    probabilities = segment_probabilities(given.index, given.std, TEMPLATE)
    np.testing.assert_allclose(table.select(PROBABILITY_COLUMNS).to_numpy(), probabilities)
    assert table["segment"].to_list()[::4] == ["cecum", "rectum"]


def test_the_best_view_of_the_cecum_is_early_or_there_is_none() -> None:
    """Up to the last frame at or before the latest location of a cecum; frames beyond it are ignored."""
    given = made_withdrawal()
    given.index = np.array([0.0, 0.2, BY_TEMPLATE.parameters.cecum.latest_location, 0.7, 1.0])
    times = given.seen.time_s
    for at, found in ((2, True), (3, False)):
        scores = CecumScores(np.array([times[at]]), np.array([0.8]))
        placed = place_withdrawal(given, BY_TEMPLATE, scores)  # type: ignore[arg-type]
        assert placed.cecum == ((times[at], 0.8) if found else None)
    assert place_withdrawal(given, BY_TEMPLATE).cecum is None  # type: ignore[arg-type]
    given.index = np.linspace(0.5, 1, 5)
    late = CecumScores(times[:1], np.array([0.8]))
    assert place_withdrawal(given, BY_TEMPLATE, late).cecum is None  # type: ignore[arg-type]


def test_an_instrument_in_the_picture_is_dropped_and_not_uninformative() -> None:
    columns = place_columns(np.linspace(0, 0.05, 10), np.full(10, 0.01), TEMPLATE)
    reasons = ["", "", "", "", "", "forceps", "biopsy", "non-informative", "black", ""]
    kept = [not reason for reason in reasons]
    table = frames_table({"time_s": np.arange(10.0), "kept": kept, "reason": reasons, **columns})
    found = located(table)
    assert found.figures.segments["cecum"].dropped_share == pytest.approx(0.4)
    assert found.figures.segments["cecum"].noninformative_share == pytest.approx(0.2)
    assert [finding.label for finding in found.biopsies] == ["biopsy"]
    poses = {name: [0.0, None] * 5 for name in ("tx", "ty", "tz", "qx", "qy", "qz", "qw")}
    foreign = pl.DataFrame({"time_s": np.arange(10.0), **poses, **columns}, strict=False)
    assert located(foreign).figures.segments["cecum"].dropped_share == pytest.approx(0.5), "a row without a pose"
    assert located(foreign).biopsies == ()


def test_segments_by_number() -> None:
    table = pl.DataFrame({"segment": [*SEGMENTS, "", None]})
    assert segment_numbers(table).tolist() == [1, 2, 3, 4, 5, 6, 0, 0]


def named_table(index: list[float], number: list[int]) -> pl.DataFrame:
    return pl.DataFrame({"location_index": index, "segment": [SEGMENTS[k - 1] if k else None for k in number]})


def test_the_colon_is_drawn_as_its_segments_are_named() -> None:
    """A boundary that agrees with the names stays where the template has it."""
    table = named_table([0.01, 0.1, 0.3, 0.35, 0.5, 0.8, 0.85, 0.95, 0.2], [1, 2, 2, 3, 4, 4, 5, 6, 0])
    shown = shown_colon(table, TEMPLATE)
    first, _, third, _, fifth = TEMPLATE.boundaries[1:6]
    np.testing.assert_allclose(shown.boundaries, [0, first, 0.3, third, 0.8, fifth, 1], atol=1e-12)
    assert shown.name == TEMPLATE.name


def test_of_a_part_the_rest_is_drawn_by_the_template_and_in_order() -> None:
    drawn = shown_colon(named_table([0.5, 0.52, 0.7], [2, 3, 3]), TEMPLATE).boundaries
    np.testing.assert_allclose(drawn, [0, TEMPLATE.boundaries[1], 0.5, 0.7, 0.7, TEMPLATE.boundaries[5], 1], atol=1e-12)
    by_none = shown_colon(named_table([0.2, 0.4], [0, 0]), TEMPLATE)
    np.testing.assert_allclose(by_none.boundaries, TEMPLATE.boundaries)
