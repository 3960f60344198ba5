"""Sharpness and colour of the pictures of a stretch."""

from __future__ import annotations

import cv2
import numpy as np

from haustra.core.arrays import FloatArray, Image, Images, Mask
from haustra.video.standard import BLACK_BELOW

REBLUR = 9  # pixels
LIT = 2 * BLACK_BELOW


def blur(image: Image, mask: Mask) -> float:
    """Perceptual blur, 0 (sharp) to 1 (Crete et al. 2007): how little a picture changes when blurred again."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32)
    found = []
    for axis, size in ((1, (REBLUR, 1)), (0, (1, REBLUR))):
        both = mask[1:] & mask[:-1] if axis == 0 else mask[:, 1:] & mask[:, :-1]
        sharp, soft = (np.abs(np.diff(picture, axis=axis))[both] for picture in (grey, cv2.blur(grey, size)))
        total = float(sharp.sum())
        found.append(1.0 - float(np.maximum(sharp - soft, 0.0).sum()) / total if total > 0 else 1.0)
    return max(found)


def chromaticity(images: Images, mask: Mask) -> FloatArray:
    """Median logarithms of red over green and of blue over green (2,), where the lamp lights the tissue well."""
    lit = images[:, mask].reshape(-1, 3).astype(np.float64)
    lit = lit[(lit.min(axis=1) > 0) & (lit.max(axis=1) >= LIT) & (lit.max(axis=1) < 250)]
    if not len(lit):
        return np.full(2, np.nan)
    return np.median(np.log(lit[:, [0, 2]]) - np.log(lit[:, [1]]), axis=0)
