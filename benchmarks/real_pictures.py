"""Figures of the evaluation on real tissue: `python -m benchmarks.real_pictures SEQUENCES --work FOLDER`.

Each figure is made twice: over the frames, in FOLDER, for those who have the data; and on a plain background, in
docs/img, because the data may not be published with the program. Prints the Markdown that shows them.

- `real_motion`: a pair of each test sequence. Ten matches (ring: first frame, dot: second), and for each the epipolar
  line of our motion. The outline is the mask.
- `real_masks`: hand-drawn (thick) and detected (thin) outlines of all sequences.
- `real_kept`: a bar for each frame of each sequence: kept, non-informative, forceps, or within a second of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from collections.abc import Sequence as Several
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.real_masks import DRAWN, drawn, found, whole
from benchmarks.real_matches import SIDE, MatchedPair, matched_pairs, sequence_at
from benchmarks.real_motion import errors, estimate
from haustra.core.arrays import FloatArray, Image
from haustra.core.vocabulary import Reason
from haustra.lab.datasets.real_sequences import PLAYED_HZ, REPORTED, TRAINING
from haustra.motion import canonical_K, open_motion
from haustra.motion.canonical import rays
from haustra.motion.epipolar_geometry import essential
from haustra.quality import QualityModel, assess_recording
from haustra.video import open_recording

Colour = tuple[int, int, int]
IMAGES = Path(__file__).parents[1] / "docs" / "img"
PAPER, INK = (252, 252, 250), (40, 40, 40)
LINES = 10
SHOWN_PX = 10.0  # the pair of each sequence with image motion nearest to this
SHIFT = 4  # cv2 draws at sixteenths of a pixel
CAPTIONS = {
    "real_motion": "Matches of six real pairs (ring to dot) and the epipolar lines of our motion",
    "real_masks": "Outlines of the picture in 13 real sequences, by hand (thick) and found (thin)",
    "real_kept": "Frames of 13 real sequences: kept or dropped, and why",
}
BARS: dict[str, Colour] = {
    Reason.KEPT: (70, 150, 90),
    Reason.NON_INFORMATIVE: (170, 170, 170),
    Reason.FORCEPS: (200, 60, 50),
    Reason.BIOPSY: (230, 160, 80),
}


def colours(count: int) -> list[Colour]:
    """Distinct colours, dark enough for a white background."""
    hues = np.array([[[180 * i // count, 200, 190] for i in range(count)]], np.uint8)
    return [tuple(int(v) for v in rgb) for rgb in cv2.cvtColor(hues, cv2.COLOR_HSV2RGB)[0]]


def spread(points: FloatArray, count: int) -> list[int]:
    """Indices of well separated points (farthest-point sampling)."""
    chosen = [int(np.argmin(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
    away = np.full(len(points), np.inf)
    while len(chosen) < min(count, len(points)):
        away = np.minimum(away, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(np.argmax(away)))
    return chosen


def outline(canvas: Image, mask: NDArray[np.bool_], colour: Colour, width: int) -> None:
    curves, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    cv2.drawContours(canvas, curves, -1, colour, width, cv2.LINE_AA)


def draw_pair(canvas: Image, mask: NDArray[np.bool_], pair: MatchedPair, T_a_b: FloatArray) -> Image:
    """Ten matches with the epipolar lines of our motion, within the mask."""
    K = canonical_K(SIDE)
    chosen = spread(pair.a, LINES)
    lines = rays(pair.a[chosen], K) @ essential(T_a_b).T @ np.linalg.inv(K)
    drawn_lines = canvas.copy()
    for line, colour in zip(lines, colours(LINES), strict=False):
        ends = line_ends(line)
        cv2.line(drawn_lines, ends[0], ends[1], colour, 1, cv2.LINE_AA, SHIFT)
    canvas = np.where(mask[..., None], drawn_lines, canvas)
    for i, colour in zip(chosen, colours(LINES), strict=False):
        a, b = (tuple(int(v) for v in np.round(p * 2**SHIFT)) for p in (pair.a[i], pair.b[i]))
        cv2.line(canvas, a, b, colour, 2, cv2.LINE_AA, SHIFT)
        cv2.circle(canvas, a, 5 << SHIFT, colour, 1, cv2.LINE_AA, SHIFT)
        cv2.circle(canvas, b, 3 << SHIFT, colour, -1, cv2.LINE_AA, SHIFT)
    outline(canvas, mask, INK, 1)
    return canvas


def line_ends(line: FloatArray) -> list[tuple[int, int]]:
    """Two points far outside the picture on l0 x + l1 y + l2 = 0, in sixteenths of a pixel."""
    normal = line[:2] / np.linalg.norm(line[:2])
    foot = -line[2] / np.linalg.norm(line[:2]) * normal
    along = np.array([-normal[1], normal[0]])
    foot = foot + along * float(along @ (np.full(2, SIDE / 2) - foot))
    points = [foot + way * along for way in (-2 * SIDE, 2 * SIDE)]
    return [(round(x * 2**SHIFT), round(y * 2**SHIFT)) for x, y in points]


def motion_sheets(folder: Path, work: Path) -> tuple[Image, Image]:
    """Over the frames, and on a plain background."""
    pairs = list(matched_pairs(folder, REPORTED, work))
    picked = [min((p for p in pairs if p.sequence == n), key=lambda p: abs(p.moves_px - SHOWN_PX)) for n in REPORTED]
    motions = estimate(open_motion(), folder, picked)
    scores = errors(picked, motions)
    over: list[Image] = []
    plain: list[Image] = []
    for pair, T_a_b, score in zip(picked, motions, scores, strict=True):
        sequence = sequence_at(folder / pair.sequence, SIDE)
        text = f"{pair.sequence}: moves {pair.moves_px:.0f} px, ours {score[0]:.2f}, best {score[1]:.2f} px"
        grounds = (sequence.frames[pair.first + 1], np.full((SIDE, SIDE, 3), PAPER, np.uint8))
        for sheet, ground in zip((over, plain), grounds, strict=True):
            sheet.append(titled(draw_pair(ground.copy(), sequence.mask, pair, T_a_b), text))
    return tiled(over, 3), tiled(plain, 3)


def mask_sheets(folder: Path, width: int = 256) -> tuple[Image, Image]:
    over: list[Image] = []
    plain: list[Image] = []
    for name in DRAWN:
        picture = found(folder / name)
        frame = next(open_recording(folder / name, fps=PLAYED_HZ).frames(rate_hz=None)).image
        height = round(width * frame.shape[0] / frame.shape[1])
        masks = [m.astype(np.uint8) for m in (drawn(name, frame.shape[:2]), whole(picture))]
        true, mask = (cv2.resize(m, (width, height), interpolation=cv2.INTER_AREA) > 0 for m in masks)
        small = np.asarray(cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        for sheet, ground in ((over, small), (plain, np.full_like(small, PAPER))):
            canvas = np.full((width * 4 // 5 + 4, width, 3), PAPER, np.uint8)  # 5:4 is the tallest
            canvas[:height] = ground
            outline(canvas[:height], true, (240, 170, 60), 4)
            outline(canvas[:height], mask, (30, 90, 200), 1)
            sheet.append(titled(canvas, name))
    return tiled(over, 5), tiled(plain, 5)


def kept_sheets(folder: Path, bar: int = 18, high: int = 22) -> tuple[Image, Image]:
    """A strip per sequence; over the frames, each frame above its bar."""
    model = QualityModel()
    over: list[Image] = []
    plain: list[Image] = []
    for name in (*TRAINING, *REPORTED):
        recording = open_recording(folder / name, fps=PLAYED_HZ)
        reasons = assess_recording(recording, model).reason
        strip = np.full((high, 50 * bar, 3), PAPER, np.uint8)
        for i, reason in enumerate(reasons):
            strip[3:-1, i * bar : (i + 1) * bar - 2] = BARS.get(reason, INK)
        plain.append(beside(name, strip))
        frames = [frame.image for frame in recording.frames(rate_hz=None, size=(5 * bar, 4 * bar))]
        wide = np.asarray(cv2.resize(strip, None, fx=5, fy=1, interpolation=cv2.INTER_NEAREST), np.uint8)
        pictures = np.full((4 * bar, wide.shape[1], 3), PAPER, np.uint8)
        pictures[:, : len(frames) * 5 * bar] = np.concatenate(frames, axis=1)
        over.append(beside(name, np.concatenate([pictures, wide])))
    return np.concatenate(over), np.concatenate([*plain, legend(plain[0].shape[1])])


def legend(width: int) -> Image:
    canvas = np.full((30, width, 3), PAPER, np.uint8)
    for number, (reason, colour) in enumerate(BARS.items()):
        left = 70 + 170 * number
        canvas[10:24, left : left + 16] = colour
        cv2.putText(canvas, reason or "kept", (left + 22, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.45, INK, 1, cv2.LINE_AA)
    return canvas


def beside(text: str, strip: Image) -> Image:
    label = np.full((len(strip), 70, 3), PAPER, np.uint8)
    cv2.putText(label, text, (6, len(strip) - 6), cv2.FONT_HERSHEY_SIMPLEX, 0.45, INK, 1, cv2.LINE_AA)
    return np.concatenate([label, strip], axis=1)


def titled(picture: Image, text: str) -> Image:
    head = np.full((24, picture.shape[1], 3), PAPER, np.uint8)
    cv2.putText(head, text, (4, 17), cv2.FONT_HERSHEY_SIMPLEX, 0.42, INK, 1, cv2.LINE_AA)
    return np.concatenate([head, picture])


def tiled(pictures: Several[Image], columns: int) -> Image:
    blank = np.full_like(pictures[0], PAPER)
    filled = [*pictures, *[blank] * (-len(pictures) % columns)]
    framed = [cv2.copyMakeBorder(p, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=PAPER) for p in filled]
    rows = [np.concatenate(framed[i : i + columns], axis=1) for i in range(0, len(framed), columns)]
    return np.concatenate(rows)


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--work", type=Path, required=True, help="where matches are kept and figures over frames are written"
    )
    options = parser.parse_args()
    sheets: dict[str, Callable[[], tuple[Image, Image]]] = {
        "real_motion": lambda: motion_sheets(options.folder, options.work),
        "real_masks": lambda: mask_sheets(options.folder),
        "real_kept": lambda: kept_sheets(options.folder),
    }
    for name, draw in sheets.items():
        over, plain = draw()
        cv2.imwrite(str(options.work / f"{name}_frames.png"), over[..., ::-1])
        cv2.imwrite(str(IMAGES / f"{name}.png"), plain[..., ::-1], [cv2.IMWRITE_PNG_COMPRESSION, 9])
        print(f"![{CAPTIONS[name]}](../img/{name}.png)\n\n{CAPTIONS[name]}.\n")


if __name__ == "__main__":
    main()
