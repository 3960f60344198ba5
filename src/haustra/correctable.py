"""A result that can be corrected: stages 6 and 7 again, from its observations, with what a person set as hard facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec import structs

from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.cecum import start_log_likelihood
from haustra.anatomy.findings import Finding
from haustra.anatomy.findings_file import stored_findings
from haustra.anatomy.frame_places import Located, ends_of, place_withdrawal
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.segment_labels import Labelling
from haustra.anatomy.template import load_template
from haustra.core.errors import HaustraError
from haustra.core.option import Decides
from haustra.core.times import format_time, nearest
from haustra.core.vocabulary import SEGMENTS, Naming
from haustra.options import OPTIONS, keywords_of
from haustra.path.withdrawal import Withdrawal, follow_withdrawal
from haustra.path.withdrawal_start import StartEstimate
from haustra.quality.cecum_classifier import CecumScores
from haustra.report.summary import summarise_places
from haustra.results.annotations import START, STOP, Annotations
from haustra.results.folder import FINDINGS, OBSERVATIONS, SUMMARY, TEMPLATE, open_summary
from haustra.results.journal import load_observations
from haustra.results.observations import Observations
from haustra.results.table import SCOPEGUIDE_COLUMN, column, part_columns, read_frames
from haustra.results.versions import SOMEBODY, Version, authors, noted_by, original

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
    given: tuple[Finding, ...] = ()
    placing: Mapping[str, Any] = field(default_factory=dict)  # the options that decided the places
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

    def on_frames(self, annotations: Annotations) -> Annotations:
        """With each time moved to the nearest frame: a version and all outputs then say the very same moment."""
        rows = {name: _row(self.seen, time_s) for name, time_s in annotations.times_s.items()}
        return structs.replace(annotations, times_s={name: float(self.seen.time_s[row]) for name, row in rows.items()})

    def corrected(self, annotations: Annotations, versions: Sequence[Version] = ()) -> Corrected:
        """With what was set as hard facts: the rest follows. `versions` tell who set it."""
        times, who = annotations.times_s, authors(versions)
        base = self.uncorrected
        withdrawal = self._withdrawal(self._ends(annotations))
        labelling = replace(self.labelling, landmarks=self._landmarks(annotations, who))
        located = place_withdrawal(withdrawal, labelling, CecumScores.of(withdrawal.seen), self._beside(withdrawal))
        located = replace(located, given=self.given, noted=noted_findings(annotations, versions))
        if START in times:
            located = replace(located, started_by=who.get(START, SOMEBODY))
        summary = dict(self.summary) | summarise_places(withdrawal, located, labelling.abstain)
        summary["warnings"] = [*(w for w in self.summary["warnings"] if w not in base.warnings), *withdrawal.warnings]
        summary["withdrawal"] |= _set_ends(times, who)
        seen = [entry for entry in annotations.sightings if entry.kind == START]
        if seen:
            marked_by = noted_by(versions).get(seen[0], SOMEBODY)
            summary["cecum"] = {"seen_s": seen[0].time_s, "probability": 1.0, "set_by": marked_by}
        return Corrected(withdrawal, located, summary | _version(annotations, versions))

    def _ends(self, annotations: Annotations) -> _Ends:
        """An end that nobody set gives way to a boundary that was set beyond it."""
        times, set_s = annotations.times_s, annotations.boundaries_s.values()
        first_s, last_s = min(set_s, default=np.inf), max(set_s, default=0.0)
        start_s = times.get(START, first_s if first_s < self.uncorrected.start_s else None)
        stop_s = times.get(STOP, last_s if last_s > self.uncorrected.end_s else None)
        return _Ends(start_s, stop_s, annotations.begins, annotations.ends)

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
        placing, template, seen = self.placing, self.labelling.template, self.seen
        places = ends_of(
            placing["from_place"] if ends.begins is None else ends.begins,
            placing["to_place"] if ends.ends is None else ends.ends,
            template,
        )
        first = 0 if ends.start_s is None else _row(seen, ends.start_s)
        last = len(seen.time_s) - 1 if ends.stop_s is None else _row(seen, ends.stop_s)
        return follow_withdrawal(
            seen.rows(slice(first, last + 1)),
            placing["withdrawal_start"] if ends.start_s is None else ends.start_s,
            places,
            partial(start_log_likelihood, CecumScores.of(seen), parameters=self.labelling.parameters.cecum),
            found_start=found_start,
            to_last_sample=ends.stop_s is not None,
            lens_std=(self.summary.get("lens") or {}).get("relative_std", 0.0),
            **keywords_of(follow_withdrawal, placing),
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

    def _beside(self, withdrawal: Withdrawal) -> dict[str, Any]:
        """ScopeGuide's track is not stored: its values come from the table that was made with it."""
        time_s = withdrawal.seen.time_s
        columns = part_columns(time_s, self.summary["recording"].get("parts", ()))
        if SCOPEGUIDE_COLUMN in self.table.columns:
            known = dict(zip(self.table["time_s"], column(self.table, SCOPEGUIDE_COLUMN), strict=True))
            columns[SCOPEGUIDE_COLUMN] = np.array([known.get(one_s, np.nan) for one_s in time_s.tolist()])
        return columns


def open_correctable(result: str | Path) -> Correctable:
    """Open a result folder, as `haustra locate` wrote it, with its observations."""
    folder = Path(result)
    source = original(folder)
    summary = open_summary(source / SUMMARY)
    run = summary.get("run")
    if not isinstance(run, dict):
        raise HaustraError(f"{folder} is not a result of haustra locate: only those can be corrected")
    seen = load_observations(folder / OBSERVATIONS, run["observed"])
    if seen is None:
        raise HaustraError(f"{folder / OBSERVATIONS} is missing or damaged: run haustra locate again, then correct")
    placing = {name: OPTIONS[name].parse(value) for name, value in run["placing"].items() if name in OPTIONS}
    placing = {name: option.default for name, option in OPTIONS.items() if option.decides is Decides.PLACES} | placing
    naming = placing["segments"]
    given = tuple(Landmark(**mark) for mark in summary["landmarks"])
    network = open_bend_network() if naming is Naming.DECODER else None
    labelling = Labelling(load_template(source / TEMPLATE), naming, given, network, placing["abstain"])
    findings = stored_findings(folder / FINDINGS)  # which may have changed since
    return Correctable(folder, summary, read_frames(source), seen, labelling, findings, placing)


def noted_findings(annotations: Annotations, versions: Sequence[Version]) -> tuple[Finding, ...]:
    """What readers noted; `versions` tell who."""
    who = noted_by(versions)
    return tuple(
        Finding(one.time_s, one.kind, size_mm=one.size_mm, note=one.note, by=who.get(one, SOMEBODY))
        for one in annotations.findings
    )


def _row(seen: Observations, time_s: float) -> int:
    """The frame nearest to a time that was set."""
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
