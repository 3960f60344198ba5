"""Page on frame classification: scores, ROC and precision-recall curves, and the worst mistakes as pictures."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import require
from haustra.lab.evaluate.classification_scores import METRICS, TITLES, MeanStd
from haustra.lab.evaluate.classifier_test import Predictions
from haustra.lab.evaluate.quality_tables import paper_scores
from haustra.lab.evaluate.svg import Curve, plot

WORST = 24
SIZE = (360, 340)  # of a drawing, in pixels
TASKS = {"noninformative": "Non-informative frames", "forceps": "Biopsy forceps and other instruments"}
STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c1c1e}
table{border-collapse:collapse}td,th{padding:.3rem .7rem;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}figure{display:inline-block;margin:.4rem;width:11rem;vertical-align:top}
figure img{width:100%}figcaption{font-size:12px;overflow-wrap:anywhere}svg{margin-right:2rem}
@media(prefers-color-scheme:dark){body{background:#1c1c1e;color:#eee}td,th{border-color:#444}}"""


@dataclass(frozen=True)
class ScoredFrames:
    """Predictions of one task, with the name, label and picture of each frame."""

    predictions: Predictions
    threshold: float
    names: Sequence[str]
    labels: Sequence[str]
    pictures: NDArray[np.uint8]
    scores: Mapping[str, MeanStd]


def quality_page(title: str, scored: Mapping[str, ScoredFrames]) -> str:
    """The whole page as one HTML text without external references."""
    parts = [f"<h1>{escape(title)}</h1>", "<p>Mean (standard deviation) over recordings, as in the paper's table.</p>"]
    parts.append(_table(scored))
    for name, one in scored.items():
        parts.append(f"<h2>{escape(TASKS[name])}</h2>")
        if one.predictions.has_both_classes:
            parts.append(_curves(one.predictions))
        parts.append(_mistakes(one))
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return (
        f'<!doctype html><html lang="en"><head>{head}<style>{STYLE}</style></head><body>{"".join(parts)}</body></html>'
    )


def _table(scored: Mapping[str, ScoredFrames]) -> str:
    header = "".join(f"<th>{title}</th>" for title in ("Predictions", *TITLES, "Recordings"))
    rows = []
    for name, one in scored.items():
        cells = "".join(f"<td>{one.scores[metric]}</td>" for metric in METRICS)
        rows.append(f"<tr><td>{escape(TASKS[name])}</td>{cells}<td>{one.scores['accuracy'].recordings}</td></tr>")
        printed = paper_scores(name)
        paper = "".join(f"<td>{printed.get(metric) or '-'}</td>" for metric in METRICS)
        rows.append(f"<tr><td>the paper, on its own recordings</td>{paper}<td>10</td></tr>")
    return f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _curves(predictions: Predictions) -> str:
    """ROC and precision-recall curves over all frames."""
    metrics = require("sklearn.metrics", "evaluate")
    false_rate, true_rate, _ = metrics.roc_curve(predictions.truth, predictions.probability)
    precision, recall, _ = metrics.precision_recall_curve(predictions.truth, predictions.probability)
    drawn = (
        ("ROC", ("1 - specificity", "sensitivity"), (false_rate, true_rate)),
        ("precision and recall", ("recall (sensitivity)", "precision"), (recall, precision)),
    )
    return "".join(plot([Curve(name, np.column_stack(xy))], name, axes, size=SIZE) for name, axes, xy in drawn)


def _mistakes(one: ScoredFrames) -> str:
    """Misclassified frames, the most confident first."""
    order = worst_mistakes(one.predictions, one.threshold)
    if not order:
        return "<p>No frame was misclassified.</p>"
    figures = "".join(_figure(one, position) for position in order)
    wrong = int(((one.predictions.probability >= one.threshold) != one.predictions.truth).sum())
    return f"<h3>Worst mistakes ({len(order)} of {wrong}, {len(one.predictions.truth)} frames)</h3>{figures}"


def worst_mistakes(predictions: Predictions, threshold: float) -> list[int]:
    """Positions of the misclassified frames, those farthest from the threshold first."""
    wrong = (predictions.probability >= threshold) != predictions.truth
    return [int(i) for i in np.argsort(-np.abs(predictions.probability - threshold), kind="stable") if wrong[i]][:WORST]


def _figure(one: ScoredFrames, position: int) -> str:
    _, data = cv2.imencode(".jpg", one.pictures[position][..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 80])
    source = "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode()
    probability = one.predictions.probability[position]
    caption = f"{one.names[position]}: labelled {one.labels[position]}, probability {probability:.3f}"
    return f'<figure><img src="{source}" alt=""><figcaption>{escape(caption)}</figcaption></figure>'
