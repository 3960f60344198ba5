"""Joint estimate of one lens and the motion of every tracked pair: Gauss-Newton with a Schur complement.

Each pair of points (p, q) must fulfil x_q' [t]_x R x_p = 0 with rays x of the lens. The residual is that product in
pixels (Sampson: divided by its gradient at both points) with a Cauchy loss, because tissue moves and tracks slip. Each
pair's five motion parameters are eliminated from the normal equations, which leaves a system of six.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from haustra.camera.rim import Rim
from haustra.camera.self_calibration.lens import PARAMETERS, PRIOR_MEAN, PRIOR_STD, rays
from haustra.camera.self_calibration.tracks import TrackedPair
from haustra.core.arrays import FloatArray

LOSS_PX = 0.35
ROUNDS = 30
MOTION = 5
# Formal deviations take the residuals for independent; against known lenses they were too small by this factor.
OVERCONFIDENCE = 2.0
# Central differences, in radians and in units of the rim.
STEP = 1e-5


@dataclass(frozen=True)
class LensEstimate:
    """Lens parameters and their covariance; `residual_px` is the median of the residuals."""

    lens: FloatArray
    covariance: FloatArray
    residual_px: float
    pairs: int
    points: int


@dataclass
class _Problem:
    """All points in one array; `pair` says whose each is."""

    rim: Rim
    a: FloatArray
    b: FloatArray
    pair: np.ndarray
    count: int

    def residuals(self, lens: FloatArray, R: FloatArray, t: FloatArray) -> FloatArray:
        xa, da, sa = rays(lens, self.rim, self.a)
        xb, db, sb = rays(lens, self.rim, self.b)
        turned, shift = np.einsum("nij,nj->ni", R[self.pair], xa), t[self.pair]
        by_b = np.cross(shift, turned)
        normal = np.cross(xb, shift)
        by_a = np.einsum("nji,nj->ni", R[self.pair], normal)
        value = np.einsum("ni,ni->n", xb, by_b)
        slopes = (by_a, da), (by_a, sa), (by_b, db), (by_b, sb)
        gradient = sum(np.square(np.einsum("ni,ni->n", by, along)) for by, along in slopes)
        return np.asarray(value / np.sqrt(gradient + 1e-12))


def solve_lens(pairs: Sequence[TrackedPair], rim: Rim) -> LensEstimate:
    """The lens under which all pairs are best explained by rigid motion."""
    problem = _Problem(
        rim,
        np.concatenate([pair.a for pair in pairs]),
        np.concatenate([pair.b for pair in pairs]),
        np.repeat(np.arange(len(pairs)), [len(pair.a) for pair in pairs]),
        len(pairs),
    )
    lens = PRIOR_MEAN.copy()
    R, t = _first_motions(pairs, rim, lens)
    damping, cost = 1e-3, np.inf
    for _ in range(ROUNDS):
        residual = problem.residuals(lens, R, t)
        H, g, motion = _normal_equations(problem, lens, R, t, residual, damping)
        step = np.asarray(np.linalg.solve(H, g), np.float64)
        new_lens = lens + step
        new_R, new_t = _moved(R, t, motion.solve(step))
        new_cost = _cost(problem.residuals(new_lens, new_R, new_t), new_lens)
        if new_cost < cost:
            small = cost - new_cost < 1e-6 * cost
            lens, R, t, cost, damping = new_lens, new_R, new_t, new_cost, max(damping / 5, 1e-7)
            if small:
                break
        else:
            damping *= 10
            if damping > 1e6:
                break
    residual = problem.residuals(lens, R, t)
    H, _, _ = _normal_equations(problem, lens, R, t, residual, 0.0)
    covariance = np.asarray(OVERCONFIDENCE**2 * np.linalg.inv(H), np.float64)
    return LensEstimate(lens, covariance, float(np.median(np.abs(residual))), len(pairs), len(residual))


def _cost(residual: FloatArray, lens: FloatArray) -> float:
    prior = np.square((lens - PRIOR_MEAN) / PRIOR_STD).sum()
    return float(LOSS_PX**2 * np.log1p(np.square(residual / LOSS_PX)).sum() + prior * _unit(residual))


def _unit(residual: FloatArray) -> float:
    """Variance of a residual, so that the prior counts as it should."""
    return float(np.square(1.4826 * np.median(np.abs(residual))))


@dataclass(frozen=True)
class _Motions:
    """What was eliminated: motion step = base - coupling @ lens step, of each pair."""

    base: FloatArray
    coupling: FloatArray

    def solve(self, step: FloatArray) -> FloatArray:
        return np.asarray(self.base - self.coupling @ step)


def _normal_equations(
    problem: _Problem, lens: FloatArray, R: FloatArray, t: FloatArray, residual: FloatArray, damping: float
) -> tuple[FloatArray, FloatArray, _Motions]:
    """Reduced system (6, 6) of the lens, in units of the residual's variance, and how motions follow from its step."""
    weight = 1.0 / (1.0 + np.square(residual / LOSS_PX)) / _unit(residual)
    by_lens = np.stack([_by_lens(problem, lens, R, t, k) for k in range(PARAMETERS)], axis=1)
    by_motion = np.stack([_by_motion(problem, lens, R, t, k) for k in range(MOTION)], axis=1)
    count, pair = problem.count, problem.pair
    mm = _summed(np.einsum("n,ni,nj->nij", weight, by_motion, by_motion), pair, count)
    ml = _summed(np.einsum("n,ni,nj->nij", weight, by_motion, by_lens), pair, count)
    mr = _summed(np.einsum("n,ni,n->ni", weight, by_motion, -residual), pair, count)
    mm += damping * mm * np.eye(MOTION) + 1e-6 * np.trace(mm, axis1=1, axis2=2)[:, None, None] * np.eye(MOTION)
    coupling = np.asarray(np.linalg.solve(mm, ml), np.float64)
    base = np.asarray(np.linalg.solve(mm, mr[..., None])[..., 0], np.float64)
    ll = by_lens.T @ (weight[:, None] * by_lens) + np.diag(1.0 / PRIOR_STD**2)
    lr = by_lens.T @ (weight * -residual) - (lens - PRIOR_MEAN) / PRIOR_STD**2
    H = ll - np.einsum("pil,pik->lk", ml, coupling)
    H += damping * np.diag(np.diag(H))
    return H, lr - np.einsum("pil,pi->l", ml, base), _Motions(base, coupling)


def _by_lens(problem: _Problem, lens: FloatArray, R: FloatArray, t: FloatArray, k: int) -> FloatArray:
    step = np.zeros(PARAMETERS)
    step[k] = STEP
    return (problem.residuals(lens + step, R, t) - problem.residuals(lens - step, R, t)) / (2 * STEP)


def _by_motion(problem: _Problem, lens: FloatArray, R: FloatArray, t: FloatArray, k: int) -> FloatArray:
    step = np.zeros((problem.count, MOTION))
    step[:, k] = STEP
    there, back = (problem.residuals(lens, *_moved(R, t, side)) for side in (step, -step))
    return (there - back) / (2 * STEP)


def _summed(values: FloatArray, pair: np.ndarray, count: int) -> FloatArray:
    result = np.zeros((count, *values.shape[1:]))
    np.add.at(result, pair, values)
    return result


def _moved(R: FloatArray, t: FloatArray, step: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rotations and unit translations after small steps: three of rotation, two in the plane normal to t."""
    turned = Rotation.from_rotvec(step[:, :3]).as_matrix() @ R
    u, v = _tangents(t)
    moved = t + step[:, 3:4] * u + step[:, 4:5] * v
    return turned, moved / np.linalg.norm(moved, axis=1, keepdims=True)


def _tangents(t: FloatArray) -> tuple[FloatArray, FloatArray]:
    helper = np.where(np.abs(t[:, :1]) < 0.7, np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]]))
    u = np.cross(t, helper)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    return u, np.cross(t, u)


def _first_motions(pairs: Sequence[TrackedPair], rim: Rim, lens: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Essential matrices of points near the axis under the prior lens; straight ahead where there is none."""
    R, t = np.tile(np.eye(3), (len(pairs), 1, 1)), np.tile([0.0, 0.0, 1.0], (len(pairs), 1))
    for k, pair in enumerate(pairs):
        xa, xb = rays(lens, rim, pair.a)[0], rays(lens, rim, pair.b)[0]
        near = (xa[:, 2] > 0.35) & (xb[:, 2] > 0.35)
        if near.sum() < 20:
            continue
        flat_a, flat_b = (x[near, :2] / x[near, 2:] for x in (xa, xb))
        E, _ = cv2.findEssentialMat(flat_a, flat_b, np.eye(3), cv2.USAC_MAGSAC, 0.999, 1.5 / rim.radius)
        if E is None or E.shape != (3, 3):
            continue
        one, other, shift = cv2.decomposeEssentialMat(E)
        R[k] = max((one, other), key=lambda rotation: float(np.trace(rotation)))
        t[k] = shift[:, 0]
    return R, t
