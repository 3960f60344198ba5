"""Cuts of recordings: where they lie, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.coverage import Covered, report, summary
from benchmarks.cut_recordings import SHARES, cuts, given_ends_error, row
from benchmarks.dropped_frames import HEADER, with_dropped
from benchmarks.dropped_frames import row as dropped_row
from benchmarks.observed import Observed
from benchmarks.results_page.tables import tables

from haustra.core.vocabulary import IndexMethod
from haustra.results.observations import Observations


def recording(way: float, count: int = 900) -> Observed:
    """A camera drawn back evenly by `way` calibres in a minute."""
    motion = 0.01 * np.random.default_rng(1).standard_normal((count, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
    motion[:, 2] += way / count
    motion[0] = np.nan
    nothing, time_s = np.zeros(count, np.float32), np.arange(count) / 15
    seen = Observations(time_s=time_s, p_noninformative=nothing, p_forceps=nothing, motion=motion)
    return Observed("made", seen, time_s, np.linspace(0, 1, count), np.tile(np.eye(4), (count, 1, 1)))


def test_cuts_lie_inside_and_are_as_long_as_asked() -> None:
    whole = recording(40.0)
    found = cuts([whole], 12, seed=1)
    lengths = [len(piece.seen.time_s) / len(whole.seen.time_s) for piece in found]
    assert SHARES[0] - 0.01 < min(lengths) < 0.3 < 0.6 < max(lengths) < SHARES[1]
    assert len({float(piece.seen.time_s[0]) for piece in found}) == 12
    assert cuts([whole], 3, seed=1)[2].seen.time_s[0] == found[2].seen.time_s[0]


def test_a_row_counts_what_is_said() -> None:
    both = [recording(40.0), recording(10.0)]
    assert row("made", both, start_given=False)[2:] == ["2", "0", "1", "1", "0", "0"]
    assert row("made", both, start_given=True)[2:] == ["2", "0", "1", "0", "1", "1"]


def test_given_ends_put_a_piece_in_its_place() -> None:
    assert given_ends_error(cuts([recording(40.0)], 1, seed=3)[0]) < 0.03


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_as_many_frames_are_dropped_as_asked(share: float) -> None:
    whole = recording(40.0)
    spoilt = with_dropped(whole, 0.3, np.random.default_rng(1))
    found = with_dropped(spoilt, share, np.random.default_rng(2))
    assert 1 - found.seen.kept.mean() == pytest.approx(share, abs=0.02)
    gone = spoilt.seen.kept & ~found.seen.kept
    assert np.isnan(found.seen.motion[gone]).all(), "nothing is measured in what is dropped"
    back = found.seen.kept & ~spoilt.seen.kept
    assert np.isfinite(found.seen.motion[back]).all(), "what is seen again has a motion"
    assert {bool(gone.any()), bool(back.any())} == {True, False}
    assert [bool(reason) for reason in found.seen.reason] == (~found.seen.kept).tolist()


def test_coverage_counts_frames_and_weighs_recordings_alike() -> None:
    place = np.linspace(0, 1, 100)
    good = Covered("good", place, np.full(100, 0.01), np.full(100, 0.02), np.full(100, -0.1))
    bad = Covered("bad", place[:50], np.full(50, -0.06), np.full(50, 0.02), np.full(50, 0.2))
    assert (good.within, bad.within) == (1.0, 0.0)
    found = summary("set", [good, bad])
    assert found[:5] == ["set", "2", "0.035 (0.025)", "0.060", "0.150 (0.050)"]
    assert found[5:8] == ["0.500", "0.000", "1"]
    assert float(found[8]) == pytest.approx(np.sqrt((0.25 + 9) / 2), abs=0.01)
    assert found[9:] == ["2.15", "2.15", "2.15", "0.50", "0.50"]


def test_every_error_has_that_of_the_papers_index_beside_it() -> None:
    made = recording(40.0)
    papers = float(np.abs(made.error_of(made.located(IndexMethod.PAPER))).mean())
    ours = float(np.abs(made.error_of(made.located())).mean())
    assert papers != ours
    means, every = tables(report({"set": [made]}))
    clock = np.abs((made.seen.time_s - 0.0) / made.seen.time_s[-1] - made.location_at(made.seen.time_s))
    assert means["set"]["clock error"].startswith(f"{clock[made.seen.kept].mean():.3f}")
    assert (every["set"]["location error"], every["set"]["paper's index"]) == (f"{ours:.4f}", f"{papers:.4f}")
    dropped = dict(zip(HEADER, dropped_row("as they are", [made]), strict=True))
    assert (dropped["location error"], dropped["paper's index"]) == (f"{ours:.4f}", f"{papers:.4f}")
    (piece,) = cuts([made], 1, seed=3)
    assert given_ends_error(piece, IndexMethod.PAPER) != given_ends_error(piece)
