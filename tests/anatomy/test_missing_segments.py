"""A colon of which segments are missing: what is left keeps its proportions, and nothing is named that is not there."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.anatomy.colon_map import colon_map_svg
from haustra.anatomy.decoder import decode_segments
from haustra.anatomy.frame_places import ends_of
from haustra.anatomy.intervals import boundaries_of
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.parameters import DecoderParameters
from haustra.anatomy.segment_labels import check_anatomy
from haustra.anatomy.template import load_template
from haustra.anatomy.template_segments import segment_probabilities, segments_of
from haustra.core.errors import HaustraError
from haustra.core.option import Decides, segments
from haustra.core.vocabulary import DEFAULT_TEMPLATE, SEGMENTS, Naming

WHOLE = load_template(DEFAULT_TEMPLATE)
TIME_S = np.linspace(0.0, 240.0, 1201)
INDEX = np.linspace(0.0, 1.0, 1201)
STD = np.full(1201, 0.02)


def test_what_is_left_keeps_its_proportions() -> None:
    left = WHOLE.without(("sigmoid", "rectum"))
    assert left.missing == ("sigmoid", "rectum")
    assert left.mean.sum() == pytest.approx(1.0)
    assert left.mean[1] / left.mean[2] == pytest.approx(WHOLE.mean[1] / WHOLE.mean[2])
    assert (left.std[4:] == 0).all()
    assert (left.covariance[4:] == 0).all()
    assert WHOLE.without(()) is WHOLE


@pytest.mark.parametrize("missing", [("sigmoid", "rectum"), ("cecum", "ascending"), ("transverse",), ("rectum",)])
def test_nothing_is_named_that_is_not_there(missing: tuple[str, ...]) -> None:
    left = WHOLE.without(missing)
    gone = [SEGMENTS.index(name) for name in missing]
    there = [k for k in range(len(SEGMENTS)) if k not in gone]
    decoded = decode_segments(TIME_S, INDEX, STD, left, DecoderParameters())
    assert decoded.probabilities[:, gone].max() < 1e-9
    assert sorted(set(decoded.segments.tolist())) == [k + 1 for k in there]
    assert sorted(set(segments_of(INDEX, left).tolist())) == [k + 1 for k in there]
    assert segment_probabilities(INDEX[1:-1], STD[1:-1], left)[:, there].sum(axis=1) == pytest.approx(1.0, abs=0.02)
    passed = boundaries_of(TIME_S, decoded.segments, Naming.DECODER, decoded, missing=missing)
    assert [SEGMENTS[boundary.number] for boundary in passed] == [SEGMENTS[k] for k in there[1:]]


def test_the_boundary_across_a_missing_segment_is_one() -> None:
    """Ascending to descending at 100 s: no frame before it is in the descending colon, none behind it before."""
    left = WHOLE.without(("transverse",))
    mark = Landmark(boundary=3, time_s=100.0)
    decoded = decode_segments(TIME_S, INDEX, STD, left, DecoderParameters(), landmarks=(mark,))
    entered = TIME_S[np.argmax(decoded.segments >= 4)]
    assert entered == pytest.approx(100.0, abs=0.2)
    assert set(decoded.segments[TIME_S < 99.5].tolist()) == {1, 2}


def test_landmarks_and_ends_of_what_is_missing_are_refused() -> None:
    left = WHOLE.without(("cecum", "rectum"))
    with pytest.raises(HaustraError, match="rectum"):
        check_anatomy((Landmark(5, 10.0),), left)
    with pytest.raises(HaustraError, match="ascending"):  # where the way begins nothing is entered
        check_anatomy((Landmark(1, 10.0),), left)
    check_anatomy((Landmark(2, 10.0),), left)
    with pytest.raises(HaustraError, match="cannot begin or end in the cecum"):
        ends_of("cecum", None, left)


def test_what_is_left_counts_as_seen_from_end_to_end() -> None:
    first, last = ends_of(None, None, WHOLE.without(("sigmoid", "rectum")))
    assert first is not None
    assert last is not None
    assert (first.location, last.location) == (0.0, 1.0)
    assert ends_of(None, None, WHOLE) == (None, None)


def test_the_map_shows_it_as_an_outline() -> None:
    drawn = colon_map_svg(WHOLE.without(("cecum", "sigmoid")))
    assert drawn.count("stroke-dasharray") == 2
    assert "appendix" not in drawn


def test_the_option_takes_segments_and_nothing_else() -> None:
    option = segments(Decides.PLACES, "")
    option.__set_name__(object, "missing")
    assert option.parse("rectum, sigmoid") == ("sigmoid", "rectum")
    assert option.parse(["sigmoid,rectum"]) == ("sigmoid", "rectum")
    with pytest.raises(HaustraError, match="--missing: 'stoma' is not a segment"):
        option.parse("stoma")
    with pytest.raises(HaustraError, match="at least two"):
        option.parse(list(SEGMENTS[1:]))
