"""Colon courses by physics: a chain of given segment lengths, attached where a colon is fixed, relaxes into shape.

The ascending and descending colon lie on the abdominal wall; flexures, rectum and the ends of the sigmoid are attached;
transverse and sigmoid colon hang free, so that a segment longer than its span sags or loops. Axes and millimetres as in
`haustra.lab.simulate.colon`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from haustra.core.arrays import FloatArray
from haustra.core.poses import arc_of
from haustra.core.vocabulary import SEGMENTS
from haustra.lab.simulate.colon import LENGTH_MU, LENGTH_SIGMA

_NODES = 65
_ROUNDS = 90
_FINE = 400
_TRANSVERSE, _RECTUM = SEGMENTS.index("transverse"), SEGMENTS.index("rectum")
_FREE = (_TRANSVERSE, SEGMENTS.index("sigmoid"))
_ON_WALL = (SEGMENTS.index("ascending"), SEGMENTS.index("descending"))
_HALF_BODY_MM = np.array([150.0, 260.0, 95.0])
_NEIGHBOURS = 3  # links of the chain that may lie closer than the bowel is thick
# Attachments in mm with their standard deviation over patients: cecum, hepatic and splenic flexure, iliac fossa,
# promontory, anus; and the stiffness of the last five.
_TIED = np.array([[-85, -105, 0], [-85, 75, -10], [100, 110, -45], [95, -85, -5], [0, -100, -45], [0, -210, -15]])
_TIED_SPREAD = np.array([[22, 30, 20], [18, 32, 20], [16, 32, 18], [16, 24, 20], [12, 15, 12], [5, 10, 8]])
_FIRM = (0.5, 0.6, 0.5, 0.6, 0.9)
_CECUM_FIXED = 0.75  # share of patients without a mobile cecum


def slung_courses(rng: np.random.Generator, count: int) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    """Arc (n,), points (n, 3) and the seven boundaries of each course, in mm."""
    wider = rng.uniform(0.9, 1.4, (count, 1))
    raw = np.exp(LENGTH_MU + wider * LENGTH_SIGMA * rng.standard_normal((count, len(SEGMENTS))))
    edges = np.concatenate([np.zeros((count, 1)), np.cumsum(raw / raw.sum(axis=1, keepdims=True), axis=1)], axis=1)
    edges[:, -1] = 1.0
    chain = _fallen(rng, edges)
    return [_finished(rng, chain[k], edges[k]) for k in range(count)]


def _fallen(rng: np.random.Generator, edges: FloatArray) -> FloatArray:
    """Relaxed chains (n, _NODES, 3)."""
    n = len(edges)
    body = rng.uniform(0.85, 1.2, (n, 1, 1))
    tied = (_TIED + rng.standard_normal((n, *_TIED.shape)) * _TIED_SPREAD) * body
    tied[:, 1, 1] = np.minimum(tied[:, 1, 1], tied[:, 2, 1] + 20)
    line, segment = _along(rng, edges, tied)
    goal, firm = _ties(rng, edges, segment, line, tied)
    chain = _started(rng, line, edges, segment)
    free = np.isin(segment, _FREE)[..., None]
    pull = np.zeros((n, 1, 3))
    pull[:, 0, 1], pull[:, 0, 2] = rng.uniform(-1.1, 0.1, n), rng.uniform(-0.1, 0.6, n)
    link = rng.uniform(1150.0, 1700.0, (n, 1, 1)) / (_NODES - 1)
    thick = rng.uniform(32.0, 48.0, n) * body[:, 0, 0]
    for k in range(_ROUNDS):
        chain = chain + 0.5 * firm * (goal - chain) + pull * free
        chain[:, 1:-1] += 0.25 * ((chain[:, :-2] + chain[:, 2:]) / 2 - chain[:, 1:-1])
        if k % 3 == 0:
            _push_apart(chain, thick)
        beyond = np.linalg.norm(chain / (_HALF_BODY_MM * body), axis=2, keepdims=True)
        chain = chain / np.maximum(beyond, 1.0)
        for _ in range(4):
            _keep_links(chain, link)
    return chain


def _along(rng: np.random.Generator, edges: FloatArray, tied: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
    """The polyline through the attachments (n, _NODES, 3), and the index of each node's segment in SEGMENTS."""
    at = np.linspace(0.0, 1.0, _NODES)
    valve = tied[:, :1] + np.array([0.0, 45.0, 0.0]) + rng.normal(0, 12, (len(edges), 1, 3))
    corners = np.concatenate([tied[:, :1], valve, tied[:, 1:]], axis=1)
    line = np.stack(
        [
            np.stack([np.interp(at, edge, axis) for axis in corner.T], 1)
            for edge, corner in zip(edges, corners, strict=True)
        ]
    )
    return line, np.count_nonzero(at[None, :, None] >= edges[:, None, 1:-1], axis=2)


def _ties(
    rng: np.random.Generator, edges: FloatArray, segment: NDArray[np.intp], line: FloatArray, tied: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Rest position of each node, and its stiffness (0 where it is free)."""
    n, rows = len(edges), np.arange(len(edges))
    goal = line.copy()
    goal[..., 2] -= 35.0 * _bow(edges, _RECTUM) * (segment == _RECTUM)  # the hollow of the sacrum
    firm = np.where(np.isin(segment, _ON_WALL), rng.uniform(0.02, 0.25, (n, 1)), 0.0)
    firm = np.where(segment == _RECTUM, 0.15, firm)
    for k, how in enumerate(_FIRM, start=1):
        node = np.rint(edges[:, k + 1] * (_NODES - 1)).astype(np.intp)
        firm[rows, node], goal[rows, node] = how, tied[:, k]
    firm[:, 0], goal[:, 0] = np.where(rng.random(n) < _CECUM_FIXED, 0.3, 0.02), tied[:, 0]
    return goal, firm[..., None]


def _bow(edges: FloatArray, segment: int) -> FloatArray:
    """0 at both ends of a segment, 1 in its middle, for each node."""
    low, high = edges[:, segment : segment + 1], edges[:, segment + 1 : segment + 2]
    result: FloatArray = np.sin(np.pi * np.clip((np.linspace(0.0, 1.0, _NODES) - low) / (high - low), 0.0, 1.0))
    return result


def _started(rng: np.random.Generator, line: FloatArray, edges: FloatArray, segment: NDArray[np.intp]) -> FloatArray:
    """Initial shape: slow waves, larger where the colon is free; the transverse colon hangs below its span."""
    n = len(line)
    wave = gaussian_filter1d(rng.standard_normal(line.shape), 3.0, axis=1)
    wave *= np.where(np.isin(segment, _FREE), 30.0, 6.0)[..., None] / wave.std(axis=(1, 2), keepdims=True)
    hung = np.stack([np.zeros(n), rng.uniform(-140.0, 20.0, n), rng.uniform(20.0, 90.0, n)], axis=1)
    return line + wave + (_bow(edges, _TRANSVERSE) * (segment == _TRANSVERSE))[..., None] * hung[:, None]


def _push_apart(chain: FloatArray, thick: FloatArray) -> None:
    square = ((chain[:, :, None] - chain[:, None]) ** 2).sum(axis=3)
    apart = np.abs(np.arange(_NODES)[:, None] - np.arange(_NODES)) > _NEIGHBOURS
    course, one, other = np.nonzero((square < thick[:, None, None] ** 2) & apart)
    distance = np.sqrt(square[course, one, other])[:, None] + 1e-6
    push = 0.25 * (thick[course, None] - distance) * (chain[course, one] - chain[course, other]) / distance
    np.add.at(chain, (course, one), push)


def _keep_links(chain: FloatArray, link: FloatArray) -> None:
    """Project onto the link lengths: every second link, then the others."""
    for first in (0, 1):
        behind = chain[:, first + 1 :: 2]
        ahead = chain[:, first::2][:, : behind.shape[1]]
        between = behind - ahead
        length = np.linalg.norm(between, axis=2, keepdims=True) + 1e-6
        correction = 0.5 * (length - link) / length * between
        ahead += correction
        behind -= correction


def _finished(
    rng: np.random.Generator, chain: FloatArray, edges: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    fine = np.linspace(0.0, 1.0, _FINE)
    points = gaussian_filter1d(CubicSpline(np.linspace(0.0, 1.0, _NODES), chain)(fine), 5.0, axis=0, mode="nearest")
    arc = arc_of(points)
    inner = np.interp(edges[1:-1], fine, arc)
    first = min(rng.uniform(5, 30), 0.5 * inner[0])
    last = arc[-1] - min(rng.uniform(5, 25), 0.5 * (arc[-1] - inner[-1]))
    return arc, points, np.r_[first, inner, last]
