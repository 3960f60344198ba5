"""The queue: recordings that are to be located, one process each (`cohort.local`), until it is paused or closed.

A recording that is stopped keeps its journal: it goes on where it stopped, here or from the command line.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from contextlib import closing
from dataclasses import dataclass, field

from haustra.app.library import LibraryEntry, Stage
from haustra.app.workspace import Workspace
from haustra.cohort.job import Job
from haustra.cohort.local import cores, run_local
from haustra.cohort.status import State, Status
from haustra.cohort.tables import merge
from haustra.core.errors import HaustraError

log = logging.getLogger("haustra")
LOOK_AGAIN_S = 2.0  # at what another process works on


@dataclass
class Running:
    """A recording that is being located; `becomes` is its stage once it was stopped."""

    began: float = field(default_factory=time.time)
    stop: threading.Event = field(default_factory=threading.Event)
    becomes: Stage = Stage.QUEUED


class Runner:
    """Takes queued recordings in their order, `workers` at a time."""

    def __init__(self, workspace: Workspace, workers: int = 1) -> None:
        self.workspace = workspace
        self.running: dict[str, Running] = {}
        self.faults: dict[str, str] = {}
        self._threads_each = max(cores() // workers, 1)
        self._changed = threading.Condition()
        self._merging = threading.Lock()
        self._closed = False
        self._workers = [threading.Thread(target=self._work, name=f"queue {n}") for n in range(workers)]

    def start(self) -> None:
        for worker in self._workers:
            worker.start()

    def close(self) -> None:
        """Stop what runs; it stays queued, and goes on when the app is started again."""
        with self._changed:
            self._closed = True
            for running in self.running.values():
                running.stop.set()
            self._changed.notify_all()
        for worker in self._workers:
            if worker.is_alive():
                worker.join()

    def queue(self, recording: str) -> None:
        """Locate it, or go on with it."""
        with self._changed:
            self.faults.pop(recording, None)
            if recording in self.running:
                self.running[recording].becomes = Stage.QUEUED
            elif self.workspace.library.get(recording) is not None:
                self.workspace.library.set_stage(recording, Stage.QUEUED)
            self._changed.notify_all()

    def stop(self, recording: str, becomes: Stage) -> None:
        """Pause (`PAUSED`) or cancel (`NEW`)."""
        with self._changed:
            if recording in self.running:
                self.running[recording].becomes = becomes
                self.running[recording].stop.set()
                return
            source = self.workspace.library.get(recording)
            if source is not None and source.stage in (Stage.QUEUED, Stage.PAUSED):
                self.workspace.library.set_stage(recording, becomes)

    def _work(self) -> None:
        while (source := self._next()) is not None:
            running = self.running[source.id]
            try:
                status = self._run(source, running)
                stage = running.becomes if status is None else Stage.ENDED
                if status is not None and status.state is State.FINISHED:
                    self.tables()
            except HaustraError as error:
                self.faults[source.id], stage = str(error), Stage.PAUSED
            except Exception as error:  # a worker that ends would leave the queue standing
                log.exception("the queue met an error")
                self.faults[source.id], stage = f"{type(error).__name__}: {error}", Stage.PAUSED
            with self._changed:
                del self.running[source.id]
                self.workspace.library.set_stage(source.id, stage)

    def _next(self) -> LibraryEntry | None:
        """Waits for one; None when the app closes. What another process works on is left to it until it ends."""
        with self._changed:
            while not self._closed:
                waiting = [one for one in self.workspace.library.all() if one.stage is Stage.QUEUED]
                waiting = [one for one in waiting if one.id not in self.running]
                for source in waiting:
                    if not self.workspace.in_use(source.id):
                        self.running[source.id] = Running()
                        return source
                self._changed.wait(LOOK_AGAIN_S if waiting else None)
            return None

    def _run(self, source: LibraryEntry, running: Running) -> Status | None:
        """The status in the end; None where it was stopped before."""
        self.workspace.enlist(source.id)
        # A session of its own: being paused is no failed attempt.
        job = Job(self.workspace.entry(source), str(self.workspace.out), self._threads_each, uuid.uuid4().hex)
        with closing(run_local([job], 1)) as events:  # type: ignore[type-var]
            for event in events:
                if isinstance(event, Status):
                    return event
                if running.stop.is_set():
                    return None
        return None

    def tables(self) -> None:
        """The cohort's tables and page, as `haustra cohort merge` writes them."""
        with self._merging:
            merge(str(self.workspace.out))
