"""Figures are drawn where their numbers are."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from haustra.core.vocabulary import SEGMENTS
from haustra.lab.evaluate.locate_dataset import TIME, Case
from haustra.lab.evaluate.motion_evaluation import MotionEvaluation, MotionResult
from haustra.lab.evaluate.paper_figures import Plane, confusion_figures, location_figures, location_plot, path_figures
from haustra.lab.evaluate.segment_scores import segment_result, summarise
from haustra.lab.evaluate.svg import LEGEND_LINE, POINTS, TICKS, Curve, PlotBox, heat_map, panels, plot, scatter
from haustra.lab.evaluate.trajectory_errors import TrajectoryErrors
from haustra.path.trajectory import Trajectory
from looked_at import assert_as_looked_at

ERRORS = TrajectoryErrors(1, 1, 1, 1, 1, 1, 1, 1)


def lines(svg: str) -> list[tuple[str, np.ndarray]]:
    """Colour and points of every line."""
    found = re.findall(r'<polyline points="([^"]*)" fill="none" stroke="([^"]*)"', svg)
    return [(colour, np.array([point.split(",") for point in points.split()], float)) for points, colour in found]


def frame(svg: str) -> tuple[np.ndarray, np.ndarray]:
    """The lower left corner of the box, and its width and (upwards) its height."""
    x, y, width, height = map(
        float,
        re.search(r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)" fill="none" stroke="#999"', svg).groups(),
    )
    return np.array([x, y + height]), np.array([width, -height])


def test_drawings_are_those_that_were_looked_at() -> None:
    x = np.linspace(0, 10, 40)
    curves = [Curve("truth", np.column_stack([x, np.sin(x)])), Curve("ours & more", np.column_stack([x, x / 10]), True)]
    axes = ("seconds", "index")
    drawn = [plot(curves, "a < b", axes), scatter(curves[0], "points", axes), heat_map(np.eye(6), SEGMENTS, "right")]
    assert_as_looked_at("drawings.svg", panels(drawn, 2))


def test_curves_fill_the_box_and_the_truth_is_black_and_last() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 7, 2)) * (30, 2)
    svg = plot([Curve("truth", a), Curve("ours", b, dashed=True)], "two & more", ("x", "y"), size=(300, 200))
    low, high = np.minimum(a.min(axis=0), b.min(axis=0)), np.maximum(a.max(axis=0), b.max(axis=0))
    drawn, (corner, size) = lines(svg), frame(svg)
    assert [colour for colour, _ in drawn] == ["#0b62d6", "#111111"]
    for (_, points), curve in zip(drawn, (b, a), strict=True):
        share = 0.03 + (curve - low) / (high - low)  # a margin of three hundredths on every side
        np.testing.assert_allclose(points, corner + size * share / 1.06, atol=0.06)
    assert '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200" viewBox="0 0 300 200"' in svg
    assert "two &amp; more" in svg
    assert svg.count("stroke-dasharray") == 2, "the curve and its stroke in the legend"
    assert 0 < corner[0] < corner[0] + size[0] < 300
    assert 0 < corner[1] + size[1] < corner[1] < 200 - LEGEND_LINE


def test_equal_axes_have_one_scale_and_the_shape_lies_in_the_middle() -> None:
    shape = np.array([[0.0, 0], [4, 0], [4, 1], [0, 1]])
    svg = plot([Curve("truth", shape)], "", ("x", "y"), size=(220, 480), equal=True)
    ((_, points),), (corner, size) = lines(svg), frame(svg)
    scale = size[0] / (4 * 1.06)
    np.testing.assert_allclose(points - points[0], scale * shape * (1, -1), atol=0.11)
    np.testing.assert_allclose((points.min(axis=0) + points.max(axis=0)) / 2, corner + size / 2, atol=0.06)


def test_a_flat_curve_is_drawn_and_what_is_not_known_breaks_the_line() -> None:
    flat = np.array([[0.0, 3], [1, 3], [np.nan, 3], [2, np.inf], [3, 3]])
    (_, line), (_, dot) = lines(plot([Curve("ours", flat)], "", ("x", "y"), size=(320, 200)))
    assert (len(line), len(dot)) == (2, 2)
    assert (dot[0] == dot[1]).all()
    points = np.concatenate([line, dot[:1]])
    assert np.ptp(points[:, 1]) == 0
    assert (points[2, 0] - points[0, 0]) / (points[1, 0] - points[0, 0]) == pytest.approx(3, rel=0.01)
    circles = scatter(Curve("ours", flat), "", ("x", "y"), size=(320, 200))
    found = [[float(v) for v in pair] for pair in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', circles)]
    np.testing.assert_allclose(found, points)


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    x = np.arange(4000.0)
    ((_, points),) = lines(svg := plot([Curve("ours", np.column_stack([x, x]))], "", ("x", "y"), size=(420, 280)))
    corner, size = frame(svg)
    assert 0.9 * POINTS < len(points) <= POINTS < len(x)
    np.testing.assert_allclose(points[[0, -1]], [corner + size * 0.03 / 1.06, corner + size * 1.03 / 1.06], atol=0.06)


@pytest.mark.parametrize("reach", [0.37, 1.0, 4.1, 63.0, 1799.0])
def test_ticks_are_round_and_stand_where_their_numbers_are(reach: float) -> None:
    points = np.array([[-0.21 * reach, 5.0], [0.79 * reach, 9.0]])
    box = PlotBox([Curve("x", points)], (440, 340), equal=False)
    ticks = box.ticks(0)
    step = ticks[1] - ticks[0]
    assert TICKS / 2.6 < 1.06 * reach / step <= TICKS
    assert f"{step / 10 ** np.floor(np.log10(step * 1.0001)):.6g}" in ("1", "2", "5")
    np.testing.assert_allclose(ticks, step * np.round(np.array(ticks) / step), atol=1e-9 * reach)
    assert -0.24 * reach <= ticks[0] < -0.24 * reach + step
    assert 0.82 * reach - step <= ticks[-1] <= 0.82 * reach
    svg = box.frame(("across", "up"))
    for value in ticks:
        x = box(np.array([[value, 5.0]]))[0, 0]
        assert re.search(rf'<line x1="{x:.1f}" x2="{x:.1f}" .*?>{value:g}<', svg)
    for value in box.ticks(1):
        y = box(np.array([[0.0, value]]))[0, 1]
        assert re.search(rf'<line x1="\d+" x2="\d+" y1="{y:.1f}" y2="{y:.1f}".*?>{value:g}<', svg)


def test_legends_and_panels_take_the_room_they_need() -> None:
    curve = np.array([[0.0, 0], [1, 1]])
    few = plot([Curve("one", curve)], "", ("x", "y"), size=(300, 200))
    many = plot([Curve(f"a rather long name {k}", curve) for k in range(3)], "", ("x", "y"), size=(300, 200))
    assert 'width="300" height="200"' in few
    assert f'width="300" height="{200 + 2 * LEGEND_LINE}"' in many, "one name a line"
    ends = [int(x) + 6.2 * len("a rather long name 0") for x in re.findall(r'<text x="(\d+)"[^>]*font-size="11"', many)]
    assert max(ends) < 300
    together = panels([few, many, few], 2)
    assert f'width="600" height="{2 * (200 + 2 * LEGEND_LINE)}"' in together
    places = re.findall(r'<svg x="(\d+)" y="(\d+)"', together)
    assert places == [("0", "0"), ("300", "0"), ("0", f"{200 + 2 * LEGEND_LINE}")]


def test_a_path_is_drawn_on_the_truth_in_the_plane_of_most_of_its_way(tmp_path: Path) -> None:
    """The estimate is the truth turned, scaled and moved: once aligned, it lies on it. What never moves is left out."""
    T = np.tile(np.eye(4), (30, 1, 1))
    turn = np.linspace(0, 2, 30)
    T[:, :3, 3] = np.stack([0.01 * np.sin(7 * turn), 40 * np.cos(turn), 90 * np.sin(turn)], axis=1)
    other = T.copy()
    other[:, :3, 3] = 0.3 * T[:, :3, 3][:, [1, 2, 0]] + (5, 6, 7)
    time_s = np.arange(30) / 15
    still = Trajectory(time_s, np.tile(np.eye(4), (30, 1, 1)))
    truth, moved = (Trajectory(time_s, poses) for poses in (T, other))
    results = {
        name: {"HighCam Colon/1": MotionResult("r", ERRORS, {}, 0.0, path, truth)}
        for name, path in (("ours", moved), ("zero", still))
    }
    (written,) = path_figures(tmp_path, MotionEvaluation("made", "mm", results))
    assert written == tmp_path / "path-HighCam-Colon-1.svg"
    drawn = lines(written.read_text())
    assert [colour for colour, _ in drawn] == ["#0b62d6", "#111111"]
    np.testing.assert_allclose(drawn[0][1], drawn[1][1], atol=0.11)
    steps = np.linalg.norm(np.diff(T[:, 1:3, 3], axis=0), axis=1)
    drawn_steps = np.linalg.norm(np.diff(drawn[1][1], axis=0), axis=1)
    assert np.ptp(drawn_steps / steps) < 0.15 * (drawn_steps / steps).mean(), "one scale for both directions"


def test_the_plane_of_a_path_begins_in_its_middle() -> None:
    rng = np.random.default_rng(0)
    positions = rng.normal(size=(50, 3)) * (9.0, 0.01, 3.0) + (100, 200, 300)
    flat = Plane(positions)(positions)
    np.testing.assert_allclose(flat.mean(axis=0), 0, atol=1e-9)
    wanted = positions[:, [0, 2]] - positions[:, [0, 2]].mean(axis=0)
    np.testing.assert_allclose(np.linalg.norm(flat, axis=1), np.linalg.norm(wanted, axis=1), atol=0.01)
    assert np.ptp(flat[:, 0]) > np.ptp(flat[:, 1]), "most of the way lies across"


def test_every_recording_and_every_matrix_has_its_file(tmp_path: Path) -> None:
    time_s = np.arange(20.0)
    made = [
        Case(name, time_s, None, place, None, {"ours": time_s / 19, TIME: time_s / 20, "klt": time_s / 30})
        for name, place in (("a b", time_s / 19), ("c/d", None))
    ]
    first, second = location_figures(tmp_path, made)
    assert (first.name, second.name) == ("location-a-b.svg", "location-c-d.svg")
    assert first.read_text() == location_plot(made[0])
    assert second.read_text() == location_plot(made[1])
    assert len(lines(first.read_text())) == 4
    assert len(lines(second.read_text())) == 3, "no truth is known"
    dashed = re.findall(r'<polyline[^>]*stroke="(#\w+)"[^>]*stroke-dasharray', first.read_text())
    assert dashed == [lines(first.read_text())[1][0]], "the clock's"
    names = re.findall(r'font-size="11">(.*?)<', first.read_text())
    assert names == ["truth", "ours", TIME, "klt"]
    segment = np.repeat(np.arange(1, 7), 5)
    results = [segment_result(np.roll(segment, shift), segment) for shift in (0, 3)]
    summaries = {f"row {k}": summarise([one]) for k, one in enumerate(results)}
    written = confusion_figures(tmp_path, summaries, ["row 1", "none", "row 0"])
    assert [path.name for path in written] == ["confusion-1.svg", "confusion-3.svg"]
    for path, name in zip(written, ("row 1", "row 0"), strict=True):
        assert path.read_text() == heat_map(summaries[name].confusion, SEGMENTS, name)


def test_cells_of_a_confusion_matrix_say_and_show_their_share() -> None:
    matrix = np.zeros((6, 6))
    matrix[0, :3] = 0.1, 0.55, 0.5501
    matrix[5] = np.nan
    svg = heat_map(matrix, SEGMENTS, "made")
    cells = re.findall(
        r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)" fill="rgb\((\d+),(\d+),(\d+)\)"/>'
        r'<text x="(\d+)" y="(\d+)" text-anchor="middle" fill="(#\w+)">([\d.-]+)<',
        svg,
    )
    assert len(cells) == 36
    for number, (x, y, width, height, *colour, text_x, text_y, ink, text) in enumerate(cells):
        i, j = divmod(number, 6)
        value = matrix[i, j]
        assert int(width) == int(height)
        assert (int(x), int(y)) == (int(cells[0][0]) + j * int(width), int(cells[0][1]) + i * int(height))
        assert int(x) < int(text_x) < int(x) + int(width)
        assert int(y) < int(text_y) < int(y) + int(height)
        assert text == ("-" if np.isnan(value) else f"{100 * value:.1f}")
        assert ink == ("#fff" if value > 0.55 else "#111111")
        share = np.nan_to_num(value)
        assert [int(c) for c in colour] == [round(255 + share * (full - 255)) for full in (11, 60, 130)]
    width, height = (int(v) for v in re.search(r'width="(\d+)" height="(\d+)" viewBox', svg).groups())
    assert int(cells[-1][0]) + int(cells[-1][2]) < width
    assert int(cells[-1][1]) + int(cells[-1][3]) < height
    for k, name in enumerate(SEGMENTS):
        rows = re.findall(rf'<text x="(\d+)" y="(\d+)" text-anchor="(\w+)"[^>]*>{name}<', svg)
        (row_x, row_y), (column_x, column_y) = ((int(x), int(y)) for x, y, _ in rows)
        first = cells[7 * k]
        assert row_x < int(cells[0][0])
        assert int(first[1]) < row_y < int(first[1]) + int(first[3]), "beside its row"
        assert int(first[0]) < column_x < int(first[0]) + int(first[2]), "above its column"
        assert column_y < int(cells[0][1])
