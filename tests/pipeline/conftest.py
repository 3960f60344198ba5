"""The bundled recording, located once for all tests of the pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from clips import cut

import haustra
from haustra.demo import DEMO


@pytest.fixture(scope="session")
def demo() -> Path:
    """Video, camera and truth of the bundled recording."""
    return DEMO


@pytest.fixture(scope="session")
def located(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> haustra.Localization:
    out = tmp_path_factory.mktemp("located") / "result"
    return haustra.locate(demo / "video.mp4", camera=demo / "camera.json", withdrawal_start=0, out=out, threads=2)


@pytest.fixture(scope="session")
def clip(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second and a half of the recording, for tests that run it often."""
    return cut(demo / "video.mp4", tmp_path_factory.mktemp("clip") / "clip.mp4", 1.5, 96)
