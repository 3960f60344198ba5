"""The training command on a handful of pictures: folders, resume, cross-validation, export, card."""

from __future__ import annotations

import csv
import functools
import itertools
import json

import cv2
import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.training.checkpoint import CHECKPOINT_NAME
from haustra.lab.training.quality.config import configuration
from haustra.lab.training.quality.networks import Lite
from haustra.lab.training.quality.train_quality import train_quality
from haustra.lab.training.quality.trainer import loss_terms
from haustra.quality import QualityModel


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Striped tissue is informative, plain red is not; twelve recordings of two frames each."""
    folder = tmp_path_factory.mktemp("frames")
    rng = np.random.default_rng(0)
    for recording in range(14):
        for frame, label in enumerate(("informative", "informative", "wall", "forceps")):
            image = np.full((112, 112, 3), (60, 70, 170), np.uint8)
            if label != "wall":
                image[:, :: int(rng.integers(4, 8))] = (40, 30, 90)
            if label == "forceps":
                cv2.line(image, (56, 111), (56, 40), (230, 230, 230), 12)
            (folder / label).mkdir(exist_ok=True)
            cv2.imwrite(str(folder / label / f"case{recording}c_{frame}.png"), image)
    return folder


SMALL = {"size": 96, "steps": 4, "batch": 4}


def test_train_export_and_card(data, tmp_path):
    path = train_quality([data], configuration("lite", **SMALL), tmp_path, quiet=True)
    model = QualityModel(path)
    assert model.size == 96
    assert path.stat().st_size < 25e6
    card = json.loads(path.with_suffix(".json").read_text())
    assert card["steps"] == 4
    assert any("noninformative auc" in name for name in card["scores"])
    assert "/" not in card["command"]
    rows = list(csv.DictReader((tmp_path / "log.csv").open()))
    assert [row["step"] for row in rows] == ["4"]


def test_a_stopped_run_goes_on_and_ends_with_the_same_network(data, tmp_path, monkeypatch):
    config = configuration("lite", **SMALL | {"steps": 6})
    whole = train_quality([data], config, tmp_path / "whole", quiet=True)

    def stop(*_):
        if next(steps) == 4:
            raise KeyboardInterrupt
        return losses(*_)

    from haustra.lab.training.quality import trainer

    steps, losses = itertools.count(), trainer._losses
    with monkeypatch.context() as patched:
        patched.setattr(trainer, "_losses", stop)
        patched.setattr(trainer, "LoopSettings", functools.partial(trainer.LoopSettings, checkpoint_every_s=0.0))
        with pytest.raises(KeyboardInterrupt):
            train_quality([data], config, tmp_path / "cut", quiet=True)
    assert (tmp_path / "cut" / CHECKPOINT_NAME).is_file()
    cut = train_quality([data], config, tmp_path / "cut", quiet=True)
    pictures = np.random.default_rng(1).integers(0, 256, (3, 96, 96, 3), np.uint8)
    first, second = QualityModel(whole).classify(pictures), QualityModel(cut).classify(pictures)
    assert np.allclose(first.noninformative, second.noninformative, atol=1e-5)
    assert np.allclose(first.forceps, second.forceps, atol=1e-5)
    with pytest.raises(HaustraError, match="other settings"):
        train_quality([data], configuration("lite", **SMALL | {"steps": 7}), tmp_path / "cut", quiet=True)


def test_several_values_are_cross_validated_over_recordings(data, tmp_path):
    arguments = ["train", "quality", str(data), "--out", str(tmp_path), "--size", "96", "--steps", "2", "--batch", "4"]
    arguments += ["--lr", "0.001", "--lr", "0.0001", "--folds", "2", "--threads", "1", "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader((tmp_path / "cross_validation.csv").open()))
    assert {float(row["lr"]) for row in rows} == {0.001, 0.0001}
    means = [float(row["aucpr_mean"]) for row in rows]
    assert means == sorted(means, reverse=True)
    chosen = json.loads((tmp_path / "quality_lite.json").read_text())["settings"]["lr"]
    assert chosen == float(rows[0]["lr"])


def test_every_fold_begins_with_the_weights_of_the_final_training(data, tmp_path, monkeypatch):
    from haustra.lab.training.quality import hyperparameter_cross_validation as search

    seen = []
    train = search.train_network
    monkeypatch.setattr(search, "train_network", lambda *a, **k: seen.append(k) or train(*a, **k))
    arguments = ["train", "quality", str(data), "--out", str(tmp_path / "run"), "--size", "96", "--steps", "1"]
    arguments += ["--batch", "2", "--lr", "0.001", "--lr", "0.0001", "--folds", "2", "--json"]
    missing = CliRunner().invoke(app, [*arguments, "--weights", str(tmp_path / "none.safetensors")])
    assert "no such file" in str(missing.exception)
    assert len(seen) == 1  # the first fold asked for them
    imagenet = CliRunner().invoke(app, [*arguments, "--imagenet", str(tmp_path / "inception.pth")])
    assert "brings its ImageNet weights along" in str(imagenet.exception)
    assert len(seen) == 2
    assert not (tmp_path / "run" / "cross_validation.csv").exists()


def test_a_picture_in_a_batch_gives_exactly_its_single_answer(data, tmp_path):
    path = train_quality([data], configuration("lite", **SMALL), tmp_path, quiet=True)
    model = QualityModel(path)
    pictures = np.random.default_rng(1).integers(0, 256, (21, 96, 96, 3), np.uint8)
    together = model.classify(pictures)
    alone = [model.classify(pictures[i : i + 1]) for i in range(21)]
    assert together.noninformative.tolist() == [float(one.noninformative[0]) for one in alone]
    assert together.forceps.tolist() == [float(one.forceps[0]) for one in alone]


def test_unknown_answers_have_no_gradient():
    logits = torch.zeros(2, 2, requires_grad=True)
    first, second = loss_terms(logits, torch.tensor([[float("nan"), 1.0], [0.0, 1.0]]))
    (first + second).backward()
    assert logits.grad is not None
    assert logits.grad[0, 0] == 0
    assert (logits.grad[1, 0], logits.grad[0, 1]) == (0.5, -0.25)


def test_learning_lowers_the_loss_on_one_batch():
    torch.manual_seed(0)
    network = Lite(0.0, frozen_blocks=5)
    colours = torch.tensor([[220, 40, 40], [40, 200, 40], [60, 60, 220], [230, 230, 230]], dtype=torch.uint8)
    pictures = colours[:, None, None].expand(4, 96, 96, 3).clone()
    pictures[1::2, :, ::8] = 0
    answers = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    optimizer = torch.optim.Adam(network.learning(), 1e-3)
    losses = []
    for _ in range(8):
        loss = sum(loss_terms(network.train()(pictures), answers))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.5 * losses[0]


def test_settings_that_cannot_work_are_refused():
    with pytest.raises(HaustraError, match="multiple of 32"):
        configuration("lite", size=100)
    with pytest.raises(HaustraError, match="unknown network"):
        configuration("resnet")
    with pytest.raises(HaustraError, match="nothing to learn from"):
        train_quality([], configuration("lite"), None)  # type: ignore[arg-type]
