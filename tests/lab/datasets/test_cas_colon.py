"""CAS-Colon's table: several intervals in a cell, inclusive seconds, regions against our six segments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.lab.datasets.cas_colon import REGIONS, NotedWithdrawal, read_withdrawals

HEADER = f"VideoID,{','.join(REGIONS)},Equipment,TotalFrames"
ORDINARY = "1,0:00-0:09,0:10-0:48,0:49-1:22,1:23-1:39,1:40-2:26,2:27-2:45,2:46-4:15,4:16-4:56,4:57-5:45,5:46-5:54"
# The blanks after / stand like this in the published table.
BACK_AGAIN = (
    "9,0:00-0:18/ 0:26-0:40,0:22-0:25/ 0:41-0:41,0:19-0:21/ 0:42-2:08,,2:09-3:00,,3:01-3:30,3:31-4:00,4:01-5:00,"
)


def table(folder: Path, *rows: str) -> Path:
    folder.joinpath("withdrawals.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return folder


def seconds_in(withdrawal: NotedWithdrawal) -> list[int]:
    """Seconds in each segment."""
    return np.bincount(withdrawal.segments_at(np.arange(0.5, withdrawal.duration_s)), minlength=7)[1:].tolist()


def test_intervals_are_inclusive_and_may_come_back(tmp_path: Path) -> None:
    one, nine = read_withdrawals(table(tmp_path, f"{ORDINARY},CF-HQ290I,21240", f"{BACK_AGAIN},CF-H290I,18000"))
    assert (one.name, one.equipment, one.duration_s) == ("1", "CF-HQ290I", 354.0)
    assert seconds_in(one) == [39, 51, 66, 90, 41, 49]
    assert [i.region for i in nine.intervals[:5]] == [
        "Terminal_Ileum", "Ascending_Colon", "Cecum", "Terminal_Ileum", "Cecum"
    ]  # fmt: skip
    assert nine.segments_at(np.array([0.0, 20.5, 25.9, 30.0, 41.5, 42.0, 299.0, 400.0])).tolist() == [
        0, 2, 1, 0, 1, 2, 6, 0
    ]  # fmt: skip


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match=r"expected a csv table.*found an empty folder"):
        read_withdrawals(tmp_path)
    table(tmp_path, ORDINARY.replace("0:10-0:48", "0:48-0:10") + ",x,21240")
    with pytest.raises(HaustraError, match="video 1: Cecum is '0:48-0:10'"):
        read_withdrawals(tmp_path)
    (tmp_path / "withdrawals.csv").write_text("VideoID,Cecum\n1,0:00-0:10\n")
    with pytest.raises(HaustraError, match=r"no column Terminal_Ileum.*found VideoID, Cecum"):
        read_withdrawals(tmp_path)


def test_the_real_table(shared_data: Path) -> None:
    found = read_withdrawals(shared_data / "cas-colon")
    assert len(found) == 48
    # the noted times end where the recording does
    assert np.median([abs(w.intervals[-1].end_s - w.duration_s) for w in found]) <= 1.0
    shares = np.array([seconds_in(one) for one in found], float)
    shares /= shares.sum(axis=1, keepdims=True)
    assert shares.mean(axis=0) == pytest.approx([0.069, 0.201, 0.257, 0.157, 0.172, 0.144], abs=0.03)
