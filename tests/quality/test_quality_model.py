"""The shipped model: small, without torch, and the same answer for a frame alone and in a batch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.quality import QualityModel


@pytest.fixture(scope="module")
def model():
    return QualityModel("lite")


def pictures(count, size, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (count, size, size, 3), np.uint8)


def test_the_shipped_file_is_small_and_brings_its_thresholds(model):
    assert model.path.stat().st_size < 25e6
    assert 0 < model.thresholds.noninformative < 1
    assert 0 < model.thresholds.forceps < 1
    assert model.path.with_suffix(".md").is_file()


def test_a_frame_alone_and_in_a_batch_get_exactly_the_same_answer(model):
    batch = pictures(19, model.size)
    together = model.classify(batch)
    for position in (0, 7, 16, 18):
        alone = model.classify(batch[position : position + 1])
        assert alone.noninformative[0] == together.noninformative[position]
        assert alone.forceps[0] == together.forceps[position]


def test_no_pictures_no_answers(model):
    answers = model.classify([])
    assert answers.noninformative.shape == answers.forceps.shape == (0,)


def test_inference_imports_no_torch():
    code = (
        "import sys, numpy as np; from haustra.quality import QualityModel; "
        "QualityModel('lite').classify(np.zeros((1, 64, 64, 3), np.uint8)); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_models_that_are_not_there_or_not_ours(tmp_path):
    with pytest.raises(HaustraError, match=r"no such quality model.*allowed are lite, inception_v3"):
        QualityModel("nothing.onnx")
    (tmp_path / "x.onnx").write_bytes(b"not a model")
    with pytest.raises(HaustraError, match="not an ONNX model"):
        QualityModel(tmp_path / "x.onnx")
    with pytest.raises(HaustraError, match=r"haustra train quality.*--quality DIR/quality_inception_v3.onnx"):
        QualityModel("inception_v3")


def test_real_stills_are_kept_and_what_shows_nothing_is_not(model, shared_data):
    """Numbers of stills kept out of training; plain red and plain blue are no colon."""
    from haustra.quality import assess_pictures

    folder = shared_data / "kvasir-seg-train"
    result = assess_pictures([folder / f"{number}.jpg" for number in range(0, 200, 5)], model)
    assert result.kept.mean() > 0.85
    red = np.full((2, 128, 128, 3), (190, 60, 50), np.uint8)
    red[1] = (60, 110, 190)
    assert (model.classify(red).noninformative >= model.thresholds.noninformative).all()
