"""The image and the wheel: what the Dockerfile copies is all that a wheel needs, and the wheel runs on its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import release

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
JOB = (ROOT / "examples" / "kubernetes_job.yaml").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from what `COPY` puts into the image, and from nothing else."""
    folder = tmp_path_factory.mktemp("image")
    for name in copied():
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, folder / name)
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), "."]
    subprocess.run(build, cwd=folder, check=True)
    return next(folder.glob("*.whl"))


def copied() -> list[str]:
    build = DOCKERFILE.split("\nFROM ")[1]
    return [name for line in re.findall(r"^COPY (?!--)(.+) \S+$", build, re.MULTILINE) for name in line.split()]


def test_what_is_copied_is_there_and_let_through() -> None:
    let = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert set(copied()) == let
    assert all((ROOT / name).exists() for name in let)


def test_the_image_is_the_one_of_the_job_and_has_its_extras() -> None:
    assert re.findall(r"docker build -t (\S+) ", DOCKERFILE) == re.findall(r"image: (\w+):latest", JOB)
    (extras,) = re.findall(r'"\.\[([\w,-]+)\]"', DOCKERFILE)
    assert "cluster" in extras.split(",")
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    assert not {"train", "xfeat", "test"} & set(extras.split(",")), "no torch, no tools"


def test_it_runs_as_nobody_special_and_carries_no_build() -> None:
    stages = DOCKERFILE.split("\nFROM ")[1:]
    assert len(stages) == 2
    (user,) = re.findall(r"^USER (\d+)$", stages[1], re.MULTILINE)
    assert int(user) >= 1000
    assert f"--uid {user}" in stages[1]
    assert f"runAsUser: {user}" in JOB
    assert "pip install" not in stages[1]


def test_the_wheel_of_these_sources_is_whole(wheel: Path) -> None:
    release.check_wheel(wheel)
    release.check_version(release.source_version())


def test_the_wheel_has_the_command_that_pipx_and_uvx_run(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    (entry,) = tmp_path.glob("haustra-*.dist-info/entry_points.txt")
    found = re.search(rf"^{PROJECT['name']} = ([\w.]+):(\w+)$", entry.read_text(), re.MULTILINE)
    assert found is not None, "pipx and uvx run the command that is named like the package"
    code = f"import sys; from {found[1]} import {found[2]}; sys.argv[0] = {found[1]!r}; {found[2]}()"
    ran = subprocess.run(
        [sys.executable, "-c", code, "cameras"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "olympus-cf-hq190l" in ran.stdout
