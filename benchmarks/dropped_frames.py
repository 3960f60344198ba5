"""Location error by share of dropped frames: `python -m benchmarks.dropped_frames DATA --work DIR`.

The same recordings with other shares. More: further seconds are dropped, and nothing is measured in them. Fewer:
dropped seconds are replaced by their true motion in the network's local units. Both exaggerate the effect.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from benchmarks.coverage import covered
from benchmarks.observed import Observed, observe
from haustra.core.arrays import FloatArray
from haustra.core.poses import invert, matrix_to_euler
from haustra.core.vocabulary import Reason
from haustra.lab.evaluate.text_table import text_table
from haustra.results.observations import Observations

SHARES = (0.3, 0.4, 0.5, 0.6, 0.7)
STRETCH_S = 1.0
SCALE_S = 4.0
HEADER = ("dropped", "location error", "worst recording", "within 2 std", "over the first row", "paper's index")


def with_dropped(recording: Observed, share: float, rng: np.random.Generator) -> Observed:
    """The recording with this share of its samples dropped."""
    seen = recording.seen
    more = share > 1 - seen.kept.mean()
    order = rng.permutation(np.unique(_stretches(seen)))
    motion, kept = (seen.motion if more else _true_motion(recording)), seen.kept.copy()
    changed = np.zeros(len(kept), np.bool_)
    for stretch in order:
        if (1 - kept.mean() >= share) == more:
            break
        rows = (_stretches(seen) == stretch) & (kept if more else ~kept)
        kept[rows], changed[rows] = not more, True
    kept[[0, -1]] = seen.kept[[0, -1]]  # the ends of the withdrawal stay
    lost = np.where((changed | np.roll(changed, 1))[:, None], np.nan if more else motion, seen.motion)
    reason = tuple(
        Reason.KEPT if keep else old or Reason.NON_INFORMATIVE for keep, old in zip(kept, seen.reason, strict=True)
    )
    # Predicted uncertainties of dropped frames do not apply to clear ones.
    std = np.where(changed[:, None], np.nan, seen.motion_std)
    return replace(recording, seen=replace(seen, reason=reason, motion=lost, motion_std=std))


def _stretches(seen: Observations) -> NDArray[np.intp]:
    """Index of the one-second block of each sample."""
    return ((seen.time_s - seen.time_s[0]) // STRETCH_S).astype(np.intp)


def _true_motion(recording: Observed) -> FloatArray:
    """True s(a->b) of the samples (n, 6) in the network's units, which scale with the lumen's calibre."""
    seen, T_w_c = recording.seen, recording.pose_at(recording.seen.time_s)
    true = np.full((len(T_w_c), 6), np.nan)
    T_b_a = invert(T_w_c[1:]) @ T_w_c[:-1]
    true[1:] = np.concatenate([T_b_a[:, :3, 3], matrix_to_euler(T_b_a[:, :3, :3])], axis=1)
    pairs = np.r_[False, seen.kept[1:] & seen.kept[:-1]] & np.isfinite(seen.motion).all(axis=1)
    width = SCALE_S / float(np.median(np.diff(seen.time_s)))
    found, exact = (
        gaussian_filter1d(np.where(pairs, np.linalg.norm(np.nan_to_num(motion[:, :3]), axis=1), 0.0), width)
        for motion in (seen.motion, true)
    )
    true[:, :3] *= (found / np.maximum(exact, 1e-9))[:, None]
    return true


def row(dropped: str, recordings: Sequence[Observed], first: float | None = None) -> list[str]:
    """Errors by our index, and by the paper's from the same motion; `first` is what the first row has."""
    cases = [covered(one) for one in recordings]
    errors = [case.mean_error for case in cases]
    within = np.mean([case.within for case in cases])
    return [
        dropped,
        f"{np.mean(errors):.4f}",
        f"{max(errors):.4f}",
        f"{within:.3f}",
        f"{np.mean(errors) / (first or np.mean(errors)):.2f}",
        f"{np.mean([one.paper_error() for one in recordings]):.4f}",
    ]


def run(data: Path, work: Path, seed: int) -> str:
    recordings = observe(data, work)
    natural = np.mean([1 - one.seen.kept.mean() for one in recordings])
    rows: list[list[str]] = []
    for share in SHARES:
        changed = [with_dropped(one, share, np.random.default_rng(seed)) for one in recordings]
        rows.append(row(f"{share:.0%}", changed, float(rows[0][1]) if rows else None))
    rows.append(row("as they are", recordings, float(rows[0][1])))
    return f"{text_table(list(HEADER), rows)}\n\n{len(recordings)} recordings; {natural:.0%} are dropped as they are."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(run(options.data, options.work, options.seed))
