"""`make mutants`: change the code a little, run the tests that belong to it, and list the changes that none noticed.

The mutants are Cosmic Ray's and a few of our own. Its runner writes each into the source file and starts Python anew,
which takes seconds; here each runs in a fork of a process that has the libraries already, and an import hook hands out
the mutated module: no file is touched, and a run that is stopped leaves nothing behind.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import resource
import signal
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mutant_operators import Mutant, mutants_of, places_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "haustra"


class Mutated(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Hands out the mutated code when its module is imported."""

    def __init__(self, name: str, file: Path, code: str) -> None:
        super().__init__(name, str(file))
        self.mutated = code

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        return (
            importlib.util.spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None
        )

    def get_code(self, fullname: str) -> Any:
        del fullname
        return compile(self.mutated, self.path, "exec")


@dataclass(frozen=True)
class Run:
    """What became of the tests: `passed` means that nobody noticed."""

    passed: bool
    cpu_s: float


def run_tests(name: str, file: Path, code: str, tests: Sequence[str], cpu_s: int, loaded: Path | None = None) -> Run:
    """Run tests in a fork with the module replaced. `loaded` is told which libraries the tests needed."""
    child = os.fork()
    if child == 0:
        _silence(cpu_s)
        sys.meta_path.insert(0, Mutated(name, file, code))
        status = 1
        with suppress(BaseException):
            status = int(pytest.main(["-x", "-q", "-m", "not slow", *tests]))
            if loaded is not None:
                loaded.write_text(json.dumps(_libraries()))
        os._exit(status)
    _, status, used = os.wait4(child, 0)
    return Run(status == 0, used.ru_utime + used.ru_stime)


def _silence(cpu_s: int) -> None:
    """No output, no plugins; an end to loops that never end, by processor time and, for what sleeps, by the clock."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer to load than most tests to run
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    signal.alarm(30 * cpu_s)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _libraries() -> list[str]:
    """Imported modules that are not of this repository."""
    ours = (str(ROOT / "src"), str(ROOT / "tests"))
    modules = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    return [name for name, file in modules.items() if file and not file.startswith(ours) and name != "__main__"]


@dataclass
class Report:
    """Of one module."""

    module: str
    places: int
    run: int
    survivors: list[Mutant]

    def __str__(self) -> str:
        killed = self.run - len(self.survivors)
        share = killed / self.run if self.run else math.nan
        return f"{self.module:36} {self.places:7} {self.run:5} {killed:7} {len(self.survivors):9} {share:7.0%}"


def survey(module: str, tests: Sequence[str], sample: int, seed: int) -> Report:
    """Mutate one module of the package, `sample` times at most, and run its tests on each mutant."""
    file = PACKAGE / module
    name = "haustra." + module.removesuffix(".py").replace("/", ".")
    source = file.read_text()
    with tempfile.TemporaryDirectory() as folder:
        loaded = Path(folder) / "loaded.json"
        first = run_tests(name, file, source, tests, 600, loaded)
        if not first.passed:
            raise SystemExit(f"{module}: {' '.join(tests)} must pass before anything is mutated")
        for library in json.loads(loaded.read_text()):
            with suppress(Exception):
                importlib.import_module(library)
    limit_s = math.ceil(2 * first.cpu_s + 5)
    places = places_of(source)
    random.Random(seed).shuffle(places)
    drawn = list(islice(mutants_of(source, places), sample))
    survivors = []
    for mutant in sorted(drawn, key=lambda mutant: mutant.line):
        if run_tests(name, file, mutant.code, tests, limit_s).passed:
            survivors.append(mutant)
            print(f"{module}:{mutant.line}\n  - {mutant.was}\n  + {mutant.now}", flush=True)
    return Report(module, len(places), len(drawn), survivors)


def modules_with_tests(wanted: Sequence[str]) -> dict[str, list[str]]:
    """Modules and their tests by `[tool.mutants]` in pyproject.toml; a module's own line goes before its package's."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mutants"]
    found: dict[str, list[str]] = {}
    for place in sorted(table, key=len, reverse=True):
        for file in sorted((PACKAGE / place).rglob("*.py") if (PACKAGE / place).is_dir() else [PACKAGE / place]):
            found.setdefault(file.relative_to(PACKAGE).as_posix(), table[place])
    chosen = {
        module: tests for module, tests in sorted(found.items()) if not wanted or module.startswith(tuple(wanted))
    }
    if not chosen:
        raise SystemExit(f"no module {' '.join(wanted)}: choose from {' '.join(table)}")
    return {module: tests for module, tests in chosen.items() if not module.endswith("__init__.py")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="such as quality/decide.py or anatomy; all of them unless named")
    parser.add_argument("--sample", type=int, default=40, help="mutants of each module, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.chdir(ROOT)
    chosen = modules_with_tests(options.modules)
    reports = []
    try:
        for module, tests in chosen.items():
            reports.append(survey(module, tests, options.sample, options.seed))
    finally:  # of what was done, too, when it is stopped
        print(f"{'module':36} {'places':>7} {'run':>5} {'killed':>7} {'survived':>9} {'share':>7}")
        print(*reports, sep="\n")


if __name__ == "__main__":
    main()
