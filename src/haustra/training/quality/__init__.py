"""Training of the frame classifiers (paper, sec. "Image classification"): informative or not, forceps or not."""

from __future__ import annotations
