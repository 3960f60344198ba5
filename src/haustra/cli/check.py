"""`haustra check`: does a recording suit the tool, and does its motion explain the pictures?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from haustra.cli.option_flags import with_flags
from haustra.cli.output import JsonOption, print_json
from haustra.options import OPTIONS

MOST_SPANS = 6
# Those of `locate` that decide what is looked at.
_FLAGS = ("withdrawal_start", "withdrawal_end", "camera", "flow", "motion", "quality", "fps", "quiet")


@with_flags({name: OPTIONS[name] for name in _FLAGS})
def check(
    videos: Annotated[
        list[Path],
        typer.Argument(
            metavar="VIDEO...", help="A recording as 'haustra locate' takes it, or its parts in their order."
        ),
    ],
    *,
    as_json: JsonOption = False,
    **given: Any,
) -> None:
    """Say whether 'haustra locate' is to be relied on for a recording. Nothing has to be known about it.

    Looks at some stretches of a second. The motion that is measured there is compared with point matches that know
    nothing of it, with itself backwards and over longer steps, and with where the lumen is.
    """
    from haustra.checking import check as check_recording

    quiet = as_json or given.pop("quiet", False)
    found = check_recording(videos, **given, quiet=quiet).as_dict()
    if as_json:
        print_json(found)
    else:
        print("\n".join(_lines(found)))


def _lines(found: Mapping[str, Any]) -> list[str]:
    rows = [
        *_picture_rows(found),
        *_motion_rows(found["figures"]),
        *(("fails", line) for line in _spans(found["fails"])),
        *(("unlike", line) for line in found["unlike"]),
        *(("because", line) for line in found["reasons"]),
        ("verdict", found["verdict"] + _expected(found["expected_motion_error"])),
    ]
    return [f"{name:<11} {text}" for name, text in rows]


def _picture_rows(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    figures, lens, picture = found["figures"], found["lens"], found["picture"]
    x, y, width, height = picture["box"]
    fields = ", interlaced" if found["interlaced"] else ""
    angle = "as given"
    if lens["angle_deg"] is not None:
        angle = f"{lens['angle_deg']:.0f} degrees of view, one deviation {lens['angle_std_deg']:.0f} ({lens['source']})"
    return [
        ("picture", f"{width}x{height} at x {x}, y {y}; {picture['covered_share']:.0%} of its box covered or dark"),
        *(("note", line) for line in picture["notes"]),
        ("frames", f"{figures['frame_rate']:.4g} a second, {figures['repeated']:.0%} of them repeated{fields}"),
        ("usable", f"{figures['kept']:.0%} of the frames; {figures['instrument']:.0%} show an instrument"),
        ("sharpness", f"blur {_shown(figures['blur'])} (0: sharp, 1: nothing left)"),
        ("lens", angle),
    ]


def _motion_rows(figures: Mapping[str, float | None]) -> list[tuple[str, str]]:
    shown = {name: _shown(value) for name, value in figures.items()}
    return [
        ("near", f"{shown['near_ratio']} times the residual of the best fit to matches"),
        (
            "far",
            f"{shown['far_ratio']} times, over 0.4 s; rotation {shown['far_rotation_deg']} degrees from the best fit; "
            f"{100 * (figures['matched'] or 0):.0f} % of the steps have matches",
        ),
        ("backwards", f"{shown['back_rotation_deg']} degrees and {shown['back_share']} of the way apart"),
        ("a-b-c, a-c", f"{shown['loop_rotation_deg']} degrees and {shown['loop_share']} of the way apart"),
        ("lumen", f"{shown['lumen_deg']} degrees from the direction of travel"),
    ]


def _spans(fails: list[dict[str, Any]]) -> list[str]:
    """The longest, in the order of time."""
    from haustra.core.times import format_time

    longest = sorted(fails, key=lambda span: span["start_s"] - span["end_s"])[:MOST_SPANS]
    return [
        f"{format_time(span['start_s'])} to {format_time(span['end_s'])}: {span['trouble']}"
        for span in sorted(longest, key=lambda span: span["start_s"])
    ]


def _expected(error: float | None) -> str:
    return "" if error is None else f"; motion expected to be off by {error:.0%}"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
