"""The colon template: relative segment lengths from annotated times and location indices (paper, fig:template).

The functions follow the paper's equations in their order; spread and covariance are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.files import json_text, read_json, write_text
from haustra.core.records import as_record
from haustra.core.vocabulary import SEGMENTS

_PUBLISHED = Path(__file__).parents[1] / "data" / "templates"
_FORMAT = "haustra-template-1"
ENOUGH = 5  # recordings
Share = Annotated[float, Meta(ge=0, le=1)]
Row = Annotated[tuple[Annotated[float, Meta(ge=-1, le=1)], ...], Meta(min_length=6, max_length=6)]
Name = Annotated[str, Meta(max_length=1000)]


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

    @property
    def missing(self) -> tuple[str, ...]:
        """Segments without any length: resected, or behind a stoma."""
        return tuple(name for name, share in zip(SEGMENTS, self.mean, strict=True) if share == 0)

    @property
    def there(self) -> list[int]:
        """Places in SEGMENTS of those that are not missing."""
        return np.flatnonzero(self.mean > 0).tolist()

    def without(self, missing: Sequence[str]) -> Template:
        """What is left of this colon when these segments are not there; the others keep their proportions."""
        if not missing:
            return self
        there = np.array([name not in missing for name in SEGMENTS], np.float64)
        w = 1.0 / max(float(self.mean @ there), 1e-12)
        covariance = self.covariance * np.outer(there, there) * w**2
        mean, std = self.mean * there * w, self.std * there * w
        return replace(self, mean=mean, std=std, covariance=covariance)

    @property
    def few_note(self) -> str:
        """What to say where it was built from so few recordings that one more would change it; else nothing."""
        count = len(self.built_from)
        if not 0 < count < ENOUGH:
            return ""
        made = f"{count} recording{'s' if count > 1 else ''}"
        return f"the template '{self.name}' was built from {made}: with fewer than {ENOUGH} its lengths are uncertain"

    def to_json(self) -> str:
        """As it is written to a file."""
        return json_text(
            {
                "format": _FORMAT,
                "name": self.name,
                "segments": list(SEGMENTS),
                "mean": self.mean.tolist(),
                "std": self.std.tolist(),
                "covariance": self.covariance.tolist(),
                "built_from": list(self.built_from),
                "note": self.note,
            }
        )

    def save(self, target: Path) -> None:
        """Write it to a file that `load_template` reads."""
        write_text(target, self.to_json())


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

    def __post_init__(self) -> None:
        if not np.isfinite(self.index).any():
            raise HaustraError(f"{self.name} has no located frame: a template cannot be built from it")

    def f_v(self, time_s: FloatArray) -> FloatArray:
        """The paper's f_v: time to location index."""
        known = np.isfinite(self.index)
        return np.interp(time_s, self.time_s[known], self.index[known])


def template_of(name: str, recordings: Sequence[AnnotatedRecording], note: str = "") -> Template:
    """The template of annotated recordings."""
    lengths = [relative_lengths(boundary_indices(recording.f_v, recording.q_t)) for recording in recordings]
    return build_template(name, np.array(lengths).reshape(-1, len(SEGMENTS)), [r.name for r in recordings], note)


def published_names() -> list[str]:
    """Names of the templates that come with the package."""
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


class _TemplateFile(Struct, frozen=True):
    """What `Template.save` writes; `std` follows from the covariance."""

    format: Literal["haustra-template-1"]
    mean: Annotated[tuple[Share, ...], Meta(min_length=6, max_length=6)]
    covariance: Annotated[tuple[Row, ...], Meta(min_length=6, max_length=6)]
    name: Name = ""
    built_from: Annotated[tuple[Name, ...], Meta(max_length=100_000)] = ()
    note: Annotated[str, Meta(max_length=10_000)] = ""


def _parse(source: Path) -> Template:
    value = read_json(source)
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        raise HaustraError(f"{source} is not a colon template: make one with 'haustra template build'")
    read = as_record(value, _TemplateFile, source)
    mean, covariance = np.array(read.mean), np.array(read.covariance)
    if abs(mean.sum() - 1) > 1e-6:
        raise HaustraError(f"{source}: the six lengths in 'mean' must sum to 1, not to {mean.sum():g}")
    if not np.allclose(covariance, covariance.T) or np.linalg.eigvalsh(covariance).min() < -1e-9:
        raise HaustraError(f"{source}: 'covariance' is not a covariance matrix (symmetric, no negative eigenvalue)")
    std = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return Template(read.name or source.stem, mean, std, covariance, read.built_from, read.note)
