"""The bundled recording, and a clip of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from clips import cut

from haustra.demo import DEMO


@pytest.fixture(scope="session")
def demo() -> Path:
    """Video, camera and truth of the bundled recording."""
    return DEMO


@pytest.fixture(scope="session")
def clip(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second and a half of the recording, for tests that run it often."""
    return cut(demo / "video.mp4", tmp_path_factory.mktemp("clip") / "clip.mp4", 1.5, 96)
