import threading
from collections.abc import Iterator

import pytest

from haustra.video.read_ahead import ahead


def test_order_is_kept() -> None:
    with ahead(range(1000), 8) as items:
        assert list(items) == list(range(1000))


def test_an_error_comes_out_after_what_came_before_it() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    seen: list[int] = []
    with pytest.raises(ValueError, match="broken"), ahead(failing(), 8) as items:
        seen.extend(items)
    assert seen == [1]


def test_leaving_early_stops_the_thread_and_closes_the_source() -> None:
    closed = threading.Event()

    def endless() -> Iterator[int]:
        try:
            while True:
                yield 0
        finally:
            closed.set()

    before = threading.active_count()
    with ahead(endless(), 4) as items:
        next(items)
    assert closed.is_set()
    assert threading.active_count() == before


def test_it_runs_ahead_but_not_far() -> None:
    made = []

    def counted() -> Iterator[int]:
        for i in range(100):
            made.append(i)
            yield i

    with ahead(counted(), 4) as items:
        next(items)
        while len(made) < 4:
            threading.Event().wait(0.01)
        threading.Event().wait(0.3)  # the time to go on, were it let
        assert len(made) <= 7
