"""From light to pixels: exposure with lag, bloom, noise, colour, gamma, sharpening, mask, burnt-in text and inset."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .compiled import njit
from .scope import Scope

Picture = NDArray[np.float32]

_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
# Processors show the green band as red, and the blue band as green and blue.
_NARROW_BAND = np.array([[0.0, 1.6, 0.0], [0.0, 0.15, 1.7], [0.0, 0.0, 1.8]])


class Sensor:
    """The processor of a scope. Exposure follows with a lag, so develop the frames of a recording in order."""

    def __init__(self, scope: Scope, seed: int) -> None:
        self.scope, self.seed = scope, seed
        x, y, w, h = scope.box
        self._window = (slice(y, y + h), slice(x, x + w))
        self._mask = scope.mask[self._window]
        self._gain: float | None = None
        self._shading = _vignetting(scope, self._mask)
        self._matrix = _colour_matrix(scope)
        self._curve = _tone_curve(scope)
        self._overlay = _drawn(_overlay(scope, seed))

    def develop(
        self, light: NDArray[Any], *, frame: int, exposure_bias: float = 0.0, blur: NDArray[Any] | None = None
    ) -> NDArray[np.uint8]:
        """RGB frame of linear `light` (H, W, 3); `exposure_bias` in stops, `blur` a kernel, e.g. of motion."""
        picture = np.array(light[self._window], np.float32, order="C")
        if blur is not None:
            kernel = np.asarray(blur, np.float32)
            picture = _f32(cv2.filter2D(picture, -1, kernel, borderType=cv2.BORDER_REPLICATE))
        _scale(picture, self._shading, np.float32(self._expose(picture) * 2.0**exposure_bias))
        picture = self._optics(picture)
        self._add_noise(picture, frame)
        developed = _f32(cv2.transform(picture, self._matrix))
        _apply_curve(developed, self._curve)
        return self._compose(self._sharpen(developed))

    def _expose(self, picture: NDArray[np.float32]) -> float:
        """Gain that brings the picture to the target brightness; the last frames count (auto-exposure with lag)."""
        luma = cv2.transform(picture[::4, ::4], _LUMA[None])[self._mask[::4, ::4]]
        bright = float(np.percentile(luma, 97)) if luma.size else 1.0
        level = 0.6 * float(np.minimum(luma, bright).mean()) + 0.4 * 0.45 * bright if luma.size else 1.0
        wanted = self.scope.target / max(level, 1e-9)
        lag = self.scope.exposure_lag
        self._gain = wanted if self._gain is None else float(self._gain**lag * wanted ** (1 - lag))
        return self._gain

    def _optics(self, picture: NDArray[np.float32]) -> NDArray[np.float32]:
        """Finite sharpness, and light that spreads from what is overexposed (bloom)."""
        size = max(self.scope.box[2:])
        over = cv2.resize(np.clip(picture - 1.0, 0.0, 4.0), None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        glow = cv2.GaussianBlur(over, (0, 0), max(size / 320.0, 0.6))
        picture = np.minimum(picture, 4.0)
        picture += self.scope.bloom * cv2.resize(glow, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        return _f32(cv2.GaussianBlur(picture, (0, 0), self.scope.blur * max(1.0, size / 480.0)))

    def _add_noise(self, picture: NDArray[np.float32], frame: int) -> None:
        """Shot and read noise; drawn from (seed, frame) alone so that no number of processes changes it."""
        rng = np.random.default_rng([self.seed, 505, frame])
        grain = cv2.blur(rng.standard_normal(picture.shape, dtype=np.float32), (2, 2))
        _add_grain(picture, grain, np.float32(self.scope.noise))

    def _sharpen(self, developed: NDArray[np.float32]) -> NDArray[np.float32]:
        soft = cv2.GaussianBlur(developed, (0, 0), 1.1 * max(1.0, max(self.scope.box[2:]) / 480.0))
        return _f32(cv2.addWeighted(developed, 1.0 + self.scope.sharpening, soft, -self.scope.sharpening, 0.0))

    def _compose(self, developed: NDArray[np.float32]) -> NDArray[np.uint8]:
        scope = self.scope
        frame = np.full((scope.height, scope.width, 3), round(255 * scope.surround), np.uint8)
        _to_bytes(developed, self._mask, frame[self._window])
        if scope.picture_in_picture:
            self._picture_in_picture(frame)
        if self._overlay is not None:
            where, colours = self._overlay
            frame.reshape(-1, 3)[where] = colours
        return frame

    def _picture_in_picture(self, frame: NDArray[np.uint8]) -> None:
        """A small copy of the picture in its own upper right corner, as processors show the other light."""
        x, y, w, h = self.scope.box
        small = cv2.resize(frame[y : y + h, x : x + w], (w // 4, h // 4), interpolation=cv2.INTER_AREA)
        frame[y : y + h // 4, x + w - w // 4 : x + w] = small[:, ::-1]


def _drawn(overlay: NDArray[np.uint8] | None) -> tuple[NDArray[np.intp], NDArray[np.uint8]] | None:
    """Flat indices of the pixels that an RGBA overlay covers, and their colours."""
    if overlay is None:
        return None
    where = np.flatnonzero(overlay[..., 3] > 0)
    return where, overlay.reshape(-1, 4)[where, :3]


# Each of the next four is one pass over the picture in single precision, in place where it can be.
@njit(cache=True, nogil=True)
def _scale(picture: Picture, shading: Picture, gain: float) -> None:
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            factor = shading[y, x] * gain
            for c in range(3):
                picture[y, x, c] *= factor


@njit(cache=True, nogil=True)
def _add_grain(picture: Picture, grain: Picture, noise: float) -> None:
    """Noise grows with the square root of the light."""
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            for c in range(3):
                light = max(picture[y, x, c], np.float32(0.0))
                strength = noise * np.sqrt(np.float32(0.02) + light) * np.float32(1.1)
                picture[y, x, c] += grain[y, x, c] * strength


@njit(cache=True, nogil=True)
def _apply_curve(picture: Picture, curve: Picture) -> None:
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            for c in range(3):
                step = picture[y, x, c] * np.float32(2048.0)
                picture[y, x, c] = curve[int(min(max(step, np.float32(0.0)), np.float32(4095.0)))]


@njit(cache=True, nogil=True)
def _to_bytes(developed: Picture, mask: NDArray[np.bool_], frame: NDArray[np.uint8]) -> None:
    for y in range(mask.shape[0]):
        for x in range(mask.shape[1]):
            if mask[y, x]:
                for c in range(3):
                    value = developed[y, x, c] * np.float32(255.0) + np.float32(0.5)
                    frame[y, x, c] = int(min(max(value, np.float32(0.0)), np.float32(255.0)))


def _banner(overlay: NDArray[np.uint8], scope: Scope, rng: np.random.Generator) -> None:
    """A bar of one colour with a line of text, over the lower or the upper edge of the picture."""
    x, y, w, h = scope.box
    high = max(2, round(abs(scope.banner) * h))
    top = y + h - high if scope.banner > 0 else y
    colour = tuple(int(c) for c in rng.integers(0, 120, 3))
    cv2.rectangle(overlay, (x, top), (x + w, top + high), (*colour, 255), -1)
    at = (x + w // 10, top + high - max(1, high // 4))
    cv2.putText(overlay, "COLON  1:42  EH:A3", at, cv2.FONT_HERSHEY_PLAIN, high / 18.0, (220, 220, 220, 255), 1)


def _f32(picture: Any) -> NDArray[np.float32]:
    return np.asarray(picture, np.float32)


def _vignetting(scope: Scope, mask: NDArray[np.bool_]) -> NDArray[np.float32]:
    x, y, w, h = scope.box
    rows, cols = np.mgrid[0:h, 0:w]
    radius = np.hypot(cols - scope.camera.center[0] + x, rows - scope.camera.center[1] + y)
    radius /= radius[mask].max()
    return np.asarray(1.0 - scope.vignetting * radius**3, np.float32)


def _colour_matrix(scope: Scope) -> NDArray[np.float32]:
    """White balance and saturation in one 3x3; of narrow-band light only green and blue return."""
    grey = np.tile(_LUMA, (3, 1))
    saturate = grey + scope.saturation * (np.eye(3) - grey)
    seen = _NARROW_BAND if scope.narrow_band else np.eye(3)
    return np.asarray(saturate @ np.diag(scope.balance) @ seen, np.float32)


def _tone_curve(scope: Scope) -> NDArray[np.float32]:
    """Gamma, a shoulder above white and an S-curve, over 0..2 in 4096 steps."""
    x = np.arange(4096) / 2048.0
    x = np.where(x < 0.7, x, 0.7 + 0.3 * (1 - np.exp(-(x - 0.7) / 0.3)))
    y = x ** (1.0 / scope.gamma)
    return np.asarray(y + scope.contrast * (y * y * (3 - 2 * y) - y), np.float32)


def _overlay(scope: Scope, seed: int) -> NDArray[np.uint8] | None:
    """RGBA of burnt-in text (date, time, patient lines) and of the black inset at the lower left."""
    if not (scope.text or scope.inset or scope.banner):
        return None
    rng = np.random.default_rng([seed, 506])
    overlay = np.zeros((scope.height, scope.width, 4), np.uint8)
    x, y, _, h = scope.box
    if scope.inset:
        size = int(rng.uniform(0.28, 0.36) * h)
        left, top = x, y + h - size
        colour = (16, 150, 120, 255) if rng.random() < 0.15 else (0, 0, 0, 255)
        cv2.rectangle(overlay, (left, top), (left + size, y + h), (0, 0, 0, 255), -1)
        margin = size // 12 if colour[1] else 0
        cv2.rectangle(overlay, (left + margin, top + margin), (left + size - margin, y + h - margin), colour, -1)
    if scope.text:
        _write_text(rng, overlay, x, y, h)
    if scope.banner:
        _banner(overlay, scope, rng)
    return overlay


def _write_text(rng: np.random.Generator, overlay: NDArray[np.uint8], x: int, y: int, h: int) -> None:
    """Lines beside the picture where there is a bar, at the picture's left edge otherwise."""
    scale = h / 1080.0 * rng.uniform(0.7, 1.1)
    left = max(2, int(x * 0.1)) if x > 0.15 * h else x + max(1, h // 90)
    top = y + int(h * rng.uniform(0.1, 0.35))
    lines = [f"{rng.integers(1, 29):02d}/{rng.integers(1, 13):02d}/20{rng.integers(10, 26)}",
             f"{rng.integers(7, 18):02d}:{rng.integers(60):02d}:{rng.integers(60):02d}", "CVP:5", "D.F:0"]  # fmt: skip
    grey = int(rng.integers(150, 256))
    for k, line in enumerate(lines[: int(rng.integers(2, 5))]):
        origin = (left, top + round(k * 40 * scale))
        cv2.putText(
            overlay,
            line,
            origin,
            cv2.FONT_HERSHEY_PLAIN,
            2.4 * scale,
            (grey, grey, grey, 255),
            max(1, round(2 * scale)),
        )
