"""Columnar records: frozen dataclasses whose fields are columns, one row per frame, each column declared once.

Checking, concatenation, slicing, saving and loading follow from the declarations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from itertools import chain, pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

Arrays = Mapping[str, NDArray[Any]]

_KEY = "column"


class Column(ABC):
    """How the values of one column are made, checked, joined, cut and stored."""

    @abstractmethod
    def missing(self, count: int) -> Any:
        """The values of `count` rows that no stage has filled yet."""

    @abstractmethod
    def check(self, value: Any, count: int) -> None:
        """Raise a ValueError that says what is wrong, if anything is."""

    @abstractmethod
    def joined(self, values: Sequence[Any]) -> Any:
        """The values of consecutive parts as one."""

    def rows(self, value: Any, rows: slice) -> Any:
        return value[rows]

    def to_arrays(self, name: str, value: Any) -> dict[str, NDArray[Any]]:
        """For a file without pickles."""
        return {name: value}

    def from_arrays(self, name: str, arrays: Arrays) -> Any:
        return arrays[name]


@dataclass(frozen=True)
class _Numbers(Column):
    dtype: np.dtype[Any]
    row: tuple[int, ...]
    low: float
    high: float
    required: bool

    def missing(self, count: int) -> Any:
        if self.required:
            raise ValueError("no values were given")
        return np.full((count, *self.row), np.nan, self.dtype)

    def check(self, value: Any, count: int) -> None:
        if not isinstance(value, np.ndarray) or value.dtype != self.dtype:
            raise ValueError(f"{getattr(value, 'dtype', type(value).__name__)} instead of {self.dtype}")
        if value.shape != (count, *self.row):
            raise ValueError(f"shape {value.shape} instead of {(count, *self.row)}")
        if self.required and not np.isfinite(value).all():
            raise ValueError("some values are not finite")
        if ((value < self.low) | (value > self.high)).any():  # NaN is neither
            raise ValueError(f"some values lie outside {self.low:g} to {self.high:g}")

    def joined(self, values: Sequence[Any]) -> Any:
        return np.concatenate(values)


@dataclass(frozen=True)
class _Words(Column):
    kind: type[StrEnum]
    default: StrEnum

    def missing(self, count: int) -> Any:
        return (self.default,) * count

    def check(self, value: Any, count: int) -> None:
        _check_tuple(value, self.kind, count)

    def joined(self, values: Sequence[Any]) -> Any:
        return tuple(chain.from_iterable(values))

    def to_arrays(self, name: str, value: Any) -> dict[str, NDArray[Any]]:
        return {name: np.array(value, dtype=np.str_)}

    def from_arrays(self, name: str, arrays: Arrays) -> Any:
        return tuple(self.kind(text) for text in arrays[name].tolist())


@dataclass(frozen=True)
class _Blobs(Column):
    def missing(self, count: int) -> Any:
        return (b"",) * count

    def check(self, value: Any, count: int) -> None:
        _check_tuple(value, bytes, count)

    def joined(self, values: Sequence[Any]) -> Any:
        return tuple(chain.from_iterable(values))

    def to_arrays(self, name: str, value: Any) -> dict[str, NDArray[Any]]:
        ends = np.cumsum([0, *map(len, value)], dtype=np.int64)
        return {name: np.frombuffer(b"".join(value), dtype=np.uint8), f"{name}_end": ends}

    def from_arrays(self, name: str, arrays: Arrays) -> Any:
        content, ends = arrays[name].tobytes(), arrays[f"{name}_end"].tolist()
        return tuple(content[first:last] for first, last in pairwise(ends))


@dataclass(frozen=True)
class _Remarks(Column):
    def missing(self, count: int) -> Any:  # noqa: ARG002
        return ()

    def check(self, value: Any, count: int) -> None:  # noqa: ARG002
        _check_tuple(value, str, len(value))

    def joined(self, values: Sequence[Any]) -> Any:
        return values[-1] if values else ()

    def rows(self, value: Any, rows: slice) -> Any:  # noqa: ARG002
        return value

    def to_arrays(self, name: str, value: Any) -> dict[str, NDArray[Any]]:
        return {name: np.array(value, dtype=np.str_)}

    def from_arrays(self, name: str, arrays: Arrays) -> Any:
        return tuple(arrays[name].tolist())


def numbers(
    dtype: DTypeLike,
    row: tuple[int, ...] = (),
    *,
    low: float = -np.inf,
    high: float = np.inf,
    required: bool = False,
) -> Any:
    """Numbers of shape (n, *row). NaN: not measured, unless they are `required`."""
    return field(default=None, metadata={_KEY: _Numbers(np.dtype(dtype), row, low, high, required)})


def words(kind: type[StrEnum], default: StrEnum) -> Any:
    """A word of a vocabulary in each row."""
    return field(default=None, metadata={_KEY: _Words(kind, default)})


def blobs() -> Any:
    """Bytes of any length in each row; b"" where there are none."""
    return field(default=None, metadata={_KEY: _Blobs()})


def remarks() -> Any:
    """Lines about the recording up to the last row: joined parts have those of the last."""
    return field(default=None, metadata={_KEY: _Remarks()})


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Base of the records; the first column of a subclass counts the rows, the others may be left out."""

    def __post_init__(self) -> None:
        count = len(self)
        for name, column in self._columns().items():
            try:
                if getattr(self, name) is None:
                    object.__setattr__(self, name, column.missing(count))
                column.check(getattr(self, name), count)
            except ValueError as error:
                raise ValueError(f"column {name}: {error}") from error

    def __len__(self) -> int:
        return len(getattr(self, next(iter(self._columns()))))

    def rows(self, rows: slice) -> Self:
        """Some consecutive rows."""
        return type(self)(**{name: column.rows(getattr(self, name), rows) for name, column in self._columns().items()})

    @classmethod
    def concatenated(cls, parts: Sequence[Self]) -> Self:
        """Consecutive parts as one."""
        return cls(
            **{name: column.joined([getattr(part, name) for part in parts]) for name, column in cls._columns().items()}
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All columns as arrays that need no pickle."""
        stored = [column.to_arrays(name, getattr(self, name)) for name, column in self._columns().items()]
        return {name: array for arrays in stored for name, array in arrays.items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """What `to_arrays` gave; a KeyError or ValueError where it is something else."""
        return cls(**{name: column.from_arrays(name, arrays) for name, column in cls._columns().items()})

    @classmethod
    def _columns(cls) -> dict[str, Column]:
        return {entry.name: entry.metadata[_KEY] for entry in fields(cls)}


def _check_tuple(value: Any, kind: type, count: int) -> None:
    if not isinstance(value, tuple) or not all(isinstance(entry, kind) for entry in value):
        raise ValueError(f"not a tuple of {kind.__name__}")
    if len(value) != count:
        raise ValueError(f"{len(value)} rows instead of {count}")
