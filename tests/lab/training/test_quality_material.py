"""Degradations, drawn instruments, augmentation, and the list of real stills."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from haustra.lab.datasets.real_sequences import TRAINING
from haustra.lab.evaluate.degraded.degrade import DEGRADATIONS, degrade, lit_mask, motion_kernel
from haustra.lab.evaluate.degraded.instruments import draw_instrument
from haustra.lab.evaluate.labelled_stills import LIST, read_stills
from haustra.lab.training.quality.augment import MASKS, apply_mask, augment
from haustra.lab.training.quality.batches import Pool
from haustra.quality.labelled import FOLDER_HZ, TEST, Sample, part
from haustra.quality.labelled_pictures import load_pictures


@pytest.fixture(scope="module")
def still():
    """A tissue-like picture in an octagon, with sharp dark lines as vessels."""
    rng = np.random.default_rng(0)
    coarse = rng.normal(0, 1, (12, 12, 3)).astype(np.float32)
    image = np.array([170, 90, 80]) + 25 * cv2.resize(coarse, (192, 192), interpolation=cv2.INTER_CUBIC)
    image = np.clip(image, 30, 255).astype(np.uint8)
    for _ in range(30):
        ends = [tuple(int(v) for v in rng.integers(0, 192, 2)) for _ in range(2)]
        cv2.line(image, *ends, (110, 40, 40), 1, cv2.LINE_AA)
    return apply_mask(image, "octagon", np.random.default_rng(3))


def sharpness(image):
    inside = cv2.erode(lit_mask(image).astype(np.uint8), np.ones((15, 15))) > 0
    return cv2.Laplacian(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.CV_32F)[inside].var()


@pytest.mark.parametrize("kind", DEGRADATIONS)
def test_every_degradation_changes_the_picture_and_keeps_its_surround_black(still, kind):
    outside = ~lit_mask(still)
    for seed in range(4):
        degraded = degrade(still, np.random.default_rng(seed), kind)
        assert degraded.shape == still.shape
        assert degraded.dtype == np.uint8
        assert (degraded[outside] == still[outside]).all()
        assert np.abs(degraded.astype(int) - still)[~outside].mean() > 4
        assert (degrade(still, np.random.default_rng(seed), kind) == degraded).all()


def test_blurs_take_the_detail_and_exposures_take_the_level(still):
    for seed in range(5):
        assert sharpness(degrade(still, np.random.default_rng(seed), "blur")) < 0.5 * sharpness(still)
        assert sharpness(degrade(still, np.random.default_rng(seed), "defocus")) < 0.2 * sharpness(still)
        lit = lit_mask(still)
        assert degrade(still, np.random.default_rng(seed), "underexposed")[lit].mean() < 40
        assert degrade(still, np.random.default_rng(seed), "overexposed")[lit].mean() > 180


def test_a_dark_lumen_is_part_of_the_picture_and_a_corner_inset_is_not(still):
    image = still.copy()
    cv2.circle(image, (96, 96), 25, (2, 1, 1), -1)
    image[150:, :50] = 0
    mask = lit_mask(image)
    assert mask[96, 96]
    assert not mask[170:, :40].any()


def test_motion_kernels_keep_the_brightness():
    for seed in range(20):
        assert motion_kernel(3.0 + seed, np.random.default_rng(seed)).sum() == pytest.approx(1.0, abs=1e-5)


def test_instruments_are_drawn_inside_the_outline_and_cover_a_part_of_it(still):
    lit = lit_mask(still)
    for seed in range(20):
        drawn = draw_instrument(still, np.random.default_rng(seed))
        changed = np.abs(drawn.astype(int) - still).max(axis=2) > 25
        assert not changed[~lit].any()
        assert 0.002 < changed[lit].mean() < 0.6


def test_augmentation_leaves_a_good_picture_recognisable(still):
    for seed in range(12):
        changed = augment(still, 160, np.random.default_rng(seed))
        assert changed.shape == (160, 160, 3)
        assert 25 < changed[changed.max(axis=2) > 16].mean() < 230


@pytest.mark.parametrize("shape", MASKS)
def test_masks_only_take_away(still, shape):
    white = np.full_like(still, 255)
    masked = apply_mask(white, shape, np.random.default_rng(0))
    assert set(np.unique(masked)) <= {0, 255}
    assert (masked > 0).mean() > 0.5


def test_batches_are_balanced_and_depend_on_the_random_numbers_alone(still):
    samples = [Sample(None, "informative", "a", "train", source="x")] * 3  # type: ignore[arg-type]
    samples += [Sample(None, "forceps", "a", "train", source="x")] * 60  # type: ignore[arg-type]
    pool = Pool(samples, np.stack([still] * 63), 96)
    batch = pool.draw(200, np.random.default_rng(5))
    again = pool.draw(200, np.random.default_rng(5))
    assert (batch.pictures == again.pictures).all()
    forceps = batch.answers[:, 1] == 1
    # A labelled forceps frame does not say whether it is informative; a drawn one was made from one that is.
    unknown = np.isnan(batch.answers[:, 0])
    assert 0.12 < forceps.mean() < 0.36
    assert 0.2 < unknown[forceps].mean() < 0.8
    assert not unknown[~forceps].any()
    assert 0.24 < (batch.answers[:, 0] == 1).mean() < 0.48


def test_the_list_of_real_instruments_is_sound(shared_data):
    samples = read_stills(shared_data / "kvasir-seg-train")
    held_out = part(samples, TEST)
    assert all(int(sample.path.stem) % 5 == 0 for sample in held_out)
    assert 145 <= len(held_out) <= 160
    assert sum(sample.label == "forceps" for sample in samples) >= 28
    assert sum(sample.label == "forceps" for sample in held_out) >= 8
    text = LIST.read_text()
    assert '"doubtful"' in text
    assert "/" not in text


def test_real_frames_are_split_by_scene_and_by_sequence(shared_data):
    stills = read_stills(shared_data / "hyperkvasir")
    assert {sample.label for sample in stills} == {"informative", "noninformative"}
    assert 0.15 < len(part(stills, TEST)) / len(stills) < 0.3
    assert len({sample.recording for sample in stills}) == len(stills)
    frames = read_stills(shared_data / "real-sequences")
    assert {sample.recording for sample in frames} <= set(TRAINING)
    assert not part(frames, TEST)
    assert [sample.time_s for sample in frames if sample.label == "forceps"] == [n / FOLDER_HZ for n in range(35)]


def test_frames_of_a_sequence_are_covered_as_the_pipeline_covers_them(shared_data):
    """The blue banner of seq4 lies across the tissue."""
    frames = [s for s in read_stills(shared_data / "real-sequences") if s.recording == "seq4"][:2]
    pictures = load_pictures(frames, 160).astype(int)
    blue = (pictures[..., 2] > 100) & (pictures[..., 0] < 60)
    assert blue.mean() < 0.01  # its edge; the whole banner is a tenth of the picture
    assert (pictures.max(-1) > 40).mean() > 0.6
