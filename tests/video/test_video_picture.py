"""The endoscope picture in the frame: outline, text, insets, dark frames; and the paper's per-frame form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from video_files import write_video

from haustra.core.errors import HaustraError
from haustra.video import Box, Picture, find_picture, open_recording, standard_frame

WIDTH, HEIGHT = 960, 540
BOX = Box(331, 17, 541, 506)


def rectangle() -> np.ndarray:
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mask[BOX.y : BOX.y + BOX.height, BOX.x : BOX.x + BOX.width] = 1
    return mask


def octagon(cut: int = 110) -> np.ndarray:
    x0, y0, x1, y1 = BOX.x, BOX.y, BOX.x + BOX.width - 1, BOX.y + BOX.height - 1
    points = [(x0 + cut, y0), (x1 - cut, y0), (x1, y0 + cut), (x1, y1 - cut)]
    points += [(x1 - cut, y1), (x0 + cut, y1), (x0, y1 - cut), (x0, y0 + cut)]
    return cv2.fillPoly(np.zeros((HEIGHT, WIDTH), np.uint8), [np.array(points, np.int32)], 1)


def round_mask() -> np.ndarray:
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    centre = BOX.x + (BOX.width - 1) / 2, BOX.y + (BOX.height - 1) / 2
    return (((x - centre[0]) / (BOX.width / 2)) ** 2 + ((y - centre[1]) / (BOX.height / 2)) ** 2 <= 1).astype(np.uint8)


def cut_corner() -> np.ndarray:
    """A rectangle with one corner left black, as many processors draw it."""
    mask = rectangle()
    mask[BOX.y + BOX.height - 120 : BOX.y + BOX.height, BOX.x : BOX.x + 150] = 0
    return mask


def tissue(number: int) -> np.ndarray:
    """Red, changing from frame to frame, with a dark lumen somewhere near the middle."""
    random = np.random.default_rng(number)
    value = cv2.resize(random.uniform(0.4, 1.0, (9, 16, 1)).astype(np.float32), (WIDTH, HEIGHT))
    y, x = np.ogrid[:HEIGHT, :WIDTH]
    centre = BOX.x + BOX.width / 2 + random.uniform(-60, 60), BOX.y + BOX.height / 2 + random.uniform(-60, 60)
    lumen = np.exp(-((x - centre[0]) ** 2) / 4000) * np.exp(-((y - centre[1]) ** 2) / 4000)
    value = value * (1 - 0.9 * lumen.astype(np.float32))
    return cv2.merge([(value * channel).astype(np.uint8) for channel in (190, 80, 60)])


def side_text(image: np.ndarray, number: int) -> np.ndarray:
    """Patient lines at the left, one nearly touching the picture, and a clock that runs."""
    for line, text in enumerate(("NAME: XXXX", "12/11/2026", f"{number // 60:02d}:{number % 60:02d}")):
        cv2.putText(image, text, (20, 60 + 50 * line), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (255, 255, 255), 2)
    cv2.putText(image, "Cm:1 Eh:A5 Ce:0", (40, 300), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (255, 255, 255), 2)
    return image


def paint_with(mask: np.ndarray, *, after: Callable[[np.ndarray, int], np.ndarray] | None = None) -> Callable:
    def paint(number: int) -> np.ndarray:
        image = tissue(number) * mask[:, :, None]
        return after(image, number) if after else image

    return paint


def found(tmp_path: Path, paint: Callable[[int], np.ndarray], *, gop: int = 1) -> Picture:
    return find_picture(open_recording(write_video(tmp_path / "a.mp4", 40, fps=5, paint=paint, gop=gop)))


def assert_box(box: Box, expected: Box = BOX, within: int = 2) -> None:
    edges = [(b.x, b.y, b.x + b.width, b.y + b.height) for b in (box, expected)]
    assert np.abs(np.subtract(*edges)).max() <= within, (box, expected)


def agreement(picture: Picture, mask: np.ndarray) -> float:
    """Share of the frame's pixels on which the found mask and the true one agree."""
    full = np.zeros((HEIGHT, WIDTH), bool)
    x, y, width, height = picture.box
    full[y : y + height, x : x + width] = picture.mask
    return float((full == (mask > 0)).mean())


def test_a_second_live_picture_is_told_and_a_frozen_one_is_not(tmp_path: Path) -> None:
    def twins(number: int, *, frozen: bool = False) -> np.ndarray:
        image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        for left, seed in ((20, number), (500, 0 if frozen else number + 1000)):
            image[20:520, left : left + 440] = tissue(seed)[:500, 330:770]
        return image

    live = find_picture(open_recording(write_video(tmp_path / "live.mp4", 40, paint=twins)))
    assert live.beside is not None
    assert np.allclose(sorted([live.box[0], live.beside[0]]), [20, 500], atol=4)
    (note,) = live.notes
    assert note.startswith("the frame shows two live pictures: the one at x ")
    paint = lambda number: twins(number, frozen=True)  # noqa: E731
    still = find_picture(open_recording(write_video(tmp_path / "still.mp4", 40, paint=paint)))
    assert (still.beside, still.notes) == (None, ())
    assert np.allclose(still.box, (20, 20, 440, 500), atol=4)


@pytest.mark.parametrize("outline", [rectangle, octagon, round_mask, cut_corner])
def test_box_and_mask_of_every_outline(tmp_path: Path, outline: Callable[[], np.ndarray]) -> None:
    mask = outline()
    picture = found(tmp_path, paint_with(mask, after=side_text))
    assert_box(picture.box)
    assert picture.mask.shape == (picture.box.height, picture.box.width)
    assert (picture.frame_width, picture.frame_height) == (WIDTH, HEIGHT)
    assert agreement(picture, mask) > 0.99


def test_dark_frames_do_not_count(tmp_path: Path) -> None:
    lit = paint_with(octagon(), after=side_text)
    dark = paint_with(octagon() // 9, after=side_text)
    picture = found(tmp_path, lambda n: lit(n) if n % 3 == 0 else dark(n))
    assert_box(picture.box)
    assert agreement(picture, octagon()) > 0.99


@pytest.mark.parametrize("content", ["black", "panel", "guide"])
def test_an_inset_in_the_corner_is_not_part_of_the_picture(tmp_path: Path, content: str) -> None:
    top, left = BOX.y + BOX.height - 150, BOX.x

    def inset(image: np.ndarray, number: int) -> np.ndarray:
        area = image[top : top + 150, left : left + 160]
        area[:] = 0 if content == "black" else (40, 90, 60)
        if content == "guide":  # a thin line that moves, as the scope's shape does
            end = (80 + number % 40, 20 + number % 30)
            cv2.line(area, (20, 130), end, (240, 240, 240), 3)
        return image

    picture = found(tmp_path, paint_with(rectangle(), after=inset))
    assert_box(picture.box)
    assert agreement(picture, cut_corner()) > 0.97
    inset_found = picture.mask[-130:, 10:140]
    assert inset_found.mean() < 0.02


def test_a_banner_across_the_picture_takes_nothing_but_itself(tmp_path: Path) -> None:
    def banner(image: np.ndarray, _: int) -> np.ndarray:
        image[340:390, BOX.x : BOX.x + BOX.width] = (0, 0, 160)
        cv2.putText(
            image, "Imprim. non connectee E405", (BOX.x + 20, 372), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255,) * 3, 2
        )
        return image

    picture = found(tmp_path, paint_with(octagon(), after=banner))
    true = octagon()
    true[340:390] = 0
    assert_box(picture.box)
    assert agreement(picture, true) > 0.985


def test_a_frozen_view_that_is_shown_for_a_while_is_left_out(tmp_path: Path) -> None:
    frozen = cv2.resize(tissue(1000), (150, 120))
    top, left = BOX.y + BOX.height - 200, BOX.x + 60

    def view(image: np.ndarray, number: int) -> np.ndarray:
        if 8 <= number < 20:
            image[top : top + 120, left : left + 150] = frozen
        return image

    picture = found(tmp_path, paint_with(rectangle(), after=view))
    true = rectangle()
    true[top : top + 120, left : left + 150] = 0
    assert agreement(picture, true) > 0.985


@pytest.mark.parametrize("kind", ["burnt out", "calm for a while"])
def test_tissue_that_stands_still_stays(tmp_path: Path, kind: str) -> None:
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    wall = x - BOX.x < 200 + 60 * np.sin(y / 50)

    def still(image: np.ndarray, number: int) -> np.ndarray:
        if kind == "burnt out":
            image[wall & (image.max(axis=2) > 0)] = 255
        elif 8 <= number < 20:
            image[wall] = (tissue(7) * octagon()[:, :, None])[wall]
        return image

    picture = found(tmp_path, paint_with(octagon(), after=still))
    assert_box(picture.box)
    assert agreement(picture, octagon()) > 0.985


def test_a_file_with_one_key_frame_does_as_well(tmp_path: Path) -> None:
    assert_box(found(tmp_path, paint_with(octagon(), after=side_text), gop=1000).box)


def test_a_picture_that_fills_the_frame(tmp_path: Path) -> None:
    picture = found(tmp_path, tissue)
    assert_box(picture.box, Box(0, 0, WIDTH, HEIGHT))
    assert picture.mask.mean() > 0.99


def test_a_grey_border_is_still_border(tmp_path: Path) -> None:
    def grey(image: np.ndarray, number: int) -> np.ndarray:
        noise = np.random.default_rng(number).integers(16, 28, image.shape, dtype=np.uint8)
        return np.maximum(image, noise)

    assert_box(found(tmp_path, paint_with(rectangle(), after=grey)).box, within=3)


def test_a_still_scene_is_found_by_its_brightness(tmp_path: Path) -> None:
    assert_box(found(tmp_path, lambda _: paint_with(octagon())(3)).box)


def test_black_frames_are_an_error_even_with_text(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="black"):
        found(tmp_path, lambda n: side_text(np.zeros((HEIGHT, WIDTH, 3), np.uint8), n))


def test_the_standard_frame_is_cropped_padded_and_resized() -> None:
    image = np.zeros((400, 600, 3), np.uint8)
    image[50:350, 100:250] = (180, 90, 80)  # 150 wide, 300 high: padded by 75 at both sides
    image[10:20, 500:590] = 255  # text: not the largest component
    result = standard_frame(image)
    assert result.shape == (256, 256, 3)
    assert result.dtype == np.uint8
    assert (result[:, :62] == 0).all()
    assert (result[:, -62:] == 0).all()
    assert (result[2:-2, 68:188] == (180, 90, 80)).all()


def test_components_that_touch_at_a_corner_are_two() -> None:
    image = np.zeros((64, 64, 3), np.uint8)
    image[0:40, 0:40] = 100
    image[40:60, 40:60] = 200  # joined by a corner only: 4-connected means apart
    assert (standard_frame(image) == 100).all()


def test_a_black_frame_stays_black() -> None:
    assert (standard_frame(np.zeros((90, 120, 3), np.uint8)) == 0).all()
    assert standard_frame(np.zeros((90, 120, 3), np.uint8)).shape == (256, 256, 3)
