"""Settings of the learnt rivals: as published, except for image size and number of frames, which our pairs fix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from haustra.core.errors import HaustraError


@dataclass(frozen=True)
class RivalConfig:
    """`lambda_*`: published loss weights; `ssim`: share of SSIM in the photometric loss; `scales`: number of image
    scales; `width`: share of the published layer widths; `residual_steps`: steps of GeoNet's second stage, which leaves
    depth and motion unchanged, on top of `steps`."""

    name: str
    learning_rate: float
    lambda_smo: float
    ssim: float
    scales: int
    lambda_exp: float = 0.0
    lambda_geo: float = 0.0
    width: float = 1.0
    size: int = 128
    batch: int = 8
    steps: int = 20_000
    residual_steps: int = 0
    validate_every: int = 1000
    patience: int = 30


RIVALS = {
    # Zhou et al. 2017: Adam 2e-4, lambda_s 0.5 (divided by the scale), lambda_e 0.2, absolute difference alone.
    "sfmlearner": RivalConfig("sfmlearner", 2e-4, lambda_smo=0.5, ssim=0.0, scales=4, lambda_exp=0.2),
    # Yin & Shi 2018: Adam 2e-4, alpha_r 0.85, lambda_ds 0.5; second stage lambda_fs and lambda_gc 0.2 (losses.py).
    "geonet": RivalConfig("geonet", 2e-4, lambda_smo=0.5, ssim=0.85, scales=4, lambda_geo=0.2, residual_steps=2000),
    # Bian et al. 2019: Adam 1e-4, smoothness 0.1, geometry consistency 0.5, one scale.
    "sc-sfmlearner": RivalConfig("sc-sfmlearner", 1e-4, lambda_smo=0.1, ssim=0.85, scales=1, lambda_geo=0.5),
}


def rival_config(name: str, **values: Any) -> RivalConfig:
    """The published settings, overridden by the `values` that are not None."""
    if name not in RIVALS:
        raise HaustraError(f"no method '{name}' to train: choose one of ours, {', '.join(RIVALS)}")
    given = {key: value for key, value in values.items() if value is not None}
    for key in given:
        if not hasattr(RIVALS[name], key):
            raise HaustraError(f"'{name}' has no {key}: that is a setting of our own method only")
    config = replace(RIVALS[name], **given)
    for key in ("steps", "batch"):
        if getattr(config, key) < 1:
            raise HaustraError(f"{key} is {getattr(config, key)}: give at least 1")
    if not config.learning_rate > 0 or config.lambda_smo < 0 or not 0 < config.width <= 1:
        raise HaustraError(
            f"learning rate {config.learning_rate:g}, lambda_smo {config.lambda_smo:g}, width {config.width:g}: allowed"
            " are above 0, 0 or more, and above 0 to 1"
        )
    return config
