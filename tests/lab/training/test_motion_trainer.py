"""The motion trainer through its command: learns, resumes, runs on two processes, exports, names a collapse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from haustra.core.errors import HaustraError
from haustra.lab.training.checkpoint import CHECKPOINT_NAME, load_weights
from haustra.lab.training.loop import BEST_NAME
from haustra.lab.training.motion import heads, trainer
from haustra.lab.training.motion.collapse import WINDOWS, CollapseWatch, name_collapse
from haustra.lab.training.motion.config import CONFIGS, MotionConfig, motion_config
from haustra.lab.training.motion.pair_batch import Batch, make_batch
from haustra.lab.training.motion.pairs import PairSet, split_validation
from haustra.lab.training.motion.step import MotionModel, compute_losses
from haustra.lab.training.motion.trainer import train_motion
from haustra.motion import MotionEstimator

TINY = replace(CONFIGS["simulated"], steps=6, batch=2, full_every=3, full_pairs=1, validate_every=3)
TINY_ADAPT = replace(CONFIGS["adapt"], steps=6, batch=2, validate_every=3)
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


@pytest.fixture(autouse=True)
def _few_validation_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "VALIDATION_PAIRS", 4)
    monkeypatch.setattr(heads, "STEPS", 20)


def _moving(pairs: PairSet, count: int) -> Batch:
    """Pairs that mostly move along the axis, by a few pixels: few enough for a photometric loss, enough to be seen."""
    batch = make_batch(pairs.read(np.arange(len(pairs))))
    length = batch.motion_f[:, :3].norm(dim=1)
    flow = batch.flow_f.norm(dim=1).mean(dim=(1, 2))
    score = batch.motion_f[:, 2].abs() / (length + batch.motion_f[:, 3:].norm(dim=1)) * (flow > 0.7) * (flow < 4)
    best = score.topk(count).indices
    return replace(batch, **{name: value[best] for name, value in vars(batch).items() if value is not None})


def _train(pairs: PairSet, out: Path, config: MotionConfig) -> dict[str, float]:
    train, validation = split_validation(pairs.shards)
    return train_motion(train, validation, out, config, seed=5, quiet=True)


@pytest.mark.parametrize("config", [TINY, replace(CONFIGS["targets"], steps=400)], ids=["simulated", "self-supervised"])
def test_a_handful_of_pairs_is_learnt_with_their_true_direction(pairs: PairSet, config: MotionConfig) -> None:
    """With truth, and from the pictures alone: then where the move is large enough to be seen beside the turning."""
    torch.manual_seed(0)
    batch = _moving(pairs, 3)
    model = MotionModel(config).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(40):
        optimizer.zero_grad()
        compute_losses(model, batch, config, step, full=not config.supervised).loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    forward, backward = (motion.detach() for motion in model.motions(batch))
    cosine = torch.nn.functional.cosine_similarity
    assert cosine(forward[:, :3], batch.motion_f[:, :3]).min() > 0.8
    assert cosine(backward[:, :3], batch.motion_b[:, :3]).min() > 0.8


def test_consistency_comes_in_after_a_tenth_of_the_run() -> None:
    config = CONFIGS["targets"]
    weights = [config.weights(int(share * config.steps))["mc"] for share in (0.0, 0.1, 0.15, 0.2, 1.0)]
    assert weights == pytest.approx([0, 0, 2.5, 5, 5])
    assert CONFIGS["simulated"].weights(0)["mc"] == pytest.approx(0.5)


@pytest.mark.parametrize("config", [TINY, TINY_ADAPT], ids=["simulated", "adapt"])
def test_resume_after_kill_ends_with_the_same_weights(pairs: PairSet, tmp_path: Path, config: MotionConfig) -> None:
    _train(pairs, tmp_path / "whole", config)
    stopped = tmp_path / "stopped"

    class KilledError(Exception):
        pass

    def kill_at(step: int) -> None:
        if step == 4:
            raise KilledError

    original = trainer.step_rng
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "step_rng", lambda seed, step, rank: (kill_at(step), original(seed, step, rank))[1])
        patch.setattr(trainer, "LoopSettings", lambda *a, **k: _settings(*a, **k, checkpoint_every_s=0.0))
        with pytest.raises(KilledError):
            _train(pairs, stopped, config)
    assert (stopped / CHECKPOINT_NAME).is_file()
    assert not (stopped / "motion.onnx").exists()
    summary = _train(pairs, stopped, config)
    assert summary["steps"] == 6
    whole, resumed = (load_file(tmp_path / name / CHECKPOINT_NAME) for name in ("whole", "stopped"))
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def _settings(*arguments: object, **options: object) -> object:
    from haustra.lab.training.loop import LoopSettings

    return LoopSettings(*arguments, **options)  # type: ignore[arg-type]


def test_exported_model_is_the_trained_one(pairs: PairSet, tmp_path: Path) -> None:
    summary = _train(pairs, tmp_path, TINY)
    card = json.loads((tmp_path / "motion.json").read_text())
    assert card["recipe"] == "simulated"
    assert card["scores"]["cpe"] == summary["cpe"]
    estimator = MotionEstimator(tmp_path / "motion.onnx")
    assert (estimator.size, estimator.fov_deg, estimator.recipe) == (128, 100.0, "simulated")
    arrays = pairs.read(np.arange(3))
    frames = arrays.frames * arrays.masks[..., None]
    found = estimator.estimate(frames[:, 0], frames[:, 1], arrays.flow[:, 0])
    model = MotionModel(TINY)
    load_weights(tmp_path / BEST_NAME, {"model": model})
    with torch.no_grad():
        wanted, _ = model.motions(make_batch(arrays))
    assert found == pytest.approx(wanted.numpy(), abs=1e-5)
    with pytest.raises(HaustraError, match="128, 128, 3"):
        estimator.estimate(frames[:, 0, :64], frames[:, 1, :64])


def test_a_run_is_not_mixed_with_another_configuration(pairs: PairSet, tmp_path: Path) -> None:
    train, validation = split_validation(pairs.shards)
    (tmp_path / "run.json").write_text(json.dumps({"config": {"name": "other"}}))
    with pytest.raises(HaustraError, match="other settings"):
        train_motion(train, validation, tmp_path, TINY, quiet=True)


@pytest.mark.parametrize("ablation", ["no-flow", "fixed-mask", "no-mask", "no-consistency", "lambda-mc-500"])
def test_every_ablation_takes_a_step(pairs: PairSet, ablation: str) -> None:
    config = replace(motion_config("targets", ablation), batch=1)
    assert config != replace(motion_config("targets"), batch=1), "something is left out"
    model = MotionModel(config)
    result = compute_losses(model, make_batch(pairs.read(np.arange(1))), config, config.steps)
    result.loss.backward()  # type: ignore[no-untyped-call]
    assert torch.isfinite(result.loss)
    assert all(p.grad is None or bool(torch.isfinite(p.grad).all()) for p in model.parameters())


def test_unknown_names_are_told() -> None:
    with pytest.raises(HaustraError, match="choose one of paper, rescaled, targets, adapt, simulated"):
        motion_config("quick")
    with pytest.raises(HaustraError, match="no-flow"):
        motion_config("targets", "no-such")
    with pytest.raises(HaustraError, match="at least 1"):
        motion_config("targets", steps=0)


@pytest.mark.parametrize(
    ("signs", "words"),
    [
        ({"valid": 0.01, "saturated": 0.0, "motion": 0.1, "flow": 2.0}, "nothing valid"),
        ({"valid": 0.9, "saturated": 0.99, "motion": 0.1, "flow": 2.0}, "saturated disparity"),
        ({"valid": 0.9, "saturated": 0.0, "motion": 1e-8, "flow": 2.0}, "zero motion"),
    ],
)
def test_collapse_is_named(signs: dict[str, float], words: str) -> None:
    watch = CollapseWatch()
    watch.see(1, {"valid": 0.9, "saturated": 0.1, "motion": 0.01, "flow": 2.0})
    for step in range(2, WINDOWS + 1):
        watch.see(step, signs)
    with pytest.raises(HaustraError, match=words):
        watch.see(WINDOWS + 1, signs)


def test_a_still_scene_is_no_collapse() -> None:
    assert name_collapse({"valid": 1.0, "saturated": 0.0, "motion": 1e-9, "flow": 0.01}) is None


def test_collapsed_networks_show_their_signs(pairs: PairSet) -> None:
    """The signs come from real steps: a motion far away, and a disparity pushed to its limit."""
    batch = make_batch(pairs.read(np.arange(2)))
    far, flat = MotionModel(TINY), MotionModel(TINY)
    with torch.no_grad():
        far.motion.head.bias.copy_(torch.tensor([1e6, 0, 0, 0, 0, 0]))
        flat.disparity.disparity[-1].bias.fill_(100.0)
    assert "nothing valid" in (name_collapse(compute_losses(far, batch, TINY, 0).signs) or "")
    assert "saturated" in (name_collapse(compute_losses(flat, batch, TINY, 0).signs) or "")


def test_two_gloo_processes_train_together(pairs_folder: Path, tmp_path: Path) -> None:
    """From recordings: the first prepares their pairs while the other waits, and none prepares them twice."""
    for name in ("train/a.mp4", "validation/b.mp4"):
        (tmp_path / "data" / name).parent.mkdir(parents=True)
        (tmp_path / "data" / name).write_text(name)
    script = tmp_path / "run.py"
    script.write_text(
        "import os, sys, time; from dataclasses import replace; from pathlib import Path; import torch\n"
        "from haustra.lab.training.motion import prepare\n"
        "from haustra.lab.training.motion.pairs import PairShard, ShardArrays, write_shard\n"
        "def make(source, folder, options, identity):\n"
        "    with open(sys.argv[3], 'a') as file: file.write(os.environ['RANK'] + source.name + '\\n')\n"
        "    time.sleep(1.0); some = PairShard(Path(sys.argv[4]))\n"
        "    names = ('frames', 'mask', 'pairs', 'flow', 'poses', 'depth')\n"
        "    arrays = ShardArrays(**{name: getattr(some, name) for name in names})\n"
        "    write_shard(folder, arrays, {'flow': 'dis', 'role': source.role, 'identity': identity})\n"
        "prepare.make_recording_shard = make\n"
        "from haustra.lab.training.motion import config, trainer\n"
        "from haustra.lab.training.command import run_motion_training\n"
        "from haustra.lab.training.motion import heads\n"
        "trainer.VALIDATION_PAIRS, heads.STEPS = 2, 20; torch.set_num_threads(1)\n"
        "config.CONFIGS['simulated'] = replace(config.CONFIGS['simulated'], batch=1, full_pairs=1, validate_every=4)\n"
        "data, out = Path(sys.argv[1]), Path(sys.argv[2])\n"
        "run_motion_training(data, out, config='simulated', values={'steps': 6}, quiet=True)\n"
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script)]
    done = subprocess.run(
        [*command, tmp_path / "data", tmp_path / "out", tmp_path / "made", pairs_folder / "colon-00000"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=1800,  # the machine may be busy
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["steps"] == 6
    assert (tmp_path / "out" / "motion.onnx").is_file()
    assert (tmp_path / "made").read_text().splitlines() == ["0train-a", "0validation-b"]
