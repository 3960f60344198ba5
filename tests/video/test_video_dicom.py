"""The stream inside a DICOM endoscopy video."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from video_files import number_of, write_video

from haustra.core.errors import HaustraError
from haustra.video import open_recording

pydicom = pytest.importorskip("pydicom")
H264, MPEG2, JPEG = (f"1.2.840.10008.1.2.4.{number}" for number in (102, 100, 50))


def wrap(stream: Path, path: Path, syntax: str = H264, pieces: int = 7) -> Path:
    """The stream as a DICOM video in several fragments, with a frame time of 1/30 s and a patient."""
    from pydicom.encaps import itemize_fragment

    meta = pydicom.dataset.FileMetaDataset()
    meta.TransferSyntaxUID = syntax
    meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.77.1.1.1"
    meta.MediaStorageSOPInstanceUID = "1.2.3.4"
    dataset = pydicom.Dataset()
    dataset.file_meta = meta
    dataset.SOPClassUID, dataset.SOPInstanceUID = meta.MediaStorageSOPClassUID, "1.2.3.4"
    dataset.PatientName, dataset.FrameTime = "Secret^Patient", 1000 / 30
    data = stream.read_bytes()
    step = -(-len(data) // pieces) // 2 * 2 + 2  # fragments have even lengths
    items = [itemize_fragment(_even(data[at : at + step])) for at in range(0, len(data), step)]
    dataset.PixelData = b"\xfe\xff\x00\xe0" + bytes(4) + b"".join(items)
    dataset["PixelData"].VR = "OB"
    dataset["PixelData"].is_undefined_length = True
    dataset.save_as(path, enforce_file_format=True)
    return path


def _even(data: bytes) -> bytes:
    return data + b"\0" * (len(data) % 2)


@pytest.mark.parametrize(
    ("name", "syntax"), [("a.h264", H264), ("a.mp4", H264), ("a.ts", H264 + ".1"), ("a.m2v", MPEG2), ("a.mpg", MPEG2)]
)
def test_the_stream_is_read_whatever_it_is_wrapped_in(tmp_path: Path, name: str, syntax: str) -> None:
    codec = "mpeg2video" if name.endswith("m2v") else None
    path = wrap(write_video(tmp_path / name, 90, codec=codec), tmp_path / "a.dcm", syntax)
    recording = open_recording(path)
    frames = list(recording.frames())
    assert [number_of(f.image) for f in frames] == list(range(0, 90, 2))
    assert [f.time_s for f in frames] == pytest.approx([k / 15 for k in range(45)], abs=1e-3)
    assert [number_of(f.image) for f in recording.frames(start_s=1.0)] == list(range(30, 90, 2))


def test_the_header_tells_the_rate_of_a_stream_without_stamps(tmp_path: Path) -> None:
    path = wrap(write_video(tmp_path / "a.h264", 40, fps=25), tmp_path / "a.dcm")
    assert open_recording(path).frame_rate == pytest.approx(30)


def test_a_file_cut_off_gives_what_it_has(tmp_path: Path) -> None:
    path = wrap(write_video(tmp_path / "a.ts", 90), tmp_path / "a.dcm")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert 10 < len(list(open_recording(path).frames())) < 40


def test_other_dicom_files_are_told(tmp_path: Path) -> None:
    path = wrap(write_video(tmp_path / "a.h264", 10), tmp_path / "a.dcm", JPEG)
    with pytest.raises(HaustraError, match="without video"):
        open_recording(path)
    (tmp_path / "b.dcm").write_bytes(bytes(128) + b"DICM" + b"\xff" * 40)
    with pytest.raises(HaustraError):
        open_recording(tmp_path / "b.dcm")


def test_the_command_shows_nothing_about_the_patient(tmp_path: Path) -> None:
    path = wrap(write_video(tmp_path / "a.mp4", 30), tmp_path / "a.dcm")
    for arguments in ([], ["--json"]):
        command = [sys.executable, "-m", "haustra", "info", str(path), *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "30" in done.stdout
        assert "Secret" not in done.stdout + done.stderr
