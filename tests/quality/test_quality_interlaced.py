"""An interlaced copy of a recording keeps as many frames as the recording itself."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

import haustra.simulate
from haustra.quality import QualityModel, assess_recording
from haustra.video import open_recording

DEMO = Path(haustra.simulate.__file__).parent / "data" / "demo" / "video.mp4"
SECONDS = 16


def write(path: Path, frames: list[np.ndarray]) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=15, options={"crf": "18", "preset": "veryfast"})
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = "yuv444p"
        for number, image in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 15)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def test_an_interlaced_copy_keeps_as_many_frames(tmp_path: Path) -> None:
    whole = [frame.image for frame in open_recording(DEMO).frames(end_s=SECONDS)]
    woven = [frame.copy() for frame in whole]
    for frame, after in zip(woven, [*whole[1:], whole[-1]], strict=True):
        frame[1::2] = after[1::2]
    model = QualityModel("lite")
    recordings = [open_recording(write(tmp_path / f"{n}.mp4", frames)) for n, frames in enumerate((whole, woven))]
    assert [recording.interlaced for recording in recordings] == [False, True]
    kept = [int(assess_recording(recording, model).kept.sum()) for recording in recordings]
    assert kept[0] > 100
    assert abs(kept[1] - kept[0]) <= 0.03 * kept[0]
