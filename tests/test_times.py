import pytest

from haustra.errors import HaustraError
from haustra.times import format_time, parse_time


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


def test_format_time() -> None:
    assert (format_time(59.6), format_time(3723)) == ("01:00", "1:02:03")
