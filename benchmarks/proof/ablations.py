"""Location and segments with one source of evidence left out at a time, from the same observations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.named_worlds import decoder_right
from benchmarks.observed import Observed
from haustra.anatomy.segment_labels import Labelling
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import IndexMethod
from haustra.lab.evaluate.bootstrap import mean_interval
from haustra.lab.evaluate.text_table import text_table
from haustra.path import PathParameters
from haustra.path.paper_index.location import location_index
from haustra.results.observations import Observations

SOURCES = ("time", "location", "bends", "cecum")
NOTHING_KNOWN = 1e6  # standard deviation of a prior that says nothing, in its own unit


@dataclass(frozen=True)
class Ablation:
    """What is changed: observations, parameters, or how the index is made."""

    name: str
    seen: Callable[[Observations], Observations] = lambda seen: seen
    parameters: Callable[[PathParameters], PathParameters] = lambda parameters: parameters
    index: IndexMethod = IndexMethod.OURS
    along_path: bool = False

    def error(self, recording: Observed) -> FloatArray:
        """Signed errors of the kept frames."""
        changed = replace(recording, seen=self.seen(recording.seen))
        parameters = self.parameters(PathParameters())
        found = changed.located(self.index, parameters)
        if self.along_path:
            index = location_index(found.location.T_w_c[:, :3, 3], parameters.paper_index).index
            found = replace(found, location=replace(found.location, index=index))
        return changed.error_of(found)


def _without_lumen(seen: Observations) -> Observations:
    return replace(seen, lumen=np.full_like(seen.lumen, np.nan))


def _without_low_quality(seen: Observations) -> Observations:
    """Nothing is measured in a pair with a dropped frame."""
    clear = seen.kept & np.concatenate([seen.kept[:1], seen.kept[:-1]])
    motion, std = (np.where(clear[:, None], values, np.nan) for values in (seen.motion, seen.motion_std))
    return replace(seen, motion=motion, motion_std=std)


def _without_calibre(parameters: PathParameters) -> PathParameters:
    return replace(parameters, calibre=replace(parameters.calibre, taper_share=0.0))


def _without_length(parameters: PathParameters) -> PathParameters:
    return replace(parameters, length_prior=replace(parameters.length_prior, std=NOTHING_KNOWN))


def _without_bias(parameters: PathParameters) -> PathParameters:
    return replace(parameters, step_uncertainty=replace(parameters.step_uncertainty, bias_gain=0.0))


WHOLE = Ablation("all of it")
ABLATIONS = (
    WHOLE,
    Ablation("without the viewing axis: place along the path alone", along_path=True),
    Ablation("without calibre", parameters=_without_calibre),
    Ablation("without length prior", parameters=_without_length),
    Ablation("without lumen", seen=_without_lumen),
    Ablation("without low-quality frames", seen=_without_low_quality),
    Ablation("without correction of large steps", parameters=_without_bias),
    Ablation("the paper's index from the same motion", index=IndexMethod.PAPER),
)


def location_ablations(recordings: Sequence[Observed]) -> str:
    """Mean error of each, and how much it is worse than all of it, pair by pair."""
    errors = {a.name: np.array([np.abs(a.error(one)).mean() for one in recordings]) for a in ABLATIONS}
    rows = [_row(name, found, found - errors[WHOLE.name]) for name, found in errors.items()]
    return text_table(("location error", "mean [95 %]", "more than all of it [95 %]", "worse on"), rows)


def decoder_ablations(recordings: Sequence[Observed], labelling: Labelling) -> str:
    """Mean accuracy without each source, and how much more all of them give."""
    found = [one.located() for one in recordings]
    ways = {"all of it": (), **{f"without {source}": (source,) for source in SOURCES}}
    right = {
        name: np.array(
            [
                decoder_right(one, located, replace(labelling, leave_out=left)).mean()
                for one, located in zip(recordings, found, strict=True)
            ]
        )
        for name, left in ways.items()
    }
    rows = [_row(name, accuracy, right["all of it"] - accuracy) for name, accuracy in right.items()]
    return text_table(("segment accuracy", "mean [95 %]", "less than all of it [95 %]", "worse on"), rows)


def _row(name: str, values: FloatArray, loss: FloatArray) -> list[str]:
    if not loss.any():
        return [name, mean_interval(values).text(), "-", "-"]
    worse = f"{int((loss > 0).sum())} of {len(loss)}"
    return [name, mean_interval(values).text(), mean_interval(loss).text(4, signed=True), worse]
