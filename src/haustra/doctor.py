"""Whether this installation works: versions, cores, codecs, models, disk, and a recording located from end to end."""

from __future__ import annotations

import platform
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from haustra import __version__
from haustra.core.errors import HaustraError
from haustra.core.temporary import scratch_folder
from haustra.core.wording import counted
from haustra.demo import DEMO

# What recorders write, and what the overlay video is written with.
DECODERS = ("h264", "hevc", "mpeg2video", "mpeg4", "mjpeg", "vc1", "wmv3", "dvvideo", "vp9")
ENCODER = "libx264"
SUMS = "SHA256SUMS"
LEAST_DISK_GB = 1.0
SELF_TEST_S = 1.0  # of the bundled recording
DEVELOPMENT = ("docs", "test")  # extras of no use to somebody who locates recordings


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: what was found, and whether Haustra works with it."""

    name: str
    found: str
    ok: bool = True


def examine(folder: Path) -> list[Check]:
    """Everything that can be wrong with an installation; results would be written to `folder`."""
    checks: list[tuple[str, Callable[[], Check]]] = [
        ("haustra", _versions),
        ("libraries", _libraries),
        ("extras", _extras),
        ("cores", _cores),
        ("codecs", _codecs),
        ("models", _models),
        ("disk", lambda: _disk(folder)),
        ("self-test", _self_test),
    ]
    return [_answer(name, check) for name, check in checks]


def as_dict(checks: list[Check]) -> dict[str, Any]:
    """For `--json`."""
    return {"ok": all(check.ok for check in checks), "checks": [asdict(check) for check in checks]}


def _answer(name: str, check: Callable[[], Check]) -> Check:
    """Whatever goes wrong in one check is its result: the others are wanted all the more."""
    try:
        return check()
    except Exception as error:
        return Check(name, " ".join(f"{type(error).__name__}: {error}".split()), ok=False)


def _versions() -> Check:
    return Check("haustra", f"{__version__}, Python {platform.python_version()}, {platform.platform()}")


def _libraries() -> Check:
    from haustra.results.run import library_versions

    names = ("numpy", "scipy", "polars")
    known = library_versions() | {name: metadata.version(name) for name in names}
    return Check("libraries", ", ".join(f"{name} {version}" for name, version in known.items()))


def _extras() -> Check:
    """Those of which every package is there; none is needed to locate a recording."""
    needed: dict[str, list[str]] = {}
    for line in metadata.requires("haustra") or ():
        if match := re.fullmatch(r"([\w.-]+).*extra\s*==\s*['\"]([\w-]+)['\"]\s*", line):
            needed.setdefault(match[2], []).append(match[1])
    there = [name for name, packages in needed.items() if name not in DEVELOPMENT and all(map(_installed, packages))]
    return Check("extras", ", ".join(there) or "none")


def _installed(package: str) -> bool:
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


def _cores() -> Check:
    from haustra.cohort.local import cores

    return Check("cores", str(cores()))


def _codecs() -> Check:
    import av

    lacking = [name for name in DECODERS if not _has_codec(av, name, "r")]
    encodes = _has_codec(av, ENCODER, "w")
    read = f"all of {', '.join(DECODERS)} are read" if not lacking else f"not read: {', '.join(lacking)}"
    written = "overlays are written" if encodes else f"no {ENCODER}: overlays cannot be written (use --no-overlay)"
    return Check("codecs", f"{read}; {written}", ok=not lacking and encodes)


def _has_codec(av: Any, name: str, mode: str) -> bool:
    try:
        return bool(av.Codec(name, mode))
    except ValueError:  # av.codec.codec.UnknownCodecError
        return False


def _models() -> Check:
    """Every model file by the digest that it was shipped with."""
    from haustra.results.run import file_digest

    with as_file(files("haustra") / "weights") as folder:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
        known = {name: digest for digest, name in (line.split() for line in lines)}
        found = {path.name: file_digest(path) for path in sorted(folder.glob("*.onnx"))}
    wrong = sorted(name for name in known | found if known.get(name) != found.get(name))
    if wrong:
        return Check("models", f"damaged or missing: {', '.join(wrong)}; install haustra again", ok=False)
    return Check("models", f"{len(found)} as they were shipped")


def _disk(folder: Path) -> Check:
    free_gb = shutil.disk_usage(folder).free / 1e9
    enough = free_gb >= LEAST_DISK_GB
    return Check(
        "disk", f"{free_gb:.1f} GB free in {folder.absolute()}" + ("" if enough else ": too little"), ok=enough
    )


def _self_test() -> Check:
    """The beginning of the bundled recording through all stages, overlay and report included."""
    from haustra.pipeline import locate

    began = time.monotonic()
    with scratch_folder() as folder:
        out = folder / "out"
        result = locate(
            DEMO / "video.mp4", camera=DEMO / "camera.json", withdrawal_start=0, withdrawal_end=SELF_TEST_S,
            out=out, quiet=True,
        )  # fmt: skip
        if not result.report.is_file() or result.frames["location_index"].is_null().all():
            raise HaustraError("the bundled recording was read, but not located")
    took_s = time.monotonic() - began
    return Check(
        "self-test", f"{counted(result.frames.height, 'frame')} of the bundled recording located in {took_s:.1f} s"
    )
