"""The blind proof: it refuses what was not frozen, goes on where it stopped, and every section is printed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.proof import located
from benchmarks.proof.__main__ import printed
from benchmarks.proof.ablations import ABLATIONS, WHOLE
from benchmarks.proof.freeze import check_frozen, freeze, read_frozen
from benchmarks.proof.located import FROM_ITS_BEGINNING, LENSES, TRUE, Proof, kind_of
from benchmarks.proof.objections import STEERED
from benchmarks.proof.scores import DURATIONS_S, between
from benchmarks.proof.sections import SECTIONS
from benchmarks.results_page import sections as declared
from benchmarks.results_page.stamp import stamp_today

import golden
from benchmarks import observed
from haustra.core.errors import HaustraError
from haustra.core.files import write_json
from haustra.demo import DEMO
from haustra.lab.simulate import recording_sets
from haustra.lab.simulate.seeds import SET_NAMES
from haustra.results.folder import OBSERVATIONS

NAMES = ("varied-01", "insertion-01", "partial-01")


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Proof:
    """The demo as three recordings, observed already; one of them without a lens of its own only with the true one."""
    folder = tmp_path_factory.mktemp("proof")
    made = Proof(folder / "recordings", folder, NAMES)
    for name in NAMES:
        shutil.copytree(DEMO, made.data / name)
        for lens in (TRUE, "auto"):
            (made.folder(lens) / name).mkdir(parents=True)
            shutil.copy(golden.FOLDER / OBSERVATIONS, made.folder(lens) / name)
    beginning = made.folder(FROM_ITS_BEGINNING) / "insertion-01"
    beginning.mkdir(parents=True)
    shutil.copy(golden.FOLDER / OBSERVATIONS, beginning)
    return made


def test_what_was_not_frozen_or_has_changed_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "frozen.json"
    with pytest.raises(HaustraError, match="--freeze"):
        read_frozen(source)
    assert freeze(source, tmp_path) == read_frozen(source) == check_frozen(tmp_path / "work", source)
    today = stamp_today()
    other = replace(today, parameters="0" * 12)
    write_json(source, vars(other))
    with pytest.raises(HaustraError, match="parameters changed since the freeze"):
        check_frozen(tmp_path / "work", source)
    write_json(source, vars(replace(today, date="2020-01-01")))
    with pytest.raises(HaustraError, match="another freeze"):
        check_frozen(tmp_path / "work", source)


def test_nothing_is_frozen_again_once_the_proof_was_recorded(tmp_path: Path) -> None:
    (tmp_path / "proof_location.md").write_text("figures")
    with pytest.raises(HaustraError, match="new recordings"):
        freeze(tmp_path / "frozen.json", tmp_path)
    assert not (tmp_path / "frozen.json").exists()


def test_what_is_there_is_not_located_again_and_a_failure_is_kept(
    proof: Proof, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def fail(*_: object, **options: object) -> None:
        asked.append(str(options["camera"]))
        raise HaustraError("nothing can be located")

    monkeypatch.setattr(observed, "locate", fail)
    proof.locate([TRUE, "auto"], workers=1)
    assert asked == []
    alone = replace(proof, names=("varied-01",))
    for _ in range(2):
        alone.locate(["generic"], workers=1)
    assert asked == ["generic"]
    assert alone.failures() == ["varied-01, lens generic: nothing can be located"]
    assert "nothing can be located" in SECTIONS["overview"](proof)
    shutil.rmtree(proof.folder("generic"))


def test_a_wrong_lens_is_wrong_both_ways(proof: Proof, monkeypatch: pytest.MonkeyPatch) -> None:
    factors: list[float] = []
    monkeypatch.setattr(located, "scaled_lens", lambda camera, factor: (factors.append(factor), camera)[1])
    monkeypatch.setattr(located, "observe_recording", lambda *_, **__: None)
    for name in NAMES[:2]:
        proof._observe(name, "20 % wrong")
    assert factors == [1.2, 1 / 1.2]


@pytest.mark.parametrize("name", [name for name in SECTIONS if name != "ablation"])
def test_every_section_is_printed(proof: Proof, name: str) -> None:
    text = printed(proof, name)
    assert len(text) > 100, text
    assert "nan" not in text
    if name == "lens":
        assert [line.split("|")[1].strip() for line in text.splitlines()[2:]] == [TRUE, "auto"]
    if name == "segments":
        assert "decoder" in text.splitlines()[2]


def test_every_ablation_changes_the_location(proof: Proof) -> None:
    (recording,) = (one for one in proof.observed() if one.name == "varied-01")
    whole = WHOLE.error(recording)
    for ablation in ABLATIONS:
        same = np.array_equal(ablation.error(recording), whole)
        assert same is (ablation is WHOLE), ablation.name


def test_sections_are_declared_and_own_data_are_not_the_page(proof: Proof) -> None:
    on_page = [s.name for page in declared.pages() if page.name == "proof" for s in page.sections]
    assert on_page == [f"proof_{name}" for name in SECTIONS]
    assert printed(proof, "start", start_known=False) == "Only of the simulated set."
    assert printed(Proof(proof.data, proof.work / "empty", NAMES), "location").startswith("no recording")


def test_cases_fall_between_two_edges() -> None:
    class Case:
        def __init__(self, seconds: float) -> None:
            self.seconds = seconds

    cases = [Case(60.0), Case(120.0), Case(1000.0)]
    found = between(cases, lambda case: case.seconds, DURATIONS_S)  # type: ignore[arg-type]
    assert [len(part) for part in found.values()] == [1, 1, 1]


def test_the_table_of_what_steered_what_has_every_set() -> None:
    assert {len(row) for row in STEERED} == {5}
    words = " ".join(row[0] for row in STEERED)
    assert all(name in words for name in SET_NAMES)
    assert {kind_of(f"{kind.name}-01") for kind in recording_sets.PROOF} == {k.name for k in recording_sets.PROOF}
    assert LENSES[0] == TRUE
