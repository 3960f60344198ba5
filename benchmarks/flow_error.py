"""End-point error of every flow method on simulated truth, per difficulty: `python -m benchmarks.flow_error PAIRS`.

PAIRS is a folder made by `haustra train pairs` with its own seed, so that no network was trained on its colons. A pair
is difficult with large motion, little detail (blur, bare wall, bad exposure) or many highlights.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.flow import FLOW_NAMES, endpoint_error, open_flow
from haustra.lab.evaluate.text_table import text_table
from haustra.lab.training.flow.trainer import true_flow
from haustra.lab.training.motion.pair_batch import make_batch
from haustra.lab.training.motion.pairs import PairSet, find_shards

Array = NDArray[Any]
MOTION_PX = {
    "below 1 px": (0.0, 1.0),
    "1 to 4 px": (1.0, 4.0),
    "4 to 10 px": (4.0, 10.0),
    "above 10 px": (10.0, np.inf),
}


def run(folder: Path, count: int, pwcnet: Path | None) -> str:
    """Two tables: by motion, and by image content."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    shards = find_shards(folder)
    if not shards:
        raise HaustraError(f"no frame pair was found in {folder}: make some with `haustra train pairs`")
    pairs = PairSet(shards)
    arrays = pairs.read(np.linspace(0, len(pairs) - 1, min(count, len(pairs))).astype(np.int64))
    truth, known = true_flow(make_batch(arrays))
    flows, masks = truth.permute(0, 2, 3, 1).numpy(), known[:, 0].numpy() > 0

    def errors(found: Array) -> Array:
        return np.array([endpoint_error(f, t, m) for f, t, m in zip(found, flows, masks, strict=True)])

    motion = errors(np.zeros_like(flows))
    rows: dict[str, tuple[Array, str]] = {"no flow at all": (motion, "-")}
    for name in FLOW_NAMES:
        found, cpu_ms = _timed(open_flow(name, weights=pwcnet if name == "pwcnet" else None), arrays.frames)
        rows[name] = errors(found), f"{cpu_ms:.1f}"
    by_motion = {label: (motion >= low) & (motion < high) for label, (low, high) in MOTION_PX.items()}
    lead = (
        f"{len(arrays.frames)} pairs of {len(shards)} colons at {pairs.size}x{pairs.size}; end-point error in pixels.\n"
    )
    return "\n".join([lead, _table(rows, by_motion), "", _table(rows, _by_picture(arrays.frames, arrays.masks))])


def _timed(method: Callable[[Array, Array], Array], frames: Array) -> tuple[Array, float]:
    start = time.process_time()
    found = np.stack([method(a, b) for a, b in frames])
    return found, 1000 * (time.process_time() - start) / len(found)


def _by_picture(frames: Array, masks: Array) -> dict[str, NDArray[np.bool_]]:
    """Thirds of the pairs by detail of the first picture, and the third with most highlights."""
    detail = np.array([_detail(pair[0], mask[0]) for pair, mask in zip(frames, masks, strict=True)])
    shine = np.array([_shine(pair[0], mask[0]) for pair, mask in zip(frames, masks, strict=True)])
    low, high = np.quantile(detail, (1 / 3, 2 / 3))
    return {
        "third with least detail": detail <= low,
        "third with most detail": detail > high,
        "third with most highlights": shine > np.quantile(shine, 2 / 3),
    }


def _detail(picture: Array, mask: Array) -> float:
    """Standard deviation of the Laplacian away from the edge of the lens."""
    inner = cv2.erode(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    return float(cv2.Laplacian(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), cv2.CV_32F)[inner].std())


def _shine(picture: Array, mask: Array) -> float:
    """Share of bright unsaturated pixels, as in the specular target of the losses."""
    saturation, value = cv2.split(cv2.cvtColor(picture, cv2.COLOR_RGB2HSV))[1:]
    return float(((saturation < 26) & (value > 127))[mask].mean())


def _table(rows: dict[str, tuple[Array, str]], groups: dict[str, NDArray[np.bool_]]) -> str:
    cells = [
        [name, *(f"{errors[g].mean():.2f}" if g.any() else "-" for g in groups.values()), f"{errors.mean():.2f}", cpu]
        for name, (errors, cpu) in rows.items()
    ]
    header = ["method", *(f"{label} ({int(g.sum())})" for label, g in groups.items()), "all", "CPU ms a pair"]
    return text_table(header, cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--pwcnet", type=Path, help="a trained pwcnet.onnx (default: the shipped one)")
    options = parser.parse_args()
    print(run(options.pairs, options.count, options.pwcnet))


if __name__ == "__main__":
    main()
