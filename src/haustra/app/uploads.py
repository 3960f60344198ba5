"""Recordings that are dropped: streamed to disk, part by part, never larger than allowed, under names of our own."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec
from anyio import to_thread
from msgspec import Struct

from haustra.app.library import LibraryEntry, Stage
from haustra.app.workspace import Workspace
from haustra.cohort.videos import VIDEOS
from haustra.core.errors import HaustraError
from haustra.core.files import replacing
from haustra.core.sharing import make_folder

MOST_PARTS = 50
# What stays free on the disk: a result is written beside the recording.
SPARE_BYTES = 1_000_000_000


class TooLargeError(HaustraError):
    """More bytes than were announced, than are allowed, or than the disk has room for."""


class Announced(Struct, forbid_unknown_fields=True):
    """One file of a recording, before it is sent."""

    name: str
    bytes: int


class Upload(Struct, forbid_unknown_fields=True):
    """The files of one recording, in their order, and an id like which it is to have one."""

    id: str
    parts: list[Announced]


class Uploads:
    """Those that are on their way; a part is there completely or not at all."""

    def __init__(self, workspace: Workspace, most_bytes: int) -> None:
        self.workspace, self.most_bytes = workspace, most_bytes
        self._sizes: dict[str, list[int]] = {}

    def begin(self, upload: Upload) -> LibraryEntry:
        """Room for a recording; nothing of it is sent yet."""
        if not self.workspace.takes_recordings:
            raise HaustraError("the app shows one result: start it without a folder, or with one of recordings, to add")
        if not 1 <= len(upload.parts) <= MOST_PARTS:
            raise HaustraError(f"a recording has 1 to {MOST_PARTS} files, not {len(upload.parts)}")
        suffixes = [PurePosixPath(part.name.replace("\\", "/")).suffix.lower() for part in upload.parts]
        strange = next((suffix for suffix in suffixes if suffix not in VIDEOS), None)
        if strange is not None:
            raise HaustraError(f"'{strange}' is no recording: possible are {', '.join(sorted(VIDEOS))}")
        sizes = [part.bytes for part in upload.parts]
        self._check_room(sizes)
        folder = self.workspace.library.upload_folder(secrets.token_hex(8))
        recording = self.workspace.free_id(upload.id)
        files = tuple(str(folder / f"{number}{suffix}") for number, suffix in enumerate(suffixes, 1))
        source = LibraryEntry(recording, files, stage=Stage.UPLOADING, own=True)
        self.workspace.library.put(source)
        self._sizes[recording] = sizes
        return source

    async def receive(self, source: LibraryEntry, number: int, body: AsyncIterator[bytes]) -> LibraryEntry:
        """Part `number` (from 0), as it comes in. With the last one the recording is there."""
        sizes = self._sizes.get(source.id)
        if sizes is None or not 0 <= number < len(source.files):
            raise HaustraError("no such part is expected: drop the recording again")
        target = Path(source.files[number])
        with replacing(target) as incoming, incoming.open("wb") as file:
            await _write(file, body, sizes[number])
        if not all(Path(file).is_file() for file in source.files):
            return source
        del self._sizes[source.id]
        arrived = msgspec.structs.replace(source, stage=Stage.NEW)
        self.workspace.library.put(arrived)
        return arrived

    def give_up(self, source: LibraryEntry) -> None:
        """An upload that broke off leaves nothing."""
        self._sizes.pop(source.id, None)
        self.workspace.library.remove(source.id)

    def _check_room(self, sizes: Sequence[int]) -> None:
        if min(sizes) <= 0:
            raise HaustraError("an empty file is no recording")
        if sum(sizes) > self.most_bytes:
            raise TooLargeError(
                f"{sum(sizes) / 1e9:.1f} GB are more than is copied into the app ({self.most_bytes / 1e9:g} GB): start "
                "it with the folder of the recordings, haustra app FOLDER, and nothing is copied"
            )
        place = self.workspace.library.folder
        make_folder(place)
        free = shutil.disk_usage(place).free - SPARE_BYTES
        if sum(sizes) > free:
            raise TooLargeError(f"{sum(sizes) / 1e9:.1f} GB do not fit: {max(free, 0) / 1e9:.1f} GB are free for it")


async def _write(file: IO[bytes], body: AsyncIterator[bytes], announced: int) -> None:
    written = 0
    async for piece in body:
        written += len(piece)
        if written > announced:
            raise TooLargeError("more was sent than was announced: drop the recording again")
        await to_thread.run_sync(file.write, piece)
    await to_thread.run_sync(_flush, file)  # here, and not where the app would wait for it
    if written < announced:
        raise HaustraError("the file did not arrive completely: drop the recording again")


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
