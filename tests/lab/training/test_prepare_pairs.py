"""From recordings to pairs, and the figures of a model on them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.core.files import write_json
from haustra.core.poses import invert, matrix_to_euler
from haustra.lab.simulate.simulated_recording import Settings, write_recording
from haustra.lab.training import command
from haustra.lab.training.motion import trainer
from haustra.lab.training.motion.config import CONFIGS
from haustra.lab.training.motion.evaluate_network import (
    DisparityScene,
    PairMotions,
    consistency,
    evaluate_model,
    evaluate_shard,
    length_correlation,
    pair_cpe,
    segment_lengths,
    true_motions,
)
from haustra.lab.training.motion.export_motion import export_motion
from haustra.lab.training.motion.pairs import PairShard
from haustra.lab.training.motion.prepare import PairOptions, find_sources, neighbours, prepare_pairs
from haustra.lab.training.motion.step import MotionModel


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cohort")
    for number, split in enumerate(("train", "test")):
        write_recording(folder / "set1" / split / "01", Settings(70 + number, 6.0, 240, 208))
    return folder


@pytest.fixture(scope="session")
def shards(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> list[PairShard]:
    return prepare_pairs(recordings, tmp_path_factory.mktemp("cache"), PairOptions(128), quiet=True)


def _perfect(shard: PairShard) -> PairMotions:
    Q = invert(true_motions(shard))
    forward = np.concatenate([Q[:, :3, 3], matrix_to_euler(Q[:, :3, :3])], axis=1)
    back = invert(Q)
    return PairMotions(forward, np.concatenate([back[:, :3, 3], matrix_to_euler(back[:, :3, :3])], axis=1))


def test_recordings_become_pairs_of_informative_neighbours(shards: list[PairShard]) -> None:
    assert [shard.description["role"] for shard in shards] == ["test", "train"]
    for shard in shards:
        assert 5 < len(shard) < 90
        assert shard.frames.shape[1:] == (128, 128, 3)
        assert shard.flow.shape == (len(shard), 2, 128, 128, 2)
        assert (shard.pairs[:, 1] == shard.pairs[:, 0] + 1).all()
        assert shard.mask.mean() > 0.8
        assert shard.poses is not None
        assert len(shard.poses) == len(shard.frames)


def test_without_truth_the_classifier_leaves_frames_out(recordings: Path, tmp_path: Path) -> None:
    """A video of one's own: here a simulated one without its truth, whose first second is made black."""
    source = recordings / "set1" / "train" / "01"
    own = tmp_path / "own" / "video.mp4"
    own.parent.mkdir()
    with av.open(str(source / "video.mp4")) as film:
        pictures = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    with av.open(str(own), "w") as container:
        stream = container.add_stream("libx264", rate=15)
        stream.height, stream.width = pictures[0].shape[:2]
        for number, picture in enumerate(pictures):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture * (number >= 15), format="rgb24")))
        container.mux(stream.encode())
    (shard,) = prepare_pairs(own, tmp_path / "cache", PairOptions(128), quiet=True)
    assert 0 < len(shard.frames) <= 6 * 15 - 15
    assert float(np.asarray(shard.frames).mean(axis=(1, 2, 3)).min()) > 5
    assert shard.poses is None


def test_what_a_stopped_program_left_is_no_recording(tmp_path: Path) -> None:
    for folder in ("01", ".02-unfinished"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "video.mp4").write_bytes(b"")
    assert [source.video.parent.name for source in find_sources(tmp_path)] == ["01"]


def test_what_is_cached_is_not_made_again(recordings: Path, shards: list[PairShard]) -> None:
    before = [(shard.folder / "flow.npy").stat().st_mtime_ns for shard in shards]
    prepare_pairs(recordings, shards[0].folder.parent, PairOptions(128), quiet=True)
    assert [(shard.folder / "flow.npy").stat().st_mtime_ns for shard in shards] == before


def test_gaps_split_pairs() -> None:
    times = [0.0, 1 / 15, 2 / 15, 1.0, 1.0 + 1 / 15]
    assert neighbours(times).tolist() == [[0, 1], [1, 2], [3, 4]]
    assert neighbours([]).shape == (0, 2)


def test_true_motion_has_no_error(shards: list[PairShard]) -> None:
    shard = shards[0]
    figures = evaluate_shard(shard, _perfect(shard))
    assert figures["ate_sim3_rmse"] < 1e-6
    assert figures["rpe_rot_deg"] < 1e-4
    assert figures["direction_right"] == 1.0
    assert figures["consistency_rot_deg"] < 1e-4
    parts = [segment_lengths(s, _perfect(s)) for s in shards]
    assert np.allclose(*parts[0])
    assert length_correlation([(np.array([1.0, 2, 3]), np.array([10.0, 20, 30]))]) == pytest.approx(1.0)


def test_reversed_motion_is_wrong_everywhere(shards: list[PairShard]) -> None:
    perfect = _perfect(shards[0])
    figures = evaluate_shard(shards[0], PairMotions(perfect.backward, perfect.forward))
    assert figures["direction_right"] < 0.1
    assert consistency(PairMotions(perfect.forward, perfect.forward))["consistency_trans_share"] > 0.5


def test_command_trains_and_the_model_can_be_evaluated(
    recordings: Path, shards: list[PairShard], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "VALIDATION_PAIRS", 2)
    monkeypatch.setitem(CONFIGS, "targets", replace(CONFIGS["targets"], batch=1))
    cache = str(shards[0].folder.parent)
    arguments = ["train", "motion", str(recordings), "--out", str(tmp_path), "--steps", "2", "--cache", cache, "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["steps"] == 2
    figures = evaluate_model(tmp_path / "motion.onnx", shards[:1])
    assert set(figures) >= {"ate_sim3_rmse", "rpe_rot_deg", "cpe", "direction_right", "path_length_r"}


def test_cpe_uses_the_specular_target_of_the_networks_training(shards: list[PairShard], tmp_path: Path) -> None:
    config = replace(CONFIGS["paper"], size=shards[0].frames.shape[1])
    model = MotionModel(config)
    for weights in model.parameters():  # the exporter merges tensors that are equal
        torch.nn.init.normal_(weights, std=0.05)
    export_motion(model, tmp_path, config)
    grey = PairShard(shards[0].folder)
    grey.frames = np.asarray(grey.frames[..., :1].repeat(3, axis=-1) // 3)  # no colour, nothing bright
    found = {}
    for target in ("unsaturated", "unsaturated-bright"):
        write_json(tmp_path / "motion.json", {"settings": {"specular_target": target}})
        found[target] = pair_cpe(grey, _perfect(grey), DisparityScene.beside(tmp_path / "motion.onnx"))
    assert (found["unsaturated"] == 0).all(), "everything is a highlight"
    assert (found["unsaturated-bright"] > 0).all(), "nothing is"
    (tmp_path / "motion.json").unlink()
    assert DisparityScene.beside(tmp_path / "motion.onnx").specular_target == "unsaturated-bright"


def test_wrong_data_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="no such file"):
        find_sources(tmp_path / "none")
    with pytest.raises(HaustraError, match="no video was found"):
        find_sources(tmp_path)
    (tmp_path / "colon.mp4").write_bytes(b"")
    assert find_sources(tmp_path / "colon.mp4")[0].role == ""
    with pytest.raises(HaustraError, match="choose one of"):
        command.run_motion_training(tmp_path, tmp_path / "out", config="slow")
