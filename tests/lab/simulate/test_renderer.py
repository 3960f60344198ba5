"""Geometry is exact: depth agrees between frames, flow follows the material, pixels depend on the seed alone."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from haustra.core.poses import invert
from haustra.lab.simulate import Renderer, Sensor, View, WallMotion, make_colon, make_look, make_scope, render

SIZE = 192
COLON = make_colon(2)
LOOK = make_look(2)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(COLON, LOOK, make_scope(2, SIZE, SIZE))


def pose(arc_mm: float, *, turn: tuple[float, float, float] = (0.0, 0.0, 0.0), off: float = 2.0) -> np.ndarray:
    """Looking towards the cecum from beside the centreline."""
    T = COLON.frame_at(arc_mm)
    T[:3, 3] += off * T[:3, 0]
    T[:3, :3] = T[:3, :3] @ np.diag([1.0, -1.0, -1.0]) @ Rotation.from_euler("xyz", turn).as_matrix()
    return T


def unproject(renderer: Renderer, view: View) -> np.ndarray:
    """Camera points of all pixels."""
    height, width = view.valid.shape
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1)
    rays = renderer.scope.camera.unproject(pixels)
    with np.errstate(invalid="ignore"):
        return rays / rays[..., 2:] * view.depth_mm[..., None]


def sample(image: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    xy = np.nan_to_num(pixels, nan=-9.0).astype(np.float32)
    return cv2.remap(image.astype(np.float32), xy[..., 0], xy[..., 1], cv2.INTER_LINEAR)


def smooth_depth(view: View) -> np.ndarray:
    """Pixels without a depth step around them: there a neighbour may be interpolated."""
    span = cv2.dilate(view.depth_mm, np.ones((3, 3))) - cv2.erode(view.depth_mm, np.ones((3, 3)))
    return view.valid & (span < 0.10 * view.depth_mm)


PAIRS = [
    (pose(300.0), pose(302.0, turn=(0.02, -0.03, 0.05))),
    (pose(620.0, turn=(0.5, 0.2, 1.0)), pose(619.0, turn=(0.52, 0.17, 1.0), off=3.0)),
    (pose(1000.0, turn=(-0.3, 0.4, 2.0)), pose(1003.0, turn=(-0.3, 0.4, 2.1))),
]


@pytest.mark.parametrize(("T_a", "T_b"), PAIRS)
def test_unprojected_depth_moved_by_the_true_poses_lands_on_the_next_depth(
    renderer: Renderer, T_a: np.ndarray, T_b: np.ndarray
) -> None:
    a, b = renderer.render(T_a), renderer.render(T_b)
    T_b_a = invert(T_b) @ T_a
    moved = unproject(renderer, a) @ T_b_a[:3, :3].T + T_b_a[:3, 3]
    pixels = renderer.scope.camera.project(moved)
    # Inverse depth is linear over a plane seen by a pinhole, so it bears interpolation better than depth.
    inverse = 1.0 / np.maximum(b.depth_mm, 1e-3)
    predicted = 1.0 / np.maximum(sample(inverse, pixels), 1e-6)
    _, occluded = renderer.flow_to(a, T_b, 0.0, b)
    steady = sample(smooth_depth(b).astype(np.float32), pixels) > 0.999
    visible = a.valid & ~occluded & steady
    error = np.abs(predicted / moved[..., 2] - 1)[visible]
    assert visible.sum() > 0.5 * a.valid.sum()
    assert np.median(error) < 0.001
    assert np.percentile(error, 95) < 0.005


def test_depth_is_that_of_the_surface_coordinates(renderer: Renderer) -> None:
    """No interpolation at all: the point at (arc, theta) of the grid is where the pixel's depth says."""
    T = pose(450.0, turn=(0.2, 0.1, 0.0))
    view = renderer.render(T)
    flow, _ = renderer.flow_to(view, T, 0.0, view)
    assert np.abs(flow[view.valid]).max() < 0.01


@pytest.mark.parametrize(("T_a", "T_b"), PAIRS)
def test_warping_by_the_true_flow_reproduces_the_neighbour(
    renderer: Renderer, T_a: np.ndarray, T_b: np.ndarray
) -> None:
    """Compared on albedo, since the lamps move with the tip and change the light of every point."""
    a, b = renderer.render(T_a), renderer.render(T_b)
    flow, occluded = renderer.flow_to(a, T_b, 0.0, b)
    ys, xs = np.mgrid[0:SIZE, 0:SIZE]
    target = np.stack([xs, ys], axis=-1) + flow
    steady = sample(smooth_depth(b).astype(np.float32), target) > 0.999
    visible = a.valid & ~occluded & steady & smooth_depth(a)
    warped = sample(b.albedo, target)
    error = np.abs(warped - a.albedo).mean(axis=-1)[visible]
    unwarped = np.abs(b.albedo - a.albedo).mean(axis=-1)[visible]
    assert error.mean() < 0.006
    assert np.percentile(error, 99) < 0.04
    assert error.mean() < 0.6 * unwarped.mean()


def test_surface_coordinates_agree_along_the_flow(renderer: Renderer) -> None:
    T_a, T_b = PAIRS[0]
    a, b = renderer.render(T_a), renderer.render(T_b)
    flow, occluded = renderer.flow_to(a, T_b, 0.0, b)
    ys, xs = np.mgrid[0:SIZE, 0:SIZE]
    target = np.stack([xs, ys], axis=-1) + flow
    visible = a.valid & ~occluded & (sample(smooth_depth(b).astype(np.float32), target) > 0.999)
    assert np.percentile(np.abs(sample(b.arc_mm, target) - a.arc_mm)[visible], 95) < 0.1


def test_occluded_points_are_really_behind_or_outside(renderer: Renderer) -> None:
    T_a, T_b = pose(300.0), pose(306.0, off=-4.0)
    a, b = renderer.render(T_a), renderer.render(T_b)
    flow, occluded = renderer.flow_to(a, T_b, 0.0, b)
    assert 0.0 < (occluded & a.valid).sum() < 0.6 * a.valid.sum()
    ys, xs = np.mgrid[0:SIZE, 0:SIZE]
    target = np.stack([xs, ys], axis=-1) + flow
    hidden = a.valid & occluded & (sample(renderer.scope.mask.astype(np.float32), target) > 0.999)
    # What hides them is another place of the wall.
    other = np.abs(sample(b.arc_mm, target) - a.arc_mm)[hidden]
    assert np.median(other) > 2.0


def test_flow_with_moving_walls_follows_the_material() -> None:
    moving = Renderer(COLON, LOOK, make_scope(2, SIZE, SIZE), wall_motion=WallMotion(seed=1))
    T = pose(620.0, turn=(0.2, 0.1, 0.0))
    a, b = moving.render(T, time_s=0.0), moving.render(T, time_s=0.4)
    flow, occluded = moving.flow_to(a, T, 0.4, b)
    assert np.abs(flow[a.valid]).mean() > 0.2
    ys, xs = np.mgrid[0:SIZE, 0:SIZE]
    target = np.stack([xs, ys], axis=-1) + flow
    visible = a.valid & ~occluded & (sample(smooth_depth(b).astype(np.float32), target) > 0.999)
    assert np.percentile(np.abs(sample(b.arc_mm, target) - a.arc_mm)[visible], 95) < 0.1


def test_every_picture_pixel_sees_the_wall(renderer: Renderer) -> None:
    for arc in (30.0, 200.0, 520.0, 800.0, 1150.0, 1300.0):
        view = renderer.render(pose(arc))
        assert view.valid[renderer.scope.mask].mean() > 0.98
        assert not view.valid[~renderer.scope.mask].any()
        assert (view.depth_mm[view.valid] > 0).all()


def test_light_falls_off_with_distance(renderer: Renderer) -> None:
    view = renderer.render(pose(800.0))
    luma = view.light.mean(axis=-1)
    near, far = np.percentile(view.depth_mm[view.valid], [20, 90])
    assert luma[view.valid & (view.depth_mm < near)].mean() > 4 * luma[view.valid & (view.depth_mm > far)].mean()


def test_highlights_move_with_the_view_and_not_with_the_wall(renderer: Renderer) -> None:
    a, b = renderer.render(pose(300.0)), renderer.render(pose(303.0, off=5.0))
    assert 0.0005 < a.specular[a.valid].mean() < 0.2
    flow, occluded = renderer.flow_to(a, pose(303.0, off=5.0), 0.0, b)
    ys, xs = np.mgrid[0:SIZE, 0:SIZE]
    carried = sample(b.specular.astype(np.float32), np.stack([xs, ys], axis=-1) + flow) > 0.5
    assert carried[a.specular & ~occluded].mean() < 0.6


def test_render_is_deterministic_and_seeds_differ() -> None:
    T = make_colon(3).frame_at(300.0)
    frame, view = render(T, seed=3, size=96)
    again = Renderer(make_colon(3), make_look(3), make_scope(3, 96, 96)).render(T)
    np.testing.assert_array_equal(view.light, again.light)
    np.testing.assert_array_equal(view.depth_mm, again.depth_mm)
    assert frame.shape == (96, 96, 3)
    other, _ = render(make_colon(4).frame_at(300.0), seed=4, size=96)
    assert np.abs(frame.astype(int) - other).mean() > 5


def test_frame_is_black_outside_the_picture() -> None:
    scope = make_scope(2, 320, 180)
    view = Renderer(COLON, LOOK, scope).render(pose(300.0))
    assert view.light.shape == (180, 320, 3)
    assert not view.light[~scope.mask].any()
    frame = Sensor(scope, 2).develop(view.light, frame=0)
    assert frame[scope.mask].mean() > 40
