"""Do interlaced copies keep as many frames as progressive ones? `python -m benchmarks.interlaced_copies VIDEO ...`.

Both copies are encoded alike. In the interlaced one every second line comes from the next frame, and the file does not
say so: it must be detected by its combing artefacts.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2

from haustra.core.arrays import Image
from haustra.lab.evaluate.text_table import text_table
from haustra.lab.simulate.recorder import weave_fields
from haustra.quality import QualityModel, assess_recording
from haustra.video import open_recording

RATE_HZ = 15
HEADER = ("recording", "frames", "told as interlaced", "kept, progressive", "kept, interlaced", "difference")


def woven(frames: Iterable[Image]) -> Iterator[Image]:
    """Every second line from the next frame; the last frame has none."""
    before: Image | None = None
    for frame in frames:
        if before is not None:
            yield weave_fields(before, frame)
        before = frame
    if before is not None:
        yield before


def write(path: Path, frames: Iterable[Image], crf: int = 18) -> Path:
    """A video at 15 Hz without chroma subsampling, so that fields stay separate."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE_HZ, options={"crf": str(crf), "preset": "veryfast"})
        stream.pix_fmt = "yuv444p"
        for number, image in enumerate(frames):
            if not number:
                stream.height, stream.width = image.shape[:2]
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE_HZ)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def row(video: Path, model: QualityModel, work: Path) -> list[str]:
    source = open_recording(video)
    pictures = (frame.image for frame in source.frames(rate_hz=RATE_HZ))
    plain = open_recording(write(work / "progressive.mp4", pictures))
    pictures = (frame.image for frame in source.frames(rate_hz=RATE_HZ))
    mixed = open_recording(write(work / "interlaced.mp4", woven(pictures)))
    judged = [assess_recording(copy, model) for copy in (plain, mixed)]
    kept = [int(one.kept.sum()) for one in judged]
    told = " and ".join("yes" if copy.interlaced else "no" for copy in (plain, mixed))
    change = f"{100 * (kept[1] - kept[0]) / kept[0]:+.1f} %"
    name = video.parent.name if video.stem == "video" else video.stem
    return [name, str(len(judged[0].kept)), told, *(str(count) for count in kept), change]


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("videos", type=Path, nargs="+")
    options = parser.parse_args()
    model = QualityModel()
    with tempfile.TemporaryDirectory() as folder:
        print(text_table(HEADER, [row(video, model, Path(folder)) for video in options.videos]))


if __name__ == "__main__":
    main()
