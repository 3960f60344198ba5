"""tab:high-resolution, tab:overall_endoslam, trajectories: all methods on Set 1 test, full and half resolution; seeds.

The paper's are EndoSLAM's six videos; a user who has them runs `haustra evaluate motion ENDOSLAM` for the same tables.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks import rivals
from benchmarks.reproduce.data import LOW
from benchmarks.reproduce.networks import ABLATIONS, network, options_of
from benchmarks.reproduce.parts import Outcome, Place
from benchmarks.rivals_table import rivals_table
from haustra.lab.evaluate.motion_evaluation import MotionEvaluation, evaluate_motion
from haustra.lab.evaluate.motion_tables import each_video, over_videos
from haustra.lab.evaluate.paper_figures import path_plot
from haustra.lab.evaluate.paper_tables import METHOD_ROWS
from haustra.lab.evaluate.svg import panels
from haustra.motion import MotionEstimator
from haustra.motion.methods import LEARNT, OURS, MotionMethod

HIGH_NAME, LOW_NAME = "high", "low"
REFINED = "Proposed, refined by flow"
AS_SHIPPED = "Shipped, taught with truth"
# The paper's tables are of EndoSLAM; these rows are not.
EACH_TITLE = "Camera motion on simulated recordings, full resolution: mean (std) over pairs of frames"
OVERALL_TITLE = "Camera motion on simulated recordings: mean (std) over recordings"


def protocol(place: Place) -> Outcome:
    # The paper's rows are bare networks; our refinement beyond the paper has its own row.
    learnt = {row: MotionEstimator(network(row, place)) for row in (OURS, *ABLATIONS, *LEARNT)}
    ours: dict[str, str | MotionMethod] = {REFINED: str(network(OURS, place)), AS_SHIPPED: OURS}
    methods: dict[str, str | MotionMethod] = {**learnt, "liu2013": "liu2013", **ours}
    high, low = (evaluate_motion(place.data.cohort / folder / "test", methods) for folder in ("set1", LOW))
    both = joined(high, low)
    names = {kind: [name for name in both.recordings if name.startswith(kind)] for kind in (HIGH_NAME, LOW_NAME)}
    tables = (
        replace(each_video(both, "tab:high-resolution", names[HIGH_NAME]), title=EACH_TITLE),
        replace(
            over_videos(both, "tab:overall_endoslam", [names[HIGH_NAME], names[LOW_NAME], both.recordings]),
            title=OVERALL_TITLE,
        ),
        rivals_table(rivals.run(options_of(place), place.work / "rivals.json")),
    )
    shown = [names[HIGH_NAME][1], names[LOW_NAME][1]]
    drawings = [
        path_plot(
            {METHOD_ROWS.get(m, m): rows[name] for m, rows in both.results.items()}, _title(name), both.length_unit
        )
        for name in shown
    ]
    picture = place.picture("paths.svg", panels(drawings, columns=2))
    budget = f"Simulated Set 1 test, {place.scale.side} and {place.scale.side // 2} px; {place.scale.budget}."
    return Outcome(tables, ((picture, "Paths of all methods on the truth (paper, fig:endoslam)"),), budget)


def _title(name: str) -> str:
    kind, _, recording = name.partition(" ")
    return f"{kind} resolution, recording {recording}"


def joined(high: MotionEvaluation, low: MotionEvaluation) -> MotionEvaluation:
    """Both resolutions as one evaluation."""
    results = {
        method: {f"{HIGH_NAME} {n}": r for n, r in rows.items()}
        | {f"{LOW_NAME} {n}": r for n, r in low.results[method].items()}
        for method, rows in high.results.items()
    }
    return replace(high, results=results)
