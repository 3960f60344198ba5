"""The colon template: relative segment lengths from annotated times and location indices (paper, fig:template).

The functions follow the paper's equations in their order; spread and covariance are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.files import read_json, write_json
from haustra.core.vocabulary import SEGMENTS

_PUBLISHED = Path(__file__).parents[1] / "data" / "templates"
_FORMAT = "haustra-template-1"


@dataclass(frozen=True)
class Template:
    """Relative lengths of the six segments, cecum first: their mean (sum 1), spread and covariance."""

    name: str
    mean: FloatArray
    std: FloatArray
    covariance: FloatArray
    built_from: tuple[str, ...]
    note: str = ""

    @property
    def boundaries(self) -> FloatArray:
        """Location index where each segment begins, and the end: 0 ... 1, seven values."""
        return np.concatenate([[0.0], np.cumsum(self.mean)[:-1], [1.0]])

    def save(self, target: Path) -> None:
        write_json(
            target,
            {
                "format": _FORMAT,
                "name": self.name,
                "segments": list(SEGMENTS),
                "mean": self.mean.tolist(),
                "std": self.std.tolist(),
                "covariance": self.covariance.tolist(),
                "built_from": list(self.built_from),
                "note": self.note,
            },
        )


def boundary_indices(f_v: Callable[[FloatArray], FloatArray], q_t: FloatArray) -> FloatArray:
    """q_v^s[i] = f_v(q_v^t[i]): the location index at the seven annotated times, with the ends at 0 and 1.

    An estimated index may fall a little between two times; a segment cannot have a negative length, it is empty then.
    """
    q_s = np.asarray(f_v(np.asarray(q_t, dtype=np.float64)), dtype=np.float64).copy()
    q_s[0], q_s[-1] = 0.0, 1.0
    return np.clip(np.maximum.accumulate(q_s), 0.0, 1.0)


def relative_lengths(q_s: FloatArray) -> FloatArray:
    """q_v^rl[i] = f_v(q_v^t[i+1]) - f_v(q_v^t[i])."""
    return np.diff(q_s)


def build_template(name: str, lengths: NDArray[Any], built_from: Sequence[str], note: str = "") -> Template:
    """q^ct[i] = w / N * sum of q_vj^rl[i] with w so that the six sum to 1, for lengths of shape (N, 6)."""
    lengths = np.asarray(lengths, dtype=np.float64)
    if lengths.ndim != 2 or lengths.shape[1] != len(SEGMENTS) or len(lengths) < 2:
        raise HaustraError(
            f"a template needs at least two recordings with {len(SEGMENTS)} lengths each, not {lengths.shape}"
        )
    mean = lengths.mean(axis=0)
    w = 1.0 / mean.sum()
    covariance = np.cov(lengths, rowvar=False) * w**2
    return Template(name, w * mean, np.sqrt(np.diag(covariance)), covariance, tuple(built_from), note)


@dataclass(frozen=True)
class AnnotatedRecording:
    """A recording to build or test templates with: its location index over time and the seven annotated times."""

    name: str
    time_s: FloatArray
    index: FloatArray
    q_t: FloatArray

    def f_v(self, time_s: FloatArray) -> FloatArray:
        """The paper's f_v: time to location index."""
        known = np.isfinite(self.index)
        return np.interp(time_s, self.time_s[known], self.index[known])


def template_of(name: str, recordings: Sequence[AnnotatedRecording], note: str = "") -> Template:
    """The template of annotated recordings."""
    lengths = [relative_lengths(boundary_indices(recording.f_v, recording.q_t)) for recording in recordings]
    return build_template(name, np.array(lengths).reshape(-1, len(SEGMENTS)), [r.name for r in recordings], note)


def published_names() -> list[str]:
    return sorted(path.stem for path in _PUBLISHED.glob("*.json"))


def load_template(name_or_file: str | Path) -> Template:
    """A published template by name, or one that `haustra template build` wrote."""
    published = published_names()
    if str(name_or_file) in published:
        return _parse(_PUBLISHED / f"{name_or_file}.json")
    source = Path(name_or_file)
    if not source.is_file():
        raise HaustraError(f"no template '{name_or_file}': choose {', '.join(published)} or give a template file")
    return _parse(source)


def is_template(source: Path) -> bool:
    """Whether `haustra template build` may write over this file: only over another template."""
    try:
        value = read_json(source)
    except HaustraError:
        return False
    return isinstance(value, dict) and value.get("format") == _FORMAT


def _parse(source: Path) -> Template:
    value = read_json(source)
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        raise HaustraError(f"{source} is not a colon template: make one with 'haustra template build'")
    count = len(SEGMENTS)
    mean = _numbers(value.get("mean"), (count,), "mean", source)
    covariance = _numbers(value.get("covariance"), (count, count), "covariance", source)
    if (mean < 0).any() or abs(mean.sum() - 1) > 1e-6:
        raise HaustraError(f"{source}: the six lengths in 'mean' must not be negative and must sum to 1")
    if not np.allclose(covariance, covariance.T) or np.linalg.eigvalsh(covariance).min() < -1e-9:
        raise HaustraError(f"{source}: 'covariance' is not a covariance matrix (symmetric, no negative eigenvalue)")
    built_from = value.get("built_from")
    names = tuple(str(entry) for entry in built_from) if isinstance(built_from, list) else ()
    std = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return Template(str(value.get("name", source.stem)), mean, std, covariance, names, str(value.get("note", "")))


def _numbers(value: Any, shape: tuple[int, ...], what: str, source: Path) -> FloatArray:
    try:
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        result = np.full(1, np.nan)
    if result.shape != shape or not np.isfinite(result).all():
        raise HaustraError(f"{source}: '{what}' must hold {' x '.join(map(str, shape))} finite numbers")
    return result
