"""A paragraph for the methods of a paper: what was done to this recording, with versions and what to cite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from haustra.anatomy.withdrawal_figures import BLINK_S
from haustra.core.times import format_time
from haustra.core.vocabulary import BOUNDARIES, Extent
from haustra.report.figures import percent
from haustra.video.recording import RATE_HZ

CITATION: Final = (
    "Yao H, Stidham RW, Gao Z, Gryak J, Najarian K. Motion-based camera localization system in colonoscopy videos. "
    "Medical Image Analysis 2021;73:102180. doi:10.1016/j.media.2021.102180"
)
SHIPPED_RECIPE: Final = "simulated"  # in the metadata of the motion network
_STARTS: Final = {
    "given": "was given by the reader",
    "found": "was found automatically",
    "the start of the recording": "was taken to be the start of the recording",
}
_NAMED: Final = {
    "decoder": "a semi-Markov decoder of location, time, bends of the path and views of the cecum",
    "template": "the colon template alone",
    "time": "elapsed time alone",
}
_INDEX: Final = {"ours": "an estimate from all frame-to-frame motions", "paper": "the published spline projection"}


def methods_paragraph(summary: Mapping[str, Any]) -> list[str]:
    """The paragraph and its reference; nothing for a result that does not know how it was made."""
    run = summary.get("run")
    if not isinstance(run, Mapping) or "placing" not in run:
        return []
    sentences = [
        _frames(summary, run),
        _path(summary, run),
        _segments(summary, run),
        _withdrawal(summary),
        _versions(run),
    ]
    return [" ".join(filter(None, sentences)), CITATION]


def _frames(summary: Mapping[str, Any], run: Mapping[str, Any]) -> str:
    frames, classifier = summary["frames"], _model(run, "quality")
    how = (
        f"those that show nothing or an instrument were dropped by a convolutional frame classifier ({classifier})"
        if classifier
        else "no classifier looked for frames that show nothing"
    )
    return (
        f"The recording was analysed with Haustra {run['haustra']}, which implements and extends the method of Yao "
        f"et al. (2021). Frames were sampled at {RATE_HZ:g} Hz; {how}, and {frames['kept']} of {frames['sampled']} "
        f"({percent(frames['kept'] / max(frames['sampled'], 1))}) were used."
    )


def _path(summary: Mapping[str, Any], run: Mapping[str, Any]) -> str:
    how = _INDEX.get(str(run["placing"].get("index")), "the motions")
    recipe, network = run["models"]["motion"]["recipe"], _model(run, "motion")
    trained = "on simulated recordings" if recipe == SHIPPED_RECIPE else f"by the recipe '{recipe}'"
    motion = f"a network trained {trained} ({network}; " if network else f"the method '{recipe}' ("
    scale = "0 cecum, 1 rectum" if _is_placed(summary) else "0 to 1, progress through an unidentified part of a colon"
    return (
        f"Camera motion between frames was estimated by {motion}optical flow: {run['models']['flow']['name']}), and "
        f"the location index ({scale}) with its standard deviation by {how}."
    )


def _segments(summary: Mapping[str, Any], run: Mapping[str, Any]) -> str:
    if not _is_placed(summary):
        return "No segment was named, because it is open which part of the colon the recording shows."
    how = _NAMED.get(str(run["placing"].get("segments")), "the decoder")
    people = {row["set_by"] for row in summary["boundaries"]} - set(_NAMED)
    by_hand = [row["segment"] for row in summary["boundaries"] if row["set_by"] in people]
    near = [BOUNDARIES[mark["boundary"] - 1].entered for mark in summary["landmarks"] if mark["std_s"] > 0]
    read = f" The entry into {', '.join(by_hand)} was set by hand." if by_hand else ""
    read += f" The reader's times for the entry into {', '.join(near)} were used as observations." if near else ""
    whole = " The recording was taken for a whole colon." if summary["withdrawal"]["extent"] == Extent.LIKELY else ""
    resected = run["placing"].get("missing", ())
    whole += f" The {', '.join(resected)} was stated to be missing." if resected else ""
    return f"Segments were labelled by {how} with the template {run['template']['name']}.{whole}{read}"


def _is_placed(summary: Mapping[str, Any]) -> bool:
    return Extent(summary["withdrawal"]["extent"]).has_places


def _withdrawal(summary: Mapping[str, Any]) -> str:
    figures = summary["withdrawal"]
    start = _STARTS.get(figures["start_source"], "was set by a reader")
    return (
        f"The start of the withdrawal {start}. The withdrawal took {format_time(figures['duration_s'])} (min:s), "
        f"{format_time(figures['net_s'])} without biopsies and without stretches of at least {BLINK_S:g} s that show "
        "nothing."
    )


def _versions(run: Mapping[str, Any]) -> str:
    return f"Versions: {', '.join(f'{name} {version}' for name, version in run['libraries'].items())}."


def _model(run: Mapping[str, Any], name: str) -> str:
    """Its file and what is in it; empty for a method without a network."""
    model = run["models"].get(name) or {}
    return f"{model['file']}, sha256 {model['sha256'][:12]}" if "sha256" in model else ""
