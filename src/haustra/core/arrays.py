"""Names of the array types that cross module borders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
Mask = NDArray[np.bool_]
# RGB pictures: one (height, width, 3), or several of one size (n, height, width, 3).
Image = NDArray[np.uint8]
Images = NDArray[np.uint8]
