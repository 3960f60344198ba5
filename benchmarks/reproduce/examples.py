"""Example pairs as pictures: specular masks, disparity, synthesised frames, error maps."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from benchmarks.reproduce.networks import network
from benchmarks.reproduce.parts import Place
from haustra.core.arrays import Image
from haustra.core.files import replacing
from haustra.core.onnx import open_model
from haustra.lab.training.motion.config import CONFIGS, DEFAULT_CONFIG
from haustra.lab.training.motion.evaluate_network import estimate_shard
from haustra.lab.training.motion.losses import specular_target
from haustra.lab.training.motion.pair_batch import Batch, make_batch
from haustra.lab.training.motion.pairs import PairSet, PairShard
from haustra.lab.training.motion.step import make_warps
from haustra.motion import MotionEstimator
from haustra.motion.estimator import DisparityCard
from haustra.motion.methods import OURS

GAP, CAPTION = 4, 20
WORST = 0.25  # difference of brightness at the end of the colour scale
QUALITY = (cv2.IMWRITE_JPEG_QUALITY, 92)
STEADY = 0.01  # largest change of mean brightness: larger ones are automatic gain and hide the effect of highlights


class Seen:
    """One pair through our networks: both pictures, masks, disparity and I_hat(t+1)."""

    def __init__(self, place: Place, shard: PairShard, pair: int) -> None:
        weights = network(OURS, place)
        self.batch: Batch = make_batch(PairSet([shard]).read(np.array([pair])))
        motions = estimate_shard(MotionEstimator(weights), shard)
        forward, backward = (
            torch.from_numpy(m[pair : pair + 1].astype(np.float32)) for m in (motions.forward, motions.backward)
        )
        model = open_model(weights.with_name("disparity.onnx"), DisparityCard)
        found = [model.run(picture.numpy()) for picture in (self.batch.I_t, self.batch.I_t1)]
        disparity = torch.cat([torch.from_numpy(maps[0]) for maps in found])
        self.disparity, self.tissue = found[0][0][0, 0], torch.from_numpy(found[1][1])
        _, to_t1 = make_warps(disparity, forward, backward, self.batch)
        self.valid, self.warped = to_t1.valid, to_t1(self.batch.I_t)

    def error(self, made: Tensor, mask: Tensor | None = None) -> Image:
        """Difference from I(t+1) on valid pixels, where `mask` is 1."""
        difference = (made - self.batch.I_t1).abs().mean(dim=1, keepdim=True) * self.valid
        return heat((difference if mask is None else difference * mask)[0, 0].numpy() / WORST)


def specular_example(place: Place, shard: PairShard) -> str:
    """Rows: pairs with many highlights."""
    rows = []
    for pair in shiniest(shard, 2):
        seen = Seen(place, shard, pair)
        by_threshold = specular_target(seen.batch.I_t1, CONFIGS[DEFAULT_CONFIG].specular_target)
        rows.append(
            {
                "I(t+1)": rgb(seen.batch.I_t1),
                "threshold": grey(by_threshold),
                "estimated": grey(seen.tissue),
                "error": seen.error(seen.warped),
                "error, masked": seen.error(seen.warped, seen.tissue),
            }
        )
    return write_sheet(place, "specular.jpg", rows)


def estimation_example(place: Place, test: Sequence[PairShard]) -> str:
    """Rows: the pair of each recording at the 90th percentile of image motion."""
    rows = []
    for shard in test:
        seen = Seen(place, shard, moving(shard))
        rows.append(
            {
                "I(t)": rgb(seen.batch.I_t),
                "I(t+1)": rgb(seen.batch.I_t1),
                "disparity(t)": heat(_unit(seen.disparity), cv2.COLORMAP_VIRIDIS),
                "synthesised I(t+1)": rgb(seen.warped * seen.valid),
                "error I(t), I(t+1)": seen.error(seen.batch.I_t),
                "error synthesised": seen.error(seen.warped),
            }
        )
    return write_sheet(place, "estimation.jpg", rows)


def shiniest(shard: PairShard, count: int) -> list[int]:
    """Well separated pairs at constant exposure with the most highlights in the second picture."""
    frames = torch.from_numpy(np.moveaxis(shard.frames[shard.pairs[:, 1]], -1, 1)).float() / 255
    light = shard.frames.mean(axis=(1, 2, 3)) / 255
    steady = np.abs(light[shard.pairs[:, 1]] - light[shard.pairs[:, 0]]) < STEADY
    tissue = specular_target(frames, CONFIGS[DEFAULT_CONFIG].specular_target)
    highlights = np.where(steady, 1 - tissue.mean(dim=(1, 2, 3)).numpy(), 0.0)
    parts = np.array_split(np.arange(len(highlights)), count)
    return [int(part[np.argmax(highlights[part])]) for part in parts]


def moving(shard: PairShard) -> int:
    """The pair at the 90th percentile of mean flow."""
    length = np.array([np.abs(np.asarray(flow[0], np.float32)).mean() for flow in shard.flow])
    return int(np.argsort(length)[int(0.9 * (len(length) - 1))])


def write_sheet(place: Place, name: str, rows: Sequence[dict[str, Image]]) -> str:
    """Pictures in a grid with captions; returns the file name."""
    side = next(iter(rows[0].values())).shape[0]
    step = side + GAP
    sheet = np.full((CAPTION + step * len(rows), step * len(rows[0]) - GAP, 3), 255, np.uint8)
    for i, row in enumerate(rows):
        for j, (title, picture) in enumerate(row.items()):
            sheet[CAPTION + i * step : CAPTION + i * step + side, j * step : j * step + side] = picture
            if i == 0:
                at, font = (j * step + 2, CAPTION - 6), cv2.FONT_HERSHEY_SIMPLEX
                cv2.putText(sheet, title, at, font, 0.36, (20, 20, 20), 1, cv2.LINE_AA)
    with replacing(place.pictures / name) as temporary:
        temporary.write_bytes(cv2.imencode(".jpg", sheet[..., ::-1], QUALITY)[1].tobytes())
    return name


def rgb(picture: Tensor) -> Image:
    return np.asarray((picture[0].clamp(0, 1) * 255).byte().permute(1, 2, 0).numpy())


def grey(mask: Tensor) -> Image:
    return rgb(mask.expand(1, 3, *mask.shape[-2:]))


def heat(values: NDArray[np.float32], colours: int = cv2.COLORMAP_INFERNO) -> Image:
    """0 to 1 as a colour map."""
    scaled = (np.clip(values, 0, 1) * 255).astype(np.uint8)
    return np.asarray(cv2.applyColorMap(scaled, colours)[..., ::-1], np.uint8)


def _unit(values: NDArray[np.float32]) -> NDArray[np.float32]:
    low, high = np.percentile(values, [2, 98])
    return np.asarray((values - low) / max(float(high - low), 1e-9), np.float32)
