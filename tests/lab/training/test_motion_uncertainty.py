"""The second output of the motion network: learnt by likelihood, made honest, exported, and absent in older files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from haustra.core.onnx import shipped
from haustra.lab.training.command import describe
from haustra.lab.training.motion.augment import augment
from haustra.lab.training.motion.config import CONFIGS
from haustra.lab.training.motion.export_motion import export_motion
from haustra.lab.training.motion.heads import calibrate, fit_calibre, freeze
from haustra.lab.training.motion.likelihood import loss_likelihood, temperature
from haustra.lab.training.motion.pair_batch import make_batch
from haustra.lab.training.motion.pairs import PairSet, PairShard
from haustra.lab.training.motion.simulated_pairs import PairPlan, make_pairs
from haustra.lab.training.motion.start import load_start
from haustra.lab.training.motion.step import MotionModel, compute_losses
from haustra.motion import MotionEstimator

CONFIG = CONFIGS["simulated"]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> PairSet:
    folder = tmp_path_factory.mktemp("wide")
    make_pairs(folder, PairPlan(1, clips=10, seed=2, world="wide"), quiet=True)
    return PairSet([PairShard(folder / "colon-00000")])


def test_wide_pairs_hold_frames_of_no_use_with_truth(wide: PairSet) -> None:
    shard = wide.shards[0]
    assert shard.informative is not None
    assert shard.poses is not None
    assert 0.2 < shard.informative.mean() < 1.0
    assert shard.description["world_seed"] >= 2**60
    assert "wide world, seed 2" in shard.description["source"]
    assert "(pairs; 1 of simulated, wide world, seed 2)" in describe(wide, Path("pairs"))
    assert shard.calibre is not None
    assert 5 < shard.calibre.min() <= shard.calibre.max() < 45
    ordered = wide.informative_first(np.arange(len(wide)))
    flags = wide.read(ordered).informative
    assert sorted(ordered) == list(range(len(wide)))
    assert not (np.diff(flags.astype(int)) > 0).any()


def test_all_spreads_hold_after_they_were_made_honest(wide: PairSet) -> None:
    model = MotionModel(CONFIG)
    load_start("shipped", model)
    frozen = freeze(model, wide)
    fit_calibre(model, frozen, seed=0)
    calibrate(model, frozen)
    assert model.motion.uncertainty is not None
    assert model.motion.calibre is not None
    with torch.no_grad():
        log_std = model.motion.uncertainty(frozen.features).mean(dim=(2, 3))
        mean, spread = model.motion.calibre(frozen.features).mean(dim=(2, 3)).T
    error = mean - frozen.log_calibre
    assert float(error.abs().mean()) < 0.5 * float((frozen.log_calibre - frozen.log_calibre.mean()).abs().mean()) + 0.02
    for errors, logs in ((frozen.motion - frozen.truth, log_std), (error[:, None], spread[:, None])):
        left = [
            np.log(temperature(errors[chosen].double().numpy(), logs[chosen].exp().double().numpy()))
            for chosen in (frozen.informative, ~frozen.informative)
        ]
        assert np.mean(left, axis=0) == pytest.approx(0.0, abs=1e-4)  # what is left to correct: nothing in the mean


def test_spread_is_learnt_where_the_estimate_is_wrong(wide: PairSet) -> None:
    """With the estimate held, the spread of pairs with large errors grows beyond that of pairs with small ones."""
    torch.manual_seed(0)
    batch = make_batch(wide.read(np.arange(len(wide))))
    model = MotionModel(CONFIG)
    load_start("shipped", model)
    assert model.motion.uncertainty is not None
    optimizer = torch.optim.Adam(model.motion.uncertainty.parameters(), lr=3e-3)
    with torch.no_grad():
        motion = model.motion(batch.I_t, batch.I_t1, batch.flow_f)
        features = model.motion.features(batch.I_t, batch.I_t1, batch.flow_f)
    for _ in range(100):
        log_std = model.motion.uncertainty(features).mean(dim=(2, 3))
        optimizer.zero_grad()
        loss_likelihood(motion, log_std, batch.motion_f).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    error = (motion - batch.motion_f).abs().mean(dim=1).log()
    spread = log_std.detach().exp().mean(dim=1).log()
    assert float(torch.corrcoef(torch.stack([error, spread]))[0, 1]) > 0.5


def test_frames_of_no_use_count_by_the_weight_of_the_configuration(wide: PairSet) -> None:
    batch = make_batch(wide.read(np.arange(6)))
    model = MotionModel(CONFIG)
    load_start("shipped", model)
    useful = replace(batch, informative=torch.ones(6, dtype=torch.bool))
    useless = replace(batch, informative=torch.zeros(6, dtype=torch.bool))
    all_good = compute_losses(model, useful, CONFIG, 0, full=False).terms
    all_bad = compute_losses(model, useless, CONFIG, 0, full=False).terms
    assert all_bad["t"] == pytest.approx(0.2 * all_good["t"], rel=1e-4)
    assert all_bad["std"] == pytest.approx(all_good["std"])
    half = compute_losses(model, useless, replace(CONFIG, poor_weight=0.5), 0, full=False).terms
    assert half["t"] == pytest.approx(0.5 * all_good["t"], rel=1e-4)


def test_augmented_outlines_mask_pictures_and_flow(wide: PairSet) -> None:
    batch = make_batch(wide.read(np.arange(20)))
    changed = augment(batch, np.random.default_rng(3))
    assert (changed.mask_t.mean(dim=(1, 2, 3)) < 0.99 * batch.mask_t.mean()).any()
    assert not (changed.I_t * (1 - changed.mask_t)).any()


def test_the_export_has_both_heads_and_old_files_have_none(tmp_path: Path, wide: PairSet) -> None:
    model = MotionModel(CONFIG)
    load_start("shipped", model)
    export_motion(model, tmp_path, CONFIG)
    arrays = wide.read(np.arange(3))
    a, b = (arrays.frames[:, side] * arrays.masks[:, side, ..., None] for side in (0, 1))
    new = MotionEstimator(tmp_path / "motion.onnx")
    found = new.measure(a, b, arrays.flow[:, 0])
    assert found.motion == pytest.approx(MotionEstimator(shipped("motion")).estimate(a, b, arrays.flow[:, 0]), abs=1e-5)
    assert found.std.shape == (3, 6)
    assert (found.std > 0).all()
    assert [out.shape for out in vars(new.measure(a[:0], b[:0])).values()] == [(0, 6), (0, 6)]
    older = onnx.load(str(tmp_path / "motion.onnx"))
    assert [output.name for output in older.graph.output] == ["motion", "log_std", "log_calibre"]
    del older.graph.output[1:]
    onnx.save(older, str(tmp_path / "older.onnx"))
    found = MotionEstimator(tmp_path / "older.onnx").measure(a, b, arrays.flow[:, 0])
    assert np.isfinite(found.motion).all()
    assert np.isnan(found.std).all()
    again = MotionModel(CONFIG)
    load_start(tmp_path / "motion.onnx", again)
    assert all(torch.equal(x, y) for x, y in zip(model.motion.parameters(), again.motion.parameters(), strict=True))
    without = MotionModel(replace(CONFIG, uncertainty=False))
    load_start(tmp_path / "motion.onnx", without)  # a network without the head does not mind it
