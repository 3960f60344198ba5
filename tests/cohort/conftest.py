"""A tiny study, located once for most tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_study import STUDY, write_study

from haustra.cohort import CohortResult, run_cohort


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="session")
def done(study: Path, tmp_path_factory: pytest.TempPathFactory) -> CohortResult:
    """The study, located on this machine."""
    return run_cohort([str(study)], str(tmp_path_factory.mktemp("done") / "out"), workers=2, **STUDY)
