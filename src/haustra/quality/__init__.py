"""Stage 2: which frames to trust (paper, section "Image classification"): informative or not, forceps or not."""

from __future__ import annotations

from haustra.quality.assess import Assessment, assess_pictures, assess_recording
from haustra.quality.cover import Cover
from haustra.quality.decide import WIDEN_S, Thresholds, decide, decided
from haustra.quality.frames import fitted_size, picture_box, prepare
from haustra.quality.judge import Judge
from haustra.quality.model import Chances, QualityModel
from haustra.quality.prefilter import PreFilter
from haustra.quality.sparse import ask_sparsely

__all__ = [
    "WIDEN_S",
    "Assessment",
    "Chances",
    "Cover",
    "Judge",
    "PreFilter",
    "QualityModel",
    "Thresholds",
    "ask_sparsely",
    "assess_pictures",
    "assess_recording",
    "decide",
    "decided",
    "fitted_size",
    "picture_box",
    "prepare",
]
