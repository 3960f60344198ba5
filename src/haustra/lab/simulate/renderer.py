"""From a camera pose to light, depth, surface coordinates and flow of the wall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.poses import invert

from .colon import Colon
from .mucosa import Look, regions
from .raster import FAR, grid_normals, material_points, rasterise, to_camera, to_pixels, write_places
from .scope import Scope
from .shading import shade
from .surface import material_of, texels_of
from .wall import N_THETA, THETA
from .wall_motion import WallMotion

# Arc of wall that is drawn before and behind the camera; bends hide what is farther.
_AHEAD_MM, _BEHIND_MM, _ASIDE_MM = 240, 60, 170
_TABLE_SIZE = 4096
_COLUMN = 2 * np.pi / N_THETA


@dataclass(frozen=True, eq=False)
class View:
    """What a pose sees, per pixel of the frame: linear light, z depth (0 = none), place on the wall, highlights."""

    light: NDArray[np.float32]
    albedo: NDArray[np.float32]
    depth_mm: NDArray[np.float32]
    arc_mm: NDArray[np.float32]
    theta: NDArray[np.float32]
    specular: NDArray[np.bool_]
    valid: NDArray[np.bool_]


class Renderer:
    """One colon in one look through one scope. Stateless: a pose and a time always give the same pixels."""

    def __init__(self, colon: Colon, look: Look, scope: Scope, *, wall_motion: WallMotion | None = None) -> None:
        self.colon, self.look, self.scope, self.wall_motion = colon, look, scope, wall_motion
        x, y, w, h = scope.box
        window = (slice(y, y + h), slice(x, x + w))
        self._camera = scope.camera.cropped(x, y, w, h)
        self._mask = scope.mask[window]
        self._targets = np.arange(scope.height * scope.width).reshape(scope.height, scope.width)[window].ravel()
        self._rays = _rays(self._camera.unproject(_pixel_grid(w, h)), self._mask)
        self._max_angle = float(np.arccos(self._rays[self._mask][:, 2].min()))
        self._pixel_angle = _pixel_angle(self._rays, self._mask)
        self._table = _radius_table(scope, self._max_angle)
        self._vertices = _grid(colon)
        self._normals = _normals(self._vertices)
        self._regions = regions(look, colon)
        self._material = material_of(look, colon.wall.pole_mm)
        self._texels = texels_of(look)
        self._variances = np.stack([look.mucosa.slope_variance, look.remnants.slope_variance])
        self._lights = np.ascontiguousarray(scope.lights)

    def render(self, T_w_c: NDArray[Any], *, time_s: float = 0.0) -> View:
        """The view of a camera at `T_w_c` (camera to world, mm)."""
        T_w_c = np.asarray(T_w_c, dtype=np.float64)
        first, last = self._visible_rows(T_w_c)
        vertices, normals = self._wall(first, last, time_s)
        R_c_w = np.ascontiguousarray(T_w_c[:3, :3].T)
        points, pixels = np.empty_like(vertices), np.empty_like(vertices)
        to_camera(vertices, R_c_w, np.ascontiguousarray(T_w_c[:3, 3]), points)
        stretch, center = np.asarray(self._camera.stretch, np.float64), np.asarray(self._camera.center, np.float64)
        to_pixels(points, self._table, stretch, center, pixels)
        h, w = self._mask.shape
        distance, surface = np.empty((h, w)), np.zeros((h, w, 2))
        rasterise(points, pixels, first, self._rays, self._max_angle + 0.01, distance, surface)
        visible = np.flatnonzero(distance < FAR)
        return self._develop(visible, distance, surface, first, points, normals, R_c_w)

    def _develop(
        self,
        visible: NDArray[np.intp],
        distance: FloatArray,
        surface: FloatArray,
        first: int,
        points: FloatArray,
        normals: NDArray[np.float32],
        R_c_w: FloatArray,
    ) -> View:
        """Light and truth of the visible pixels of the picture box, in the frame; the rest of it stays black."""
        height, width = self.scope.height, self.scope.width
        targets = self._targets[visible]
        rays, distance, surface = self._rays.reshape(-1, 3), distance.reshape(-1), surface.reshape(-1, 2)
        light, albedo = np.zeros((2, height * width, 3), np.float32)
        depth, arc, theta = np.zeros((3, height * width), np.float32)
        specular, valid = np.zeros((2, height * width), np.bool_)
        shade(
            visible, targets, rays, distance, surface, first, points, normals, R_c_w,
            self._regions[first : first + len(points)], self._texels, self._variances, self._material, self._lights,
            self._pixel_angle, light, albedo, specular,
        )  # fmt: skip
        write_places(visible, targets, rays, distance, surface, N_THETA, depth, arc, theta, valid)
        colour, single = (height, width, 3), (height, width)
        return View(
            light.reshape(colour), albedo.reshape(colour), depth.reshape(single), arc.reshape(single),
            theta.reshape(single), specular.reshape(single), valid.reshape(single),
        )  # fmt: skip

    def flow_to(
        self, view: View, T_next: NDArray[Any], time_next_s: float, next_view: View
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Flow of every visible wall point into the next frame, and where that point is hidden or outside there.

        Follows the material: right also when the wall moves between the two frames.
        """
        T_next = np.asarray(T_next, dtype=np.float64)
        surface = np.stack([view.arc_mm, view.theta / _COLUMN], axis=-1).astype(np.float64)
        rows = surface[..., 0][view.valid]
        if not rows.size:
            return np.zeros((*view.valid.shape, 2), np.float32), np.ones(view.valid.shape, np.bool_)
        first, last = int(rows.min()), min(int(rows.max()) + 2, len(self._vertices))
        vertices, _ = self._wall(first, last, time_next_s)
        world = np.zeros((*view.valid.shape, 3))
        material_points(vertices, first, surface, view.valid, world)
        T_c_w = invert(T_next)
        points = world[view.valid] @ T_c_w[:3, :3].T + T_c_w[:3, 3]
        pixels = np.full((*view.valid.shape, 2), np.nan)
        pixels[view.valid] = self.scope.camera.project(points)
        depth = np.zeros(view.valid.shape)
        depth[view.valid] = points[:, 2]
        ys, xs = np.mgrid[0 : view.valid.shape[0], 0 : view.valid.shape[1]]
        flow = pixels - np.stack([xs, ys], axis=-1)
        occluded = ~view.valid | ~_seen(pixels, depth, next_view)
        return np.where(np.isfinite(flow), flow, 0.0).astype(np.float32), occluded

    def _visible_rows(self, T_w_c: FloatArray) -> tuple[int, int]:
        away = np.linalg.norm(self.colon.centreline_mm - T_w_c[:3, 3], axis=1)
        here = int(np.argmin(away / np.maximum(self.colon.wall.free_radius_mm, 8.0)))
        towards = float(self.colon.tangent[here] @ T_w_c[:3, 2])
        before, behind = (_ASIDE_MM, _ASIDE_MM)
        if abs(towards) > 0.6:
            before, behind = (_AHEAD_MM, _BEHIND_MM) if towards < 0 else (_BEHIND_MM, _AHEAD_MM)
        return max(0, here - before), min(len(self._vertices), here + behind + 1)

    def _wall(self, first: int, last: int, time_s: float) -> tuple[FloatArray, NDArray[np.float32]]:
        if self.wall_motion is None:
            return self._vertices[first:last], self._normals[first:last]
        vertices = self.wall_motion.displaced(self.colon, self._vertices[first:last], first, time_s)
        return vertices, _normals(vertices)


def _grid(colon: Colon) -> FloatArray:
    """World vertices of the wall grid: fixed to the tissue, the same for every camera."""
    r = colon.wall.radius_mm.astype(np.float64)[..., None]
    cos, sin = np.cos(THETA)[None, :, None], np.sin(THETA)[None, :, None]
    return np.ascontiguousarray(
        colon.centreline_mm[:, None]
        + r * (cos * colon.normal[:, None] + sin * colon.binormal[:, None])
        + colon.wall.advance_mm.astype(np.float64)[..., None] * colon.tangent[:, None]
    )


def _normals(vertices: FloatArray) -> NDArray[np.float32]:
    normals = np.empty(vertices.shape, np.float32)
    grid_normals(vertices, normals)
    if np.ptp(vertices[0], axis=0).max() < 1e-6:  # the blind pole is one point: one normal for all its columns
        normals[0] = normals[1].mean(axis=0) / np.linalg.norm(normals[1].mean(axis=0))
    return normals


def _pixel_grid(width: int, height: int) -> FloatArray:
    return np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).astype(np.float64)


def _rays(rays: FloatArray, mask: NDArray[np.bool_]) -> FloatArray:
    """Unit rays of the picture; zero outside the mask, where nothing can be hit."""
    return np.ascontiguousarray(np.where(mask[..., None], rays, 0.0))


def _pixel_angle(rays: FloatArray, mask: NDArray[np.bool_]) -> float:
    """Typical angle between neighbouring pixels."""
    both = mask[:, 1:] & mask[:, :-1]
    cos = (rays[:, 1:] * rays[:, :-1]).sum(axis=-1)[both]
    return float(np.median(np.arccos(np.clip(cos, -1.0, 1.0))))


def _radius_table(scope: Scope, max_angle: float) -> FloatArray:
    """Picture radius at equal steps of angle over 0..pi; straight on beyond the field of view."""
    angles = np.linspace(0.0, np.pi, _TABLE_SIZE)
    inside = angles <= max_angle
    radius = np.empty(_TABLE_SIZE)
    radius[inside] = scope.camera.radius(angles[inside])
    last = np.flatnonzero(inside)[-1]
    slope = (radius[last] - radius[last - 1]) / (angles[1] - angles[0])
    radius[~inside] = radius[last] + slope * (angles[~inside] - angles[last])
    return radius


def _seen(pixels: FloatArray, depth: FloatArray, view: View) -> NDArray[np.bool_]:
    """Whether points at `pixels` with z `depth` are what `view` shows there (2 % + 0.3 mm for the slope in a pixel)."""
    h, w = view.valid.shape
    x, y = np.nan_to_num(pixels[..., 0], nan=-9.0), np.nan_to_num(pixels[..., 1], nan=-9.0)
    inside = (x >= 0) & (y >= 0) & (x <= w - 1) & (y <= h - 1)
    x, y = np.clip(x, 0, w - 1.001), np.clip(y, 0, h - 1.001)
    i, j = y.astype(np.intp), x.astype(np.intp)
    corners = [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)]
    complete = np.logical_and.reduce([view.valid[c] for c in corners])
    nearest = np.maximum.reduce([view.depth_mm[c] for c in corners])
    return np.asarray(inside & complete & (depth <= nearest * 1.02 + 0.3))
