"""Drawings: where points come to lie, ticks, legends, several side by side."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from haustra.lab.evaluate.svg import BOTTOM, LEFT, RIGHT, TOP, Curve, PlotBox, heat_map, panels, plot, scatter

SQUARE = Curve("square", np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]]))


def elements(drawing: str, tag: str) -> list[ElementTree.Element]:
    return [element for element in ElementTree.fromstring(drawing).iter() if element.tag.endswith("}" + tag)]


def test_up_is_up_and_all_lies_in_the_box() -> None:
    xy = PlotBox([SQUARE], (440, 340), equal=False)(SQUARE.points)
    assert xy[2, 0] > xy[0, 0]
    assert xy[2, 1] < xy[0, 1]
    assert xy[:, 0].min() > LEFT
    assert xy[:, 0].max() < 440 - RIGHT
    assert xy[:, 1].min() > TOP
    assert xy[:, 1].max() < 340 - BOTTOM


def test_equal_axes_keep_the_shape_in_the_middle() -> None:
    xy = PlotBox([SQUARE], (640, 340), equal=True)(SQUARE.points)
    width, height = np.ptp(xy, axis=0)
    assert width == pytest.approx(height)
    assert xy[:, 0].mean() == pytest.approx(LEFT + (640 - LEFT - RIGHT) / 2)


@pytest.mark.parametrize(("high", "ticks"), [(10.0, [0, 2, 4, 6, 8, 10]), (0.7, [0, 0.2, 0.4, 0.6])])
def test_ticks_are_round_numbers(high: float, ticks: list[float]) -> None:
    box = PlotBox([Curve("a", np.array([[0.0, 0.0], [high, 1.0]]))], (440, 340), equal=False)
    assert box.ticks(0) == pytest.approx(ticks, abs=1e-9)


def test_a_plot_has_a_line_and_a_key_for_each_curve() -> None:
    long = [Curve(f"a method with a long name {k}", SQUARE.points + k, dashed=k == 1) for k in range(4)]
    drawing = plot([*long, Curve("truth", SQUARE.points)], "5 < 6", ("x", "y"))
    assert len(elements(drawing, "polyline")) == 5
    assert elements(drawing, "polyline")[-1].get("stroke") == "#111111"
    assert sum(line.get("stroke-dasharray") is not None for line in elements(drawing, "polyline")) == 1
    keys = {text.text: text for text in elements(drawing, "text")}
    assert {"5 < 6", "truth", *(curve.name for curve in long)} <= set(keys)
    height = float(ElementTree.fromstring(drawing).get("height", 0))
    assert height > 340, "long names need more lines"
    assert all(float(keys[curve.name].get("y", 0)) < height for curve in long), "no key below the drawing"


def test_points_that_are_not_known_are_left_out() -> None:
    points = np.array([[0.0, 0.0], [np.nan, 1.0], [2.0, 2.0]])
    assert len(elements(scatter(Curve("a", points), "", ("x", "y")), "circle")) == 2


def lines_of(curve: Curve) -> list[np.ndarray]:
    drawn = [line.get("points", "").split() for line in elements(plot([curve], "", ("x", "y")), "polyline")]
    return [np.array([[float(v) for v in point.split(",")] for point in points]) for points in drawn]


@pytest.mark.parametrize("count", [90, 9000])
def test_a_line_is_broken_at_a_hole(count: int) -> None:
    x = np.arange(float(count))
    y = np.where((x >= count / 3) & (x < count / 3 + 5), np.nan, x)
    first, second = lines_of(Curve("a", np.column_stack([x, y])))
    assert first[:, 0].max() < second[:, 0].min()


@pytest.mark.parametrize("axis", [0, 1])
def test_a_spike_of_one_sample_is_drawn(axis: int) -> None:
    """Upwards on a curve over time, sideways on a path that goes to and fro."""
    points = np.column_stack([np.arange(9000.0), np.zeros(9000)])
    if axis == 0:
        points = np.column_stack([np.sin(points[:, 0]), points[:, 0]])
    points[4321, axis] = 50_000.0
    (line,) = lines_of(Curve("a", points))
    reach = 340 - TOP - BOTTOM if axis else 440 - LEFT - RIGHT
    assert np.ptp(line[:, axis]) > 0.9 * reach


def test_a_curve_of_nothing_leaves_an_empty_box() -> None:
    nothing = Curve("a", np.full((5, 2), np.nan))
    drawing = plot([nothing], "", ("x", "y"))
    assert elements(drawing, "polyline") == []
    assert len(elements(drawing, "rect")) == 2
    assert elements(scatter(nothing, "", ("x", "y")), "circle") == []


def test_panels_stand_side_by_side() -> None:
    one = heat_map(np.full((2, 2), np.nan), ("a", "b"), "none")
    sheet = ElementTree.fromstring(panels([one, one, one], columns=2))
    inner = [element for element in sheet if element.tag.endswith("}svg")]
    width, height = int(inner[0].get("width", 0)), int(inner[0].get("height", 0))
    assert [(int(e.get("x", 0)), int(e.get("y", 0))) for e in inner] == [(0, 0), (width, 0), (0, height)]
    assert (int(sheet.get("width", 0)), int(sheet.get("height", 0))) == (2 * width, 2 * height)
