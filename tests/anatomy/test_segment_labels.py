"""Segment labels: which evidence decides them under each method, and what is refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from haustra.anatomy import load_template, segment_probabilities, segments_of
from haustra.anatomy.bends import BINS, BendNetwork
from haustra.anatomy.decoder import Decoded
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.segment_labels import (
    Labelling,
    check_landmarks,
    label_segments,
)
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS, Extent, Naming
from haustra.quality.cecum_classifier import CecumScores

TEMPLATE = load_template("paper-set2")
COUNT = 240
TIME_S = 20.0 + np.arange(COUNT)


def withdrawal(extent: Extent = Extent.LIKELY, poses: int = COUNT, *, moves: bool = True) -> Any:
    """Two hundred and forty frames, one a second, of which the first `poses` are kept; slow in the right colon."""
    kept = np.arange(COUNT) < poses
    index = np.linspace(0, 1, COUNT) ** 1.5
    path = np.stack([np.cos(5 * index), np.sin(3 * index), index**2], axis=1)
    return SimpleNamespace(
        seen=SimpleNamespace(time_s=TIME_S, kept=kept),
        trajectory=SimpleNamespace(positions=path[:poses] * moves),
        index=index,
        std=np.full(COUNT, 0.03),
        gap_rotation_std=np.zeros(COUNT),
        extent=extent,
        start_s=20.0,
        end_s=19.0 + COUNT,
    )


def network_for(boundary: int, location: float) -> BendNetwork:
    """A bend network that is certain of one boundary, whatever the path, and knows nothing of the others."""
    logits = np.zeros((1, 5, BINS))
    logits[0, boundary - 1, int(location * BINS)] = 12.0
    prior = np.full((5, BINS), 1 / BINS).tolist()
    model = SimpleNamespace(run=lambda _: [logits], card=SimpleNamespace(prior=prior))
    return BendNetwork(model, Path("x"))  # type: ignore[arg-type]


def decoded_by(given: Any, cecum: CecumScores | None = None, **options: Any) -> Decoded:
    found = label_segments(given, Labelling(TEMPLATE, **options), cecum)[1]
    assert found is not None
    return found


def test_the_template_cuts_the_location() -> None:
    given = withdrawal()
    columns, found = label_segments(given, Labelling(TEMPLATE, Naming.TEMPLATE))
    assert found is None
    numbers = segments_of(given.index, TEMPLATE)
    assert columns["segment"] == [SEGMENTS[k - 1] for k in numbers]
    wanted = segment_probabilities(given.index, given.std, TEMPLATE)
    for k, name in enumerate(SEGMENTS):
        np.testing.assert_array_equal(columns[f"p_{name}"], wanted[:, k])


@pytest.mark.parametrize("extent", [Extent.PART, Extent.UNSURE, Extent.UNKNOWN])
def test_a_recording_of_unknown_extent_has_no_segments(extent: Extent) -> None:
    columns, found = label_segments(withdrawal(extent), Labelling(TEMPLATE))
    assert found is None
    assert columns["segment"] == [""] * COUNT
    assert all(np.isnan(columns[f"p_{name}"]).all() for name in SEGMENTS)


def test_landmarks_are_not_ignored_in_silence() -> None:
    with pytest.raises(HaustraError, match="shows is unsure, so the landmarks would be ignored: say with --from"):
        label_segments(withdrawal(Extent.UNSURE), Labelling(TEMPLATE, Naming.TIME, (Landmark(2, 50.0),)))


def test_the_clock_uses_time_and_landmarks_alone() -> None:
    given, moved = withdrawal(), withdrawal()
    moved.index, moved.std = np.linspace(0, 1, COUNT) ** 0.5, np.full(COUNT, 0.2)
    plain, other = (decoded_by(one, naming=Naming.TIME, bend_network=network_for(2, 0.9)) for one in (given, moved))
    assert plain.decided_by.keys() == {"time"}
    np.testing.assert_array_equal(plain.probabilities, other.probabilities)
    marked = decoded_by(given, naming=Naming.TIME, landmarks=(Landmark(2, 150.0),))
    assert marked.entered_s[1, 1] == pytest.approx(150.0, abs=4.0)
    assert marked.decided_by.keys() == {"time", "landmark"}


def test_the_decoder_labels_by_the_most_probable_segment() -> None:
    columns, found = label_segments(withdrawal(), Labelling(TEMPLATE))
    assert found is not None
    assert columns["segment"] == [SEGMENTS[k] for k in found.probabilities.argmax(axis=1)], "no visit is short here"
    for k, name in enumerate(SEGMENTS):
        np.testing.assert_array_equal(columns[f"p_{name}"], found.probabilities[:, k])
    assert found.decided_by.keys() == {"time", "location"}


def test_a_bend_network_moves_the_boundary_it_is_certain_of() -> None:
    plain = decoded_by(withdrawal())
    for location in plain.boundaries[2] + np.array([-0.06, 0.06]):
        bent = decoded_by(withdrawal(), bend_network=network_for(3, location))
        assert abs(bent.boundaries[2] - location) < abs(plain.boundaries[2] - location)
        assert bent.decided_by["bends"][2] > 0.1


def test_dropped_frames_have_no_part_in_the_shape_of_the_path() -> None:
    given, wild = withdrawal(poses=180), withdrawal(poses=180)
    wild.gap_rotation_std = np.where(wild.seen.kept, 0.0, 99.0)
    seen: list[np.ndarray] = []
    network = network_for(3, 0.5)
    run = network.model.run
    network.model.run = lambda features: (seen.append(features), run(features))[1]  # type: ignore[method-assign]
    for one in (given, wild):
        decoded_by(one, bend_network=network)
    np.testing.assert_array_equal(seen[0], seen[1])


def test_views_of_the_cecum_move_its_end() -> None:
    given = withdrawal()
    plain = decoded_by(given)
    scores = CecumScores(TIME_S, np.where(given.index < 0.15, 0.97, 0.02))
    found = decoded_by(given, scores)
    assert abs(found.boundaries[0] - 0.15) < abs(plain.boundaries[0] - 0.15)
    assert "cecum" in found.decided_by


@pytest.mark.parametrize(
    ("first", "last", "whole"), [(0.0, 1.0, True), (0.05, 0.95, True), (0.1, 1, False), (0, 0.8, False)]
)
def test_of_a_part_only_location_and_landmarks_count(first: float, last: float, whole: bool) -> None:
    """Its shape, its durations and its pictures are not those of a whole colon."""
    given = withdrawal(Extent.GIVEN)
    given.index = np.linspace(first, last, COUNT)
    scores = CecumScores(TIME_S, np.where(given.index < 0.15, 0.97, 0.02))
    found = decoded_by(given, scores, landmarks=(Landmark(3, 160.0),), bend_network=network_for(3, 0.5))
    more = {"time", "bends", "cecum"} if whole else set()
    assert found.decided_by.keys() == {"location", "landmark"} | more
    if not whole:
        with pytest.raises(HaustraError, match="the clock tells segments of whole colons alone"):
            label_segments(given, Labelling(TEMPLATE, Naming.TIME))


def test_hardly_a_path_has_no_bends() -> None:
    network = network_for(3, 0.5)
    fewest = Labelling(TEMPLATE).parameters.decoder.fewest_poses
    assert "bends" in decoded_by(withdrawal(poses=fewest), bend_network=network).decided_by
    assert "bends" not in decoded_by(withdrawal(poses=fewest - 1), bend_network=network).decided_by
    assert "bends" not in decoded_by(withdrawal(moves=False), bend_network=network).decided_by


@pytest.mark.parametrize(("time_s", "fits"), [(20.0, True), (99.0, True), (19.9, False), (99.1, False)])
def test_a_landmark_lies_in_the_withdrawal(time_s: float, fits: bool) -> None:
    if fits:
        check_landmarks((Landmark(2, time_s),), Naming.TIME, 20.0, 99.0)
    else:
        with pytest.raises(HaustraError, match=rf"landmark hepatic/transverse at {time_s:g} s is outside"):
            check_landmarks((Landmark(2, time_s),), Naming.TIME, 20.0, 99.0)


def test_the_template_takes_exact_landmarks_alone() -> None:
    with pytest.raises(HaustraError, match="no landmark with a tolerance"):
        check_landmarks((Landmark(2, 50.0, 5.0),), Naming.TEMPLATE, 20.0, 99.0)
    given = withdrawal()
    plain, _ = label_segments(given, Labelling(TEMPLATE, Naming.TEMPLATE))
    columns, _ = label_segments(given, Labelling(TEMPLATE, Naming.TEMPLATE, (Landmark(2, 80.0),)))
    segment = np.array([SEGMENTS.index(name) for name in columns["segment"]])
    assert (segment[:60] <= 1).all()
    assert (segment[60:] >= 2).all()
    assert columns["p_ascending"][61] == 0
    assert columns["p_rectum"][-1] == plain["p_rectum"][-1], "what lies further on is as it was"
