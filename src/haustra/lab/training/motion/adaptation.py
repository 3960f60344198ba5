"""`haustra train motion --config adapt`: the shipped network trained on with recordings alone, kept if it is better.

The judge is `haustra check` on the recordings that were held out: the epipolar residual of the motion over 0.4 s, over
that of the best fit to independent matches. What does not lower it is not exported.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from haustra.checking.stretch_figures import residual_ratio
from haustra.core.errors import HaustraError
from haustra.core.files import read_json, write_json
from haustra.core.progress import progress_bar
from haustra.core.wording import counted
from haustra.flow.methods import DEFAULT_FLOW
from haustra.lab.training.motion.config import MotionConfig
from haustra.lab.training.motion.own_recordings import Listed, OwnRecording, own_recordings, stretch_shard
from haustra.lab.training.motion.pairs import PairSet, split_validation
from haustra.lab.training.motion.trainer import train_motion
from haustra.lab.training.processes import first_before_others, training_place
from haustra.motion.stream import opencv_on_one_thread

log = logging.getLogger("haustra")

# CPU seconds, to say beforehand what it will cost: a recording's lens and pairs, a step, a held-out recording judged.
RECORDING_S, STEP_S, JUDGED_S = 30.0, 1.5, 60.0
EXPORTED = tuple(f"{name}.{kind}" for name in ("motion", "disparity") for kind in ("onnx", "json", "md"))


def adapt_motion(
    listed: Sequence[Listed],
    base: Path,
    out: Path,
    config: MotionConfig,
    *,
    flow: str = DEFAULT_FLOW,
    cache: Path | None = None,
    quiet: bool = False,
    **training: Any,
) -> dict[str, Any]:
    """Figures of the run, with the residual before and after; a HaustraError where the result is no better."""
    recordings = own_recordings(listed, base)
    log.info(cost(len(recordings), config))
    shards = []
    with (
        training_place() as place,
        first_before_others(place),
        progress_bar("pairs", len(recordings), unit="recordings", quiet=quiet or not place.first) as report,
    ):
        for own in recordings:
            shards.append(stretch_shard(own, cache or out / "pairs", config.size, flow))
            report(len(shards), own.name)
    train, validation = split_validation(shards)
    about = f"{counted(len(train), 'frame pair')} of {counted(len(train.shards), 'recording')}"
    summary = train_motion(train, validation, out, config, data=about, quiet=quiet, **training)
    if not summary:
        return summary  # not the first of several processes
    before, after = (far_ratio(held_out(recordings, validation), file) for file in (None, out / "motion.onnx"))
    figures = {"far_residual_shipped": before, "far_residual_adapted": after}
    write_json(out / "summary.json", read_json(out / "summary.json") | {k: _known(v) for k, v in figures.items()})
    if not after < before:
        for name in EXPORTED:
            (out / name).unlink(missing_ok=True)
        raise HaustraError(refusal(before, after))
    return summary | figures


def cost(count: int, config: MotionConfig, threads: int | None = None) -> str:
    """What a run takes at most."""
    threads = threads or torch.get_num_threads()
    held_out = max(1, round(0.1 * count))
    seconds = RECORDING_S * count + 2 * JUDGED_S * held_out + STEP_S * config.steps / threads
    minutes = max(round(seconds / 60), 1)
    return f"{counted(count, 'recording')}: about {minutes} min at most, with {counted(threads, 'core')}"


def held_out(recordings: Sequence[OwnRecording], validation: PairSet) -> list[OwnRecording]:
    """The recordings that validation pairs come from."""
    names = {shard.description["source"] for shard in validation.shards}
    return [own for own in recordings if own.name in names]


def far_ratio(recordings: Sequence[OwnRecording], motion: Path | None) -> float:
    """Epipolar residual over 0.4 s, over that of the best fit, of the stretches of all recordings together."""
    with opencv_on_one_thread():
        stretches = [one for own in recordings for one in own.examiner(motion).stretches(*own.between_s)]
    return residual_ratio(fit for one in stretches if one.motion is not None for fit in one.motion.far)


def refusal(before: float, after: float) -> str:
    """Why nothing is exported, and what can be done."""
    if np.isnan(before) or np.isnan(after):
        return (
            "nothing was exported: the held-out recordings have too few usable frames and matches to tell whether the "
            "adapted network is better; give more recordings"
        )
    return (
        f"nothing was exported: on the held-out recordings the residual of the adapted network over that of the best "
        f"fit is {after:.2f}, that of the shipped one {before:.2f}; use the shipped network, or give more recordings"
    )


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
