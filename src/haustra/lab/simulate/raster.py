"""Visible surface of the wall grid through a fisheye: a z-buffer with exact ray-triangle intersections.

The projected box of a triangle only chooses candidate pixels; hit or miss, depth and surface coordinates come from the
pixel's own ray and the triangle in 3-D, so they are exact for any lens and agree between frames.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from .compiled import njit

FAR = 1e9
Vector = tuple[float, float, float]


@njit(cache=True, nogil=True, fastmath=True)
def to_camera(vertices: NDArray[Any], R_c_w: NDArray[Any], position: NDArray[Any], points: NDArray[Any]) -> None:
    """World vertices (rows, cols, 3) into the camera frame."""
    for k in range(vertices.shape[0]):
        for j in range(vertices.shape[1]):
            a = vertices[k, j, 0] - position[0]
            b = vertices[k, j, 1] - position[1]
            c = vertices[k, j, 2] - position[2]
            for i in range(3):
                points[k, j, i] = R_c_w[i, 0] * a + R_c_w[i, 1] * b + R_c_w[i, 2] * c


@njit(cache=True, nogil=True, fastmath=True)
def to_pixels(
    points: NDArray[Any], table: NDArray[Any], stretch: NDArray[Any], center: NDArray[Any], pixels: NDArray[Any]
) -> None:
    """Camera points to (x, y, angle off the axis); `table` is the picture radius at equal steps of angle over 0..pi."""
    step = (table.shape[0] - 1) / math.pi
    for k in range(points.shape[0]):
        for j in range(points.shape[1]):
            x, y, z = points[k, j, 0], points[k, j, 1], points[k, j, 2]
            side = math.sqrt(x * x + y * y)
            angle = math.atan2(side, z)
            at = min(angle * step, table.shape[0] - 1.001)
            i = int(at)
            radius = table[i] + (table[i + 1] - table[i]) * (at - i)
            scale = radius / max(side, 1e-12)
            x, y = x * scale, y * scale
            pixels[k, j, 0] = stretch[0, 0] * x + stretch[0, 1] * y + center[0]
            pixels[k, j, 1] = stretch[1, 0] * x + stretch[1, 1] * y + center[1]
            pixels[k, j, 2] = angle


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _corner(grid: NDArray[Any], k: int, j: int) -> Vector:
    """Three numbers of a grid point as scalars: a slice of the array would cost more than the arithmetic."""
    return grid[k, j, 0], grid[k, j, 1], grid[k, j, 2]


@njit(cache=True, nogil=True, fastmath=True)
def _triangle(
    a: Vector, b: Vector, c: Vector, box: tuple[int, int, int, int], rays: NDArray[Any],
    distance: NDArray[Any], surface: NDArray[Any], row: float, col: float, sign: float,
) -> None:  # fmt: skip
    """Puts the triangle's hits into the buffers; corner a is (row, col), b one row on by `sign`, c one column on."""
    ax, ay, az = _cross(b, c)
    det = a[0] * ax + a[1] * ay + a[2] * az
    if det >= 0.0:  # seen from outside the lumen
        return
    bx, by, bz = _cross(c, a)
    cx, cy, cz = _cross(a, b)
    sx, sy, sz = ax + bx + cx, ay + by + cy, az + bz + cz
    for y in range(box[1], box[3]):
        for x in range(box[0], box[2]):
            dx, dy, dz = rays[y, x, 0], rays[y, x, 1], rays[y, x, 2]
            total = sx * dx + sy * dy + sz * dz
            # The slack closes the seam that rounding could leave between two triangles.
            slack = -1e-9 * total
            wb = bx * dx + by * dy + bz * dz
            wc = cx * dx + cy * dy + cz * dz
            if total >= 0.0 or wb > slack or wc > slack or total - wb - wc > slack:
                continue
            hit = det / total
            if hit < distance[y, x]:
                distance[y, x] = hit
                surface[y, x, 0] = row + sign * wb / total
                surface[y, x, 1] = col + sign * wc / total


@njit(cache=True, nogil=True, fastmath=True)
def rasterise(
    points: NDArray[Any], pixels: NDArray[Any], first_row: int, rays: NDArray[Any], max_angle: float,
    distance: NDArray[Any], surface: NDArray[Any],
) -> None:  # fmt: skip
    """Fills `distance` (along the unit ray, FAR = none) and `surface` (row, column of the grid, fractional)."""
    height, width = distance.shape
    distance[:] = FAR
    rows, cols = points.shape[0], points.shape[1]
    for k in range(rows - 1):
        for j in range(cols):
            n = j + 1 if j + 1 < cols else 0
            if min(pixels[k, j, 2], pixels[k + 1, j, 2], pixels[k, n, 2], pixels[k + 1, n, 2]) > max_angle:
                continue
            px, qx, rx, sx = pixels[k, j, 0], pixels[k + 1, j, 0], pixels[k, n, 0], pixels[k + 1, n, 0]
            py, qy, ry, sy = pixels[k, j, 1], pixels[k + 1, j, 1], pixels[k, n, 1], pixels[k + 1, n, 1]
            x0, x1 = min(px, qx, rx, sx), max(px, qx, rx, sx)
            y0, y1 = min(py, qy, ry, sy), max(py, qy, ry, sy)
            # Straight edges bend in a fisheye; the sagitta grows with the square of their length.
            extent = max(x1 - x0, y1 - y0)
            margin = 0.02 + extent * extent / width
            left, right = max(0, math.ceil(x0 - margin)), min(width, math.floor(x1 + margin) + 1)
            top, bottom = max(0, math.ceil(y0 - margin)), min(height, math.floor(y1 + margin) + 1)
            if left >= right or top >= bottom:
                continue
            box = (left, top, right, bottom)
            row = float(first_row + k)
            p, q = _corner(points, k, j), _corner(points, k + 1, j)
            r, s = _corner(points, k, n), _corner(points, k + 1, n)
            _triangle(p, q, r, box, rays, distance, surface, row, float(j), 1.0)
            _triangle(s, r, q, box, rays, distance, surface, row + 1, j + 1.0, -1.0)


@njit(cache=True, nogil=True, fastmath=True)
def write_places(
    visible: NDArray[Any], targets: NDArray[Any], rays: NDArray[Any], distance: NDArray[Any], surface: NDArray[Any],
    cols: int, depth: NDArray[Any], arc: NDArray[Any], theta: NDArray[Any], valid: NDArray[Any],
) -> None:  # fmt: skip
    """Depth and place on the wall of the visible pixels, from the picture box into the frame; all pictures are flat."""
    for i in range(len(visible)):
        box, at = visible[i], targets[i]
        column = surface[box, 1]
        depth[at] = distance[box] * rays[box, 2]
        arc[at] = surface[box, 0]
        theta[at] = (column - cols if column >= cols else column) * (2 * math.pi / cols)
        valid[at] = True


@njit(cache=True, nogil=True, fastmath=True)
def material_points(
    vertices: NDArray[Any], first_row: int, surface: NDArray[Any], valid: NDArray[Any], out: NDArray[Any]
) -> None:
    """World points of grid coordinates on the very triangles that `rasterise` hit."""
    rows, cols = vertices.shape[0], vertices.shape[1]
    for y in range(valid.shape[0]):
        for x in range(valid.shape[1]):
            if not valid[y, x]:
                continue
            k = min(max(int(surface[y, x, 0]) - first_row, 0), rows - 2)
            j = int(surface[y, x, 1])
            u, v = surface[y, x, 0] - first_row - k, surface[y, x, 1] - j
            j = j % cols
            n = j + 1 if j + 1 < cols else 0
            for i in range(3):
                if u + v <= 1.0:
                    a = vertices[k, j, i]
                    out[y, x, i] = a + u * (vertices[k + 1, j, i] - a) + v * (vertices[k, n, i] - a)
                else:
                    a = vertices[k + 1, n, i]
                    out[y, x, i] = a + (1 - u) * (vertices[k, n, i] - a) + (1 - v) * (vertices[k + 1, j, i] - a)


@njit(cache=True, nogil=True, fastmath=True)
def grid_normals(vertices: NDArray[Any], out: NDArray[Any]) -> None:
    """Unit normals into the lumen, by central differences over the grid."""
    rows, cols = vertices.shape[0], vertices.shape[1]
    for k in range(rows):
        k0, k1 = max(k - 1, 0), min(k + 1, rows - 1)
        for j in range(cols):
            j0 = j - 1 if j > 0 else cols - 1
            j1 = j + 1 if j + 1 < cols else 0
            ax = vertices[k1, j, 0] - vertices[k0, j, 0]
            ay = vertices[k1, j, 1] - vertices[k0, j, 1]
            az = vertices[k1, j, 2] - vertices[k0, j, 2]
            bx = vertices[k, j1, 0] - vertices[k, j0, 0]
            by = vertices[k, j1, 1] - vertices[k, j0, 1]
            bz = vertices[k, j1, 2] - vertices[k, j0, 2]
            x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
            scale = 1.0 / max(math.sqrt(x * x + y * y + z * z), 1e-12)
            out[k, j, 0], out[k, j, 1], out[k, j, 2] = x * scale, y * scale, z * scale
