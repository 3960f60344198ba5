"""The indices that the paper compares with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.path.indices import read_scopeguide, scopeguide_index, time_index


def test_time_index_is_the_share_of_time_that_has_passed() -> None:
    assert time_index(np.array([10.0, 11.0, 14.0])).index.tolist() == [0.0, 0.25, 1.0]
    assert time_index(np.array([3.0])).index.tolist() == [0.0]


def test_scopeguide_index_runs_from_zero_at_the_start_to_one_at_the_stop(tmp_path: Path) -> None:
    """The scope is still 10 cm inside where the withdrawal stops; it is drawn out for good afterwards."""
    (tmp_path / "s.csv").write_text("time_s,length_cm\n0,80\n10,90\n20,40\n30,10\n40,0\n")
    track = read_scopeguide(tmp_path / "s.csv")
    index = scopeguide_index(np.array([0.0, 10.0, 15.0, 25.0, 30.0]), *track).index
    assert index == pytest.approx([0.0, 0.0, (80 - 65) / 70, (80 - 25) / 70, 1.0])


@pytest.mark.parametrize("text", ["time,length\n1,2\n", "time_s,length_cm\n1,far\n", "time_s,length_cm\n", ""])
def test_a_wrong_table_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(HaustraError, match="length"):
        read_scopeguide(tmp_path / "s.csv")


def test_times_that_do_not_fit_the_track_are_one_line() -> None:
    with pytest.raises(HaustraError, match="do not fit"):
        scopeguide_index(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([0.0, 0.0]))
