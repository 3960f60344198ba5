"""Segments in many worlds: what a row says."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.named_worlds import HEADER, PAPER, WAYS, NamedFrames, named, row
from benchmarks.observed import Observed

import golden
from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.segment_labels import Labelling
from haustra.anatomy.template import load_template
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import DEFAULT_TEMPLATE
from haustra.demo import DEMO
from haustra.lab.evaluate.score_result import read_truth


def frames(right: int, of: int, certainty: float) -> NamedFrames:
    good, other = np.arange(of) < right, np.arange(of) < 1
    ways = {"oracle": other, "template": other, PAPER: other, "clock": other, "decoder": good}
    return NamedFrames(ways, np.full(of, certainty, np.float64))


def test_recordings_count_alike_and_honesty_is_that_of_all_frames() -> None:
    found = dict(zip(HEADER, row("made", [frames(9, 10, 0.9), frames(20, 40, 0.9)]), strict=True))
    assert found["n"] == "2"
    assert float(found["decoder"]) == pytest.approx(0.7)
    assert float(found["oracle"]) == pytest.approx((0.1 + 0.025) / 2, abs=1e-3)
    assert float(found["least"]) == 0.5
    assert float(found["says"]) == pytest.approx(0.9)
    assert float(found["calibration error"]) == pytest.approx(0.9 - 29 / 50)


def test_segments_are_those_of_the_nearest_frame_and_not_made_up() -> None:
    time_s = np.arange(4.0)
    whole = Observed("made", None, time_s, time_s / 3, np.tile(np.eye(4), (4, 1, 1)), np.array([1, 1, 2, 6]))  # type: ignore[arg-type]
    assert whole.segment_at(np.array([0.2, 1.7, 3.4])).tolist() == [1, 2, 6]
    nothing = Observed("made", None, time_s, time_s / 3, np.tile(np.eye(4), (4, 1, 1)))  # type: ignore[arg-type]
    with pytest.raises(HaustraError, match="not known"):
        nothing.segment_at(time_s)


def test_every_way_names_the_demo_and_the_papers_is_one_of_them() -> None:
    truth = read_truth(DEMO)
    assert truth.index is not None
    assert truth.T_w_c is not None
    demo = Observed("demo", golden.observations(), truth.time_s, truth.index, truth.T_w_c, truth.segment)
    found = named(demo, Labelling(load_template(DEFAULT_TEMPLATE), bend_network=open_bend_network()))
    accuracy = {way: found.accuracy(way) for way in WAYS}
    assert min(accuracy["oracle"], accuracy["template"], accuracy[PAPER]) > accuracy["clock"]
    assert accuracy[PAPER] != accuracy["template"], "another index"
