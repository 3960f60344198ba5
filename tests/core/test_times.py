import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.core.times import exact_time, format_time, nearest, parse_time, runs


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("75.5", 75.5), ("12:40", 760), ("1:02:03.250", 3723.25), (" 90 ", 90), ("75:10", 4510)],
)
def test_times_users_write(text: str, seconds: float) -> None:
    assert parse_time(text) == seconds


@pytest.mark.parametrize("text", ["", "abc", "-3", "1:60", "1:60:00", "1:2:3:4", "nan", "1e3", "١٢"])
def test_what_is_not_a_time_is_one_line(text: str) -> None:
    with pytest.raises(HaustraError, match="is not a time"):
        parse_time(text)


@pytest.mark.parametrize("text", ["00:00", "00:05.5", "12:40", "1:02:03.125"])
def test_an_exact_time_is_read_as_what_it_was(text: str) -> None:
    assert exact_time(parse_time(text)) == text


def test_format_time() -> None:
    assert (format_time(59.6), format_time(3723)) == ("01:00", "1:02:03")


def test_the_nearest_of_many_times_and_the_earlier_of_two() -> None:
    known = np.array([0.0, 1.0, 2.0, 10.0])
    assert nearest(known, np.array([-5.0, 0.4, 0.5, 0.6, 5.9, 6.1, 99.0])).tolist() == [0, 0, 0, 1, 2, 3, 3]
    assert int(nearest(np.array([3.0]), np.array(7.0))) == 0


def test_runs_are_cut_where_times_are_further_apart() -> None:
    assert [run.tolist() for run in runs(np.array([0.0, 2.0, 4.5, 5.0]), 2.0)] == [[0.0, 2.0], [4.5, 5.0]]
    assert runs(np.array([]), 2.0) == []
