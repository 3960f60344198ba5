"""Synthetic pictures from outside the body: the endoscopy room, sheets, skin, a gloved hand, lamps and a monitor."""

from __future__ import annotations

import cv2
import numpy as np

from haustra.core.arrays import Float32Array, Image

Colour = tuple[float, float, float]

CLOTH: tuple[Colour, ...] = ((70, 130, 180), (60, 140, 120), (220, 225, 230), (110, 160, 200), (170, 200, 190))
SKIN: tuple[Colour, ...] = ((224, 180, 150), (198, 150, 120), (150, 105, 80), (235, 195, 175), (110, 75, 55))
GLOVE: tuple[Colour, ...] = ((90, 120, 210), (225, 225, 215), (150, 110, 190), (60, 170, 170))
ROOM: tuple[Colour, ...] = ((190, 190, 185), (150, 155, 160), (90, 95, 105), (60, 60, 65), (205, 195, 175))


def outside_picture(size: int, rng: np.random.Generator) -> Image:
    """A scene outside the body; the scope's own lamp often brightens the middle."""
    canvas = _plain(size, ROOM, rng)
    scene = rng.choice(["room", "cloth", "skin", "mixed"])
    if scene in ("room", "mixed"):
        _draw_room(canvas, rng)
    if scene in ("cloth", "mixed"):
        canvas = _over(canvas, _cloth(size, rng), _half_plane(size, rng) if scene == "mixed" else None)
    if scene == "skin" or rng.random() < 0.2:
        canvas = _over(canvas, _skin(size, rng), _half_plane(size, rng) if scene != "skin" else None)
    if rng.random() < 0.4:
        _draw_hand(canvas, rng)
    canvas = cv2.GaussianBlur(canvas, (0, 0), size * rng.uniform(0.002, 0.02)).astype(np.float32)
    canvas *= _lamp(size, rng) * rng.uniform(0.4, 1.3)
    return np.clip(canvas + rng.normal(0, 2.0, canvas.shape), 0, 255).astype(np.uint8)


def _pick(colours: tuple[Colour, ...], rng: np.random.Generator) -> Float32Array:
    return np.asarray(np.array(colours[int(rng.integers(len(colours)))]) * rng.uniform(0.7, 1.15), np.float32)


def _plain(size: int, colours: tuple[Colour, ...], rng: np.random.Generator) -> Float32Array:
    """One colour with a slow brightness gradient."""
    y, x = np.mgrid[:size, :size].astype(np.float32) / size
    slope = rng.uniform(-0.4, 0.4, 2)
    return np.asarray(_pick(colours, rng) * (1 + slope[0] * (x - 0.5) + slope[1] * (y - 0.5))[..., None], np.float32)


def _draw_room(canvas: Float32Array, rng: np.random.Generator) -> None:
    """Walls, furniture and edges as quadrilaterals, lamps as bright discs, a monitor as a bright frame."""
    size = canvas.shape[0]
    for _ in range(int(rng.integers(3, 14))):
        x, y = rng.uniform(-0.2, 1.0, 2) * size
        w, h = rng.uniform(0.05, 0.7, 2) * size
        corners = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]) + rng.normal(0, 0.06 * size, (4, 2))
        colour = _pick(ROOM + CLOTH, rng).tolist()
        cv2.fillConvexPoly(canvas, corners.astype(np.int32), colour, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 8))):
        ends = rng.uniform(-0.1, 1.1, (2, 2)) * size
        start, end = (tuple(int(v) for v in point) for point in ends)
        width = int(rng.integers(1, max(2, size // 40)))
        cv2.line(canvas, start, end, _pick(ROOM, rng).tolist(), width, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 4))):
        centre = tuple(int(v) for v in rng.integers(0, size, 2))
        axes = tuple(int(v) for v in rng.uniform(0.02, 0.12, 2) * size + 1)
        cv2.ellipse(canvas, centre, axes, float(rng.uniform(0, 180)), 0, 360, (255, 255, 250), -1, cv2.LINE_AA)
    if rng.random() < 0.3:
        corner = rng.uniform(0.0, 0.6, 2) * size
        far = corner + rng.uniform(0.2, 0.4, 2) * size
        first, second = (tuple(int(v) for v in point) for point in (corner, far))
        cv2.rectangle(canvas, first, second, (25, 25, 30), -1)
        cv2.rectangle(canvas, first, second, (230, 235, 240), max(1, size // 60))


def _cloth(size: int, rng: np.random.Generator) -> Float32Array:
    """A sheet: folds as slow waves of brightness, bent by noise."""
    y, x = np.mgrid[:size, :size].astype(np.float32) / size
    turn, count = rng.uniform(0, np.pi), rng.uniform(2, 9)
    bend = np.asarray(cv2.resize(rng.normal(0, 0.25, (5, 5)).astype(np.float32), (size, size), interpolation=2))
    phase = 2 * np.pi * count * (x * np.cos(turn) + y * np.sin(turn) + bend)
    shade = 1 + rng.uniform(0.08, 0.3) * np.sin(phase) + 0.1 * np.sin(2.7 * phase + 1)
    return np.asarray(_pick(CLOTH, rng) * shade[..., None], np.float32)


def _skin(size: int, rng: np.random.Generator) -> Float32Array:
    """Skin: even colour, fine grain, a broad crease or two."""
    base = _plain(size, SKIN, rng)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (size, size)).astype(np.float32), (0, 0), size / 150) * 12
    for _ in range(int(rng.integers(0, 3))):
        start, end = (tuple(int(v) for v in rng.integers(0, size, 2)) for _ in range(2))
        cv2.line(base, start, end, (_pick(SKIN, rng) * 0.5).tolist(), max(1, size // 40), cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(base, (0, 0), size / 60) + grain[..., None], np.float32)


def _draw_hand(canvas: Float32Array, rng: np.random.Generator) -> None:
    """A gloved hand: a palm and some thick fingers."""
    size = canvas.shape[0]
    colour = _pick(GLOVE + SKIN, rng)
    palm = rng.uniform(0.1, 0.9, 2) * size
    for finger in range(int(rng.integers(2, 6))):
        turn = rng.uniform(0, 2 * np.pi)
        tip = palm + size * rng.uniform(0.3, 0.6) * np.array([np.cos(turn), np.sin(turn)])
        start, end = (tuple(int(v) for v in point) for point in (palm, tip))
        width = max(2, int(size * rng.uniform(0.06, 0.12)))
        cv2.line(canvas, start, end, (colour * (0.8 + 0.06 * finger)).tolist(), width, cv2.LINE_AA)
    cv2.circle(canvas, tuple(int(v) for v in palm), int(size * 0.14), colour.tolist(), -1, cv2.LINE_AA)


def _half_plane(size: int, rng: np.random.Generator) -> Float32Array:
    """A soft-edged part of the picture."""
    y, x = np.mgrid[:size, :size].astype(np.float32) / size - 0.5
    turn = rng.uniform(0, 2 * np.pi)
    edge = x * np.cos(turn) + y * np.sin(turn) + rng.uniform(-0.25, 0.25)
    return np.clip(edge * size / 3 + 0.5, 0, 1)[..., None]


def _over(under: Float32Array, over: Float32Array, share: Float32Array | None) -> Float32Array:
    return over if share is None else np.asarray(under * (1 - share) + over * share, np.float32)


def _lamp(size: int, rng: np.random.Generator) -> Float32Array:
    y, x = np.mgrid[:size, :size].astype(np.float32) / size - 0.5
    return np.asarray(1.15 - rng.uniform(0.0, 1.6) * (x**2 + y**2), np.float32)[..., None]
