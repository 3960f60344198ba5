"""Numbers of a file are within what a colonoscopy can be, or refused in one line."""

from __future__ import annotations

import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from haustra.anatomy.colon_map import Marker, colon_map_svg
from haustra.anatomy.findings_file import read_findings
from haustra.anatomy.template import load_template
from haustra.camera.import_file import import_camera
from haustra.core.errors import HaustraError
from haustra.core.files import write_json
from haustra.core.onnx import shipped
from haustra.core.times import parse_time
from haustra.path.indices import read_scopeguide
from haustra.quality.labelled import read_samples
from haustra.quality.quality_model import QualityModel
from haustra.results.journal import MOST_UNPACKED, load_observations

CAMERA = {"model": "scaramuzza", "width": 320, "height": 320, "center": [160, 160], "coefficients": [150.0, 0.0, -1e-3]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"width": 10**9}, "'width' is 1000000000: it must be from 1 to 16384 pixels"),
        ({"width": "320"}, "'width' is '320': expected 'int', got 'str'"),
        ({"center": [1e300, 0]}, "'center' holds"),
        ({"coefficients": [150.0] + [0.0] * 40}, "'coefficients' has 41 numbers"),
        ({"coefficients": [150.0, 0.0, 0.0, 1e9]}, "pixels in a corner: no lens does"),
        ({"stretch": [[1e-9, 0], [0, 1]]}, "with a positive determinant"),
    ],
)
def test_a_camera_is_what_a_lens_can_be(change: dict[str, object], said: str, tmp_path: Path) -> None:
    write_json(tmp_path / "camera.json", CAMERA)
    import_camera(tmp_path / "camera.json")
    write_json(tmp_path / "camera.json", CAMERA | change)
    with pytest.raises(HaustraError, match=said):
        import_camera(tmp_path / "camera.json")


@pytest.mark.parametrize("size", [40_000, 15, 160.5, "160"])
def test_a_network_says_what_its_input_can_be(size: object, tmp_path: Path) -> None:
    import json

    onnx = pytest.importorskip("onnx")
    model = onnx.load(str(shipped("quality_lite")))
    said = json.loads(model.metadata_props[0].value)
    model.metadata_props[0].value = json.dumps(said | {"size": size})
    onnx.save(model, str(tmp_path / "own.onnx"))
    with pytest.raises(HaustraError, match=r"own\.onnx: 'size' is .*: expected 'int'"):
        QualityModel(tmp_path / "own.onnx")


def test_a_network_whose_outputs_are_others_is_refused(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load(str(shipped("quality_lite")))
    first, second = model.graph.output
    names = first.name, second.name
    swapped = [onnx.helper.make_tensor_value_info(name, 1, ["batch"]) for name in reversed(names)]
    del model.graph.output[:]
    model.graph.output.extend(swapped)
    onnx.save(model, str(tmp_path / "own.onnx"))
    with pytest.raises(
        HaustraError, match="has the outputs forceps, noninformative: needed is noninformative, forceps"
    ):
        QualityModel(tmp_path / "own.onnx")


@pytest.mark.parametrize("text", ["48:00:01", "172801", "9" * 25, "1e5"])
def test_no_time_is_later_than_two_days(text: str) -> None:
    with pytest.raises(HaustraError, match="is not a time"):
        parse_time(text)


def test_findings_and_lengths_have_ranges(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("time_s,label,size_mm\n5,polyp,501\n")
    with pytest.raises(HaustraError, match="line 2: the size_mm '501' is not possible: write a number from 0 to 500"):
        read_findings(tmp_path / "f.csv")
    (tmp_path / "s.csv").write_text("time_s,length_cm\n0,90\n1,1e9\n")
    with pytest.raises(HaustraError, match=r"has 1e\+09: times are"):
        read_scopeguide(tmp_path / "s.csv")


def test_a_picture_holds_no_character_that_xml_cannot() -> None:
    markers = [Marker(0.5, "polyp \x1b[2J\x00 <b>", 1.0, "po\x07lyp", 0.1)]
    picture = colon_map_svg(load_template("paper-set2"), markers, notes={}, title="a\x08b \ufffe")
    assert "polyp [2J &lt;b&gt;" in "".join(ET.tostring(ET.fromstring(picture), encoding="unicode"))


def test_observations_that_unpack_to_more_than_a_day_are_none(tmp_path: Path) -> None:
    whole = zipfile.ZipFile(tmp_path / "o.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with whole as archive, archive.open("observed.npy", "w", force_zip64=True) as file:
        for _ in range(MOST_UNPACKED // (16 << 20) + 1):
            file.write(bytes(16 << 20))
    assert load_observations(tmp_path / "o.npz", "x") is None
    np.savez(tmp_path / "p.npz", observed=np.array(["x"], object))  # a pickle
    assert load_observations(tmp_path / "p.npz", "x") is None


def test_a_picture_that_says_it_is_huge_is_refused(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(bytes(1000))), chunk(b"IEND", b"")]
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
    command = [sys.executable, "-m", "haustra", "undistort", str(tmp_path / "a.png"), "-o", str(tmp_path / "out")]
    ended = subprocess.run([*command, "--camera", "generic"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "is not a picture that can be read" in ended.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("keyword", "value"), [("FrameTime", ["1", "2"]), ("CineRate", "99999"), ("FrameTime", "1e-9")]
)
def test_a_rate_that_cannot_be_is_passed_over(keyword: str, value: object) -> None:
    pydicom = pytest.importorskip("pydicom")
    from haustra.video.dicom import _frames_a_second

    header = pydicom.Dataset()
    setattr(header, keyword, value)
    header.RecommendedDisplayFrameRate = "25"
    assert _frames_a_second(header) == 25


def test_a_short_row_of_labelled_frames_is_one_line(tmp_path: Path) -> None:
    """Found by atheris."""
    (tmp_path / "frames.csv").write_text("video,time_s,label\na.mp4\n")
    with pytest.raises(HaustraError, match="'' is not a time"):
        read_samples([tmp_path / "frames.csv"])
