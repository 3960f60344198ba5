"""The covariance that goes with published lengths: the paper prints mean and standard deviation, no correlations.

Lengths that sum to 1 cannot vary independently. We take six independent lengths divided by their sum, which to first
order has the covariance P D P^T with P = I - mean 1^T, and choose the diagonal D that gives the printed spread.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from haustra.poses import FloatArray


def covariance_of_shares(mean: FloatArray, std: FloatArray) -> FloatArray:
    """Covariance, with rows that sum to 0, of shares with this mean and (as near as can be) this spread."""
    P = np.eye(len(mean)) - np.outer(mean, np.ones(len(mean)))
    D, _ = nnls(P**2, np.asarray(std) ** 2)
    covariance: FloatArray = P @ np.diag(D) @ P.T
    return covariance
