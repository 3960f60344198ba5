"""The report's card on whether the recording suits the tool: figures that a run has anyway, and the lens by eye."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final

from haustra.camera.jsonfile import camera_from_dict
from haustra.camera.undistort import Undistorter
from haustra.core.errors import HaustraError
from haustra.core.pictures import decode_kept
from haustra.core.times import format_time
from haustra.quality.thumbnails import to_jpeg
from haustra.report.figures import percent
from haustra.report.strip import StripImage

STRAIGHT_PX: Final = 256
STRAIGHT_DEG: Final = 100.0


def suitability(summary: Mapping[str, Any], strip: Sequence[StripImage]) -> dict[str, Any]:
    """Facts, and a picture as recorded and straightened by the lens; empty for a trajectory of another program."""
    return {"facts": _facts(summary), "lens": _straightened(summary, strip)}


def _facts(summary: Mapping[str, Any]) -> list[dict[str, str]]:
    found = summary.get("suitability")
    if not isinstance(found, Mapping):
        return []
    facts = [
        _fact("Usable frames", percent(found["usable"]), "of all that were sampled"),
        _fact("Longest gap", format_time(found["longest_unusable_s"]), "without a usable frame"),
        _fact("Repeated frames", percent(found["repeated"]), "show the picture before once more"),
    ]
    if found["blur"] is not None:
        facts.append(_fact("Blur", f"{found['blur']:.2f}", "0 is sharp; recordings we know have 0.3 to 0.5"))
    if found["other_light"] is not None:
        facts.append(_fact("Other light", percent(found["other_light"]), "of the pictures: narrow-band, filter, dye"))
    if found["stated"] is not None:
        facts.append(_fact("Motion stated", f"±{percent(found['stated'])}", "what the network says of a usable pair"))
    if found["lumen_deg"] is not None:
        facts.append(_fact("Lumen", f"{found['lumen_deg']:.0f}°", "from the direction of travel, in the median"))
    return [*facts, *_lens(summary)]


def _lens(summary: Mapping[str, Any]) -> list[dict[str, str]]:
    lens = summary.get("lens")
    if not isinstance(lens, Mapping):
        return []
    if lens.get("angle_deg") is None:
        return [_fact("Lens", "given", "a calibration, or a preset")]
    said = {"found": "found from the recording", "typical": "not found: an ordinary colonoscope was assumed"}
    note = said.get(str(lens["source"]), str(lens["source"]))
    return [_fact("Angle of view", f"{lens['angle_deg']:.0f}° ± {lens['angle_std_deg']:.0f}°", note)]


def _straightened(summary: Mapping[str, Any], strip: Sequence[StripImage]) -> list[dict[str, str]]:
    """The middle picture of the strip, and the same through a lens without distortion: folds should look round."""
    run = summary.get("run")
    if not strip or not isinstance(run, Mapping) or "camera" not in run:
        return []
    jpeg = strip[len(strip) // 2].jpeg
    try:
        picture = decode_kept(jpeg)
        height, width = picture.shape[:2]
        camera = camera_from_dict(run["camera"]).resized(width, height)
        straight = Undistorter(camera, STRAIGHT_PX, STRAIGHT_DEG)(picture)
    except HaustraError:  # a lens that does not reach so far, or a damaged picture
        return []
    return [
        {"src": _source(jpeg), "caption": "as recorded"},
        {
            "src": _source(to_jpeg(straight)),
            "caption": f"straightened, {STRAIGHT_DEG:.0f}° wide: folds should look round",
        },
    ]


def _source(jpeg: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")


def _fact(label: str, value: str, note: str) -> dict[str, str]:
    return {"label": label, "value": value, "note": note}
