"""Reading ahead: an iterator runs in a thread of its own, with a bounded queue between it and its consumer."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class _End:
    error: BaseException | None


class _Ahead(Generic[T]):
    def __init__(self, items: Iterable[T], depth: int) -> None:
        self._queue: queue.Queue[T | _End] = queue.Queue(depth)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._fill, args=(items,), name="haustra-ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[T]:
        while True:
            item = self._queue.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _fill(self, items: Iterable[T]) -> None:
        error: BaseException | None = None
        try:
            for item in items:
                if not self._put(item):
                    break
        except BaseException as caught:  # passed on to the consumer, whatever it is
            error = caught
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()
        self._put(_End(error))

    def _put(self, item: T | _End) -> bool:
        """Waits for room in the queue until the consumer stops; False when it has."""
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False


@contextmanager
def ahead(items: Iterable[T], depth: int) -> Iterator[Iterator[T]]:
    """Iterate over `items` while a thread makes up to `depth` of them in advance; an error comes out where it would."""
    reader = _Ahead(items, depth)
    try:
        yield iter(reader)
    finally:
        reader.close()
