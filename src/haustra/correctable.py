"""A result that can be corrected: stages 6 and 7 again, from its observations, with what a person set as hard facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.cecum import start_log_likelihood
from haustra.anatomy.frame_places import Located, place_of, place_withdrawal
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.segment_labels import Labelling
from haustra.anatomy.template import load_template
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.times import format_time, nearest
from haustra.core.vocabulary import SEGMENTS, IndexMethod, Naming
from haustra.path.withdrawal import Withdrawal, follow_withdrawal
from haustra.path.withdrawal_start import StartEstimate
from haustra.quality.cecum_classifier import CecumScores
from haustra.report.summary import summarise_places
from haustra.results.annotations import START, STOP, Annotations
from haustra.results.folder import OBSERVATIONS, SUMMARY, TEMPLATE, open_summary
from haustra.results.journal import load_observations
from haustra.results.observations import Observations
from haustra.results.table import SCOPEGUIDE_COLUMN, column, read_frames
from haustra.results.versions import SOMEBODY, Version, authors, original

# A moment this far outside what was read is taken for its first or last frame.
_NEAR_S = 0.5


@dataclass(frozen=True)
class Corrected:
    """A result as it is once corrections count; nothing of it is on disk yet."""

    withdrawal: Withdrawal
    located: Located
    summary: dict[str, Any]


@dataclass(frozen=True)
class _Ends:
    """Where the withdrawal begins and ends, in time and in the colon, as far as a person set it."""

    start_s: float | None = None
    stop_s: float | None = None
    begins: str | float | None = None
    ends: str | float | None = None


@dataclass(frozen=True, eq=False)
class Correctable:
    """A result of `haustra locate` with what was seen of its recording: corrected as often as one wants."""

    folder: Path
    summary: Mapping[str, Any]
    table: pl.DataFrame
    seen: Observations
    labelling: Labelling
    _followed: dict[_Ends, Withdrawal] = field(default_factory=dict, repr=False)

    @cached_property
    def uncorrected(self) -> Withdrawal:
        """The withdrawal as it was located; a HaustraError where this code locates it elsewhere."""
        found = self._follow(_Ends())
        known = self.table["location_index"].to_numpy()
        if len(known) != len(found.index) or not np.allclose(found.index, known, atol=1e-6, equal_nan=True):
            made_by = self.summary.get("haustra")
            raise HaustraError(
                f"{self.folder} was made by other code ({made_by}): run haustra locate again, then correct"
            )
        return found

    def corrected(self, annotations: Annotations, versions: Sequence[Version] = ()) -> Corrected:
        """With what was set as hard facts: the rest follows. `versions` tell who set it."""
        times, who = annotations.times_s, authors(versions)
        base = self.uncorrected
        withdrawal = self._withdrawal(_Ends(times.get(START), times.get(STOP), annotations.begins, annotations.ends))
        labelling = replace(self.labelling, landmarks=self._landmarks(annotations, who))
        located = place_withdrawal(withdrawal, labelling, CecumScores.of(withdrawal.seen), self._beside(withdrawal))
        if START in times:
            located = replace(located, started_by=who.get(START, SOMEBODY))
        summary = dict(self.summary) | summarise_places(withdrawal, located)
        summary["warnings"] = [*(w for w in self.summary["warnings"] if w not in base.warnings), *withdrawal.warnings]
        summary["withdrawal"] |= _set_ends(times, who)
        seen = [entry.time_s for entry in annotations.sightings if entry.kind == START]
        if seen:
            summary["cecum"] = {"seen_s": seen[0], "probability": 1.0}
        return Corrected(withdrawal, located, summary | _version(annotations, versions))

    def _withdrawal(self, ends: _Ends) -> Withdrawal:
        """Followed once for these ends: most corrections leave them alone."""
        if ends == _Ends():
            return self.uncorrected
        if ends not in self._followed:
            self._followed.clear()
            self._followed[ends] = self._follow(ends, self.uncorrected.start if ends.start_s is None else None)
        return self._followed[ends]

    def _follow(self, ends: _Ends, found_start: StartEstimate | None = None) -> Withdrawal:
        """Stage 6 between the ends that were set, else between those that were given or found."""
        placing, template, seen = self.summary["run"]["placing"], self.labelling.template, self.seen
        places = (
            place_of(placing["from_place"] if ends.begins is None else ends.begins, template),
            place_of(placing["to_place"] if ends.ends is None else ends.ends, template),
        )
        rows = slice(_row(seen, ends.start_s, 0), _row(seen, ends.stop_s, len(seen.time_s) - 1) + 1)
        return follow_withdrawal(
            seen.rows(rows),
            placing["withdrawal_start"] if ends.start_s is None else ends.start_s,
            places,
            partial(start_log_likelihood, CecumScores.of(seen), parameters=self.labelling.parameters.cecum),
            found_start=found_start,
            index=IndexMethod(placing["index"]),
            to_last_sample=ends.stop_s is not None,
        )

    def _landmarks(self, annotations: Annotations, who: Mapping[str, str]) -> tuple[Landmark, ...]:
        """What was set, and what was given to `haustra locate` as far as it does not contradict that."""
        own = {k: Landmark(k, t, by=who.get(SEGMENTS[k], SOMEBODY)) for k, t in annotations.boundaries_s.items()}
        first_s, last_s = annotations.times_s.get(START, 0.0), annotations.times_s.get(STOP, np.inf)
        for mark in self.labelling.landmarks:
            low = max((one.time_s for k, one in own.items() if k < mark.boundary), default=first_s)
            high = min((one.time_s for k, one in own.items() if k > mark.boundary), default=last_s)
            if max(low, first_s) <= mark.time_s <= min(high, last_s):
                own.setdefault(mark.boundary, mark)
        return tuple(own[k] for k in sorted(own))

    def _beside(self, withdrawal: Withdrawal) -> dict[str, FloatArray]:
        """ScopeGuide's track is not stored: its values come from the table that was made with it."""
        if SCOPEGUIDE_COLUMN not in self.table.columns:
            return {}
        known = dict(zip(self.table["time_s"], column(self.table, SCOPEGUIDE_COLUMN), strict=True))
        return {SCOPEGUIDE_COLUMN: np.array([known.get(time_s, np.nan) for time_s in withdrawal.seen.time_s.tolist()])}


def open_correctable(result: str | Path) -> Correctable:
    """Open a result folder, as `haustra locate` wrote it, with its observations."""
    folder = Path(result)
    source = original(folder)
    summary = open_summary(source / SUMMARY)
    run = summary.get("run")
    if not isinstance(run, dict):
        raise HaustraError(f"{folder} is no result of haustra locate: only those can be corrected")
    seen = load_observations(folder / OBSERVATIONS, run["observed"])
    if seen is None:
        raise HaustraError(f"{folder / OBSERVATIONS} is missing or damaged: run haustra locate again, then correct")
    naming = Naming(run["placing"]["segments"])
    given = tuple(Landmark(**mark) for mark in summary["landmarks"])
    network = open_bend_network() if naming is Naming.DECODER else None
    labelling = Labelling(load_template(source / TEMPLATE), naming, given, network)
    return Correctable(folder, summary, read_frames(source), seen, labelling)


def _row(seen: Observations, time_s: float | None, otherwise: int) -> int:
    if time_s is None:
        return otherwise
    first_s, last_s = float(seen.time_s[0]), float(seen.time_s[-1])
    if not first_s - _NEAR_S <= time_s <= last_s + _NEAR_S:
        raise HaustraError(
            f"{format_time(time_s)} was not read: this result was made from {format_time(first_s)} to "
            f"{format_time(last_s)} of the recording; locate it again with --withdrawal-start or --withdrawal-end"
        )
    return int(nearest(seen.time_s, np.array(time_s)))


def _set_ends(times_s: Mapping[str, float], who: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if START in times_s:
        found |= {"start_source": f"set by {who.get(START, SOMEBODY)}", "start_confidence": None}
    if STOP in times_s:
        found |= {"end_source": f"set by {who.get(STOP, SOMEBODY)}"}
    return found


def _version(annotations: Annotations, versions: Sequence[Version]) -> dict[str, Any]:
    """For summary.json: which version this is."""
    if not versions:
        return {}
    made = {"number": versions[-1].number, "by": versions[-1].by, "made": versions[-1].made.isoformat()}
    return {"version": made | {"reviewed": annotations.reviewed}}
