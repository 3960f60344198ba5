"""What typical changes cost: each is made to a copy of the package, in as few files as CONTRIBUTING says, and tried."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import haustra
from haustra.core.segments import SEGMENTS

SOURCE = Path(haustra.__file__).parent

# A change is, by file, text that a new line goes behind.
OPTION = {
    "options.py": ('    quiet: Switch = switch(CALL, "', '    calm: Switch = switch(PLACES, "A test.", False)\n'),
    "path/withdrawal.py": ("    index: IndexMethod = IndexMethod.OURS,\n", "    calm: bool = False,\n"),
}
OPTION_IS_THERE = """
import inspect, haustra
from haustra.cli.commands import app
from haustra.core.option import Decides
from haustra.options import RECORDING_OPTIONS, LocateOptions, keywords_of, parse_options_file
from haustra.path.withdrawal import follow_withdrawal
from typer.testing import CliRunner
options = LocateOptions(calm="yes")
assert "calm" in inspect.signature(haustra.locate).parameters and "calm: A test." in haustra.locate.__doc__
for command in (["locate"], ["cohort", "run"]):
    assert "--calm" in CliRunner().invoke(app, [*command, "--help"]).output, command
assert "calm" in RECORDING_OPTIONS and parse_options_file(b"calm = true", "haustra.toml") == {"calm": True}
identity = options.identity(Decides.PLACES, str)
assert identity["calm"] is True
assert options.keywords_of(follow_withdrawal)["calm"] is keywords_of(follow_withdrawal, identity)["calm"] is True
"""
OBSERVATION = {
    "results/observations.py": (
        "    p_cecum_view: Float32Array = numbers(",
        "    sharpness: Float32Array = numbers(np.float32, low=0)\n",
    ),
    "quality/thumbnails.py": (
        "def with_thumbnails(",
        "    seen = replace(seen, sharpness=np.array([one.picture.std() for one in chunk], np.float32))\n",
    ),
}
OBSERVATION_IS_THERE = """
import numpy as np
from dataclasses import replace
from pathlib import Path
from haustra.core.vocabulary import Reason
from haustra.quality.samples import SampledFrame
from haustra.quality.thumbnails import with_thumbnails
from haustra.results.journal import load_observations, save_observations
from haustra.results.observations import Observations
pictures = [SampledFrame(0.1 * k, Reason.KEPT, np.full((64, 64, 3), k, np.uint8)) for k in range(3)]
for one in pictures:
    one.picture[:32] += 9
chunk = Observations(time_s=np.array([one.time_s for one in pictures]), p_noninformative=np.zeros(3, np.float32))
seen = with_thumbnails(pictures, chunk)
assert np.allclose(seen.sharpness, 4.5)
joined = Observations.concatenated([seen, replace(chunk, time_s=chunk.time_s + 1.0)])
assert np.isnan(joined.sharpness[3:]).all() and joined.rows(slice(1, 3)).sharpness.tolist() == [4.5, 4.5]
save_observations(Path("chunk.npz"), joined, "a run")
assert np.array_equal(load_observations(Path("chunk.npz"), "a run").sharpness, joined.sharpness, equal_nan=True)
try:
    Observations(time_s=np.zeros(1), sharpness=np.array([-1.0], np.float32))
    raise SystemExit("the bound of the new column was not checked")
except ValueError:
    pass
"""


def changed(folder: Path, change: dict[str, tuple[str, str]]) -> Path:
    """A copy of the package in which each file of the change has one line more."""
    package = folder / "haustra"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("weights", "data", "__pycache__"))
    for name, (behind, line) in change.items():
        lines = (package / name).read_text(encoding="utf-8").splitlines(keepends=True)
        at = next(k for k, text in enumerate(lines) if text.startswith(behind.rstrip("\n")))
        if behind.startswith("def "):  # behind its docstring
            at += next(k for k, text in enumerate(lines[at:]) if text.rstrip().endswith('"""'))
        (package / name).write_text("".join([*lines[: at + 1], line, *lines[at + 1 :]]), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("change", "tried"), [(OPTION, OPTION_IS_THERE), (OBSERVATION, OBSERVATION_IS_THERE)], ids=["option", "observation"]
)
def test_one_line_in_each_of_two_files_is_enough(
    change: dict[str, tuple[str, str]], tried: str, tmp_path: Path
) -> None:
    environment = os.environ | {"PYTHONPATH": str(changed(tmp_path, change))}
    done = subprocess.run(
        [sys.executable, "-c", tried], check=False, capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert len(change) == 2


def test_the_segments_are_listed_in_one_table_and_drawn_in_one_place() -> None:
    """Of the product; what the simulator and the trainers know of the colon's course is theirs."""
    listing = set()
    for path in sorted(SOURCE.rglob("*")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(("lab/", "data/")) or path.suffix not in (".py", ".js", ".html", ".css"):
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            constants = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
            words = {value for value in constants if value in SEGMENTS}
        else:
            words = set(re.findall(r"\w+", text)) & set(SEGMENTS)
        if words == set(SEGMENTS):
            listing.add(name)
    assert listing == {"core/segments.py", "anatomy/colon_map.py"}
