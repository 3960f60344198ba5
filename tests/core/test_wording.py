from haustra.core.wording import counted


def test_one_thing_is_one() -> None:
    assert [counted(number, "frame") for number in (0, 1, 2, 1500)] == [
        "0 frames",
        "1 frame",
        "2 frames",
        "1,500 frames",
    ]
