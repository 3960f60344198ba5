"""Every flow method on a texture that was moved by a known amount."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.flow import endpoint_error, open_flow
from haustra.flow.methods import _fill_holes


def _texture(seed: int = 0, size: int = 128) -> np.ndarray:
    noise = np.random.default_rng(seed).random((size, size, 3)).astype(np.float32)
    blurred = cv2.GaussianBlur(noise, (0, 0), 2.0)
    return cv2.normalize(blurred, None, 0, 255, cv2.NORM_MINMAX).astype(np.uint8)


@pytest.mark.parametrize("name", ["dis", "lk", "farneback"])
@pytest.mark.parametrize("grey", [False, True])
def test_translated_texture(name: str, grey: bool) -> None:
    a = _texture()
    move = np.array([3.0, -2.0])
    b = cv2.warpAffine(a, np.array([[1, 0, move[0]], [0, 1, move[1]]]), (128, 128), borderMode=cv2.BORDER_REFLECT)
    if grey:
        a, b = a[..., 1], b[..., 1]
    flow = open_flow(name)(a, b)
    assert flow.shape == (128, 128, 2)
    assert flow.dtype == np.float32
    inside = (slice(16, -16), slice(16, -16))
    assert endpoint_error(flow[inside], np.broadcast_to(move, (96, 96, 2))) < 0.3


def test_still_picture_has_no_flow() -> None:
    a = _texture()
    for name in ("dis", "lk", "farneback"):
        assert np.abs(open_flow(name)(a, a)).mean() < 0.02, name


def test_holes_take_the_flow_around_them() -> None:
    flow = np.full((40, 40, 2), 2.5, np.float32)
    found = np.ones((40, 40), bool)
    found[10:30, 10:30] = False
    flow[~found] = 99.0
    assert np.allclose(_fill_holes(flow, found), 2.5, atol=1e-4)
    assert not _fill_holes(flow, np.zeros_like(found)).any()


def test_endpoint_error_over_a_mask() -> None:
    flow, truth = np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    flow[0, 0] = (3, 4)
    assert endpoint_error(flow, truth) == pytest.approx(1.25)
    mask = np.array([[True, False], [False, False]])
    assert endpoint_error(flow, truth, mask) == pytest.approx(5.0)
    assert np.isnan(endpoint_error(flow, truth, np.zeros((2, 2), bool)))


def test_wrong_use_is_one_line() -> None:
    with pytest.raises(HaustraError, match="choose one of dis, lk, farneback, pwcnet"):
        open_flow("raft")
    with pytest.raises(HaustraError, match="of one size"):
        open_flow("dis")(np.zeros((8, 8), np.uint8), np.zeros((8, 9), np.uint8))
