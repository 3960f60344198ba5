"""A group's own template beside the shipped one, each recording left out in turn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import haustra
from haustra.anatomy.template import load_template
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import DEFAULT_TEMPLATE
from haustra.results.table import frames_table, write_frames


def _group(folder: Path, lengths: list[list[float]]) -> list[Path]:
    """Withdrawals at even speed through colons of these relative lengths."""
    time_s = np.arange(0.0, 60.1, 0.2)
    folders = []
    for k, shares in enumerate(lengths):
        recording = folder / f"r{k}"
        write_frames(recording, frames_table({"time_s": time_s, "location_index": time_s / time_s[-1]}))
        times = np.concatenate([[0.0], np.cumsum(shares)]) / sum(shares) * time_s[-1]
        (recording / "annotations.json").write_text(json.dumps(times.tolist()))
        folders.append(recording)
    return folders


def test_a_group_with_other_colons_is_better_served_by_its_own(tmp_path: Path) -> None:
    group = _group(tmp_path, [[1, 1, 1, 4, 2, 1], [1, 1, 1, 4.2, 2, 1], [1, 1.1, 1, 4, 2, 1], [1, 1, 1.1, 4, 2, 1]])
    fit = haustra.fit_template(group, name="ours")
    assert fit.left_out.min() > 0.95
    assert fit.shipped.max() < 0.8
    assert not fit.warning
    assert fit.template.mean[3] == pytest.approx(0.4, abs=0.02)


def test_where_the_shipped_template_is_better_it_is_said(tmp_path: Path) -> None:
    """Three colons that vary about the shipped proportions: two others say less about the third."""
    mean = load_template(DEFAULT_TEMPLATE).mean
    rng = np.random.default_rng(4)
    group = _group(tmp_path, [(mean * np.exp(rng.normal(0, 0.25, 6))).tolist() for _ in range(3)])
    out = tmp_path / "own.json"
    ran = CliRunner().invoke(app, ["template", "build", *map(str, group), "-o", str(out), "--json"])
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    assert np.mean(found["accuracy"]["shipped"]) > np.mean(found["accuracy"]["left_out"])
    assert "keep the shipped one" in found["warning"]
    assert load_template(out).built_from == ("r0", "r1", "r2")


def test_two_recordings_are_too_few_to_tell(tmp_path: Path) -> None:
    fit = haustra.fit_template(_group(tmp_path, [[1, 1, 1, 1, 1, 1]] * 2))
    assert np.isnan(fit.left_out).all()
    assert "too few" in fit.warning


def test_what_is_not_known_is_not_printed_as_a_number(tmp_path: Path) -> None:
    group = _group(tmp_path, [[1, 1, 1, 1, 1, 1]] * 2)
    ran = CliRunner().invoke(app, ["template", "build", *map(str, group), "-o", str(tmp_path / "own.json")])
    assert ran.exit_code == 0, ran.output
    assert "nan" not in ran.output
    assert " right by the shipped one" in ran.output


def test_a_result_that_nobody_reviewed_is_named(tmp_path: Path) -> None:
    (recording,) = _group(tmp_path, [[1, 1, 1, 1, 1, 1]])
    (recording / "annotations.json").unlink()
    with pytest.raises(HaustraError, match="r0 was not reviewed: correct it, or give its seven times"):
        haustra.fit_template([recording])
