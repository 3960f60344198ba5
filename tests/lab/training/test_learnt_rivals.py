"""The learnt rivals: their losses by value, that they learn where they should, and that their files are ours."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.training.checkpoint import load_weights
from haustra.lab.training.loop import BEST_NAME
from haustra.lab.training.motion import trainer
from haustra.lab.training.motion.pair_batch import Batch, make_batch
from haustra.lab.training.motion.pairs import PairSet, split_validation
from haustra.lab.training.motion.warp import motion_matrix, rigid_flow
from haustra.lab.training.rivals.config import RIVALS, RivalConfig, rival_config
from haustra.lab.training.rivals.rival_models import METHODS, GeoNet, RivalModel
from haustra.lab.training.rivals.trainer import train_rival
from haustra.motion import MotionEstimator
from haustra.motion.canonical import canonical_K
from haustra.motion.methods import LEARNT

SMALL = {"width": 0.1, "batch": 2}


def _model(name: str, **values: float) -> RivalModel:
    torch.manual_seed(1)
    return METHODS[name](rival_config(name, **{**SMALL, **values}))


def _easy(size: int = 128) -> tuple[Batch, Tensor]:
    """A well textured wall two units away; the camera moves sideways and turns a little. Batch and true s(t->t+1)."""
    motion = torch.tensor([[0.06, 0.0, 0.0, 0.0, 0.0, 0.0], [-0.06, 0.0, 0.0, 0.0, 0.0, 0.0]])
    disparity = torch.full((2, 1, size, size), 0.5)
    K = torch.as_tensor(canonical_K(size), dtype=torch.float32)
    flow, _ = rigid_flow(disparity, motion_matrix(motion), K)
    ys, xs = torch.meshgrid(
        torch.arange(size, dtype=torch.float32), torch.arange(size, dtype=torch.float32), indexing="ij"
    )

    def picture(shift: Tensor) -> Tensor:
        x = xs - shift.view(-1, 1, 1)
        waves = [
            torch.sin(2 * math.pi * x / p) * torch.cos(2 * math.pi * ys / q) for p, q in ((40, 55), (25, 33), (17, 20))
        ]
        return torch.stack([0.5 + 0.15 * (waves[0] + waves[k]) for k in range(3)], dim=1)

    ones = torch.ones(2, 1, size, size)
    shift = flow[:, 0].mean(dim=(1, 2))
    batch = Batch(picture(0 * shift), picture(shift), flow, -flow, ones, ones)
    return batch, motion


@pytest.mark.parametrize("name", LEARNT)
def test_every_part_of_a_rival_learns(name: str, pairs: PairSet) -> None:
    model = _model(name, steps=1)
    batch = make_batch(pairs.read(np.arange(2)))
    touched: set[str] = set()
    for step in range(2 if name == "geonet" else 1):  # its second stage
        model.zero_grad()
        result = model.train().losses(batch, step)
        result.loss.backward()  # type: ignore[no-untyped-call]
        assert torch.isfinite(result.loss)
        touched |= {key for key, p in model.named_parameters() if p.grad is not None and bool(p.grad.abs().sum() > 0)}
    heads = "decoder.heads." if name == "sc-sfmlearner" else "nothing"
    missing = {key for key, _ in model.named_parameters()} - touched
    assert {key for key in missing if heads not in key} == set()  # of several sizes it compares one
    assert 0 < result.signs["valid"] <= 1


@pytest.mark.parametrize("name", LEARNT)
def test_a_rival_finds_an_easy_motion(name: str) -> None:
    batch, truth = _easy()
    model = _model(name, steps=1000)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for step in range(15):
        optimizer.zero_grad()
        model.train().losses(batch, step).loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    with torch.no_grad():
        forward, _ = model.motions(batch)
        flow, _ = rigid_flow(model.scenes(batch).chunk(2)[0], motion_matrix(forward), batch.K)
    # A turn about y and a move along x look alike: the picture they make is what counts.
    assert (flow[:, 0].mean(dim=(1, 2)) * truth[:, 0]).min() > 0
    found = flow[:, 0].mean(dim=(1, 2)).abs() / batch.flow_f[:, 0].mean(dim=(1, 2)).abs()
    assert 0.4 < float(found.min()) <= float(found.max()) < 1.7


def test_geonets_second_stage_leaves_depth_and_motion_alone() -> None:
    batch, _ = _easy()
    model = _model("geonet", steps=3)
    assert isinstance(model, GeoNet)
    model.train()
    before = {name: value.clone() for name, value in model.state_dict().items() if not name.startswith("residual")}
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    found = []
    for _ in range(12):
        optimizer.zero_grad()
        result = model.train().losses(batch, 3)
        result.loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        found.append(float(result.loss.detach()))
    assert all(torch.equal(value, model.state_dict()[name]) for name, value in before.items())
    assert found[-1] < found[0]


@pytest.mark.parametrize("name", LEARNT)
def test_training_leaves_the_files_that_locate_takes(
    name: str, pairs: PairSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "VALIDATION_PAIRS", 2)
    config: RivalConfig = replace(
        rival_config(name, steps=2, **SMALL), residual_steps=min(1, RIVALS[name].residual_steps)
    )
    train, validation = split_validation(pairs.shards)
    summary = train_rival(train, validation, tmp_path, config, seed=5, quiet=True)
    assert summary["steps"] == 2 + config.residual_steps
    estimator = MotionEstimator(tmp_path / "motion.onnx")
    assert (estimator.size, estimator.recipe) == (128, name)
    arrays = pairs.read(np.arange(3))
    frames = arrays.frames * arrays.masks[..., None]
    found = estimator.estimate(frames[:, 0], frames[:, 1])
    model = METHODS[name](config)
    load_weights(tmp_path / BEST_NAME, {"model": model})
    batch = make_batch(arrays)
    with torch.no_grad():
        expected = model.eval().motions(batch)[0]
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-6)
    assert json.loads((tmp_path / "disparity.json").read_text())["settings"]["lambda_smo"] == config.lambda_smo


def test_settings_of_rivals() -> None:
    assert set(RIVALS) == set(METHODS) == set(LEARNT)
    with pytest.raises(HaustraError, match="has no lambda_mc"):
        rival_config("geonet", lambda_mc=3.0)
    with pytest.raises(HaustraError, match="choose one of ours, sfmlearner"):
        rival_config("orbslam")
    with pytest.raises(HaustraError, match="at least 1"):
        rival_config("sfmlearner", steps=0)


def test_the_command_trains_a_rival_and_searches_by_validation_cpe(
    pairs_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "VALIDATION_PAIRS", 2)
    monkeypatch.setitem(RIVALS, "sfmlearner", replace(RIVALS["sfmlearner"], width=0.1))
    arguments = ["train", "motion", str(pairs_folder), "--out", str(tmp_path), "--method", "sfmlearner", "--json"]
    arguments += ["--steps", "1", "--batch", "1", "--lr", "0.0001", "--lr", "0.01"]
    refused = CliRunner().invoke(app, arguments)
    assert "add --search" in str(refused.exception)
    done = CliRunner().invoke(app, [*arguments, "--search"])
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader((tmp_path / "search.csv").open()))
    assert {float(row["learning_rate"]) for row in rows} == {0.0001, 0.01}
    assert float(rows[0]["cpe"]) <= float(rows[1]["cpe"])
    assert json.loads(done.stdout)["cpe"] == pytest.approx(float(rows[0]["cpe"]))
    assert MotionEstimator(tmp_path / rows[0]["folder"] / "motion.onnx").recipe == "sfmlearner"
    with pytest.raises(HaustraError, match="omit them"):
        CliRunner().invoke(app, [*arguments[:-2], "--config", "paper"], catch_exceptions=False)
