"""An option of `locate` is declared once, and is then a keyword, a flag, a key of haustra.toml and part of a run."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import typer.main

import haustra
from haustra import LocateOptions
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.core.option import Decides
from haustra.core.vocabulary import IndexMethod, Naming
from haustra.options import OPTIONS, RECORDING_OPTIONS, anchored, keywords_of, options_for, parse_options_file
from option_values import as_toml, two_values


def digest(file: Path) -> str:
    return f"contents of {file.name}"


def identities(options: LocateOptions) -> dict[str, Any]:
    return options.identity(Decides.OBSERVATIONS, digest) | options.identity(Decides.PLACES, digest)


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_a_keyword_and_a_flag_with_the_same_default(name: str) -> None:
    keyword = inspect.signature(haustra.locate).parameters[name]
    assert keyword.kind is keyword.KEYWORD_ONLY
    assert keyword.default == getattr(LocateOptions(), name)
    assert f"{name}: {OPTIONS[name].help}" in (haustra.locate.__doc__ or "")
    command: Any = typer.main.get_command(app)
    flag = {option.name: option for option in command.commands["locate"].params}[name]
    assert flag.help.startswith(OPTIONS[name].help)
    if not isinstance(keyword.default, bool) and keyword.default:
        assert f"[default: {keyword.default}]" in flag.help


@pytest.mark.parametrize("name", OPTIONS)
def test_values_are_typed_once_and_stay_as_they_are(name: str) -> None:
    for written in two_values(OPTIONS[name]):
        value = getattr(LocateOptions(**{name: written}), name)
        assert getattr(LocateOptions(**{name: value}), name) == value


@pytest.mark.parametrize("name", RECORDING_OPTIONS)
def test_an_option_of_a_recording_is_a_key_of_the_file_beside_it(name: str, tmp_path: Path) -> None:
    first, second = two_values(OPTIONS[name])
    (tmp_path / "haustra.toml").write_text(f"{name} = {as_toml(first)}\n")
    video = tmp_path / "a.mp4"

    def wanted(value: Any) -> LocateOptions:
        return LocateOptions(**{name: value})

    from_file = wanted(OPTIONS[name].with_files(first, lambda file: str(tmp_path / file)))
    assert options_for(video, {}) == options_for(video, {name: None}) == from_file
    assert options_for(video, {name: second}) == wanted(second)


@pytest.mark.parametrize("name", OPTIONS)
def test_what_can_change_a_number_is_part_of_the_run(name: str) -> None:
    first, second = (identities(LocateOptions(**{name: value})) for value in two_values(OPTIONS[name]))
    assert (first != second) == (OPTIONS[name].decides in (Decides.OBSERVATIONS, Decides.PLACES))


def test_a_file_is_part_of_the_run_by_its_contents() -> None:
    files = {"scopeguide": "a/guide.csv", "camera": Path("b/lens.json"), "landmarks": ["rectum=3", "c/times.json"]}
    options = LocateOptions(**files)
    found = identities(options)
    assert found["scopeguide"] == "contents of guide.csv"
    assert found["camera"] == "contents of lens.json"
    assert found["landmarks"] == ["rectum=3", "contents of times.json"]
    assert found["template"] == "paper-set2"
    assert {file.name for file in options.files()} == {"guide.csv", "lens.json", "times.json"}


def test_a_stage_is_handed_the_options_that_it_takes_by_name() -> None:
    def stage(seen: object, *, index: IndexMethod = IndexMethod.OURS, unrelated: int = 3) -> None: ...

    options = LocateOptions(index="paper", segments="time")
    assert options.keywords_of(stage) == {"index": IndexMethod.PAPER}
    placing = options.identity(Decides.PLACES, lambda file: str(file))
    assert keywords_of(stage, json.loads(json.dumps(placing))) == {"index": IndexMethod.PAPER}, "as summary.json has it"
    assert keywords_of(stage, {"template": "of a run that knew no such option"}) == {}


def test_options_are_a_value() -> None:
    options = LocateOptions(withdrawal_start="12:40", segments="time", overlay="no", from_place="0.5")
    assert (options.withdrawal_start, options.segments, options.overlay) == (760.0, Naming.TIME, False)
    assert options.from_place == 0.5
    given = {name: value for name, value in asdict(options).items() if name in OPTIONS}
    assert LocateOptions(**given) == options
    assert replace(options, fps=15) != options
    with pytest.raises(AttributeError):
        options.fps = 15  # type: ignore[misc]


@pytest.mark.parametrize(("place", "value"), [(0, 0.0), ("1", 1.0), (" 0.25 ", 0.25), ("sigmoid", "sigmoid")])
def test_a_place_is_a_segment_or_a_location_index(place: Any, value: float | str) -> None:
    assert LocateOptions(to_place=place).to_place == value


@pytest.mark.parametrize("place", [-1e-9, 1 + 1e-9, "2", "nan", "colon", "", True])
def test_what_is_not_a_place_is_one_line(place: Any) -> None:
    with pytest.raises(HaustraError, match=r"^--from: '.*' is not a place: write one of cecum, ascending"):
        LocateOptions(from_place=place)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"withdrawal_start": "12:4x"}, "--withdrawal-start: '12:4x' is not a time: write seconds, MM:SS or"),
        ({"withdrawal_end": float("nan")}, "--withdrawal-end: 'nan' is not"),
        ({"from_place": "colon"}, "--from: 'colon' is not a place: write one of cecum, .* from 0 to 1"),
        ({"to_place": 1.1}, "--to: '1.1' is not a place"),
        ({"fps": "fast"}, "--fps: 'fast' is not a number above 0 and below 1000"),
        ({"fps": 0}, "--fps: '0' is not a number"),
        ({"fps": True}, "--fps: 'True' is not a number"),
        ({"withdrawal_start": -1}, "--withdrawal-start: '-1' is not a time"),
        ({"withdrawal_start": True}, "--withdrawal-start: 'True' is not a time"),
        ({"threads": "9" * 5000}, "--threads: '9*' is not a whole number"),
        ({"scopeguide": 3}, "--scopeguide: '3' is not text"),
        ({"camera": {"file": "a.json"}}, "--camera: '.*' is not text"),
        ({"landmarks": 3}, "--landmark: '3' is not a list of texts"),
        ({"landmarks": [3]}, "--landmark: '3' is not text"),
        ({"threads": 1.5}, "--threads: '1.5' is not a whole number from 1 to 1024"),
        ({"segments": "guess"}, "--segments: 'guess' is not one of template, time, decoder"),
        ({"overlay": "maybe"}, "--overlay: 'maybe' is not one of true, false, yes, no"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_option(given: dict[str, Any], line: str) -> None:
    with pytest.raises(HaustraError, match=f"^{line}") as raised:
        LocateOptions(**given)
    assert "\n" not in str(raised.value)


def test_an_unknown_keyword_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'camra'"):
        haustra.locate("a.mp4", camra=None)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("camra = 'x'", "unknown option 'camra': choose from withdrawal_start, .*, camera, .*"),
        ("out = 'x'", "unknown option 'out': choose from"),
        ("[camera]\nfile = 'x'\n[other]", "unknown option 'other'"),
        ("fps = 'fast'", "--fps: 'fast' is not a number"),
        ("fps = ", "is not a readable toml file: "),
        ("fps = " + 5000 * "[", "is not a readable toml file: "),
    ],
)
def test_a_mistake_in_the_file_is_one_line_that_names_it(text: str, line: str) -> None:
    with pytest.raises(HaustraError, match=rf"^study/haustra\.toml:? {line}"):
        parse_options_file(text.encode(), "study/haustra.toml")


def test_paths_of_the_file_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "haustra.toml").write_text(
        'camera = "lens.json"\ntemplate = "paper-set3"\nflow = "nets/own.onnx"\nscopeguide = "guide.csv"\n'
        'landmarks = ["hepatic=3", "times.json"]\nmotion = "/nets/motion.onnx"\n'
    )
    options = options_for(tmp_path / "a.mp4", {})
    assert (options.camera, options.template) == (str(tmp_path / "lens.json"), "paper-set3")
    assert (options.flow, options.motion) == (str(tmp_path / "nets/own.onnx"), "/nets/motion.onnx")
    assert options.scopeguide == tmp_path / "guide.csv"
    assert options.landmarks == ("hepatic=3", str(tmp_path / "times.json"))
    assert options.from_file.startswith("from haustra.toml beside the recording: camera = lens.json, template")
    assert str(tmp_path) not in options.from_file


def test_remote_folders_anchor_addresses_too() -> None:
    given = {"camera": "lens.json", "quality": "none", "landmarks": "hepatic=3; a.json", "flow": "s3://b/own.onnx"}
    assert anchored(given, "s3://bucket/study") == {
        "camera": "s3://bucket/study/lens.json",
        "quality": "none",
        "landmarks": ["hepatic=3", "s3://bucket/study/a.json"],
        "flow": "s3://b/own.onnx",
    }


def test_the_public_names_are_what_dir_shows_and_all_are_documented() -> None:
    assert sorted(dir(haustra)) == sorted(haustra.__all__)
    for name in set(haustra.__all__) - {"__version__"}:
        assert inspect.getdoc(getattr(haustra, name)), name


def test_options_bring_nothing_heavy() -> None:
    code = "import sys, haustra.options; print([name for name in ('numpy', 'polars', 'av') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
