"""`make mutants`: change the code a little, run the tests that belong to it, and list the changes that none noticed.

The mutants are Cosmic Ray's and a few of our own. Its runner writes each into the source file and starts Python anew,
which takes seconds; here each runs in a fork of a process that has the libraries already, and an import hook hands out
the mutated module: no file is touched, and a run that is stopped leaves nothing behind.
"""

from __future__ import annotations

import argparse
import ast
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
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import parso.python.tree
import pytest
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.operators.provider import OperatorProvider

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "haustra"

# One opposite of each operator: Cosmic Ray has eleven for every `+`, and one test kills them all.
BINARY = (
    "Add_Sub",
    "Sub_Add",
    "Mul_Div",
    "Div_Mul",
    "Pow_Mul",
    "FloorDiv_Mul",
    "Mod_Mul",
    "BitAnd_BitOr",
    "BitOr_BitAnd",
)
COMPARISONS = (
    "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Lt_GtE", "LtE_Gt", "Gt_LtE", "GtE_Lt", "Eq_NotEq", "NotEq_Eq",
    "Is_IsNot", "IsNot_Is",
)  # fmt: skip
OTHERS = (
    "AddNot", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "NumberReplacer",
    "ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ZeroIterationForLoop",
    "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Invert",
)  # fmt: skip
OPERATORS = (
    *(f"ReplaceBinaryOperator_{name}" for name in BINARY),
    *(f"ReplaceComparisonOperator_{name}" for name in COMPARISONS),
    *OTHERS,
)
# Words of NumPy and torch whose exchange leaves shapes as they are.
WORDS = (
    ("mean", "sum"), ("max", "min"), ("maximum", "minimum"), ("amax", "amin"), ("std", "var"), ("argmax", "argmin"),
    ('"left"', '"right"'), ("median", "mean"), ("any", "all"), ("sin", "cos"),
)  # fmt: skip
OTHER_WORD = {a: b for one, two in reversed(WORDS) for a, b in ((one, two), (two, one))}


class OtherWord(Operator):  # type: ignore[misc]
    """Exchanges a word for its opposite: `mean` for `sum`, the left side of a boundary for its right."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if isinstance(node, parso.python.tree.Name | parso.python.tree.String) and node.value in OTHER_WORD:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        del index
        return type(node)(OTHER_WORD[node.value], node.start_pos, prefix=node.prefix)

    @classmethod
    def examples(cls) -> tuple[Any, ...]:
        return ()


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    line: int
    was: str
    now: str
    code: str


def mutants_of(source: str) -> list[Mutant]:
    """Every change that the operators make and that the interpreter sees: annotations are not evaluated."""
    provider = OperatorProvider()
    seen = {_meaning(source)}
    found = []
    for operator in (*(provider[name]() for name in OPERATORS), OtherWord()):
        occurrence = 0
        while (code := mutate_code(source, operator, occurrence)) is not None:
            occurrence += 1
            with suppress(SyntaxError):
                if (meaning := _meaning(code)) not in seen:
                    seen.add(meaning)
                    found.append(_mutant(source, code))
    return sorted(found, key=lambda mutant: mutant.line)


def _meaning(code: str) -> str:
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.arguments):  # a `*` or `/` among the parameters is no operator
            node.args, node.posonlyargs, node.kwonlyargs = [*node.posonlyargs, *node.args, *node.kwonlyargs], [], []
            node.defaults, node.kw_defaults = [*node.defaults, *filter(None, node.kw_defaults)], []
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.ClassDef):  # `frozen` forbids and computes nothing
            node.decorator_list = []
    return ast.dump(tree)


def _mutant(source: str, code: str) -> Mutant:
    pairs = enumerate(zip(source.splitlines(), code.splitlines(), strict=False), 1)
    line, (was, now) = next((line, pair) for line, pair in pairs if pair[0] != pair[1])
    return Mutant(line, was.strip(), now.strip(), code)


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
    mutants: int
    run: int
    survivors: list[Mutant]

    def __str__(self) -> str:
        killed = self.run - len(self.survivors)
        share = killed / self.run if self.run else math.nan
        return f"{self.module:36} {self.mutants:7} {self.run:5} {killed:7} {len(self.survivors):9} {share:7.0%}"


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
    every = mutants_of(source)
    drawn = random.Random(seed).sample(every, min(sample, len(every)))
    survivors = []
    for mutant in sorted(drawn, key=lambda mutant: mutant.line):
        if run_tests(name, file, mutant.code, tests, limit_s).passed:
            survivors.append(mutant)
            print(f"{module}:{mutant.line}\n  - {mutant.was}\n  + {mutant.now}", flush=True)
    return Report(module, len(every), len(drawn), survivors)


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
        raise SystemExit(f"no module {' '.join(wanted)}: choose of {' '.join(table)}")
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
        print(f"{'module':36} {'mutants':>7} {'run':>5} {'killed':>7} {'survived':>9} {'share':>7}")
        print(*reports, sep="\n")


if __name__ == "__main__":
    main()
