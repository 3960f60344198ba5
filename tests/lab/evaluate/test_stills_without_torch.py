"""Evaluating on real stills is inference: it runs where torch is not installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np

from haustra.lab.evaluate.labelled_stills import LIST

WITHOUT_TORCH = """
import sys

class NoTorch:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "torch":
            raise ImportError(name)

sys.meta_path.insert(0, NoTorch())
from haustra.cli.commands import app
app(["evaluate", "quality", "--stills", sys.argv[1], "--json"])
"""


def test_stills_are_evaluated_without_torch(tmp_path: Path) -> None:
    lists = json.loads(LIST.read_text())
    left_out = {*lists["doubtful"], *lists["same_scene_as_held_out"]}
    held_out = [number for number in range(0, 200, 5) if number not in left_out]
    good = [number for number in held_out if number not in {*lists["instrument"], *lists["noninformative"]}]
    rng = np.random.default_rng(0)
    for number in good[:3]:
        coarse = rng.normal(0, 1, (12, 12, 3)).astype(np.float32)
        picture = np.array([80, 90, 170]) + 25 * cv2.resize(coarse, (192, 192))
        cv2.imwrite(str(tmp_path / f"{number}.jpg"), np.clip(picture, 30, 255).astype(np.uint8))
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    assert "degraded stills: noninformative auc" in json.loads(done.stdout)["stills"]
