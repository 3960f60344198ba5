"""What the app answers: each route takes ids and numbers, checks them, and calls the library."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from haustra.app.cohort_table import cohort_table
from haustra.app.library import LibraryEntry, Stage
from haustra.app.pages import agreement_page, assets, board_page, message_page, review_page, setup_page
from haustra.app.services import Services
from haustra.app.uploads import TooLargeError, Upload
from haustra.core.errors import HaustraError
from haustra.core.times import parse_time
from haustra.results.annotations import MOST_BYTES, Annotations, parse_annotations
from haustra.results.folder import OVERLAY
from haustra.results.versions import StaleVersionError

MOST_JSON = 200_000
EVENT_S, LOOK_S = 1.0, 0.25  # between two looks at the board, and at whether the app ends

T = TypeVar("T")


class RecordingSettings(msgspec.Struct, forbid_unknown_fields=True):
    """What a person sets for a recording before it is located; `queue`: and now locate it."""

    id: str
    options: dict[str, str] = {}
    queue: bool = False


class Routes:
    """All routes of the app, over the services behind them."""

    def __init__(self, services: Services) -> None:
        self.on = services
        self.assets = assets()

    def all(self) -> list[Route]:
        one = "/api/recordings/{recording}"
        return [
            Route("/", self.board),
            Route("/setup/{recording}", self.setup),
            Route("/review/{recording}", self.review),
            Route("/agreement", self.agreement),
            Route("/assets/{package}/{name}", self.asset),
            Route("/api/events", self.events),
            Route("/api/agreement", self.readers),
            Route("/api/queue", self.queue_all, methods=["POST"]),
            Route("/api/recordings.csv", self.table),
            Route("/api/recordings", self.begin, methods=["POST"]),
            Route(one, self.remove, methods=["DELETE"]),
            Route(f"{one}/parts/{{number:int}}", self.part, methods=["PUT"]),
            Route(f"{one}/settings", self.settings, methods=["POST"]),
            Route(f"{one}/queue", self.queue, methods=["POST"]),
            Route(f"{one}/pause", self.pause, methods=["POST"]),
            Route(f"{one}/cancel", self.cancel, methods=["POST"]),
            Route(f"{one}/look", self.look),
            Route(f"{one}/frame", self.frame),
            Route(f"{one}/overlay", self.overlay),
            Route(f"{one}/preview", self.preview, methods=["POST"]),
            Route(f"{one}/versions", self.save, methods=["POST"]),
            Route(f"{one}/export/{{to}}", self.export),
        ]

    # Pages

    async def board(self, _: Request) -> Response:
        return HTMLResponse(board_page(await to_thread.run_sync(self.on.board_data)))

    async def setup(self, request: Request) -> Response:
        source = self._source(request)
        return HTMLResponse(setup_page(self.on.setup_data(source)))

    async def review(self, request: Request) -> Response:
        recording = self._recording(request)
        blind = "blind" in request.query_params
        try:
            data = await to_thread.run_sync(lambda: self.on.review_data(recording, blind=blind))
        except HaustraError as error:
            return HTMLResponse(message_page(str(error)), 409)
        return HTMLResponse(review_page(data))

    async def agreement(self, _: Request) -> Response:
        return HTMLResponse(agreement_page())

    async def asset(self, request: Request) -> Response:
        found = self.assets.get((request.path_params["package"], request.path_params["name"]))
        if found is None:
            raise HTTPException(404)
        return Response(found[0], media_type=found[1])

    # The board and its queue

    async def events(self, _: Request) -> Response:
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _events(self) -> AsyncIterator[str]:
        """Rows that changed since the last look, and ids in their order; ends when the app does."""
        sent: dict[str, Any] = {}
        order: list[str] = []
        while not self.on.closing.is_set():
            rows = {row["id"]: row for row in await to_thread.run_sync(self.on.board.rows)}
            changed = [row for recording, row in rows.items() if sent.get(recording) != row]
            if changed or list(rows) != order:
                sent, order = rows, list(rows)
                yield f"data: {_json({'rows': changed, 'order': order}).decode()}\n\n"
            else:
                yield ": still here\n\n"
            for _ in range(round(EVENT_S / LOOK_S)):
                if not self.on.closing.is_set():
                    await asyncio.sleep(LOOK_S)

    async def queue(self, request: Request) -> Response:
        source = self._source(request)
        if source.stage is not Stage.UPLOADING:
            await to_thread.run_sync(self.on.runner.queue, source.id)
        return _answer({})

    async def queue_all(self, _: Request) -> Response:
        for source in self.on.workspace.library.all():
            if source.stage in (Stage.NEW, Stage.PAUSED):
                await to_thread.run_sync(self.on.runner.queue, source.id)
        return _answer({})

    async def pause(self, request: Request) -> Response:
        await to_thread.run_sync(self.on.runner.stop, self._source(request).id, Stage.PAUSED)
        return _answer({})

    async def cancel(self, request: Request) -> Response:
        await to_thread.run_sync(self.on.runner.stop, self._source(request).id, Stage.NEW)
        return _answer({})

    async def remove(self, request: Request) -> Response:
        source = self._source(request)
        await to_thread.run_sync(self.on.remove, source)
        return _answer({})

    async def table(self, _: Request) -> Response:
        return _attachment(cohort_table(self.on.workspace.library.all()), "recordings.csv", "text/csv")

    # Recordings come in

    async def begin(self, request: Request) -> Response:
        upload = await _body(request, Upload)
        source = await to_thread.run_sync(self.on.uploads.begin, upload)
        return _answer({"id": source.id}, 201)

    async def part(self, request: Request) -> Response:
        source = self._source(request)
        if source.stage is not Stage.UPLOADING:
            raise HaustraError("this recording is complete already")
        try:
            await self.on.uploads.receive(source, request.path_params["number"], request.stream())
        except (HaustraError, OSError, ClientDisconnect) as error:
            await to_thread.run_sync(self.on.uploads.give_up, source)
            if isinstance(error, OSError):
                raise HaustraError(f"the recording could not be kept: {error.strerror or error}") from error
            raise
        return _answer({}, 201)

    async def settings(self, request: Request) -> Response:
        source = self._source(request)
        given = await _body(request, RecordingSettings)
        changed = await to_thread.run_sync(lambda: self.on.settle(source, given.id, given.options))
        if given.queue:
            await to_thread.run_sync(self.on.runner.queue, changed.id)
        return _answer({"id": changed.id})

    # To look at

    async def look(self, request: Request) -> Response:
        source = self._source(request)
        return _answer(await to_thread.run_sync(self.on.looked, source))

    async def frame(self, request: Request) -> Response:
        source = self._source(request)
        time_s, lens = parse_time(request.query_params.get("t", "0")), request.query_params.get("lens", "")
        jpeg = await to_thread.run_sync(lambda: self.on.views.of(source).frame(time_s, lens))
        return Response(jpeg, media_type="image/jpeg")

    async def overlay(self, request: Request) -> Response:
        return self._file(self.on.workspace.folder(self._recording(request)) / OVERLAY)

    # Review

    async def preview(self, request: Request) -> Response:
        recording, annotations = self._recording(request), await _annotations(request)
        return _answer(await to_thread.run_sync(lambda: self.on.reviews.preview(recording, annotations)))

    async def save(self, request: Request) -> Response:
        recording, annotations = self._recording(request), await _annotations(request)
        newest = request.headers.get("if-match", "").strip('"')
        if not newest.isdecimal() or len(newest) > 4:
            raise HTTPException(428, "say which version this was made from (If-Match)")
        data = await to_thread.run_sync(lambda: self.on.reviews.save(recording, annotations, int(newest)))
        return _answer(data, 201)

    async def export(self, request: Request) -> Response:
        recording, to = self._recording(request), request.path_params["to"]
        made = await to_thread.run_sync(self.on.export, recording, to)
        return _attachment(made.data, made.name, made.media_type)

    async def readers(self, _: Request) -> Response:
        return _answer(await to_thread.run_sync(self.on.readers.agreement))

    # Ids become recordings here and nowhere else

    def _recording(self, request: Request) -> str:
        recording: str = request.path_params["recording"]
        if not self.on.workspace.has(recording):
            raise HTTPException(404)
        return recording

    def _source(self, request: Request) -> LibraryEntry:
        source = self.on.workspace.library.get(request.path_params["recording"])
        if source is None:
            raise HTTPException(404)
        return source

    def _file(self, path: Path) -> Response:
        if not path.is_file() or path.is_symlink():
            raise HTTPException(404)
        return FileResponse(path)


async def _body(request: Request, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(await _bytes(request, MOST_JSON), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HaustraError(f"this was not understood: {error}") from error


async def _annotations(request: Request) -> Annotations:
    return parse_annotations(await _bytes(request, MOST_BYTES), "what was sent")


async def _bytes(request: Request, most: int) -> bytes:
    found = bytearray()
    async for piece in request.stream():
        found += piece
        if len(found) > most:
            raise TooLargeError(f"more than {most} bytes are not read here")
    return bytes(found)


def refusal(_: Request, error: Exception) -> Response:
    """What a user can put right, as one line."""
    status = 409 if isinstance(error, StaleVersionError) else 413 if isinstance(error, TooLargeError) else 400
    return _answer({"error": str(error)}, status)


def http_refusal(request: Request, error: Exception) -> Response:
    """An HTTP error of the framework, in the same form as ours; where a person would read it, as a page."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404 and not request.url.path.startswith(("/api/", "/assets/")):
        return HTMLResponse(message_page("There is no such page, or no recording of this name any more."), 404)
    return _answer({"error": error.detail}, error.status_code)


def _answer(value: Any, status: int = 200) -> Response:
    return Response(_json(value), status, media_type="application/json")


def _attachment(data: bytes, name: str, media_type: str) -> Response:
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return Response(data, media_type=media_type, headers=headers)


def _json(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=str)
