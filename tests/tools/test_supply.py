"""Hashes, licences and the bill of materials cover what is pinned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.supply import licences, lock
from tools.supply.bom import bom, write_bom
from tools.supply.pins import needed, pins

PAGE = """
<a href="../../f/Some_Thing-1.0-cp311-cp311-manylinux_2_28_x86_64.whl#sha256={a}" data-x="&gt;=3">Some_Thing-1.0-cp311-cp311-manylinux_2_28_x86_64.whl</a>
<a href="../../f/some_thing-1.0-cp310-cp310-win_amd64.whl#sha256={b}">some_thing-1.0-cp310-cp310-win_amd64.whl</a>
<a href="../../f/some_thing-1.0-cp39-abi3-win_amd64.whl#sha256={c}">some_thing-1.0-cp39-abi3-win_amd64.whl</a>
<a href="../../f/some_thing-1.1-py3-none-any.whl#sha256={d}">some_thing-1.1-py3-none-any.whl</a>
<a href="../../f/some_thing-1.0.tar.gz#sha256={e}">some_thing-1.0.tar.gz</a>
""".format(**{letter: letter * 64 for letter in "abcde"})  # noqa: E501


def test_hashes_and_licences_cover_what_is_pinned() -> None:
    assert lock.check_locks() == []
    assert licences.check_licences() == []


def test_the_hashes_are_those_of_the_wheels_of_one_version_for_our_pythons() -> None:
    assert lock.hashes_of("some-thing", "1.0", lambda _: PAGE) == ["a" * 64, "c" * 64]
    assert lock.hashes_of("some-thing", "1.1", lambda _: PAGE) == ["d" * 64]
    source = "\n".join(line for line in PAGE.splitlines() if ".whl" not in line)
    assert lock.hashes_of("some-thing", "1.0", lambda _: source) == ["e" * 64]
    with pytest.raises(ValueError, match=r"no file of some-thing 2\.0"):
        lock.hashes_of("some-thing", "2.0", lambda _: PAGE)


def test_what_was_locked_is_read_back_and_a_change_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in ("base.txt", "all.txt"):
        text = (lock.FOLDER / file).read_text(encoding="utf-8")
        version = pins()["numpy"]
        (tmp_path / file).write_text(text.replace(f"numpy=={version} ", "numpy==1.0 "), encoding="utf-8")
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    wrong = lock.check_locks()
    assert wrong == [f"{file}: numpy is 1.0, constraints.txt has {version}" for file in ("base.txt", "all.txt")]


def test_no_file_names_an_index_or_a_path_of_a_machine() -> None:
    for file in lock.FOLDER.iterdir():
        assert "/" not in file.read_text(encoding="utf-8").replace(lock.HEAD, "")


@pytest.mark.parametrize(
    ("expression", "free"),
    [
        ("MIT", True), ("Apache-2.0 OR GPL-3.0", True), ("BSD-3-Clause AND GPL-3.0", False), ("", False),
        ("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", True), ("MPL-2.0", False),
    ],
)  # fmt: skip
def test_which_licences_may_be_passed_on(expression: str, free: bool) -> None:
    assert licences.is_free(expression) is free


def test_a_licence_that_is_neither_free_nor_accepted_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(licences.STATED_ELSEWHERE, "numpy", "AGPL-3.0")
    assert "numpy: AGPL-3.0 is neither free nor accepted with a reason" in licences.check_licences()


def test_the_product_needs_what_it_declares_on_every_system() -> None:
    found = needed()
    assert {"av", "numpy", "onnxruntime", "polars", "typer", "colorama"} <= found
    assert not {"torch", "pytest", "dask"} & found
    assert {"torch", "onnx"} <= needed(["train"])


def test_the_bill_of_materials_names_packages_networks_and_what_lies_in_wheels(tmp_path: Path) -> None:
    write_bom(tmp_path / "bom.json")
    found = json.loads((tmp_path / "bom.json").read_text(encoding="utf-8"))
    assert found == bom(), "the same release has the same bill"
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    named = {component["name"]: component for component in found["components"]}
    assert named["motion"]["type"] == "machine-learning-model"
    assert named["numpy"]["scope"] == "required"
    assert named["dask"]["scope"] == "optional"
    assert "pytest" not in named
    assert named["av"]["externalReferences"][0]["hashes"][0]["alg"] == "SHA-256"
    references = [component["bom-ref"] for component in found["components"]]
    assert len(references) == len(set(references))
    assert set(found["dependencies"][0]["dependsOn"]) <= set(references)
    inside = {library["name"]: library for library in named["av"].get("components", [])}
    if "libx264" in inside:  # other systems' wheels are laid out differently
        assert inside["libx264"]["licenses"] == [{"license": {"id": "GPL-2.0-or-later"}}]
