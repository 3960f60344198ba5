"""End-point error of every flow method on simulated truth, per difficulty: `python -m benchmarks.flow_error PAIRS`.

PAIRS is a folder made by `haustra train pairs`; its validation colons are used. Difficulty is the mean true motion.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch

from haustra.evaluate.tables import text_table
from haustra.files import write_json
from haustra.flow import FLOW_NAMES, endpoint_error, open_flow
from haustra.training.flow.trainer import true_flow
from haustra.training.motion.batch import make_batch
from haustra.training.motion.pairs import find_shards, split_validation

RESULTS = Path(__file__).parent / "results" / "flow_error.json"
BINS = {"below 1 px": (0.0, 1.0), "1 to 4 px": (1.0, 4.0), "4 to 10 px": (4.0, 10.0), "above 10 px": (10.0, np.inf)}


def run(pairs: Path, count: int, pwcnet: Path | None) -> dict[str, Any]:
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    _, validation = split_validation(find_shards(pairs))
    arrays = validation.read(np.linspace(0, len(validation) - 1, min(count, len(validation))).astype(np.int64))
    truth, known = true_flow(make_batch(arrays))
    flows, masks = truth.permute(0, 2, 3, 1).numpy(), known[:, 0].numpy() > 0
    motion = np.array([endpoint_error(np.zeros_like(f), f, m) for f, m in zip(flows, masks, strict=True)])
    rows: dict[str, Any] = {}
    for name in FLOW_NAMES:
        method = open_flow(name, weights=pwcnet if name == "pwcnet" else None)
        start = time.process_time()
        found = [method(a, b) for a, b in arrays.frames]
        cpu_ms = 1000 * (time.process_time() - start) / len(found)
        errors = np.array([endpoint_error(f, t, m) for f, t, m in zip(found, flows, masks, strict=True)])
        bins = {label: (motion >= low) & (motion < high) for label, (low, high) in BINS.items()}
        rows[name] = {label: float(errors[chosen].mean()) if chosen.any() else None for label, chosen in bins.items()}
        rows[name] |= {"all": float(errors.mean()), "cpu_ms": cpu_ms}
    pairs_in = {label: int(((motion >= low) & (motion < high)).sum()) for label, (low, high) in BINS.items()}
    return {"size": validation.size, "pairs": pairs_in, "rows": rows}


def flow_table(found: dict[str, Any]) -> str:
    columns = [*BINS, "all", "cpu_ms"]
    rows = [
        [name, *("-" if row[column] is None else f"{row[column]:.2f}" for column in columns)]
        for name, row in found["rows"].items()
    ]
    return text_table(["method", *columns], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--pwcnet", type=Path, help="a trained pwcnet.onnx (default: the shipped one)")
    options = parser.parse_args()
    found = run(options.pairs, options.count, options.pwcnet)
    write_json(RESULTS, found)
    print(flow_table(found))


if __name__ == "__main__":
    main()
