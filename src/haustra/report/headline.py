"""The top of the report: what it is, and the figures that a clinician knows, each with what it is measured against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from haustra.anatomy import SEGMENTS
from haustra.anatomy.frame_places import Located
from haustra.anatomy.withdrawal_figures import RECOMMENDED_MIN
from haustra.core.times import format_time
from haustra.core.vocabulary import Extent
from haustra.report.figures import percent, sample_period_s
from haustra.report.methods_paragraph import SHIPPED_RECIPE
from haustra.report.uncertainty import UNSURE_BELOW
from haustra.results.table import HAS_SEGMENT, PROBABILITY_COLUMNS

SOURCE: Final = "ASGE/ACG 2024"
SMALLEST_SHARE: Final = 0.005  # of the time: below this it is 0 %
WITHOUT_PLACES: Final[Mapping[str, str]] = {
    Extent.PART: "part of a colon",
    Extent.UNSURE: "this may be part of a colon",
    Extent.UNKNOWN: "too little is seen to tell",
}


def purpose(located: Located, summary: Mapping[str, Any]) -> str:
    """What this page is, in one sentence: nobody should have to read the end to know how far to trust it."""
    dropped = located.figures.dropped_share
    lost = [f"{percent(dropped)} of the time"] if dropped >= SMALLEST_SHARE else []
    there = [*_named(located), *_resected(summary)]
    unviewed = "cecum" in summary and summary["cecum"] is None and SEGMENTS[0] not in _resected(summary)
    lost += ["a view of the cecum"] if unviewed else []
    lost += [f"the {_noun(name)}" for name in SEGMENTS[1:] if _named(located) and name not in there]
    unseen = f" Not seen: {', '.join(lost)}." if lost else ""
    return (
        f"For research, not for diagnosis: places are estimated from the camera's motion, by {_chosen_method(summary)}"
        f"networks that learnt from simulated recordings and from real still pictures.{unseen}"
    )


def _chosen_method(summary: Mapping[str, Any]) -> str:
    """A way of measuring motion that is not the shipped one, where the user chose one."""
    run = summary.get("run")
    recipe = run["models"]["motion"]["recipe"] if isinstance(run, Mapping) and "models" in run else SHIPPED_RECIPE
    return "" if recipe == SHIPPED_RECIPE else f"the motion method '{recipe}' and "


def headline(located: Located, summary: Mapping[str, Any], findings: int, to_check: int) -> list[dict[str, str]]:
    """How long, how much was seen, how sure it is, what to check; `findings` were given or noted."""
    table, figures = located.table, located.figures
    if table.is_empty():
        return []
    extent = _extent(summary)
    long = WITHOUT_PLACES.get(extent) or _against(figures.duration_s)
    net, where = (
        "without biopsies and stretches that show nothing",
        "on map and curve" if _named(located) else "on the curve",
    )
    return [
        _fact("Withdrawal", format_time(figures.duration_s), long),
        _fact("Net time", format_time(figures.net_s), net),
        *_cecum(summary),
        _fact("What was seen", percent(1 - figures.dropped_share), _seen(located, extent)),
        _sure(table),
        *_named_share(summary),
        _fact("What to check", str(to_check), "places and notes, listed below" if to_check else "nothing stands out"),
        _fact("Biopsies", str(len(located.biopsies)), f"{_stretches(len(located.biopsies))} forceps"),
        *([_fact("Findings", f"{findings:,}", where + _outside(summary))] if findings else []),
    ]


def _stretches(count: int) -> str:
    return "stretch that shows" if count == 1 else "stretches that show"


def _against(duration_s: float) -> str:
    """A withdrawal time against the recommended ones, which are averages over examinations without a finding."""
    before, since = RECOMMENDED_MIN
    if duration_s >= 60 * since:
        return f"at least {since} min, as recommended on average ({SOURCE})"
    where = f"below {before} min" if duration_s < 60 * before else f"{before} to {since} min"
    average = f"at least {since} are recommended on average for normal examinations, {before} until 2024"
    return f"{where}; {average} ({SOURCE})"


def _cecum(summary: Mapping[str, Any]) -> list[dict[str, str]]:
    if "cecum" not in summary:
        return []
    seen = summary["cecum"]
    if seen is None:
        return [_fact("Cecum seen", "no", "no picture looks like it")]
    reader = seen.get("set_by")
    how = f"marked by {reader}" if reader else f"best view, probability {percent(seen['probability'])}"
    return [_fact("Cecum seen", format_time(seen["seen_s"]), how)]


def _seen(located: Located, extent: str) -> str:
    """How much of the time frames can be used, and which segments were named in it."""
    used = "of the time can be used"
    named = _named(located)
    if not named:
        return f"{used}; no segment is named"
    missing = [name for name in SEGMENTS if name not in named]
    span = named[0] if len(named) == 1 else f"{named[0]} to {named[-1]}"
    without = f", without {', '.join(missing)}" if missing else ""
    taken = ", taken for a whole colon" if extent == Extent.LIKELY else ""
    return f"{used}; named: {span}{without}{taken}"


def _sure(table: pl.DataFrame) -> dict[str, str]:
    """Mean probability of the segment that is named, and for how long none is probable."""
    named = [pl.when(segment=name).then(f"p_{name}") for name in SEGMENTS]
    sure = table.select(pl.coalesce(named).fill_nan(None).mean()).item()
    if sure is None:
        return _fact("How sure", "–", "no segment is named")
    highest = pl.max_horizontal(pl.col(PROBABILITY_COLUMNS).fill_nan(None))
    unsure_s = table.filter(HAS_SEGMENT & (highest < UNSURE_BELOW)).height * sample_period_s(table)
    below = f"; below {percent(UNSURE_BELOW)} for {format_time(unsure_s)}" if unsure_s >= 1 else ""
    return _fact("How sure", percent(sure), f"probability of the segment, on average{below}")


def _named_share(summary: Mapping[str, Any]) -> list[dict[str, str]]:
    """With --abstain: how much is named, and how much of that should be right."""
    asked = (summary.get("abstention") or {}).get("asked")
    if not asked:
        return []
    expected = asked["expected_accuracy"]
    right = "" if expected is None else f"; {percent(expected)} of it should be right"
    return [_fact("Named", percent(asked["share"]), f"where at least {percent(asked['level'])} probable{right}")]


def _outside(summary: Mapping[str, Any]) -> str:
    """Findings that have no place are in the table alone."""
    counted = summary.get("findings")
    outside = counted.get("outside", 0) if isinstance(counted, Mapping) else 0
    return f", {outside} outside the withdrawal" if outside else ""


def _resected(summary: Mapping[str, Any]) -> Sequence[str]:
    """Segments that the user said are not there."""
    run = summary.get("run")
    return run["placing"].get("missing", ()) if isinstance(run, Mapping) and "placing" in run else ()


def _noun(segment: str) -> str:
    return segment if segment in ("cecum", "sigmoid", "rectum") else f"{segment} colon"


def _named(located: Located) -> Sequence[str]:
    found = set(located.table["segment"].drop_nulls()) if "segment" in located.table.columns else set()
    return [name for name in SEGMENTS if name in found]


def _extent(summary: Mapping[str, Any]) -> str:
    withdrawal = summary.get("withdrawal")
    return str(withdrawal.get("extent")) if isinstance(withdrawal, Mapping) else ""


def _fact(label: str, value: str, note: str) -> dict[str, str]:
    return {"label": label, "value": value, "note": note}
