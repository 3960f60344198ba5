"""The options of `locate`, each declared once.

The keywords of `haustra.locate`, the flags of `haustra locate` and `haustra cohort`, the columns of a table of
recordings, the keys of `haustra.toml` and the options' share in a run's identity are all made from `LocateOptions`.
A new option is one line here, and its use in a stage.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast, get_args, get_type_hints

from haustra.core.addresses import VideoPaths, paths_of, relative_to
from haustra.core.errors import HaustraError
from haustra.core.files import read_bytes
from haustra.core.option import (
    Count,
    Decides,
    File,
    Id,
    NameOrFile,
    Number,
    Option,
    OptionalNameOrFile,
    Place,
    Switch,
    Texts,
    Time,
    choice,
    count,
    file,
    identifier,
    name_or_file,
    number,
    place,
    segments,
    switch,
    texts,
    time,
)  # fmt: skip
from haustra.core.vocabulary import (
    AUTO,
    DEFAULT_QUALITY,
    DEFAULT_TEMPLATE,
    FLOW_NAMES,
    QUALITY_NAMES,
    IndexMethod,
    Naming,
)

OPTIONS_FILE = "haustra.toml"
MOST_TOML = 1 << 14  # bytes: it may be a stranger's, and what reading it takes grows with their square
OBSERVATIONS, PLACES, OUTPUT, CALL = Decides

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class LocateOptions:
    """Every option of `locate`, checked and typed: times are seconds, files are paths."""

    withdrawal_start: Time = time(
        PLACES, "When the withdrawal starts: seconds, MM:SS or HH:MM:SS. Found automatically if not given."
    )
    withdrawal_end: Time = time(OBSERVATIONS, "When the withdrawal ends. Default: at the last informative frame.")
    from_place: Place = place(
        PLACES, "Where a recording of part of the colon begins: a segment, or a location index from 0 to 1.", "--from"
    )
    to_place: Place = place(PLACES, "Where such a recording ends.", "--to")
    camera: NameOrFile = name_or_file(
        OBSERVATIONS, "A calibration file, a preset by name, or auto: found from the recording.", AUTO
    )
    template: NameOrFile = name_or_file(PLACES, "A colon template: a file, or one by name.", DEFAULT_TEMPLATE)
    missing: Texts = segments(PLACES, "Segments that are not there: resected, or behind a stoma.")
    index: Option[str | None, IndexMethod] = choice(
        PLACES,
        "How the location index is made: ours, or paper (kept frames chained, spline, projection).",
        IndexMethod.OURS,
    )
    segments: Option[str | None, Naming] = choice(
        PLACES, "How segments are named: decoder, template (as in the paper) or time.", Naming.DECODER
    )
    abstain: Number = number(
        PLACES, "Name only segments that are at least this probable, and say unsure elsewhere: 0.9.", above=0, below=1
    )
    landmarks: Texts = texts(
        PLACES,
        "When a flexure is left or a segment entered, to the frame: hepatic=3:05 (3:05+-10: about), or an annotations "
        "file (.json).",
        "--landmark",
        kind="NAME=TIME|FILE",
        file_suffix=".json",
    )
    flow: OptionalNameOrFile = name_or_file(
        OBSERVATIONS,
        f"Optical flow: {', '.join(FLOW_NAMES)}, or a file of 'haustra train flow'. "
        "Default: what the motion network was trained with.",
        None,
    )
    motion: OptionalNameOrFile = name_or_file(
        OBSERVATIONS,
        "Camera motion: a file of 'haustra train motion', or liu2013, klt, orb, xfeat, expansion. Default: ours.",
        None,
    )
    quality: NameOrFile = name_or_file(
        OBSERVATIONS,
        f"Frame classifier: {', '.join(QUALITY_NAMES)}, a weights file, or none to drop nothing.",
        DEFAULT_QUALITY,
    )
    scopeguide: File = file(
        PLACES, "Inserted lengths from ScopeGuide (csv: time_s,length_cm), shown beside our location."
    )
    findings: File = file(
        PLACES,
        "Findings to show on the report: a csv, tsv or xlsx table with the columns time_s (or time), label and, if you "
        "like, kind, score, size_mm, note.",
    )
    fps: Number = number(OBSERVATIONS, "Pictures per second, for a folder of pictures.", above=0, below=1000)
    overlay: Switch = switch(OUTPUT, "Also write the overlay video.", True)
    pictures: Switch = switch(
        OUTPUT, "Pictures of the recording in the result: the report's film strip, thumbnails, the overlay.", True
    )
    out: File = file(
        CALL, "Result folder. Default: NAME-haustra in the working directory.", "--out", "-o", kind="FOLDER"
    )
    id: Id = identifier(
        CALL, "Stands for the name of the recording in everything that is written: names may tell who a patient is."
    )
    share: Switch = switch(
        CALL, "Others than you may read the result, as far as the umask allows. Default: you alone.", False
    )
    threads: Count = count(CALL, "Cores to use. Default: all. The result is the same.", most=1024)
    quiet: Switch = switch(CALL, "No progress, no notes.", False)

    # What haustra.toml gave, for the log; not an option.
    from_file: str = field(default="", init=False, repr=False, compare=False)

    def identity(self, decides: Decides, digest: Callable[[Path], str]) -> dict[str, Any]:
        """The values that decide this, files by the digest of their contents: what a run's identity takes from them."""
        decisive = {name: option for name, option in OPTIONS.items() if option.decides is decides}
        return {
            name: option.with_files(getattr(self, name), lambda file: digest(Path(file)))
            for name, option in decisive.items()
        }

    def keywords_of(self, stage: Callable[..., Any]) -> dict[str, Any]:
        """The options that a stage's function takes as keywords of the same name: it is handed those, and no others."""
        return keywords_of(stage, vars(self))

    def files(self) -> list[Path]:
        """The files that the options name and a run reads."""
        named = (option.files_in(getattr(self, name)) for name, option in RECORDING_OPTIONS.items())
        return [Path(file) for files in named for file in files]


OPTIONS: Mapping[str, Option[Any, Any]] = {
    entry.name: vars(LocateOptions)[entry.name] for entry in fields(LocateOptions) if entry.init
}
# Those that may differ from one recording to the next: columns of a table, keys of haustra.toml.
RECORDING_OPTIONS = {name: option for name, option in OPTIONS.items() if option.decides is not CALL}
COHORT_DEFAULTS = {"overlay": False}  # a video per recording is a lot of disk


def options_for(video: Path, given: Mapping[str, Any]) -> LocateOptions:
    """The options given, then those of the haustra.toml beside the recording, then the defaults. None is not given."""
    source = video.absolute().parent / OPTIONS_FILE
    chosen = {name: value for name, value in given.items() if value is not None}
    data = read_bytes(source, MOST_TOML) if source.is_file() else b""
    found = parse_options_file(data, str(source))
    beside = {name: value for name, value in found.items() if name not in chosen}
    options = LocateOptions(**chosen, **anchored(beside, str(source.parent)))
    taken = ", ".join(f"{name} = {value}" for name, value in beside.items())
    object.__setattr__(options, "from_file", f"from {OPTIONS_FILE} beside the recording: {taken}" if taken else "")
    return options


def parse_options_file(data: bytes, source: str) -> dict[str, Any]:
    """The options of a haustra.toml as they are written there; keys and values are checked."""
    if len(data) > MOST_TOML:
        raise HaustraError(f"{source} has {len(data)} bytes: at most {MOST_TOML} are read")
    try:
        found = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise HaustraError(f"{source} is not a readable toml file: {error}") from error
    try:
        check_options(found)
    except HaustraError as error:
        raise HaustraError(f"{source}: {error}") from error
    return found


def keywords_of(stage: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The same from values as a run's identity holds them; what an older run did not know is left to the default."""
    wanted = [name for name in inspect.signature(stage).parameters if name in OPTIONS and name in values]
    return {name: OPTIONS[name].parse(values[name]) for name in wanted}


def check_options(given: Mapping[str, Any]) -> None:
    """Whether these are options of recordings, and have possible values."""
    unknown = [name for name in given if name not in RECORDING_OPTIONS]
    if unknown:
        raise HaustraError(f"unknown option '{unknown[0]}': choose from {', '.join(RECORDING_OPTIONS)}")
    LocateOptions(**given)


def anchored(given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Options as written in a folder, for use from anywhere: addresses of files are made absolute."""
    return {
        name: RECORDING_OPTIONS[name].with_files(value, lambda text: relative_to(folder, text))
        for name, value in given.items()
    }


def with_options(
    make: Callable[P, LocateOptions],  # noqa: ARG001 (for its type alone)
) -> Callable[[Callable[[tuple[Path, ...], LocateOptions], R]], Callable[Concatenate[VideoPaths, P], R]]:
    """Decorate `function(paths, options)` so that it takes the options as keywords: typed, documented, inspectable."""

    def decorate(function: Callable[[tuple[Path, ...], LocateOptions], R]) -> Callable[Concatenate[VideoPaths, P], R]:
        signature = _signature(inspect.signature(function).return_annotation)

        @wraps(function)
        def wrapped(video: VideoPaths, **given: Any) -> R:
            signature.bind(video, **given)  # an unknown keyword is a TypeError, as for any function
            paths = paths_of(video)
            return function(paths, options_for(paths[0], given))

        lines = "\n".join(f"    {name}: {option.help}" for name, option in OPTIONS.items())
        wrapped.__doc__ = f"{inspect.getdoc(function)}\n\nOptions:\n{lines}\n"
        wrapped.__signature__ = signature  # type: ignore[attr-defined]
        return cast(Callable[Concatenate[VideoPaths, P], R], wrapped)

    return decorate


def _signature(returns: Any) -> inspect.Signature:
    """Of a function of a recording and the options, each annotated with what may be given."""
    types = {name: get_args(kind) for name, kind in get_type_hints(LocateOptions).items()}
    video = inspect.Parameter("video", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=VideoPaths)
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=types[name][0])
        for name, option in OPTIONS.items()
    ]
    return inspect.Signature([video, *keywords], return_annotation=returns)
