"""`evaluate quality` with a classifier that answers by the brightness of a picture."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.lab.evaluate import quality_run
from haustra.lab.evaluate.classification_scores import MeanStd
from haustra.lab.evaluate.classifier_test import classification_table, kept_share, labelled_test, pooled_scores
from haustra.lab.evaluate.degraded.synthetic_tests import degraded_test
from haustra.lab.evaluate.labelled_stills import LIST, read_kvasir
from haustra.lab.evaluate.quality_run import as_json, evaluate_quality, evaluate_stills
from haustra.quality.decide import Thresholds
from haustra.quality.labelled import FORCEPS, INFORMATIVE, NONINFORMATIVE, TEST, TRAIN, Sample
from haustra.quality.labelled_pictures import load_pictures
from haustra.quality.quality_model import FrameProbabilities

SIZE = 48


def classify(pictures: np.ndarray) -> FrameProbabilities:
    dark = 1 - pictures.mean(axis=(1, 2, 3)) / 255
    red = pictures[..., 0].mean(axis=(1, 2)) / 255
    return FrameProbabilities(dark.astype(np.float32), red.astype(np.float32))


MODEL = SimpleNamespace(name="made", size=SIZE, thresholds=Thresholds(0.5, 0.6), classify=classify)


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> tuple[list[Sample], np.ndarray]:
    """Twelve test frames of three kinds and one that was trained on."""
    kinds = [INFORMATIVE, NONINFORMATIVE, FORCEPS] * 4
    samples = [
        Sample(Path(f"{k}.png"), kind, f"r{k % 2}", TEST, None if k else 1.5, "film") for k, kind in enumerate(kinds)
    ]
    samples.append(Sample(Path("learnt.png"), INFORMATIVE, "r9", TRAIN, None, "film"))
    pictures = np.random.default_rng(0).integers(0, 255, (13, 1, 1, 3)).repeat(SIZE, 1).repeat(SIZE, 2).astype(np.uint8)
    monkeypatch.setattr(quality_run, "read_samples", lambda _: samples)
    monkeypatch.setattr(quality_run, "load_pictures", lambda wanted, size, _: pictures[: len(wanted)] * (size == SIZE))
    return samples, pictures


@pytest.mark.parametrize("everything", [False, True])
def test_the_test_part_is_asked_or_everything(
    frames: tuple[list[Sample], np.ndarray], everything: bool, tmp_path: Path
) -> None:
    samples, pictures = frames
    count = 13 if everything else 12
    found = evaluate_quality([], MODEL, everything=everything, page=tmp_path / "page.html")  # type: ignore[arg-type]
    test = labelled_test(samples[:count], pictures[:count], SIZE)
    assert found == classification_table(test, classify(pictures[:count]), MODEL.thresholds)
    page = (tmp_path / "page.html").read_text()
    assert "<title>Frame quality: made</title>" in page
    for number, threshold in ((0, 0.5), (1, 0.6)):
        asked = test.predictions(number, classify(pictures[:count]))
        wrong = int(((asked.probability >= threshold) != asked.truth).sum())
        assert f"({wrong} of {wrong}, {len(asked.truth)} frames)" in page
        known = [samples[k] for k in range(count) if not np.isnan(test.labels[k, number])]
        for sample, probability, truth in zip(known, asked.probability, asked.truth, strict=True):
            moment = " at 1.5 s" if sample.path.name == "0.png" else ""
            caption = (
                f"{sample.recording}/{sample.path.name}{moment}: labelled {sample.label}, probability {probability:.3f}"
            )
            assert (caption in page) == ((probability >= threshold) != truth) or page.count(caption) == 1


def test_without_a_test_part_there_is_nothing_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality_run, "read_samples", lambda _: [Sample(Path("x"), INFORMATIVE, "r", TRAIN)])
    with pytest.raises(HaustraError, match="use --all"):
        evaluate_quality([], MODEL)  # type: ignore[arg-type]


def test_stills_kept_out_of_training_and_their_degraded_versions(tmp_path: Path) -> None:
    lists = json.loads(LIST.read_text())
    left_out = {*lists["doubtful"], *lists["same_scene_as_held_out"]}
    held_out = [number for number in range(0, 800, 5) if number not in left_out]
    some = [*held_out[:6], *[n for n in held_out if n in lists["instrument"]][:3]]
    rng = np.random.default_rng(0)
    for number in (*some, 1, 2):
        picture = cv2.resize(rng.integers(0, 255, (6, 6, 3), dtype=np.uint8), (96, 96))
        cv2.imwrite(str(tmp_path / f"{number}.jpg"), picture)
    samples = [sample for sample in read_kvasir(tmp_path) if sample.split == TEST]
    assert len(samples) == 9
    pictures = load_pictures(samples, SIZE * 7 // 6)
    plain, degraded = labelled_test(samples, pictures, SIZE), degraded_test(samples, pictures, SIZE)
    wanted = {}
    for name, test in (("stills", plain), ("degraded stills", degraded)):
        scores = pooled_scores(test, classify(test.pictures), MODEL.thresholds)
        wanted |= {f"{name}: {key}": value for key, value in scores.items()}
    wanted["stills: good ones kept"] = kept_share(classify(plain.pictures), plain.labels, MODEL.thresholds)
    assert evaluate_stills(tmp_path, MODEL) == wanted  # type: ignore[arg-type]
    assert {"stills: forceps auc", "degraded stills: noninformative auc"} <= set(wanted)


def test_scores_in_json() -> None:
    scores = {"forceps": {"auc": MeanStd(0.9, 0.1, 4), "f1": MeanStd(float("nan"), float("nan"), 0)}}
    assert as_json(scores) == {
        "forceps": {
            "auc": {"mean": 0.9, "std": 0.1, "recordings": 4},
            "f1": {"mean": None, "std": None, "recordings": 0},
        }
    }
