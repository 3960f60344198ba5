"""Picture files: what is read is what was written, and what is no picture is one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.core.pictures import decode_kept, decode_picture, numbered_pictures, read_picture, write_picture

RED = np.zeros((4, 6, 3), np.uint8)
RED[..., 0] = 200


@pytest.mark.parametrize("name", ["a.png", "a.bmp", "a.tiff", "víðeo 1%02d:é.png"])
def test_a_picture_comes_back_in_rgb_whatever_its_name(tmp_path: Path, name: str) -> None:
    write_picture(tmp_path / name, RED)
    np.testing.assert_array_equal(read_picture(tmp_path / name), RED)
    grey = read_picture(tmp_path / name, grey=True)
    assert grey.shape == (4, 6)
    assert 50 < grey.mean() < 70, "a third of the light"
    write_picture(tmp_path / "grey.png", grey)
    np.testing.assert_array_equal(read_picture(tmp_path / "grey.png", grey=True), grey)


@pytest.mark.parametrize("content", [b"", b"not a picture"])
def test_what_is_no_picture_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(HaustraError, match=r"a\.png is not a picture that can be read: give \.png"):
        read_picture(tmp_path / "a.png")
    with pytest.raises(HaustraError, match="no such file"):
        read_picture(tmp_path / "b.png")
    with pytest.raises(ValueError):
        decode_picture(content)


def test_numbers_count_as_a_person_counts(tmp_path: Path) -> None:
    for name in ("f10.png", "f2.png", "f1.png", "notes.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in numbered_pictures(tmp_path)] == ["f1.png", "f2.png", "f10.png"]


def test_a_damaged_picture_of_a_result_is_one_line() -> None:
    """Found by the fuzzer in a stranger's observations.npz."""
    with pytest.raises(HaustraError, match="a picture of the result is damaged"):
        decode_kept(b"\xff\xd8 no JPEG")
