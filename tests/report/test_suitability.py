"""The card on whether the recording suits the tool."""

from __future__ import annotations

from typing import Any

import numpy as np

from haustra.camera import camera_to_dict
from haustra.camera.presets import generic_camera
from haustra.core.pictures import decode_picture
from haustra.quality.thumbnails import to_jpeg
from haustra.report.strip import StripImage
from haustra.report.suitability import STRAIGHT_PX, suitability

FIGURES = {
    "usable": 0.61, "repeated": 0.0, "longest_unusable_s": 12.0, "blur": None, "other_light": 0.02, "stated": 0.4,
    "lumen_deg": 33.0,
}  # fmt: skip


def _summary(**lens: Any) -> dict[str, Any]:
    camera = camera_to_dict(generic_camera(200, 160))
    return {"suitability": FIGURES, "lens": lens, "run": {"camera": camera}}


def _strip() -> list[StripImage]:
    picture = np.random.default_rng(0).integers(0, 255, (80, 100, 3), np.uint8)
    return [StripImage(1.0, 0.5, "transverse", to_jpeg(picture))]


def test_what_was_measured_is_shown_and_what_was_not_is_left_out() -> None:
    shown = suitability(_summary(source="found", angle_deg=148.2, angle_std_deg=6.4), _strip())
    facts = {fact["label"]: fact["value"] for fact in shown["facts"]}
    assert facts["Usable frames"] == "61\u00a0%"
    assert facts["Longest gap"] == "00:12"
    assert facts["Angle of view"] == "148° ± 6°"
    assert "Blur" not in facts


def test_the_lens_can_be_looked_at() -> None:
    import base64

    before, after = suitability(_summary(source="given", angle_deg=None), _strip())["lens"]
    straight = decode_picture(base64.b64decode(after["src"].partition(",")[2]))
    assert straight.shape == (STRAIGHT_PX, STRAIGHT_PX, 3)
    assert before["src"] != after["src"]


def test_without_pictures_or_a_lens_nothing_is_made_up() -> None:
    assert suitability(_summary(source="given", angle_deg=None), [])["lens"] == []
    assert suitability({}, _strip()) == {"facts": [], "lens": []}
