"""The lens of a recording from what a user wrote after `--camera`: a file, a preset, or found from the recording."""

from __future__ import annotations

from dataclasses import dataclass

from haustra.camera.model import Camera
from haustra.camera.presets import conversion_notice, load_camera
from haustra.core.vocabulary import AUTO, GENERIC
from haustra.video import Picture, Recording


@dataclass(frozen=True)
class ChosenLens:
    """The camera to use, and what the reader of the report should know about it."""

    camera: Camera
    notes: tuple[str, ...] = ()


def choose_lens(name_or_path: str, recording: Recording, picture: Picture) -> ChosenLens:
    """Open what was named; `auto` estimates the lens from the recording."""
    if name_or_path == AUTO:
        return _found(recording, picture)
    if name_or_path == GENERIC:
        note = "no calibration was given: a typical wide-angle lens was assumed (`--camera auto` estimates yours)"
        return ChosenLens(load_camera(GENERIC, (picture.box.width, picture.box.height)), (note,))
    notice = conversion_notice(name_or_path)
    return ChosenLens(load_camera(name_or_path), () if notice is None else (notice,))


def _found(recording: Recording, picture: Picture) -> ChosenLens:
    from haustra.camera.self_calibration.estimate import lens_from_recordings

    lens = lens_from_recordings([(recording, picture)])
    if not lens.estimated:
        note = (
            f"the recording says too little about its lens ({lens.pairs} usable pairs of frames): an ordinary "
            f"colonoscope with an angle of view of {2 * lens.rim_deg:.0f} degrees was assumed"
        )
        return ChosenLens(lens.camera, (note,))
    note = (
        f"the lens was found from the recording: an angle of view of {2 * lens.rim_deg:.0f} degrees "
        f"(standard deviation {2 * lens.rim_std_deg:.0f}) from {lens.pairs} pairs of frames; not counted in the "
        "location's uncertainty"
    )
    return ChosenLens(lens.camera, (note,))
