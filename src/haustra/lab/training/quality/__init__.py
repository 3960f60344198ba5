"""Training of the frame classifiers (paper, section "Image classification"): informative or not, forceps or not."""

from __future__ import annotations
