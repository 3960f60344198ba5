"""Recordings that show no whole colon name no segment: refused in one line, or reported as a part or unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.odd_inputs import INPUTS, Answer, ask

SECONDS = 6.0
REFUSED = {"two frames", "a landscape", "noise", "black", "a slide with a banner", "no informative frame"}


@pytest.mark.parametrize("name", INPUTS)
def test_no_segment_is_named_where_no_whole_colon_is_seen(name: str, tmp_path: Path) -> None:
    answer = ask(name, SECONDS, tmp_path)
    assert answer.honest, answer
    assert (answer.code == 2) == (name in REFUSED), answer


@pytest.mark.parametrize(
    ("answer", "honest"),
    [
        (Answer(2, ["haustra: nothing"], []), True),
        (Answer(2, ["haustra: nothing"], ["out"]), False),
        (Answer(2, ["Traceback", "IndexError"], []), False),
        (Answer(1, ["haustra: nothing"], []), False),
        (Answer(0, [], ["out"], "part"), True),
        (Answer(0, [], ["out"], "unsure", ("cecum",)), False),
    ],
    ids=["refused", "something is left", "not one line", "another exit code", "a part", "a segment"],
)
def test_what_counts_as_honest(answer: Answer, honest: bool) -> None:
    assert answer.honest is honest
