"""A share of `make fuzz`: every reader on damaged files. A result, or one printable line; nothing else."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("limits of a process are POSIX", allow_module_level=True)

from fuzz import all_readers, dataset_files, folders, side_files, videos
from fuzz.batches import run
from fuzz.child import Outcome, outcome_of, tree
from fuzz.damage import VALUES, damaged

from haustra.core.errors import HaustraError

SEED = "share"
GROUPS = {
    "side files": ([*side_files.READERS], 60),
    "datasets": ([*dataset_files.READERS], 16),
    "strangers' folders": ([*folders.STRANGERS, *folders.READERS], 40),
    "videos": ([*videos.READERS], 36),
}


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_what_is_damaged_is_read_or_refused_in_one_line(group: str) -> None:
    names, total = GROUPS[group]
    endings = list(run(names, total, SEED))
    bad = [
        f"{one.reader} {SEED}/{one.number}: {one.outcome} ({one.damage})\n{one.line}"
        for one in endings
        if not one.is_good
    ]
    assert not bad, "\n\n".join(bad)
    assert {one.outcome for one in endings} == {Outcome.READ, Outcome.REFUSED}, (
        "the damages are too small, or too large"
    )


@pytest.mark.posix
def test_the_fuzzer_tells_what_is_wrong(tmp_path: Path) -> None:
    """Each kind of bad ending is seen as what it is."""

    def fail(_: Path) -> None:
        raise KeyError("x")

    def two_lines(_: Path) -> None:
        error = HaustraError("a")
        error.args = ("a\nb",)
        raise error

    def too_much(_: Path) -> None:
        raise MemoryError

    seen = [outcome_of(read, tmp_path)[0] for read in (fail, two_lines, too_much, lambda _: 1)]
    assert seen == [Outcome.TRACEBACK, Outcome.NOT_A_LINE, Outcome.PEAK, Outcome.READ]
    (tmp_path / "a").symlink_to("/dev/zero")
    assert tree(tmp_path) == {"a": "-> /dev/zero"}


def test_the_same_seed_makes_the_same_damage() -> None:
    data = b'{"a": [1, 2, {"b": 3}]}'
    once, again = ([damaged("x.json", data, random.Random(n)) for n in range(50)] for _ in range(2))
    assert once == again
    assert len(set(once)) > 30


def test_a_damage_does_not_change_those_after_it() -> None:
    """Values that are put into a file may be damaged in their turn."""
    before = repr(VALUES)
    for number in range(3000):
        damaged("x.json", b'{"a": {"b": 1}, "c": [2]}', random.Random(number))
    assert repr(VALUES) == before


def test_every_reader_has_a_name_of_its_own() -> None:
    groups = (side_files.READERS, dataset_files.READERS, folders.READERS, folders.STRANGERS, videos.READERS)
    assert len(all_readers()) == sum(map(len, groups))
