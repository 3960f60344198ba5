"""The lens found in a recording, beside the true one: `python -m benchmarks.lens DATA ... --work DIR`.

DATA are recordings with their calibration. The angle off the axis half-way to the rim is compared, of the lens that
`--camera auto` finds and of the typical one of `--camera generic`. Recordings that also have true locations are located
with these two and with the true lens, both ends given: location error, and share of frames within two deviations.
`--lens-only` leaves that out.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.coverage import Covered, covered
from benchmarks.observed import observe_recording, work_name
from haustra.camera import Camera, camera_for_picture
from haustra.camera.rim import picture_rim
from haustra.camera.self_calibration.estimate import lens_from_recordings, typical_lens
from haustra.core.errors import HaustraError
from haustra.core.files import read_json, write_json
from haustra.core.vocabulary import AUTO, GENERIC
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording
from haustra.lab.evaluate.text_table import mean_std, text_table
from haustra.motion.stream import opencv_on_one_thread
from haustra.video import Picture, find_picture, open_recording

TRUE = "true"
LENSES = (TRUE, AUTO, GENERIC)
DIRECTIONS = 72  # in which the angle is taken: a centre that is off cancels
CLOSE_DEG = 4.0
HEADER = ("recording", "pairs", "true", "found", "deviation", "error", "error of the typical lens")


@dataclass(frozen=True)
class FoundLens:
    """Angles half-way to the rim, degrees; `estimated` is False where the recording said too little."""

    name: str
    estimated: bool
    pairs: int
    true_deg: float
    found_deg: float
    std_deg: float
    typical_deg: float

    @property
    def error_deg(self) -> float:
        return self.found_deg - self.true_deg

    @property
    def holds(self) -> bool:
        """Whether the truth lies within two stated deviations."""
        return abs(self.error_deg) <= 2 * self.std_deg

    def row(self) -> list[str]:
        pairs = str(self.pairs) if self.estimated else f"{self.pairs}: typical"
        angles = (self.true_deg, self.found_deg, self.std_deg, self.error_deg, self.typical_deg - self.true_deg)
        return [self.name, pairs, *(f"{angle:.1f}" for angle in angles)]


def half_angle_deg(camera: Camera, picture: Picture) -> float:
    """Mean angle off the optical axis on the circle half-way to the rim of the picture."""
    rim = picture_rim(picture.mask)
    around = np.linspace(0, 2 * np.pi, DIRECTIONS, endpoint=False)
    circle = np.array([rim.x, rim.y]) + 0.5 * rim.radius * np.column_stack([np.cos(around), np.sin(around)])
    rays = camera.unproject(circle)
    return float(np.degrees(np.arctan2(np.linalg.norm(rays[:, :2], axis=1), rays[:, 2])).mean())


def found_lens(recording: DatasetRecording, work: Path) -> FoundLens:
    """Looked for once and kept in the work folder."""
    kept = work / "lens" / f"{recording.name}.json"
    if not kept.is_file():
        write_json(kept, asdict(_found_lens(recording)))
    return FoundLens(**read_json(kept))


def _found_lens(recording: DatasetRecording) -> FoundLens:
    if recording.source is None or recording.camera is None:
        raise HaustraError(f"{recording.name} has no video or no calibration")
    video = open_recording(recording.source, fps=recording.fps)
    picture = find_picture(video)
    true = camera_for_picture(recording.camera, (picture.frame_width, picture.frame_height), picture.box)
    with opencv_on_one_thread():
        found = lens_from_recordings([(video, picture)])
    return FoundLens(
        name=recording.name,
        estimated=found.estimated,
        pairs=found.pairs,
        true_deg=half_angle_deg(true, picture),
        found_deg=half_angle_deg(found.camera, picture),
        std_deg=found.half_std_deg,
        typical_deg=half_angle_deg(typical_lens(picture).camera, picture),
    )


def located(recording: DatasetRecording, work: Path) -> dict[str, Covered] | None:
    """With each lens; None where the locations are not known."""
    found = {}
    for lens in LENSES:
        folder = work / lens
        folder.mkdir(parents=True, exist_ok=True)
        one = observe_recording(recording, folder, **({} if lens == TRUE else {"camera": lens}))
        if one is None:
            return None
        found[lens] = covered(one)
    return found


def report(lenses: Sequence[FoundLens], locations: Sequence[dict[str, Covered]]) -> str:
    off, typical = (
        np.abs([getattr(lens, name) - lens.true_deg for lens in lenses]) for name in ("found_deg", "typical_deg")
    )
    lines = [
        f"{len(lenses)} recordings; {sum(lens.estimated for lens in lenses)} said enough to find their lens.",
        f"Half-way to the rim within {CLOSE_DEG:.0f} degrees on {int((off <= CLOSE_DEG).sum())}"
        f" (typical lens: {int((typical <= CLOSE_DEG).sum())}), off by {off.mean():.1f} degrees in the mean"
        f" (typical: {typical.mean():.1f}), nearer than the typical one on {int((off < typical).sum())}.",
        f"Two stated deviations hold on {sum(lens.holds for lens in lenses)}.",
    ]
    parts = [text_table(HEADER, [lens.row() for lens in lenses]), "\n".join(lines)]
    return "\n\n".join([*parts, _of_locations(locations)] if locations else parts)


def _of_locations(locations: Sequence[dict[str, Covered]]) -> str:
    header = ["recording", *(f"{what}, lens {lens}" for what in ("error", "within 2 std") for lens in LENSES)]
    rows = []
    for cases in locations:
        shown = [f"{cases[lens].mean_error:.3f}" for lens in LENSES]
        rows.append([cases[TRUE].name, *shown, *(f"{cases[lens].within:.3f}" for lens in LENSES)])
    errors = {lens: np.array([cases[lens].mean_error for cases in locations]) for lens in LENSES}
    within = [mean_std([cases[lens].within for cases in locations]) for lens in LENSES]
    rows.append(["mean", *(mean_std(errors[lens]) for lens in LENSES), *within])
    ratios = ", ".join(f"{lens} {errors[lens].mean() / errors[TRUE].mean():.2f}" for lens in LENSES[1:])
    return f"{text_table(header, rows)}\n\nMean error over that with the true lens: {ratios}."


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True, help="where what was found and observed is kept")
    parser.add_argument("--lens-only", action="store_true", help="locate nothing")
    options = parser.parse_args()
    lenses, locations = [], []
    for data in options.data:
        for recording in open_dataset(data, None)[1]:
            work = options.work / work_name(data)
            lenses.append(found_lens(recording, work))
            if not options.lens_only and (cases := located(recording, work)) is not None:
                locations.append(cases)
    print(report(lenses, locations))


if __name__ == "__main__":
    main()
