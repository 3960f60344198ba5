"""docs/get-started, command by command: what a new user types runs, and gives what the pages say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import pytest
import typer.main

from haustra.cli.commands import app
from haustra.demo import DEMO

ROOT = Path(__file__).parents[2]
PAGES = {
    name: (ROOT / "docs" / "get-started" / f"{name}.md").read_text()
    for name in ("install", "first-recording", "report")
}
LENGTH_S = 12 * 60 + 50  # the pages let the withdrawal start at 12:40
FENCED = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def commands(page: str) -> list[str]:
    """Lines that are set off as commands, without the remark behind them."""
    lines = FENCED.sub("", PAGES[page]).splitlines()
    return [line.partition(" #")[0].strip() for line in lines if re.match(r"    \S", line)]


def inline() -> list[str]:
    """Commands within a sentence; words in capitals stand for the user's own."""
    return [words for text in PAGES.values() for words in re.findall(r"`(haustra \w[^`]*)`", text)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the recording that the pages speak of: the bundled one again and again, not encoded anew."""
    folder = tmp_path_factory.mktemp("new user")
    with av.open(str(folder / "recording.mp4"), "w") as made:
        stream = None
        for time_s, packet in _packets():
            stream = stream or made.add_stream_from_template(packet.stream)
            packet.stream = stream
            packet.pts = packet.dts = round(time_s / packet.time_base)
            made.mux(packet)
    return folder


def _packets() -> Iterator[tuple[Fraction, av.Packet]]:
    start_s = Fraction(0)
    while True:
        with av.open(str(DEMO / "video.mp4")) as given:
            for packet in given.demux(video=0):
                if packet.pts is None:
                    continue
                time_s = start_s + packet.dts * packet.time_base
                if time_s >= LENGTH_S:
                    return
                yield time_s, packet
        start_s += 60


def run(words: list[str], place: Path) -> str:
    environment = {**os.environ, "BROWSER": "true"}  # `haustra open` asks for one
    ended = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, f"{words}: {ended.stdout}{ended.stderr}"
    return ended.stdout


def typed(command: str, place: Path) -> str:
    """What a command says. The environment is that of the tests, into which nothing is installed."""
    program, *rest = shlex.split(command)
    if program == "haustra":
        return run([sys.executable, "-m", "haustra", *rest], place)
    if program == "pip" and "-r" in rest:  # its files would be fetched: they are pinned by hashes, each of them
        pinned = (ROOT / rest[rest.index("-r") + 1]).read_text(encoding="utf-8")
        requirements = [line for line in re.sub(r"\\\n", "", pinned).splitlines() if line and line[0] not in "# "]
        assert all(re.match(r"[\w.-]+==\S+ .*--hash=sha256:", line) for line in requirements)
        return pinned
    if program == "pip":
        dry = ["--quiet", "--dry-run", "--no-deps", "--no-build-isolation"]
        assert rest[-1] == "."
        return run([sys.executable, "-m", "pip", *rest[:-1], *dry, str(ROOT)], place)
    assert command == "make demo", f"no test runs '{command}'"
    steps = run(["make", "-n", "-C", str(ROOT), "demo"], place)
    assert steps.rstrip().splitlines()[-2 if "Leaving" in steps else -1].endswith("python -m haustra.demo")
    return run([sys.executable, "-m", "haustra.demo"], place)


def test_what_is_typed_to_install(place: Path) -> None:
    said = {command: typed(command, place) for command in commands("install")}
    assert {"pip install .", "haustra doctor", "haustra --help", "make demo"} <= set(said)
    assert "self-test  ok" in said["haustra doctor"]
    page = Path(said["make demo"].rstrip().rpartition("browser: ")[2])
    assert page.is_file()
    assert "| location" in said["make demo"], "the result is compared with the truth"


def test_what_is_typed_for_the_first_recording(place: Path) -> None:
    info, located, opened = (typed(command, place) for command in commands("first-recording"))
    assert "12:50" in info
    assert "12:40 to 12:" in located
    assert "recording-haustra/report.html" in opened.replace("\\", "/")
    names = re.findall(r"^\| (`.+?`) \|", PAGES["first-recording"].partition("## 3.")[0], re.MULTILINE)
    files = [name for cell in names for name in re.findall(r"`([\w.]+)`", cell)]
    assert len(files) == 6
    assert [name for name in files if not (place / "recording-haustra" / name).is_file()] == []
    ((language, code),) = FENCED.findall(PAGES["first-recording"])
    assert language == "python"
    run([sys.executable, "-c", code], place)
    assert (place / "location.svg").is_file()


def test_commands_within_sentences_are_understood() -> None:
    assert len(inline()) >= 3
    for command in inline():
        words = shlex.split(command)[1:]
        found = typer.main.get_command(app)
        while words and words[0] in getattr(found, "commands", {}):
            found = found.commands[words.pop(0)]  # type: ignore[attr-defined]
        if words == ["--install-completion"]:
            continue
        try:
            found.make_context("haustra", list(words))
        except Exception as error:
            if type(error).__name__ != "MissingParameter":
                raise
            # `haustra export --to dicom-sr`, of any result
            found.make_context("haustra", [*words, "RESULT"])


def test_options_and_extras_of_the_pages_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.findall(r"^\| `([\w-]+)` \|", PAGES["install"].partition("## Extras")[2], re.MULTILINE)
    assert set(named) == set(extras) - {"docs", "test"}
    locate = typer.main.get_command(app).commands["locate"]  # type: ignore[attr-defined]
    known = {flag for option in locate.params for flag in (*option.opts, *option.secondary_opts)}
    asked = re.findall(r"`(--[\w-]+)", PAGES["first-recording"])
    assert asked
    assert set(asked) <= known
