"""Fit the parameters of the location estimate: `python -m benchmarks.fit_location DATA ... --work DIR [--rounds N]`.

DATA are folders of recordings with known locations, one folder a world: `haustra simulate set tuning` writes one of
several kinds. Both ends are given. The score of a recording is the continuous ranked probability score (CRPS) of its
location indices as Gaussians, which rewards small errors and honest deviations in one; a world counts by the mean of
its recordings, so that many recordings of one kind do not outvote the others. Parameters are searched one after
another on a logarithmic scale, several rounds, with a step that shrinks. `--leave-out` repeats the fit without each
world in turn and scores it there.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from scipy.special import erf

from benchmarks.observed import Observed, observe
from haustra.core.arrays import FloatArray
from haustra.lab.evaluate.text_table import text_table
from haustra.lab.simulate.recording_sets import PLANS
from haustra.path import PathParameters
from haustra.path.frame_locations import whole_colon
from haustra.path.withdrawal import follow_withdrawal

# What is fitted: how far steps, lengths and calibres are off. The smoother's own numbers are not among them: fitted
# with these they were better on the recordings of the fit and worse on held-out ones.
FITTED = (
    "step_uncertainty.common_share", "step_uncertainty.bias_gain", "step_uncertainty.bias_error",
    "length_prior.mean", "length_prior.std", "calibre.taper_share", "calibre.taper_spread", "calibre.spread",
    "calibre.correlation_length", "location.gap_error",
)  # fmt: skip
FIRST_FACTOR = 1.6  # a parameter is tried at this many times its value, and at one over it
SMALLEST_GAIN = 1e-5  # of the score, to move at all

Worlds = Mapping[str, Sequence[Observed]]
Scores = tuple[float, float, float, float]  # CRPS, mean error, share within two and one standard deviations


def crps(error: FloatArray, std: FloatArray) -> FloatArray:
    """Continuous ranked probability score of Gaussian forecasts that are off by `error`."""
    z = error / std
    density, below = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi), 0.5 * (1 + erf(z / np.sqrt(2)))
    return np.asarray(std * (z * (2 * below - 1) + 2 * density - 1 / np.sqrt(np.pi)))


def score(recording: Observed, parameters: PathParameters) -> Scores:
    ends = whole_colon(parameters.location.end_std)
    found = follow_withdrawal(recording.seen, float(recording.seen.time_s[0]), ends, parameters=parameters)
    error, std = recording.error_of(found), found.std[found.seen.kept]
    off = np.abs(error)
    return float(crps(error, std).mean()), float(off.mean()), float((off < 2 * std).mean()), float((off < std).mean())


def value_of(parameters: PathParameters, name: str) -> float:
    group, field = name.split(".")
    return float(getattr(getattr(parameters, group), field))


def with_value(parameters: PathParameters, name: str, value: float) -> PathParameters:
    group, field = name.split(".")
    return replace(parameters, **{group: replace(getattr(parameters, group), **{field: value})})


def fit(
    start: PathParameters, rounds: int, objective: Callable[[PathParameters], float], say: Callable[[str], None]
) -> PathParameters:
    """Coordinate search: each parameter is moved while that helps; the factor shrinks from round to round."""
    best, lowest, factor = start, objective(start), FIRST_FACTOR
    say(f"start: {lowest:.5f}")
    for number in range(1, rounds + 1):
        for name in FITTED:
            for direction in (factor, 1 / factor):
                moved = False
                while (tried := objective(new := with_value(best, name, value_of(best, name) * direction))) < (
                    lowest - SMALLEST_GAIN
                ):
                    best, lowest, moved = new, tried, True
                if moved:
                    break
        values = ", ".join(f"{name} {value_of(best, name):.3g}" for name in FITTED)
        say(f"round {number}: {lowest:.5f} ({values})")
        factor = factor**0.6
    return best


class Judge:
    """Scores parameters on recordings by world; its processes are forked, so they have the recordings already."""

    def __init__(self, worlds: Worlds, processes: int) -> None:
        self.names = tuple(worlds)
        self._recordings = [(world, recording) for world, some in worlds.items() for recording in some]
        self._pool = get_context("fork").Pool(processes, _keep, ([recording for _, recording in self._recordings],))

    def scores(self, parameters: PathParameters) -> dict[str, FloatArray]:
        """Scores (recordings, 4) of each world."""
        found = self._pool.map(_score, [(index, parameters) for index in range(len(self._recordings))])
        return {
            name: np.array([row for row, (world, _) in zip(found, self._recordings, strict=True) if world == name])
            for name in self.names
        }

    def objective(self, names: Sequence[str]) -> Callable[[PathParameters], float]:
        """Mean CRPS of these worlds, each by the mean of its recordings; ours and others' renderings count the same."""
        origins = [[name for name in names if is_ours(name) is ours] for ours in (True, False)]

        def mean(parameters: PathParameters) -> float:
            scores = self.scores(parameters)
            means = [[scores[name][:, 0].mean() for name in some] for some in origins if some]
            return float(np.mean([np.mean(some) for some in means]))

        return mean


_recordings: list[Observed] = []


def _keep(recordings: list[Observed]) -> None:
    _recordings[:] = recordings


def _score(case: tuple[int, PathParameters]) -> Scores:
    return score(_recordings[case[0]], case[1])


def world_of(data: Path, recording: str) -> str:
    """The kind of a recording of a set (`hurried-03`), else the folder of the recording."""
    kind, _, number = recording.rpartition("-")
    return kind if kind and number.isdecimal() else data.resolve().parent.name


def is_ours(world: str) -> bool:
    """Whether our simulator rendered it: the kinds of its sets are known."""
    return world in {kind.name for plan in PLANS.values() for kind in plan}


def report(before: Mapping[str, FloatArray], after: Mapping[str, FloatArray]) -> str:
    header = [
        "world",
        "n",
        "CRPS",
        "fitted",
        "location error",
        "fitted",
        "within 2 std",
        "fitted",
        "within 1",
        "fitted",
    ]
    rows = []
    for name, was in before.items():
        pairs = [(float(was[:, k].mean()), float(after[name][:, k].mean())) for k in range(4)]
        rows.append([name, str(len(was)), *(f"{value:.4f}" if k < 2 else f"{value:.3f}"
                                            for k, pair in enumerate(pairs) for value in pair)])  # fmt: skip
    return text_table(header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True, help="where observations are kept")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--leave-out", action="store_true", help="fit again without each world, and score it there")
    options = parser.parse_args()
    worlds: dict[str, list[Observed]] = {}
    for data in options.data:
        for recording in observe(data, options.work):
            worlds.setdefault(world_of(data, recording.name), []).append(recording)
    judge, start = Judge(worlds, options.processes), PathParameters()
    before = judge.scores(start)
    if options.leave_out:
        after = {}
        for name in worlds:
            others = judge.objective([other for other in worlds if other != name])
            after[name] = judge.scores(
                fit(start, options.rounds, others, lambda line, n=name: print(f"without {n}: {line}", flush=True))
            )[name]
    else:
        after = judge.scores(
            fit(start, options.rounds, judge.objective(list(worlds)), lambda line: print(line, flush=True))
        )
    print(report(before, after))


if __name__ == "__main__":
    main()
