"""The warp against the simulator's exact depth and pose (DESIGN 4.3), and the pairs that training reads."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from haustra.camera import Camera
from haustra.core.errors import HaustraError
from haustra.lab.simulate.colon import make_colon
from haustra.lab.simulate.mucosa import make_look
from haustra.lab.simulate.operator import plan_operator
from haustra.lab.simulate.renderer import Renderer
from haustra.lab.simulate.scope import make_scope
from haustra.lab.simulate.timeline import make_timeline
from haustra.lab.training.motion.augment import augment, turn_and_mirror
from haustra.lab.training.motion.pair_batch import Batch, make_batch
from haustra.lab.training.motion.pairs import PairSet, find_shards, split_validation
from haustra.lab.training.motion.simulated_pairs import PairPlan, make_pairs
from haustra.lab.training.motion.supervision import SCENE_MM
from haustra.lab.training.motion.warp import make_warp, motion_matrix, rigid_flow
from haustra.motion import canonical_K
from haustra.motion.canonical import canonical_view


def _whole(pairs: PairSet) -> Batch:
    return make_batch(pairs.read(np.arange(len(pairs))))


def test_warp_of_a_rendered_frame_reproduces_its_neighbour() -> None:
    """Albedo, not light: what a moving lamp changes is not the warp's. Seen from t+1 with depth t+1 and Q(t+1->t)."""
    size = 160
    colon = make_colon(5)
    focal = canonical_K(size)[0, 0]
    # A pinhole as a Scaramuzza camera: z(l) is constant.
    camera = Camera(size, size, ((size - 1) / 2, (size - 1) / 2), (focal,))
    scope = replace(make_scope(5, size, size), camera=camera, box=(0, 0, size, size), mask=np.ones((size, size), bool))
    renderer = Renderer(colon, make_look(5), scope)
    operator = plan_operator(colon, 5, make_timeline(5, 60.0, 15.0))
    poses = operator.poses(20.0 + np.arange(2) / 15)
    view_a, view_b = (renderer.render(pose) for pose in poses)
    K = torch.from_numpy(canonical_K(size))
    tensors = [torch.from_numpy(view.albedo).double().permute(2, 0, 1)[None] for view in (view_a, view_b)]
    disparity = torch.from_numpy(1 / view_b.depth_mm.astype(np.float64))[None, None]
    Q_ba = torch.from_numpy(np.linalg.solve(poses[0], poses[1]))[None]
    ones = torch.ones_like(disparity)
    warp = make_warp(disparity, Q_ba, K, ones, ones)
    error = (warp(tensors[0]) - tensors[1]).abs().mean(dim=1, keepdim=True)[warp.valid > 0]
    still = (tensors[0] - tensors[1]).abs().mean(dim=1, keepdim=True)[warp.valid > 0]
    wrong = make_warp(disparity, torch.linalg.inv(Q_ba), K, ones, ones)(tensors[0])
    assert warp.valid.mean() > 0.8
    assert float(error.median()) < 0.35 * float(still.median())
    assert float((wrong - tensors[1]).abs().mean()) > 1.2 * float((tensors[0] - tensors[1]).abs().mean())


def test_flow_of_truth_agrees_with_measured_flow(pairs: PairSet) -> None:
    batch = _whole(pairs)
    assert batch.depth_t is not None
    assert batch.Q_f is not None
    flow, _ = rigid_flow(SCENE_MM / batch.depth_t.clamp(min=1), batch.Q_f, batch.K)
    known = (batch.depth_t > 0) & (batch.mask_t > 0)
    length = (flow.norm(dim=1, keepdim=True) * known).sum(dim=(1, 2, 3)) / known.sum(dim=(1, 2, 3))
    error = ((flow - batch.flow_f).norm(dim=1, keepdim=True) * known).sum(dim=(1, 2, 3)) / known.sum(dim=(1, 2, 3))
    moving = (length > 1) & (length < 6)
    assert moving.any()
    assert float((error / length)[moving].median()) < 0.35
    assert torch.allclose(motion_matrix(batch.motion_f), batch.Q_f, atol=1e-5)


@pytest.mark.parametrize("quarter", [0, 1, 2, 3])
@pytest.mark.parametrize("mirrored", [False, True])
def test_turned_pairs_obey_turned_geometry(pairs: PairSet, quarter: int, mirrored: bool) -> None:
    """The exact flow of the turned scene is the turned exact flow."""
    batch = _whole(pairs).part(slice(0, 3))
    assert batch.depth_t is not None
    assert batch.Q_f is not None
    flow, _ = rigid_flow(SCENE_MM / batch.depth_t.clamp(min=5), batch.Q_f, batch.K)
    batch = replace(batch, flow_f=flow)
    turned = turn_and_mirror(batch, quarter, mirrored)
    assert turned.depth_t is not None
    assert turned.Q_f is not None
    expected, _ = rigid_flow(SCENE_MM / turned.depth_t.clamp(min=5), turned.Q_f, turned.K)
    assert torch.allclose(turned.flow_f, expected, atol=2e-3)


def test_augmentation_keeps_shapes_truth_and_black_border(pairs: PairSet) -> None:
    batch = _whole(pairs)
    changed = augment(batch, np.random.default_rng(0))
    for name, value in vars(batch).items():
        assert getattr(changed, name).shape == value.shape, name
    assert changed.I_t.min() >= 0
    assert changed.I_t.max() <= 1
    assert not (changed.I_t * (1 - changed.mask_t)).any()
    assert batch.Q_f is not None
    assert changed.Q_f is not None
    assert torch.allclose(changed.Q_f[:, :3, 3].norm(dim=1), batch.Q_f[:, :3, 3].norm(dim=1), atol=1e-5)
    again = augment(batch, np.random.default_rng(0))
    assert torch.equal(changed.I_t, again.I_t)


def test_generation_resumes(pairs_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(pairs_folder / "colon-00000", tmp_path / "colon-00000")
    stamp = (tmp_path / "colon-00000" / "frames.npy").stat().st_mtime_ns
    (tmp_path / ".colon-00001.tmp").mkdir()  # what a kill leaves
    make_pairs(tmp_path, PairPlan(1, clips=4, seed=3), quiet=True)
    assert (tmp_path / "colon-00000" / "frames.npy").stat().st_mtime_ns == stamp
    assert len(find_shards(tmp_path)) == 1


def test_several_processes_make_the_same_pairs(pairs_folder: Path, tmp_path: Path) -> None:
    make_pairs(tmp_path, PairPlan(2, clips=4, seed=3), workers=2, quiet=True)
    for name in ("colon-00000", "colon-00001"):
        for file in ("frames.npy", "flow.npy", "poses.npy"):
            assert (tmp_path / name / file).read_bytes() == (pairs_folder / name / file).read_bytes()


def test_split_by_recording_and_within_one(pairs_folder: Path) -> None:
    shards = find_shards(pairs_folder)
    train, validation = split_validation(shards)
    assert [s.folder.name for s in train.shards] == ["colon-00000"]
    assert [s.folder.name for s in validation.shards] == ["colon-00001"]
    train, validation = split_validation(shards[:1])
    assert len(train) + len(validation) == len(shards[0])
    with pytest.raises(HaustraError, match="no frame pair"):
        split_validation([])


def test_canonical_view_has_the_canonical_matrix() -> None:
    camera = Camera(200, 200, (99.5, 99.5), (80.0,))
    assert np.allclose(canonical_view(camera, 128).K, canonical_K(128))


def test_large_motion_goes_beyond_ordinary_and_shows_poor_frames(tmp_path: Path) -> None:
    def steps_mm(large: bool) -> np.ndarray:
        folder = tmp_path / str(large)
        make_pairs(folder, PairPlan(1, clips=16, size=64, seed=5, world="wide", large=large), quiet=True)
        poses = np.load(folder / "colon-00000" / "poses.npy")
        return np.linalg.norm(np.diff(poses.reshape(-1, 3, 4, 4), axis=1)[..., :3, 3], axis=-1)

    assert (steps_mm(True) > 4.0).mean() > 2 * (steps_mm(False) > 4.0).mean(), "a fifth of a usual lumen's radius"
    assert not np.load(tmp_path / "True" / "colon-00000" / "informative.npy").all()


def test_large_motion_is_of_the_wide_world() -> None:
    with pytest.raises(HaustraError, match="add --world wide"):
        PairPlan(1, large=True)
