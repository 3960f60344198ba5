"""`make mutants`: which mutants are made, and that tests see the mutant and not the file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray", reason="Cosmic Ray is not installed: pip install haustra[test]")

from mutant_operators import mutants_of
from mutants import modules_with_tests, run_tests

SOURCE = '''"""Made."""
from __future__ import annotations

REACH = 1.5


def inside(x: float | None, side: str = "left") -> float | None:
    return x <= REACH
'''


def test_constants_comparisons_and_words_are_mutated_and_annotations_are_not() -> None:
    made = {mutant.now for mutant in mutants_of(SOURCE)}
    assert {"REACH = 2.5", "REACH = 0.5", "return x < REACH", "return x > REACH"} <= made
    assert 'def inside(x: float | None, side: str = "right") -> float | None:' in made
    assert len(made) == 5
    assert {mutant.line for mutant in mutants_of("def f(x):\n    return x.mean()\n")} == {2}
    assert list(mutants_of("x = zip(a, b, strict=True)\n")) == [], "it forbids and computes nothing"


@pytest.mark.posix
def test_a_mutant_runs_in_place_of_its_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made_module.py").write_text(SOURCE)
    (tmp_path / "test_made.py").write_text("import made_module\n\ndef test(): assert made_module.inside(1.5)\n")
    monkeypatch.syspath_prepend(tmp_path)
    survived = {}
    for mutant in mutants_of(SOURCE):
        arguments = "made_module", tmp_path / "made_module.py", mutant.code, [str(tmp_path), "-c", "/dev/null"], 60
        survived[mutant.now] = run_tests(*arguments).passed
    assert survived.pop("REACH = 2.5")
    assert survived.pop('def inside(x: float | None, side: str = "right") -> float | None:')
    assert survived == dict.fromkeys(("REACH = 0.5", "return x < REACH", "return x > REACH"), False)
    assert (tmp_path / "made_module.py").read_text() == SOURCE
    assert "made_module" not in sys.modules


@pytest.mark.posix
def test_loops_that_never_end_are_ended(tmp_path: Path) -> None:
    (tmp_path / "test_made.py").write_text("def test():\n    while True: pass\n")
    assert not run_tests("made_module", tmp_path / "made_module.py", "", [str(tmp_path), "-c", "/dev/null"], 1).passed


def test_every_module_of_the_table_has_tests_that_exist() -> None:
    found = modules_with_tests([])
    assert {
        "quality/decide.py",
        "path/paper_index/curve.py",
        "anatomy/template_segments.py",
        "lab/training/motion/losses.py",
    } <= set(found)
    for tests in found.values():
        assert all((Path(__file__).parents[1] / test).exists() for test in tests)
    assert list(modules_with_tests(["quality/decide"])) == ["quality/decide.py"]
    with pytest.raises(SystemExit, match="no module nowhere"):
        modules_with_tests(["nowhere"])
