"""A page that shows how well frames are judged: the table, the curves, and the worst mistakes to look at."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.errors import require
from haustra.evaluate.quality import METRICS, TITLES, MeanStd
from haustra.evaluate.quality_exam import Question
from haustra.evaluate.quality_tables import paper_scores
from haustra.evaluate.svg import Curve, plot

WORST = 24
SIZE = (360, 340)  # of a drawing, in pixels
QUESTIONS = {"noninformative": "Non-informative frames", "forceps": "Biopsy forceps and other instruments"}
STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c1c1e}
table{border-collapse:collapse}td,th{padding:.3rem .7rem;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}figure{display:inline-block;margin:.4rem;width:11rem;vertical-align:top}
figure img{width:100%}figcaption{font-size:12px;overflow-wrap:anywhere}svg{margin-right:2rem}
@media(prefers-color-scheme:dark){body{background:#1c1c1e;color:#eee}td,th{border-color:#444}}"""


@dataclass(frozen=True)
class JudgedFrames:
    """One question as it was answered: names and pictures go with the entries of `question`."""

    question: Question
    threshold: float
    names: Sequence[str]
    labels: Sequence[str]
    pictures: NDArray[np.uint8]
    scores: Mapping[str, MeanStd]


def quality_page(title: str, judged: Mapping[str, JudgedFrames]) -> str:
    """The whole page as one HTML text without outside references."""
    parts = [f"<h1>{escape(title)}</h1>", "<p>Mean (standard deviation) over recordings, as in the paper's table.</p>"]
    parts.append(_table(judged))
    for name, one in judged.items():
        parts.append(f"<h2>{escape(QUESTIONS[name])}</h2>")
        if one.question.fair:
            parts.append(_curves(one.question))
        parts.append(_mistakes(one))
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return (
        f'<!doctype html><html lang="en"><head>{head}<style>{STYLE}</style></head><body>{"".join(parts)}</body></html>'
    )


def _table(judged: Mapping[str, JudgedFrames]) -> str:
    header = "".join(f"<th>{title}</th>" for title in ("Question", *TITLES, "Recordings"))
    rows = []
    for name, one in judged.items():
        cells = "".join(f"<td>{one.scores[metric]}</td>" for metric in METRICS)
        rows.append(f"<tr><td>{escape(QUESTIONS[name])}</td>{cells}<td>{one.scores['accuracy'].recordings}</td></tr>")
        printed = paper_scores(name)
        paper = "".join(f"<td>{printed.get(metric) or '-'}</td>" for metric in METRICS)
        rows.append(f"<tr><td>the paper, on its own recordings</td>{paper}<td>10</td></tr>")
    return f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _curves(question: Question) -> str:
    """ROC and precision-recall curves over all frames."""
    metrics = require("sklearn.metrics", "evaluate")
    false_rate, true_rate, _ = metrics.roc_curve(question.truth, question.chance)
    precision, recall, _ = metrics.precision_recall_curve(question.truth, question.chance)
    drawn = (
        ("ROC", ("1 - specificity", "sensitivity"), (false_rate, true_rate)),
        ("precision and recall", ("recall (sensitivity)", "precision"), (recall, precision)),
    )
    return "".join(plot([Curve(name, np.column_stack(xy))], name, axes, size=SIZE) for name, axes, xy in drawn)


def _mistakes(one: JudgedFrames) -> str:
    """The frames on which the model was most certain and wrong, worst first."""
    order = worst_mistakes(one.question, one.threshold)
    if not order:
        return "<p>No frame was judged wrongly.</p>"
    figures = "".join(_figure(one, position) for position in order)
    wrong = int(((one.question.chance >= one.threshold) != one.question.truth).sum())
    return f"<h3>Worst mistakes ({len(order)} of {wrong}, {len(one.question.truth)} frames)</h3>{figures}"


def worst_mistakes(question: Question, threshold: float) -> list[int]:
    """Positions of the wrongly judged frames, those farthest from the threshold first."""
    wrong = (question.chance >= threshold) != question.truth
    return [int(i) for i in np.argsort(-np.abs(question.chance - threshold), kind="stable") if wrong[i]][:WORST]


def _figure(one: JudgedFrames, position: int) -> str:
    _, data = cv2.imencode(".jpg", one.pictures[position][..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 80])
    source = "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode()
    caption = f"{one.names[position]}: labelled {one.labels[position]}, probability {one.question.chance[position]:.3f}"
    return f'<figure><img src="{source}" alt=""><figcaption>{escape(caption)}</figcaption></figure>'
