"""The parts of `make reproduce` on made results: every table of the paper and every figure comes out."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from benchmarks.reproduce import classification, places, protocol
from benchmarks.reproduce.data import Data
from benchmarks.reproduce.parts import Place, run_part
from benchmarks.reproduce.scale import SCALES

from benchmarks import rivals
from haustra.lab.evaluate.classification_scores import METRICS, MeanStd
from haustra.lab.evaluate.locate_dataset import ALL_FRAMES, PAPER_INDEX, SCOPEGUIDE, TIME, Case, annotated_times
from haustra.lab.evaluate.motion_evaluation import MotionEvaluation, MotionResult
from haustra.lab.evaluate.paper_tables import paper_tables
from haustra.lab.evaluate.segment_tables import PAPER_SET2
from haustra.lab.evaluate.trajectory_errors import trajectory_errors
from haustra.path.trajectory import chain

BOUNDS = np.cumsum([0.06, 0.15, 0.22, 0.22, 0.26])


@pytest.fixture
def place(tmp_path: Path) -> Place:
    data = Data(tmp_path / "cohort", tmp_path / "stills")
    return Place(SCALES["small"], data, tmp_path / "work", tmp_path / "tables", tmp_path / "img" / "small")


def case(seed: int) -> Case:
    time_s = np.arange(300) / 15
    true = (time_s / time_s[-1]) ** (1.2 + 0.1 * seed)
    segment = np.searchsorted(BOUNDS, true, side="right") + 1
    index = {
        "ours": np.clip(true + 0.01, 0, 1),
        TIME: time_s / time_s[-1],
        SCOPEGUIDE: true**1.5,
        ALL_FRAMES: true**0.5,
        PAPER_INDEX: np.clip(true + 0.03, 0, 1),
    }
    std = {"ours": np.full(300, 0.02)}
    return Case(f"{seed:02d}", time_s, segment, true, annotated_times(time_s, segment), index, std, {"ours": segment})


def drawings(place: Place, found: dict[str, object]) -> list[ElementTree.Element]:
    assert isinstance(found["pictures"], list)
    return [ElementTree.fromstring((place.pictures / name).read_text()) for name in found["pictures"]]


def inner(drawing: ElementTree.Element) -> int:
    return sum(element.tag.endswith("}svg") for element in drawing)


def test_places_give_tables_6_to_12_and_three_figures(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_located", lambda *_, all_frames: [case(k) for k in range(10 if all_frames else 3)])
    monkeypatch.setattr(places, "noninformative_share", lambda folder: int(folder.parent.name) / 20)
    found = run_part("places", places.places, place)
    wanted = {entry.table.label.removeprefix("tab:") for entry in paper_tables().values() if entry.number >= 6}
    assert wanted <= set(found["tables"])
    for table, row in (("evaluation", PAPER_SET2), ("location", PAPER_INDEX)):
        assert row in (place.tables / f"{table}.csv").read_text(), "the paper's own index has its row"
    confusion, location, share = drawings(place, found)
    assert inner(confusion) == 4
    assert inner(location) == 10
    assert sum(element.tag.endswith("}circle") for element in share) == 10
    assert "pairwise comparisons of rows" in found["text"]


def result(name: str, noise: float) -> MotionResult:
    steps = np.tile(np.eye(4), (30, 1, 1))
    steps[:, 2, 3] = -1.0
    steps[:, 0, 3] = np.sin(np.arange(30))
    bent = steps.copy()
    bent[:, 1, 3] = noise * np.cos(np.arange(30))
    path, truth = (chain(motions, np.arange(31.0)) for motions in (bent, steps))
    return MotionResult(name, trajectory_errors(path.T_w_c, truth.T_w_c), {}, 0.0, path, truth)


def test_protocol_gives_tables_4_and_5_and_the_paths(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def evaluate(data: Path, methods: dict[str, object]) -> MotionEvaluation:
        low = 2.0 if "low" in str(data) else 1.0
        results = {
            method: {f"{k:02d}": result(f"{k:02d}", low * (1 + number)) for k in (1, 2, 3)}
            for number, method in enumerate(methods)
        }
        return MotionEvaluation("simulated", "mm", results)

    figures = {"ate_sim3_rmse": 3.0, "rpe_trans": 1.0, "rpe_rot_deg": 0.5}
    runs = {name: {"test": {"01": figures}, "easy": {"easy": figures}} for name in ("ours/0", "zero", "liu2013")}
    kept = {"settings": {"steps": 1, "batch": 1, "width": 1.0}, "runs": runs}
    monkeypatch.setattr(protocol, "evaluate_motion", evaluate)
    monkeypatch.setattr(protocol, "network", lambda row, _: Path(row))
    monkeypatch.setattr(protocol, "MotionEstimator", lambda path: path)
    monkeypatch.setattr(rivals, "run", lambda *_: kept)
    found = run_part("protocol", protocol.protocol, place)
    assert set(found["tables"]) == {"high-resolution", "overall_endoslam", "rivals"}
    (paths,) = drawings(place, found)
    assert inner(paths) == 2
    assert "high 01 ATE (1e-2)" in found["text"]
    assert protocol.REFINED in found["text"]
    assert protocol.AS_SHIPPED in found["text"]
    rows = (place.tables / "overall_endoslam.csv").read_text().splitlines()
    high, low, both = (float(rows[1].split(",")[2 + 6 * k]) for k in range(3))
    assert low > high
    assert both == pytest.approx((high + low) / 2)


def test_classification_gives_table_1(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = {task: dict.fromkeys(METRICS, MeanStd(0.9, 0.01, 4)) for task in ("noninformative", "forceps")}
    monkeypatch.setattr(classification, "evaluate_quality", lambda *_, **__: scores)
    found = run_part("classification", classification.classification, place)
    assert found["tables"] == ["image_classification"]
    assert "4 simulated recordings" in found["text"]
