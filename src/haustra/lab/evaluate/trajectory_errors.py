"""Trajectory errors, each named by its protocol: different protocols never share a column.

`sim3`: one similarity transform (Umeyama 1991) aligns the whole estimate with the truth, as in the paper and in evo.
`snippet`: SfMLearner's and monodepth2's error over five frames, each snippet with its own scale.
`simcol`: SimCol3D's: one scale from the relative translations, no alignment of rotation, medians.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.poses import invert, rotation_angle_deg


@dataclass(frozen=True)
class Similarity:
    """y = scale * R x + t."""

    scale: float
    R: FloatArray
    t: FloatArray

    def apply(self, T_w_c: FloatArray) -> FloatArray:
        """Poses in the target frame: positions scaled, rotated and moved, orientations rotated."""
        moved = T_w_c.copy()
        moved[:, :3, :3] = self.R @ T_w_c[:, :3, :3]
        moved[:, :3, 3] = self.scale * T_w_c[:, :3, 3] @ self.R.T + self.t
        return moved


def umeyama(source: FloatArray, target: FloatArray) -> Similarity:
    """Least-squares similarity from points (n, 3) to their counterparts (Umeyama 1991)."""
    mean_x, mean_y = source.mean(axis=0), target.mean(axis=0)
    x, y = source - mean_x, target - mean_y
    variance_x = float((x**2).sum(axis=1).mean())
    if not variance_x > 0:
        raise HaustraError("the estimated trajectory never moves: it cannot be aligned with the ground truth")
    U, D, Vt = np.linalg.svd(y.T @ x / len(x))  # eq. (38)
    S = np.eye(3)
    if np.linalg.det(U) * np.linalg.det(Vt) < 0:  # eq. (39) and (43)
        S[2, 2] = -1.0
    R = U @ S @ Vt  # eq. (40)
    scale = float(np.trace(np.diag(D) @ S)) / variance_x  # eq. (42)
    return Similarity(scale, R, mean_y - scale * R @ mean_x)  # eq. (41)


@dataclass(frozen=True)
class TrajectoryErrors:
    """Of one recording, in the length unit of the truth; `_std` is over frames (ATE) or pairs of frames (RPE)."""

    ate_sim3_rmse: float
    ate_sim3_mean: float
    ate_sim3_std: float
    rpe_trans: float
    rpe_trans_std: float
    rpe_rot_deg: float
    rpe_rot_deg_std: float
    scale: float

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


def trajectory_errors(estimate: FloatArray, truth: FloatArray) -> TrajectoryErrors:
    """ATE over frames and RPE over consecutive pairs after one similarity alignment of poses (n, 4, 4)."""
    _same_length(estimate, truth, at_least=3)
    similarity = umeyama(estimate[:, :3, 3], truth[:, :3, 3])
    aligned = similarity.apply(estimate)
    ate = np.linalg.norm(aligned[:, :3, 3] - truth[:, :3, 3], axis=1)
    error = invert(relative_poses(truth)) @ relative_poses(aligned)
    trans, rot = np.linalg.norm(error[:, :3, 3], axis=1), rotation_angle_deg(error[:, :3, :3])
    return TrajectoryErrors(
        ate_sim3_rmse=float(np.sqrt((ate**2).mean())),
        ate_sim3_mean=float(ate.mean()),
        ate_sim3_std=float(ate.std()),
        rpe_trans=float(trans.mean()),
        rpe_trans_std=float(trans.std()),
        rpe_rot_deg=float(rot.mean()),
        rpe_rot_deg_std=float(rot.std()),
        scale=similarity.scale,
    )


def relative_poses(T_w_c: FloatArray) -> FloatArray:
    """T_a_b of consecutive poses."""
    return invert(T_w_c[:-1]) @ T_w_c[1:]


def snippet_ate(estimate: FloatArray, truth: FloatArray, *, frames: int = 5) -> tuple[float, float]:
    """Mean and standard deviation over snippets of sqrt(sum of squared errors) / frames, as those programs print."""
    _same_length(estimate, truth, at_least=frames)
    errors = []
    for i in range(len(truth) - frames + 1):
        g = (invert(truth[i]) @ truth[i : i + frames])[:, :3, 3]
        p = (invert(estimate[i]) @ estimate[i : i + frames])[:, :3, 3]
        squared = float((p**2).sum())
        scale = float((g * p).sum()) / squared if squared > 0 else 0.0
        errors.append(float(np.sqrt(((g - scale * p) ** 2).sum())) / frames)
    return float(np.mean(errors)), float(np.std(errors))


def simcol_errors(estimate: FloatArray, truth: FloatArray) -> dict[str, float]:
    """Medians of position, relative translation and relative rotation errors with one scale and no alignment."""
    _same_length(estimate, truth, at_least=2)
    p, g = relative_poses(estimate), relative_poses(truth)
    squared = float((p[:, :3, 3] ** 2).sum())
    if not squared > 0:
        raise HaustraError("the estimated trajectory never moves: it has no scale")
    scale = float((g[:, :3, 3] * p[:, :3, 3]).sum()) / squared
    p[:, :3, 3] *= scale
    position = np.linalg.norm(_from_start(p) - _from_start(g), axis=1)
    rotation = rotation_angle_deg(np.swapaxes(g[:, :3, :3], 1, 2) @ p[:, :3, :3])
    return {
        "simcol_ate_median": float(np.median(position)),
        "simcol_rte_median": float(np.median(np.linalg.norm(g[:, :3, 3] - p[:, :3, 3], axis=1))),
        "simcol_rot_deg_median": float(np.median(rotation)),
        "simcol_scale": scale,
    }


def _from_start(relative: FloatArray) -> FloatArray:
    T, positions = np.eye(4), [np.zeros(3)]
    for T_a_b in relative:
        T = T @ T_a_b
        positions.append(T[:3, 3].copy())
    return np.array(positions)


def _same_length(estimate: FloatArray, truth: FloatArray, at_least: int) -> None:
    if len(estimate) != len(truth) or len(truth) < at_least:
        raise HaustraError(
            f"{len(estimate)} estimated and {len(truth)} true poses: the same number is needed, at least {at_least}"
        )
