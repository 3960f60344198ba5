from __future__ import annotations

import cv2
import numpy as np

from haustra.quality import fitted_size, picture_box, prepare


def octagon(height, width, margin):
    frame = np.zeros((height, width, 3), np.uint8)
    side = height - 2 * margin
    x, y, cut = (width - side) // 2, margin, side // 4
    corners = [(x + cut, y), (x + side - 1 - cut, y), (x + side - 1, y + cut), (x + side - 1, y + side - 1 - cut)]
    corners += [(x + side - 1 - cut, y + side - 1), (x + cut, y + side - 1), (x, y + side - 1 - cut), (x, y + cut)]
    cv2.fillConvexPoly(frame, np.array(corners, np.int32), (180, 90, 80))
    return frame, (x, y, side, side)


def test_the_box_is_the_lit_outline_and_text_beside_it_does_not_count():
    frame, box = octagon(240, 400, 10)
    cv2.putText(frame, "12:04", (5, 20), cv2.FONT_HERSHEY_PLAIN, 1, (255, 255, 255))
    assert tuple(picture_box(frame)) == box


def test_a_lit_patch_in_a_dark_frame_is_not_taken_for_the_outline():
    frame = np.zeros((200, 200, 3), np.uint8)
    frame[90:110, 90:110] = 200
    assert tuple(picture_box(frame)) == (0, 0, 200, 200)


def test_prepare_pads_to_a_square_without_stretching():
    wide = np.full((100, 200, 3), 200, np.uint8)
    square = prepare(wide, 64)
    assert square.shape == (64, 64, 3)
    assert (square[16:48] == 200).all()
    assert (square[:16] == 0).all()
    assert (square[48:] == 0).all()


def test_a_picture_scaled_by_the_reader_is_only_padded():
    width, height = fitted_size(640, 480, 192)
    assert (width, height) == (192, 144)
    frame = np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)
    assert (prepare(frame, 192)[24:168] == frame).all()


def test_a_square_of_the_right_size_is_untouched():
    frame = np.random.default_rng(0).integers(0, 256, (192, 192, 3), np.uint8)
    assert (prepare(frame, 192) == frame).all()
