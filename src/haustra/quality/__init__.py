"""Stage 2: which frames to trust (paper, section "Image classification"): informative or not, forceps or not."""

from __future__ import annotations

from haustra.quality.assess import Assessment, assess_pictures, assess_recording
from haustra.quality.classifier import FrameClassifier
from haustra.quality.decide import WIDEN_S, Thresholds, apply_thresholds
from haustra.quality.network_input import fitted_size, picture_box, prepare
from haustra.quality.overlay_mask import OverlayMask
from haustra.quality.prefilter import prefilter, thinned
from haustra.quality.quality_model import FrameProbabilities, QualityModel
from haustra.quality.sparse import classify_sparsely

__all__ = [
    "WIDEN_S",
    "Assessment",
    "FrameClassifier",
    "FrameProbabilities",
    "OverlayMask",
    "QualityModel",
    "Thresholds",
    "apply_thresholds",
    "assess_pictures",
    "assess_recording",
    "classify_sparsely",
    "fitted_size",
    "picture_box",
    "prefilter",
    "prepare",
    "thinned",
]
