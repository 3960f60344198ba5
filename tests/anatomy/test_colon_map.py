"""The drawing of the colon: the picture that was looked at, and places that lie in their segment."""

from __future__ import annotations

import re

import cv2
import numpy as np
import pytest

from haustra.anatomy import SEGMENTS, load_template, segments_of
from haustra.anatomy.colon_map import HEIGHT, LABELS, WIDTH, Marker, colon_map_svg, point_at, segment_outline
from haustra.anatomy.template import build_template
from looked_at import assert_as_looked_at

TEMPLATE = load_template("paper-set2")


def test_the_drawing_is_the_one_that_was_looked_at() -> None:
    assert_as_looked_at("colon_map.svg", drawing())


def drawing() -> str:
    markers = [
        Marker(0.03, "a <b>", 0.2, "polyp", 0.03),
        Marker(0.5, "c", 1.0, "flat <lesion>", 0.05),
        Marker(0.52, "d", 0.5, "biopsy", 0.01),
        Marker(1.0, "e", 2.0, "polyp"),
    ]
    return colon_map_svg(TEMPLATE, markers, notes={"sigmoid": ["1 finding", "2 & more"]}, title="Looked at")


@pytest.mark.parametrize("across", [-0.55, 0.0, 0.55])
def test_every_index_lies_in_the_outline_of_its_segment(across: float) -> None:
    outlines = [segment_outline(k).astype(np.float32) for k in range(1, 7)]
    for index in np.linspace(0.001, 0.999, 200):
        number = int(segments_of(np.array([index]), TEMPLATE)[0])
        # Half a pixel: both are rounded to tenths.
        assert cv2.pointPolygonTest(outlines[number - 1], point_at(float(index), TEMPLATE, across), True) > -0.5


def test_segments_follow_each_other_without_a_gap() -> None:
    for k in range(1, 6):
        end, begin = segment_outline(k), segment_outline(k + 1)
        half = len(begin) // 2
        np.testing.assert_allclose(end[[half - 1, half]], begin[[0, len(begin) - 1]], atol=0.11)
    cecum = segment_outline(1)
    assert cecum[:, 1].max() > 438 + 20, "its blind pole hangs below the first point"
    assert cv2.isContourConvex(cecum[2 * 81 :].astype(np.float32)), "half an ellipse"


def test_a_template_with_an_empty_segment_has_places() -> None:
    without = build_template("x", np.tile([0.2, 0.0, 0.2, 0.2, 0.2, 0.2], (2, 1)), ["a", "b"])
    assert point_at(0.2, without) != point_at(0.0, without)
    assert point_at(0.1, without) == point_at(TEMPLATE.boundaries[1] / 2, TEMPLATE)
    assert point_at(1.0, without) == point_at(1.0, TEMPLATE)


def test_names_stand_beside_their_segment_and_in_the_picture() -> None:
    for k, name in enumerate(SEGMENTS, 1):
        x, y, _ = LABELS[name]
        assert 0 < x < WIDTH
        assert 0 < y < HEIGHT
        distance = cv2.pointPolygonTest(segment_outline(k).astype(np.float32), (float(x), float(y)), True)
        assert -60 < distance < 0


def test_strong_findings_are_drawn_last_and_a_single_one_in_the_middle() -> None:
    svg = drawing()
    assert re.findall(r"<title>(.*?)</title></polygon>", svg) == ["a &lt;b&gt;", "d", "c", "e"]
    assert re.findall(r'fill-opacity="([\d.]+)"', svg) == ["0.40", "0.62", "1.00", "1.00"]
    alone = colon_map_svg(TEMPLATE, [Marker(0.5, "x")])
    (points,) = re.findall(r'class="finding" points="(.*?)"', alone)
    middle = np.mean([[float(number) for number in point.split(",")] for point in points.split()], axis=0)
    assert middle == pytest.approx(point_at(0.5, TEMPLATE), abs=0.1)


def test_kinds_differ_in_shape_and_colour_and_have_a_legend() -> None:
    markers = [Marker(0.1, "a", kind="polyp"), Marker(0.4, "b", kind="<ulcer>", location_std=0.1)]
    svg = colon_map_svg(TEMPLATE, [*markers, Marker(0.6, "c", kind="polyp"), Marker(0.8, "d", kind="biopsy")])
    assert re.findall(r'class="kind"[^>]*>([^<]*)<', svg) == ["polyp", "&lt;ulcer&gt;", "biopsy"]
    drawn = re.findall(r'class="finding" points="(.*?)" fill="(.*?)"', svg)
    assert [len(points.split()) for points, _ in drawn] == [24, 4, 24, 12]
    assert drawn[0][1] == drawn[2][1] != drawn[1][1]
    spreads = re.findall(r'class="spread" points="(.*?)"', svg)
    ends = [np.ptp([[float(x) for x in point.split(",")] for point in points.split()], axis=0) for points in spreads]
    assert np.hypot(*ends[1]) > 30
    assert np.hypot(*ends[0]) == 0
