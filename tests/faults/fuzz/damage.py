"""Damages to files: bytes of any file, values of structured ones. The same random generator makes the same damage."""

from __future__ import annotations

import copy
import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import polars as pl

# What nobody expects where a number, a word or a time should stand.
TEXTS = [
    "", " ", "-1", "0", "1e154", "1e309", "-1e9", "NaN", "inf", "-inf", "null", "true", "[[[[", "{}", '"', "\x00",
    "\x1b[2J", "é", "9" * 5000, "\n", ",", ";", "\t", "=1+1", "../../../etc/passwd", "99:99:99", "1:2:3:4:5",
    "2e7", "x" * 300, "﷽", "\u2028", "-", ".", "0x10", "1_000", "1e-320",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, -1, 0, 1, 2**31, 2**63, 2**64, 10**400, 1e154, 1e308, 1e-320, -0.5, 20_000_000, "", "x", "\x00",
    "\ud800", "../../x", "/etc/passwd", "y" * 400, [], {}, [[]], [None], [1e308] * 3, list(range(2000)), {"a": {}},
    [[0] * 9] * 9, "inf", "nan",
]  # fmt: skip
NUMBERS = [np.nan, np.inf, -np.inf, 1e308, -1e154, 1e19, -1.0, 0.0, 2.0, 2e7, 1e-320]


def damaged(name: str, data: bytes, rng: random.Random) -> bytes:
    """A file of this name with one damage; a third of the structured ones are damaged as mere bytes, too."""
    structured = STRUCTURED.get(PurePosixPath(name).suffix.lower())
    if structured is not None and rng.random() < 0.67:
        return structured(data, rng)
    return bytes_damaged(data, rng)


def bytes_damaged(data: bytes, rng: random.Random) -> bytes:
    """One to three of: a word put in or over, bytes flipped, a piece cut out, doubled or moved, the end lost."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        to = min(at + rng.choice([0, 1, 4, 12, 200]), len(data))
        kind = rng.randrange(7)
        if kind == 0:
            data = data[:at] + rng.choice(TEXTS).encode("utf-8", "surrogatepass") + data[to:]
        elif kind == 1:
            data = data[:at] + rng.randbytes(to - at) + data[to:]
        elif kind == 2:
            data = data[:at] + data[to:]
        elif kind == 3:
            data = data[:to] + data[at:to] * rng.choice([1, 2, 50]) + data[to:]
        elif kind == 4:
            data = data[:at] if rng.random() < 0.3 else data[:at] + rng.choice([b"\xff", b"\x00"]) * 4 + data[at + 4 :]
        elif kind == 5 and data:
            flipped = bytearray(data)
            for _ in range(rng.choice([1, 1, 8, 64])):
                flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
            data = bytes(flipped)
        else:
            other = rng.randrange(len(data) + 1)
            data = data[:at] + data[other : other + to - at] + data[to:]
    return data


def _json_damaged(data: bytes, rng: random.Random) -> bytes:
    """A value replaced, removed, renamed, doubled or buried in lists."""
    tree = json.loads(data)
    for _ in range(rng.choice([1, 1, 2])):
        places = list(_places(tree))
        if not places:
            break
        holder, key = rng.choice(places)
        kind = rng.randrange(6)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, dict):
            holder[rng.choice(TEXTS)] = holder.pop(key)
        elif kind == 2:
            holder[key] = _value(rng)
        elif kind == 3 and isinstance(holder[key], list):
            holder[key] = holder[key] * rng.choice([0, 2, 100])
        elif kind == 4 and isinstance(holder[key], int | float):
            holder[key] = holder[key] * rng.choice([-1, 0, 1e3, 1e6, 1e12, 1e-9])
        else:
            holder[key] = _value(rng)
    text = json.dumps(_value(rng) if rng.random() < 0.03 else tree)
    if rng.random() < 0.05:
        text = text.replace(":", ":" + "[" * 3000, 1)
    return text.encode("utf-8", "surrogatepass")


def _value(rng: random.Random) -> Any:
    """A copy: a second damage of the same file may change it."""
    return copy.deepcopy(rng.choice(VALUES))


def _places(tree: Any) -> Any:
    """Every (holder, key) in a JSON value."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(pairs):
        yield tree, key
        yield from _places(value)


def _lines_damaged(data: bytes, rng: random.Random) -> bytes:
    """A cell, a line or a column of a text table."""
    text = data.decode()
    mark = max(",;\t ", key=text.count)
    rows = [line.split(mark) for line in text.splitlines()]
    for _ in range(rng.choice([1, 1, 3])):
        row = rng.choice(rows) if rows else []
        kind = rng.randrange(7)
        if kind <= 3 and row:
            row[rng.randrange(len(row))] = rng.choice(TEXTS)
        elif kind == 4:
            rows = rows[: rng.randrange(len(rows) + 1)]
        elif kind == 5:
            rows = [row, *rows]
        else:
            column = rng.randrange(max(map(len, rows), default=1) or 1)
            rows = [[cell for k, cell in enumerate(cells) if k != column] for cells in rows]
    joined = rng.choice(["\n", "\n", "\n", "\r\n", "\r"]).join(mark.join(row) for row in rows)
    encoding = rng.choice(["utf-8", "utf-8", "utf-8", "utf-16", "latin-1"])
    return joined.encode(encoding, "replace")


def _parquet_damaged(data: bytes, rng: random.Random) -> bytes:
    """A column removed, renamed, of another type, with other values; rows lost, doubled or turned round."""
    table = pl.read_parquet(io.BytesIO(data))
    name = rng.choice(table.columns)
    kind = rng.randrange(8)
    if kind == 0:
        table = table.drop(name)
    elif kind == 1:
        table = table.rename({name: rng.choice([t for t in TEXTS if t and t not in table.columns])})
    elif kind == 2:
        other = rng.choice([pl.String, pl.Float32, pl.Int8, pl.Boolean, pl.Binary, pl.Null, pl.Date, pl.UInt64])
        table = table.with_columns(pl.Series(name, [None] * table.height, other))
    elif kind == 3:
        table = table.with_columns(pl.Series(name, [rng.choice(VALUES[:5])] * table.height, strict=False))
    elif kind == 4:
        table = table.with_columns(pl.Series(name, [[1.0, None]] * table.height))
    elif kind == 5:
        table = rng.choice([table.clear(), table.head(1), table.reverse(), pl.concat([table, table])])
    else:
        values = table[name].to_list()
        for _ in range(rng.choice([1, len(values)])):
            if values:
                values[rng.randrange(len(values))] = rng.choice([*NUMBERS, None, *TEXTS])
        table = table.with_columns(pl.Series(name, values, strict=False))
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


def _arrays_damaged(data: bytes, rng: random.Random) -> bytes:
    """An array of an npz file removed, of another shape or type, with other values, or one that says it is huge."""
    with np.load(io.BytesIO(data)) as stored:
        arrays = dict(stored)
    name, kind = rng.choice(sorted(arrays)), rng.randrange(6)
    array = arrays[name]
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[name] = array[: rng.randrange(len(array) + 1)] if array.ndim else array[None]
    elif kind == 2:
        arrays[name] = array.astype(rng.choice(["U3", "f2", "?"]))
    elif kind == 3 and array.dtype.kind == "f" and array.size:
        changed = array.copy()
        changed.ravel()[rng.randrange(array.size)] = rng.choice(NUMBERS)
        arrays[name] = changed
    elif kind == 4:
        arrays[name] = np.array([rng.choice(TEXTS)] * max(len(np.atleast_1d(array)), 1), object)  # a pickle
    else:
        return _huge(data, name, rng)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _huge(data: bytes, name: str, rng: random.Random) -> bytes:
    """The header of one array names more rows than anybody has memory for."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(made, "w") as target:
        for entry in given.namelist():
            content = given.read(entry)
            if entry == f"{name}.npy":
                header = io.BytesIO()
                shape = (rng.choice([10**9, 10**12, 2**62]),)
                np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
                content = header.getvalue()
            target.writestr(entry, content)
    return made.getvalue()


def _zip_damaged(data: bytes, rng: random.Random) -> bytes:
    """A member of a zip archive, an xlsx workbook, changed as text; or one that unpacks to far more than it is."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        chosen = rng.choice(given.namelist())
        for entry in given.namelist():
            content = given.read(entry)
            if entry == chosen:
                bomb = rng.random() < 0.05
                content = content + b" " * (300 << 20) if bomb else bytes_damaged(content, rng)
            target.writestr(entry, content)
    return made.getvalue()


def _xml_damaged(data: bytes, rng: random.Random) -> bytes:
    """The text between two tags, or an attribute."""
    parts = data.replace(b'"', b'\0"\0').replace(b">", b">\0").replace(b"<", b"\0<").split(b"\0")
    parts[rng.randrange(len(parts))] = rng.choice(TEXTS).encode("utf-8", "surrogatepass")
    if rng.random() < 0.05:
        parts.insert(rng.randrange(len(parts)), b"<a>" * 5000)
    return b"".join(parts)


def _onnx_damaged(data: bytes, rng: random.Random) -> bytes:
    """What the file says of itself, the names and sizes of inputs and outputs, or a node's attributes."""
    import onnx

    model = onnx.load_from_string(data)
    kind, values = rng.randrange(5), [*model.graph.input, *model.graph.output]
    entry = rng.choice(values)
    if kind <= 2 and model.metadata_props:
        said = model.metadata_props[0]
        said.value = _json_damaged(said.value.encode(), rng).decode("utf-8", "replace")
    elif kind == 3:
        shape = entry.type.tensor_type.shape
        dims = list(shape.dim)
        if dims and rng.random() < 0.8:
            rng.choice(dims).dim_value = rng.choice([0, 1, 2, 7, 64, 40_000, 2**31])
        else:
            del shape.dim[:]
    else:
        node = rng.choice(model.graph.node)
        attributes = [one for one in node.attribute if one.ints or one.type == one.INT]
        if attributes and rng.random() < 0.7:
            one = rng.choice(attributes)
            if one.ints:
                one.ints[rng.randrange(len(one.ints))] = rng.choice([0, -1, 2, 1000, 2**40])
            else:
                one.i = rng.choice([0, -1, 3, 2**40])
        elif node.input:
            node.input[rng.randrange(len(node.input))] = rng.choice(["", values[0].name, "nobody"])
    return bytes(model.SerializeToString())


STRUCTURED: dict[str, Callable[[bytes, random.Random], bytes]] = {
    ".json": _json_damaged,
    ".csv": _lines_damaged,
    ".tsv": _lines_damaged,
    ".txt": _lines_damaged,
    ".tum": _lines_damaged,
    ".kitti": _lines_damaged,
    ".toml": _lines_damaged,
    ".yml": _lines_damaged,
    ".parquet": _parquet_damaged,
    ".npz": _arrays_damaged,
    ".xlsx": _zip_damaged,
    ".xml": _xml_damaged,
    ".eaf": _xml_damaged,
    ".onnx": _onnx_damaged,
}
