"""Named settings of the two networks: everything a run depends on besides its data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from haustra.core.errors import HaustraError


@dataclass(frozen=True)
class QualityConfig:
    """`l2`: the paper's L2 regularisation; `frozen_blocks`: blocks of the small network that keep ImageNet weights."""

    network: str
    size: int
    steps: int
    batch: int
    lr: float
    dropout: float
    l2: float
    frozen_blocks: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.size % 32 or self.size < 96:
            raise HaustraError(f"the input size is {self.size}: it must be a multiple of 32 and at least 96")
        for name in ("steps", "batch", "lr"):
            if not getattr(self, name) > 0:
                raise HaustraError(f"{name} is {getattr(self, name)}: it must be above 0")
        if not 0 <= self.dropout < 1 or self.l2 < 0:
            raise HaustraError(f"dropout {self.dropout} and l2 {self.l2}: allowed are 0 to below 1, and 0 or more")


CONFIGS = {
    "lite": QualityConfig("lite", 160, 1200, 16, 5e-4, 0.3, 1e-5, frozen_blocks=5),
    # Learning rate, batch, dropout and L2 as chosen in the paper by 5-fold cross-validation (section "Model training").
    "inception_v3": QualityConfig("inception_v3", 256, 3000, 8, 1e-3, 0.4, 1e-4),
}


def configuration(network: str, **changes: Any) -> QualityConfig:
    """The named settings with the user's overrides."""
    if network not in CONFIGS:
        raise HaustraError(f"unknown network '{network}': allowed are {', '.join(CONFIGS)}")
    return replace(CONFIGS[network], **{key: value for key, value in changes.items() if value is not None})
