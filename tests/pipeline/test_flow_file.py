"""`locate --flow FILE`: a PWC-Net of the user's own, named by its contents."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import haustra
from haustra.core.errors import HaustraError
from haustra.core.onnx import shipped


def test_a_file_gives_what_its_network_gives_wherever_it_lies(clip: Path, tmp_path: Path) -> None:
    options = {"withdrawal_start": 0, "quality": "none", "overlay": False}
    own = tmp_path / "elsewhere" / "own.onnx"
    own.parent.mkdir()
    shutil.copy(shipped("pwcnet"), own)
    named = haustra.locate(clip, out=tmp_path / "named", flow="pwcnet", **options)
    given = haustra.locate(clip, out=tmp_path / "given", flow=str(own), **options)
    assert given.frames.equals(named.frames)
    flows = [result.summary["run"]["models"]["flow"] for result in (named, given)]
    assert flows[0]["sha256"] == flows[1]["sha256"]
    assert flows[1]["name"] == "own.onnx"


@pytest.mark.parametrize(("flow", "message"), [("missing.onnx", "no such model file"), ("raft", "or an .onnx file")])
def test_what_is_no_flow_is_told_in_one_line(clip: Path, tmp_path: Path, flow: str, message: str) -> None:
    with pytest.raises(HaustraError, match=message):
        haustra.locate(clip, out=tmp_path / "out", withdrawal_start=0, flow=flow)
