"""How segments are told: which source is asked, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from haustra.anatomy import load_template, naming, segment_probabilities, segments_of
from haustra.anatomy.decoder import Decoded
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.naming import FEWEST_POSES, boundaries_summary, check_landmarks, name_segments, parse_naming
from haustra.errors import HaustraError
from haustra.terms import SEGMENTS, Extent, Naming

TEMPLATE = load_template("paper-set2")
COUNT = 80


def withdrawal(extent: Extent = Extent.LIKELY, poses: int = COUNT, *, moves: bool = True) -> Any:
    time_s = 20.0 + np.arange(COUNT)
    kept = np.arange(COUNT) < poses
    positions = np.random.default_rng(0).normal(size=(poses, 3)) * moves
    return SimpleNamespace(
        seen=SimpleNamespace(time_s=time_s, kept=kept),
        trajectory=SimpleNamespace(positions=positions),
        index=np.linspace(0, 1, COUNT) ** 2,
        std=np.full(COUNT, 0.03),
        turn_std=np.where(np.arange(COUNT) % 3, 0.0, 0.3),
        extent=extent,
        start_s=20.0,
        end_s=99.0,
    )


def decoded() -> Decoded:
    rng = np.random.default_rng(1)
    return Decoded(
        np.linspace(0.1, 0.9, 5), np.full(5, 0.02), np.arange(15.0).reshape(5, 3) / 7, rng.dirichlet(np.ones(6), COUNT),
        {"time": np.linspace(0, 1, 5), "location": np.linspace(1, 0, 5)},
    )  # fmt: skip


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the decoder and the bends are asked."""
    given: dict[str, Any] = {}

    def decode(*arguments: Any, **named: Any) -> Decoded:
        given["arguments"], given["named"] = arguments, named
        return decoded()

    monkeypatch.setattr(naming, "decode_segments", decode)
    monkeypatch.setattr(naming, "bend_likelihood", lambda *arguments: given.setdefault("bends", arguments))
    return given


def test_the_template_cuts_the_location() -> None:
    given = withdrawal()
    columns, found = name_segments(given, TEMPLATE, Naming.TEMPLATE)
    assert found is None
    numbers = segments_of(given.index, TEMPLATE)
    assert columns["segment"] == [SEGMENTS[k - 1] for k in numbers]
    wanted = segment_probabilities(given.index, given.std, TEMPLATE)
    for k, name in enumerate(SEGMENTS):
        np.testing.assert_array_equal(columns[f"p_{name}"], wanted[:, k])


@pytest.mark.parametrize("extent", [Extent.PART, Extent.UNSURE, Extent.UNKNOWN])
def test_of_a_part_no_segment_is_named(extent: Extent) -> None:
    columns, found = name_segments(withdrawal(extent), TEMPLATE, Naming.DECODER)
    assert found is None
    assert columns["segment"] == [""] * COUNT
    assert all(np.isnan(columns[f"p_{name}"]).all() for name in SEGMENTS)


def test_landmarks_are_not_ignored_in_silence() -> None:
    with pytest.raises(HaustraError, match="shows is unsure, so the landmarks would be ignored: say with --from"):
        name_segments(withdrawal(Extent.UNSURE), TEMPLATE, Naming.TIME, (Landmark(2, 50.0),))


def test_by_the_clock_nothing_but_time_is_asked(asked: dict[str, Any]) -> None:
    marks = (Landmark(2, 50.0),)
    columns, found = name_segments(withdrawal(), TEMPLATE, Naming.TIME, marks)
    time_s, index, std, template = asked["arguments"]
    np.testing.assert_allclose(index, (time_s - 20) / 79)
    assert (std, template) == (None, TEMPLATE)
    assert asked["named"] == {"landmarks": marks}
    assert found is not None
    assert columns["segment"] == [SEGMENTS[k] for k in found.probabilities.argmax(axis=1)]


def test_the_decoder_is_asked_everything(asked: dict[str, Any]) -> None:
    given = withdrawal(poses=FEWEST_POSES)
    name_segments(given, TEMPLATE, Naming.DECODER)
    time_s, index, std, _ = asked["arguments"]
    assert (time_s is given.seen.time_s, index is given.index, std is given.std) == (True, True, True)
    positions, places, deviations, turn_std = asked["bends"]
    assert asked["named"] == {"bends": asked["bends"], "cecum": None, "landmarks": ()}
    np.testing.assert_array_equal(positions, given.trajectory.positions)
    np.testing.assert_array_equal(places, given.index[:FEWEST_POSES])
    np.testing.assert_array_equal(deviations, given.std[:FEWEST_POSES])
    assert turn_std.tolist() == [0.0 if k % 3 else 0.3 for k in range(FEWEST_POSES)]
    assert FEWEST_POSES == 50


def test_of_a_part_with_given_ends_location_and_landmarks_tell_alone(asked: dict[str, Any]) -> None:
    """Its course, its times and its pictures are not those of a whole colon."""
    given = withdrawal(Extent.GIVEN)
    landmark = Landmark(3, 60.0, 5.0)
    for first, last, whole in ((0.0, 1.0, True), (0.05, 0.95, True), (0.1, 1.0, False), (0.0, 0.8, False)):
        asked.clear()
        given.index = np.linspace(first, last, COUNT)
        name_segments(given, TEMPLATE, Naming.DECODER, [landmark])
        assert ("bends" in asked["named"]) is whole
        assert asked["named"].get("whole", True) is whole
        assert asked["named"]["landmarks"] == [landmark]
    with pytest.raises(HaustraError, match="the clock tells segments of whole colons alone"):
        name_segments(given, TEMPLATE, Naming.TIME)


@pytest.mark.parametrize(("poses", "moves"), [(FEWEST_POSES - 1, True), (COUNT, False)])
def test_hardly_a_path_has_no_bends(asked: dict[str, Any], poses: int, moves: bool) -> None:
    name_segments(withdrawal(poses=poses, moves=moves), TEMPLATE, Naming.DECODER)
    assert asked["named"]["bends"] is None


@pytest.mark.parametrize(("time_s", "fits"), [(20.0, True), (99.0, True), (19.9, False), (99.1, False)])
def test_a_landmark_lies_in_the_withdrawal(time_s: float, fits: bool) -> None:
    if fits:
        check_landmarks((Landmark(2, time_s),), Naming.TIME, 20.0, 99.0)
    else:
        with pytest.raises(HaustraError, match=rf"landmark hepatic/transverse at {time_s:g} s is outside"):
            check_landmarks((Landmark(2, time_s),), Naming.TIME, 20.0, 99.0)


def test_the_template_takes_no_landmarks() -> None:
    with pytest.raises(HaustraError, match="takes no landmarks"):
        check_landmarks((Landmark(2, 50.0),), Naming.TEMPLATE, 20.0, 99.0)
    check_landmarks((), Naming.TEMPLATE, 20.0, 99.0)
    assert parse_naming("time") is Naming.TIME
    with pytest.raises(HaustraError, match="choose template, time, decoder"):
        parse_naming("magic")


def test_the_summary_of_boundaries() -> None:
    found = boundaries_summary(decoded())
    assert [one["segment"] for one in found] == list(SEGMENTS[1:])
    assert found[1]["entered_s"] == round(4 / 7, 3)
    assert found[1]["between_s"] == [round(3 / 7, 3), round(5 / 7, 3)]
    assert found[1]["decided_by"] == {"time": 0.25, "location": 0.75}
