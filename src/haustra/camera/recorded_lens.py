"""The lens of a recording from what a user wrote after `--camera`: a file, a preset, or found from the recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from haustra.camera.jsonfile import camera_from_dict, camera_to_dict
from haustra.camera.model import Camera
from haustra.camera.presets import MEASURED, conversion_notice, load_camera
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import AUTO, GENERIC
from haustra.video import Picture, Recording

ALIKE = 0.04  # the box of a picture may be found a few pixels off


class LensSource(StrEnum):
    """Where the lens of a run comes from."""

    GIVEN = "given"  # a calibration, or a preset by name
    FOUND = "found"  # from the recording
    TYPICAL = "typical"  # an ordinary colonoscope, scaled to the picture's rim


@dataclass(frozen=True)
class ChosenLens:
    """The camera to use, and what the reader of the report should know about it.

    `angle_deg` is the angle of view from rim to rim with its standard deviation; `relative_std` is that of the angles
    half-way to the rim, as a share of them: what the path may be wrong by because of the lens. None, and 0, where the
    lens was given.
    """

    camera: Camera
    source: LensSource = LensSource.GIVEN
    angle_deg: float | None = None
    angle_std_deg: float | None = None
    relative_std: float = 0.0
    pairs: int = 0
    notice: str | None = None
    found_in: str = ""  # digest of what an estimate rests on

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines for the reader of the result; an estimate has its own part of the summary."""
        if self.source is not LensSource.TYPICAL:
            return () if self.notice is None else (self.notice,)
        why = "the recording says too little about its lens" if self.found_in else "no calibration was given"
        return (f"{why}: an ordinary colonoscope with an angle of view of {self.angle_deg:.0f} degrees was assumed",)

    def as_dict(self) -> dict[str, Any]:
        """For summary.json. `camera` is kept for an estimate, so that the next run need not look for it again."""
        found = {"found_in": self.found_in, "camera": camera_to_dict(self.camera)} if self.found_in else {}
        return {
            "source": self.source.value,
            "angle_deg": self.angle_deg,
            "angle_std_deg": self.angle_std_deg,
            "relative_std": self.relative_std,
            "pairs": self.pairs,
            **found,
        }


def choose_lens(
    name_or_path: str,
    recording: Recording,
    picture: Picture,
    found_in: str = "",
    known: Mapping[str, Any] | None = None,
) -> ChosenLens:
    """Open what was named; `auto` estimates the lens from the recording.

    `known` is the lens in the summary of an earlier run: it is taken where that rests on the same (`found_in`).
    """
    if name_or_path == AUTO:
        return _kept(known or {}, found_in) or _found(recording, picture, found_in)
    if name_or_path == GENERIC:
        return _typical(picture)
    camera = load_camera(name_or_path)
    notice = conversion_notice(name_or_path) or _preset_notice(name_or_path, camera, picture)
    return ChosenLens(camera, notice=notice)


def _preset_notice(name: str, camera: Camera, picture: Picture) -> str | None:
    """A preset belongs to one instrument and one recorder: in pictures of another size it may be the wrong one."""
    sizes = (picture.frame_width, picture.frame_height), (picture.box.width, picture.box.height)
    if name not in MEASURED or any(_alike(camera.size, size) for size in sizes):
        return None
    return (
        f"the camera '{name}' was calibrated in pictures of {camera.width}x{camera.height} pixels, this one has "
        f"{picture.box.width}x{picture.box.height}: check that it is that instrument, or use --camera {AUTO}"
    )


def _alike(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return all(abs(x - y) <= ALIKE * x for x, y in zip(a, b, strict=True))


def _typical(picture: Picture) -> ChosenLens:
    from haustra.camera.self_calibration.estimate import typical_lens

    lens = typical_lens(picture)
    return ChosenLens(
        lens.camera, LensSource.TYPICAL, 2 * lens.rim_deg, 2 * lens.rim_std_deg, lens.half_std_deg / lens.half_deg
    )


def _found(recording: Recording, picture: Picture, found_in: str) -> ChosenLens:
    from haustra.camera.self_calibration.estimate import lens_from_recordings

    lens = lens_from_recordings([(recording, picture)])
    source = LensSource.FOUND if lens.estimated else LensSource.TYPICAL
    relative = lens.half_std_deg / lens.half_deg
    return ChosenLens(
        lens.camera, source, 2 * lens.rim_deg, 2 * lens.rim_std_deg, relative, lens.pairs, found_in=found_in
    )


def _kept(known: Mapping[str, Any], found_in: str) -> ChosenLens | None:
    """The lens that an earlier run of the same found; None where it is not there or not whole."""
    if not found_in or known.get("found_in") != found_in:
        return None
    try:
        return ChosenLens(
            camera_from_dict(known["camera"]),
            LensSource(known["source"]),
            float(known["angle_deg"]),
            float(known["angle_std_deg"]),
            float(known["relative_std"]),
            int(known["pairs"]),
            found_in=found_in,
        )
    except (HaustraError, KeyError, TypeError, ValueError):
        return None
