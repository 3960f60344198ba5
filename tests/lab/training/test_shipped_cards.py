"""The cards of the shipped networks: page and JSON say the same, and their commands can be given."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from tools.site.commands import every_command, options_of

import haustra
from haustra.core.files import read_json
from haustra.lab.training.card import ModelCard, card_page

CARDS = sorted((Path(haustra.__file__).parent / "weights").glob("*.json"))


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_the_page_is_made_from_the_json(path: Path) -> None:
    assert path.with_suffix(".md").read_text(encoding="utf-8") == card_page(ModelCard(**read_json(path)))


def test_every_network_has_a_card() -> None:
    assert {path.stem for path in CARDS} == {path.stem for path in CARDS[0].parent.glob("*.onnx")}


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_options_that_a_card_names_exist(path: Path) -> None:
    known = {name: {o for one in options_of(command) for o in one.opts} for name, command in every_command()}
    card = read_json(path)
    texts = [card["command"], *re.findall(r"`(haustra [^`]+)`", card["history"])]
    for text in texts:
        command = " ".join(text.split()[:3])
        if command in known:
            assert set(re.findall(r"(?<=\s)--[a-z-]+", text)) <= known[command], text


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_functions_that_a_card_names_exist(path: Path) -> None:
    for module, name in re.findall(r"`(haustra\.[\w.]+)\.(\w+)`", str(read_json(path))):
        assert hasattr(importlib.import_module(module), name), f"{module}.{name}"
