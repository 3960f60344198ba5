"""How good the results of a cohort are where recordings are annotated: passed to `haustra.cohort` as its `score`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from haustra.anatomy.template import AnnotatedRecording
from haustra.lab.evaluate.score_result import read_truth, score_frames
from haustra.lab.evaluate.segment_scores import summarise
from haustra.lab.evaluate.template_cross_validation import leave_one_out
from haustra.localization import Localization


class CohortScore:
    """Has no state, so it reaches any worker by name."""

    def recording(self, result: Localization, annotations: Path) -> Mapping[str, Any]:
        """Segments of a result against the annotated ones."""
        own = score_frames(result.frames, read_truth(annotations), result.template).segments["result"].summary()
        return {"segment_accuracy": own.pop("accuracy"), **own}

    def template(self, recordings: Sequence[AnnotatedRecording]) -> Mapping[str, Any]:
        """Each recording's segments by the template of the others."""
        tested = summarise(leave_one_out(recordings))
        return {
            "protocol": "segments by the template of the other recordings; mean and standard deviation",
            "recordings": tested.recordings,
            "accuracy": tested.accuracy,
            "average_segment_error": tested.average_error,
            "max_segment_error": tested.maximal_error,
        }
