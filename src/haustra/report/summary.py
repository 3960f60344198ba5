"""summary.json: what was run on what, and the figures of the withdrawal. No metadata of the recording is copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from haustra.anatomy.abstention import abstention
from haustra.anatomy.findings import place_findings
from haustra.anatomy.frame_places import Located
from haustra.camera.recorded_lens import ChosenLens
from haustra.checking.run_figures import light_note, run_figures
from haustra.path.withdrawal import Withdrawal
from haustra.results.observations import Observations
from haustra.results.run import Run
from haustra.results.schema import KEY, VERSION
from haustra.video import Picture, Recording


def summarise(
    recording: Recording,
    seen: Observations,
    picture: Picture,
    run: Run,
    withdrawal: Withdrawal,
    located: Located,
    lens: ChosenLens,
    notes: Sequence[str],
    *,
    pictures: bool,
) -> dict[str, Any]:
    """The same run gives the same summary: nothing in it depends on the clock or the machine.

    `pictures` tells whether the result may hold pictures of the recording.
    """
    suits = run_figures(seen)
    return {
        KEY: VERSION,
        "haustra": run.haustra,
        "run": run.as_dict(),
        "recording": {
            "name": recording.name,
            "width": recording.width,
            "height": recording.height,
            "duration_s": recording.duration_s,
            "codec": recording.codec,
            "frame_rate": recording.frame_rate,
            "picture": list(picture.box),
            "pictures": pictures,
            "read_s": [float(seen.time_s[0]), float(seen.time_s[-1])],
            **({"parts": summarise_parts(recording)} if recording.parts else {}),
        },
        "lens": lens.as_dict(),
        "suitability": suits.as_dict(),
        **summarise_places(withdrawal, located, run.placing.get("abstain")),
        "warnings": [*notes, *light_note(suits), *seen.problems, *withdrawal.warnings],
    }


def summarise_parts(recording: Recording) -> list[dict[str, Any]]:
    """The files of a recording in parts, and when each begins on the clock of the whole."""
    return [{"name": part.name, "start_s": part.start_s} for part in recording.parts]


def summarise_places(withdrawal: Withdrawal, located: Located, level: float | None) -> dict[str, Any]:
    """What follows from where the withdrawal begins and ends and where the boundaries lie."""
    return {
        "abstention": abstention(located.table, level),
        "frames": {"sampled": located.table.height, "kept": int(located.table["kept"].sum())},
        "withdrawal": _withdrawal(withdrawal) | located.figures.as_dict(),
        "boundaries": [boundary.as_dict() for boundary in located.boundaries],
        "landmarks": [asdict(landmark) for landmark in located.landmarks],
        "findings": _findings(located),
        "cecum": None if located.cecum is None else dict(zip(("seen_s", "probability"), located.cecum, strict=True)),
    }


def _findings(located: Located) -> dict[str, int | None]:
    """How many were given or noted, None where nobody said anything; how many biopsies were detected; and how many
    findings lie outside the withdrawal."""
    said = [*located.given, *located.noted]
    affected = [one for one in said if one.affected]
    placed = place_findings(affected, located.table)
    return {
        "count": len(affected) if said else None,
        "biopsies": len(located.biopsies),
        "outside": placed["location_index"].null_count(),
    }


def _withdrawal(withdrawal: Withdrawal) -> dict[str, Any]:
    start = withdrawal.start
    return {
        "start_s": withdrawal.start_s,
        "end_s": withdrawal.end_s,
        "extent": withdrawal.extent.value,
        "start_source": "given" if start is None else "found" if start.has_insertion else "the start of the recording",
        "start_confidence": None if start is None else start.confidence,
    }
