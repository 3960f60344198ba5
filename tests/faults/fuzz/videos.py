"""Short recordings in every kind of container, and how they are read: what the fuzzer damages."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from fuzz.side_files import Reader
from haustra.demo import DEMO

SECONDS, SIDE, RATE = 3, 160, 15
CONTAINERS = {
    "video.mp4": "libx264", "video.mkv": "libx264", "video.avi": "mpeg4", "video.mpg": "mpeg2video",
    "video.ts": "libx264", "video.mov": "mjpeg", "video.h264": "libx264", "video.m2v": "mpeg2video",
    "video.webm": "libvpx",
}  # fmt: skip
H264 = "1.2.840.10008.1.2.4.102"


def cut(name: str, codec: str, folder: Path) -> Path:
    """The first seconds of the bundled recording, small."""
    import av

    target = folder / name
    with av.open(str(DEMO / "video.mp4")) as given, av.open(str(target), "w") as made:
        rate = 25 if "mpeg" in codec else RATE  # MPEG-2 knows few
        stream = made.add_stream(codec, rate=rate)
        stream.width, stream.height = SIDE, SIDE
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        stream.codec_context.gop_size = 10
        for number, frame in enumerate(given.decode(video=0)):
            if number >= SECONDS * RATE:
                break
            small = frame.reformat(SIDE, SIDE, stream.pix_fmt)
            small.pts, small.time_base = number, Fraction(1, rate)
            made.mux(stream.encode(small))
        made.mux(stream.encode(None))
    return target


def dicom(folder: Path) -> None:
    """The stream in a DICOM file, with what a header may say about its rate, and a patient."""
    import pydicom
    from pydicom.encaps import encapsulate

    stream = cut("a.h264", "libx264", folder)
    meta = pydicom.dataset.FileMetaDataset()
    meta.TransferSyntaxUID, meta.MediaStorageSOPInstanceUID = H264, "1.2.3.4"
    meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.77.1.1.1"
    dataset = pydicom.Dataset()
    dataset.file_meta = meta
    dataset.SOPClassUID, dataset.SOPInstanceUID = meta.MediaStorageSOPClassUID, "1.2.3.4"
    dataset.PatientName, dataset.PatientBirthDate = "Secret^Patient", "19700101"
    dataset.CineRate, dataset.RecommendedDisplayFrameRate, dataset.FrameTime = 15, 15, 1000 / 15
    dataset.NumberOfFrames, dataset.Rows, dataset.Columns = 45, SIDE, SIDE
    dataset.PixelData = encapsulate([stream.read_bytes()])
    dataset["PixelData"].VR, dataset["PixelData"].is_undefined_length = "OB", True
    dataset.save_as(folder / "video.dcm", enforce_file_format=True)
    stream.unlink()


def _seen(name: str, folder: Path) -> None:
    """What `info` says of it, and every frame that `locate` would look at."""
    from haustra.video import open_recording
    from haustra.video.describe import describe

    recording = open_recording(folder / name)
    describe(recording)
    for frame in recording.frames(threads=2):
        assert frame.image.dtype == np.uint8


def _located(name: str, folder: Path) -> None:
    from haustra import locate

    locate(
        folder / name,
        withdrawal_start=0,
        withdrawal_end=1,
        quality="none",
        camera="generic",
        overlay=False,
        quiet=True,
        out=folder / "out",
    )


READERS: dict[str, Reader] = {
    **{name: Reader(partial(cut, name, codec), partial(_seen, name)) for name, codec in CONTAINERS.items()},
    "video.dcm": Reader(dicom, partial(_seen, "video.dcm")),
    "located mp4": Reader(partial(cut, "video.mp4", "libx264"), partial(_located, "video.mp4"), share=0.4),
    "located avi": Reader(partial(cut, "video.avi", "mpeg4"), partial(_located, "video.avi"), share=0.4),
}  # fmt: skip
