"""The colon: segment lengths of the paper's table, a smooth tube in its anatomical course."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.lab.simulate.colon import Colon, _draw_boundaries, make_colon

# The paper's last table, Set 3.
MEAN = np.array([0.067, 0.142, 0.245, 0.204, 0.244, 0.097])
STD = np.array([0.038, 0.061, 0.097, 0.088, 0.086, 0.057])


@pytest.fixture(scope="module")
def colons() -> list[Colon]:
    return [make_colon(seed) for seed in range(12)]


def relative_lengths(boundaries: np.ndarray) -> np.ndarray:
    return np.diff(boundaries) / (boundaries[-1] - boundaries[0])


def test_relative_segment_lengths_match_the_papers_table_over_200_seeds() -> None:
    lengths = np.array([relative_lengths(_draw_boundaries(np.random.default_rng([seed, 101]))) for seed in range(200)])
    assert np.abs(lengths.mean(axis=0) - MEAN).max() < 3.2 * (STD / np.sqrt(200)).max()
    assert (np.abs(lengths.mean(axis=0) - MEAN) < 3.2 * STD / np.sqrt(200) + 0.0005).all()
    # The std of 200 draws of a skewed quantity scatters by about 7 %.
    assert (np.abs(lengths.std(axis=0) / STD - 1) < 0.22).all()


def test_lengths_tested_above_are_those_of_the_colon(colons: list[Colon]) -> None:
    for colon in colons[:3]:
        drawn = _draw_boundaries(np.random.default_rng([colon.seed, 101]))
        np.testing.assert_array_equal(colon.boundaries_mm, drawn)


def test_centreline_is_sampled_every_millimetre(colons: list[Colon]) -> None:
    for colon in colons:
        steps = np.linalg.norm(np.diff(colon.centreline_mm, axis=0), axis=1)
        assert np.abs(steps - 1).max() < 1e-3
        assert colon.boundaries_mm[-1] < colon.length_mm


def test_frames_are_right_handed_and_follow_the_centreline(colons: list[Colon]) -> None:
    colon = colons[0]
    for arc in np.linspace(0, colon.length_mm, 37):
        frame = colon.frame_at(arc)
        np.testing.assert_allclose(frame[:3, :3].T @ frame[:3, :3], np.eye(3), atol=1e-9)
        assert np.linalg.det(frame[:3, :3]) == pytest.approx(1.0)
    ahead = colon.frame_at(501.0)[:3, 3] - colon.frame_at(500.0)[:3, 3]
    assert ahead @ colon.frame_at(500.5)[:3, 2] > 0.99


def test_course_is_anatomical(colons: list[Colon]) -> None:
    """Up on the right, across to the left, down on the left, and the rectum between and below."""
    for colon in colons:
        at = [colon.frame_at(b)[:3, 3] for b in colon.boundaries_mm]
        assert at[2][1] > at[1][1]  # ascending goes up
        assert at[3][0] > at[2][0]  # transverse goes to the patient's left
        assert at[4][1] < at[3][1]  # descending goes down
        assert at[6][1] < at[5][1]  # rectum goes down


def test_transverse_sags_below_its_ends() -> None:
    sags = 0
    for seed in range(12):
        colon = make_colon(seed)
        a, b = colon.boundaries_mm[2:4]
        y = np.array([colon.frame_at(s)[1, 3] for s in np.linspace(a + 0.2 * (b - a), b, 20)])
        sags += y[5:12].min() < max(y[0], y[-1])
    assert sags >= 10


def test_wall_never_reaches_the_centre_of_curvature(colons: list[Colon]) -> None:
    for colon in colons:
        curvature = np.linalg.norm(np.gradient(colon.tangent, axis=0), axis=1)
        assert (curvature * colon.wall.radius_mm.max(axis=1)).max() < 1.0


def test_parts_of_the_tube_that_are_no_neighbours_stay_apart(colons: list[Colon]) -> None:
    for colon in colons:
        points, radius = colon.centreline_mm[::5], colon.wall.radius_mm.max(axis=1)[::5]
        arc = np.arange(len(points)) * 5
        gap = np.linalg.norm(points[:, None] - points[None], axis=-1) - radius[:, None] - radius[None]
        apart = np.abs(arc[:, None] - arc[None])
        assert gap[(apart > 150) & (apart < 400)].min() > 0


def test_lumen_radius_is_inside_the_wall_and_leaves_room(colons: list[Colon]) -> None:
    for colon in colons:
        first, last = colon.boundaries_mm[[0, 6]]
        for arc in np.arange(int(first), int(last)):
            assert 3.0 < colon.lumen_radius(arc) <= colon.wall.radius_mm[arc].max()


def test_segments_and_location_index_follow_the_boundaries(colons: list[Colon]) -> None:
    colon = colons[3]
    b = colon.boundaries_mm
    assert [colon.segment((b[k] + b[k + 1]) / 2) for k in range(6)] == [1, 2, 3, 4, 5, 6]
    assert colon.segment(0.0) == 1
    assert colon.location_index(b[0]) == 0.0
    assert colon.location_index(b[6]) == 1.0
    assert colon.location_index((b[0] + b[6]) / 2) == pytest.approx(0.5)


def test_segments_have_their_own_calibre() -> None:
    """Over patients the cecum is the widest and the sigmoid narrower than the transverse colon."""
    medians = []
    for seed in range(8):
        colon = make_colon(seed)
        b = colon.boundaries_mm.astype(int)
        medians.append([np.median(colon.wall.radius_mm[b[k] : b[k + 1]]) for k in range(6)])
    cecum, _, transverse, descending, sigmoid, _ = np.mean(medians, axis=0)
    assert cecum > transverse > sigmoid
    assert transverse > descending


def test_same_seed_same_colon_other_seed_other_colon() -> None:
    one, again, other = make_colon(5), make_colon(5), make_colon(6)
    np.testing.assert_array_equal(one.wall.radius_mm, again.wall.radius_mm)
    np.testing.assert_array_equal(one.centreline_mm, again.centreline_mm)
    assert not np.array_equal(one.boundaries_mm, other.boundaries_mm)
