"""`paper` is the paper to the letter; everything else says what it is, and cards say what a loss really counts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from haustra.core.errors import HaustraError
from haustra.core.onnx import open_model
from haustra.lab.training.motion import losses, trainer
from haustra.lab.training.motion.config import CONFIGS, MotionConfig, motion_config
from haustra.lab.training.motion.export_motion import export_motion
from haustra.lab.training.motion.pair_batch import make_batch
from haustra.lab.training.motion.pairs import PairSet
from haustra.lab.training.motion.start import load_start
from haustra.lab.training.motion.step import MotionModel, compute_losses, make_warps
from haustra.lab.training.motion.validate import validation_figures
from haustra.motion import MotionEstimator
from haustra.motion.estimator import DisparityCard, MotionCard


def test_paper_minimises_the_papers_final_loss_from_the_first_step(pairs: PairSet) -> None:
    """eq:final_loss with its lambdas, 1/Z, both pictures of a pair, and disparity as the network gives it."""
    config = CONFIGS["paper"]
    torch.manual_seed(2)
    model, batch = MotionModel(config), make_batch(pairs.read(np.arange(1)))
    step = compute_losses(model, batch, config, 0)
    forward, backward = model.motions(batch)
    disparity, tissue = model.disparity(torch.cat([batch.I_t, batch.I_t1]))
    warps = make_warps(disparity, forward, backward, batch)
    (D_t, D_t1), (P_t, P_t1) = disparity.chunk(2), tissue.chunk(2)
    loss = losses.loss_cp(batch.I_t, batch.I_t1, P_t, P_t1, *warps)
    for picture, D, P in ((batch.I_t, D_t, P_t), (batch.I_t1, D_t1, P_t1)):
        target = losses.specular_target(picture, "unsaturated")
        loss = loss + 0.01 * losses.loss_ce(target, P) + 0.02 * losses.loss_smo(D, picture, "second-order")
    loss = loss + 100 * losses.loss_mc(forward, backward)
    assert float(step.loss.detach()) == pytest.approx(float(loss.detach()), rel=1e-5)
    assert (config.learning_rate, config.batch, config.steps) == (1e-4, 1, 300_000)
    assert (config.cosine, config.warmup, config.clip_norm) == (False, 0, None)
    kinds = [type(layer).__name__ for layer in model.disparity.disparity]
    assert kinds.count("ConvTranspose2d") == 2
    assert kinds.count("Conv2d") == 3


@pytest.mark.parametrize(
    ("name", "mc", "smo"),
    [("paper", 100, 0.02), ("rescaled", 0.02, 0.0002), ("targets", 5, 0.0002), ("simulated", 0.5, 0.02)],
)
def test_effective_weights(name: str, mc: float, smo: float) -> None:
    weights = CONFIGS[name].weights()
    assert weights == pytest.approx({"cp": 1, "ce": 0.01, "mc": mc, "smo": smo})
    assert motion_config(name, "no-mask").weights()["ce"] == 0


def test_values_of_ones_own_are_taken_and_checked() -> None:
    config = motion_config("rescaled", lambda_mc=7.0, learning_rate=0.1, batch=3, steps=None)
    assert (config.lambda_mc, config.learning_rate, config.batch) == (7.0, 0.1, 3)
    assert config.steps == CONFIGS["rescaled"].steps
    for wrong in ({"lambda_smo": -1.0}, {"learning_rate": 0.0}, {"batch": 0}, {"width": 0.5}):
        with pytest.raises(HaustraError):
            motion_config("rescaled", **wrong)


@pytest.mark.parametrize("config", [CONFIGS["rescaled"], CONFIGS["paper"]], ids=lambda config: config.name)
def test_cpe_of_a_pair_does_not_depend_on_its_batch(pairs: PairSet, config: MotionConfig) -> None:
    torch.manual_seed(0)
    model = MotionModel(config)
    with torch.no_grad():
        model.motion.head.weight.mul_(20)
    batches = [make_batch(pairs.read(np.arange(first, first + 2))) for first in (0, 2)]
    together = validation_figures(model, [make_batch(pairs.read(np.arange(4)))], config)
    apart = validation_figures(model, batches, config)
    alone = validation_figures(model, [make_batch(pairs.read(np.array([i]))) for i in range(4)], config)
    assert apart["cpe"] == pytest.approx(together["cpe"], rel=1e-5)
    assert alone["cpe"] == pytest.approx(together["cpe"], rel=1e-5)


def test_the_unit_of_disparity_is_learnt_and_leaves_with_the_network(pairs: PairSet, tmp_path: Path) -> None:
    config = replace(CONFIGS["rescaled"], steps=4, batch=2)
    model, batch = MotionModel(config), make_batch(pairs.read(np.arange(4)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1e-3 * torch.randn_like(parameter))  # equal tensors would become one in the file
    model.measure_unit(batch)
    before = float(model.disparity.unit)
    compute_losses(model, batch, config, 0)
    assert before > 1  # a sigmoid in the middle, times ten
    assert float(model.disparity.unit) != before
    assert float(model.eval().scenes(batch)[0].detach().mean()) == pytest.approx(1.0, abs=0.02)
    export_motion(model, tmp_path, config)
    found = open_model(tmp_path / "disparity.onnx", DisparityCard).run(batch.I_t.numpy())[0]
    np.testing.assert_allclose(found, model.disparity(batch.I_t)[0].detach().numpy(), rtol=1e-3)
    again = MotionModel(config)
    load_start(tmp_path / "motion.onnx", again)
    assert float(again.disparity.unit) == pytest.approx(float(model.disparity.unit))


def test_motion_that_learnt_from_targets_brings_the_disparity_they_need(tmp_path: Path) -> None:
    frames = np.random.default_rng(0).integers(0, 255, (2, 128, 128, 3), np.uint8)
    for ablation, outputs in ((None, ["motion", "disparity"]), ("no-targets", ["motion"])):
        config = motion_config("targets", ablation)
        model = MotionModel(config)
        for weights in model.parameters():  # the exporter keeps one of those that are all zero
            torch.nn.init.normal_(weights, std=0.05)
        export_motion(model, tmp_path, config)
        assert open_model(tmp_path / "motion.onnx", MotionCard).outputs == outputs
        said, disparity = MotionEstimator(tmp_path / "motion.onnx").measure_scene(frames, frames[::-1].copy())
        assert np.isnan(said.std).all()
        again = MotionModel(config)
        load_start(tmp_path / "motion.onnx", again)
        assert torch.equal(again.motion.head.weight, model.motion.head.weight)
        if ablation is None:
            pictures = torch.from_numpy(frames).permute(0, 3, 1, 2).float() / 255
            wanted = model.disparity(pictures)[0][:, 0].detach().numpy()
            np.testing.assert_allclose(disparity, wanted, rtol=1e-3)
        else:
            assert disparity is None


def test_the_card_prints_effective_weights(pairs: PairSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "VALIDATION_PAIRS", 2)
    config = replace(CONFIGS["rescaled"], steps=1, batch=1)
    trainer.train_motion(pairs, pairs, tmp_path, config, quiet=True)
    card = json.loads((tmp_path / "motion.json").read_text())
    weights = {"loss_cp": 1, "loss_ce": 0.01, "loss_mc": 0.02, "loss_smo": 0.0002}
    assert card["settings"]["effective weights"] == pytest.approx(weights)
    assert (
        "effective weights: loss_cp 1, loss_ce 0.01, loss_mc 0.02, loss_smo 0.0002"
        in (tmp_path / "motion.md").read_text()
    )
