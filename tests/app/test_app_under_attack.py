"""What others may try: without the key, under another name, from another page, by paths, by size, at the same time."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote

import pytest
from running_app import PATIENCE_S, App, until

from haustra.core.temporary import is_temporary
from haustra.results.folder import version_written
from haustra.results.versions import history


@pytest.fixture(scope="module")
def empty(start: Callable[..., App], tmp_path_factory: pytest.TempPathFactory) -> App:
    return start(tmp_path_factory.mktemp("out"))


@pytest.fixture(scope="module")
def reviewed(start: Callable[..., App], demo_cohort: Path, tmp_path_factory: pytest.TempPathFactory) -> App:
    """On a copy of the cohort."""
    out = tmp_path_factory.mktemp("cohort") / "out"
    shutil.copytree(demo_cohort, out)
    return start(out)


def _said(**what: object) -> dict[str, object]:
    return {"format": "haustra-annotations-1", "by": "A", **what}


def _upload(size: int, name: str = "x.mp4") -> dict[str, object]:
    return {"id": name.partition(".")[0], "parts": [{"name": name, "bytes": size}]}


def test_without_the_key_there_is_nothing(empty: App) -> None:
    for path in ("/", "/api/events", "/assets/app/board.js", "/api/agreement", "/?token=wrong"):
        status, body, _ = empty.ask(path, headers={})
        assert (status, b"token" in body) == (401, False)
    other = {"Cookie": f"haustra-{empty.port + 1}={empty.headers['Cookie'].split('=', 1)[1]}"}
    assert empty.ask("/", headers=other)[0] == 401  # the cookie of an app on another port
    assert empty.ask("/")[0] == 200


def test_another_host_name_is_refused(empty: App) -> None:
    for host in ("evil.example", f"evil.example:{empty.port}", "127.0.0.1", f"127.0.0.1:{empty.port + 1}", ""):
        assert empty.ask("/", headers={**empty.headers, "Host": host})[0] == 421
    assert empty.ask("/", headers={"Cookie": empty.headers["Cookie"], "Host": f"localhost:{empty.port}"})[0] == 200


def test_other_pages_can_neither_change_nor_read(empty: App) -> None:
    cookie = {"Cookie": empty.headers["Cookie"]}
    for origin in (
        "http://evil.example",
        "null",
        f"http://127.0.0.1:{empty.port + 1}",
        f"https://127.0.0.1:{empty.port}",
    ):
        assert empty.ask("/api/queue", "POST", {}, {**cookie, "Origin": origin})[0] == 403
        assert empty.ask("/api/events", headers={**cookie, "Origin": origin})[0] == 403
    assert empty.ask("/api/queue", "POST", {}, cookie)[0] == 403  # no origin at all
    embedded = {**cookie, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}
    assert empty.ask("/assets/app/board.js", headers=embedded)[0] == 403


def test_every_answer_has_the_strict_policy(empty: App) -> None:
    for path in ("/", "/agreement", "/nothing", "/assets/app/board.js"):
        _, _, headers = empty.ask(path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


PATHS = (
    "../secret",
    "..%2Fsecret",
    "%2e%2e/secret",
    "....//secret",
    "..\\secret",
    "/etc/passwd",
    "%00",
    "demo/../../secret",
)


def test_no_parameter_is_a_path(reviewed: App) -> None:
    (reviewed.out.parent / "secret").mkdir()
    (reviewed.out.parent / "secret" / "summary.json").write_text('{"secret": 1}')
    for evil in PATHS:
        for place in ("/review/{}", "/setup/{}", "/assets/{}/x", "/assets/app/{}", "/api/recordings/{}/frame",
                      "/api/recordings/{}/overlay", "/api/recordings/{}/look"):  # fmt: skip
            for form in (evil, quote(evil, safe="")):
                status, body, _ = reviewed.ask(place.format(form))
                assert status in (400, 404), (place, form)
                assert b"secret" not in body.replace(evil.encode(), b"")
        for what in ("queue", "pause", "cancel", "settings", "preview", "versions"):
            assert reviewed.ask(f"/api/recordings/{quote(evil, safe='')}/{what}", "POST", _said())[0] in (404, 405)
        assert reviewed.ask(f"/api/recordings/{quote(evil, safe='')}", "DELETE")[0] in (404, 405)


def test_what_is_not_there_is_told_as_a_page(empty: App) -> None:
    """With the way back; a program gets a line."""
    _, body, _ = empty.ask("/api/recordings", "POST", _upload(4, "odd.mp4"))
    recording = json.loads(body)["id"]
    assert empty.ask(f"/api/recordings/{recording}/parts/0", "PUT", b"abcd")[0] == 201
    for path, status, said in (
        ("/review/nobody", 404, b"no recording of this name"),
        (f"/review/{recording}", 409, b"no result to review yet"),
    ):
        found, body, headers = empty.ask(path)
        assert (found, said in body, headers["content-type"][:9]) == (status, True, "text/html")
    assert json.loads(empty.ask("/api/recordings/nobody/look")[1]) == {"error": "Not Found"}
    status, body, _ = empty.ask(f"/api/recordings/{recording}/look")
    assert status == 400
    assert json.loads(body)["error"].startswith(f"{recording} is not a video"), "by its id, not by its path"
    assert empty.ask(f"/api/recordings/{recording}", "DELETE")[0] == 200


def test_names_of_dropped_files_are_no_paths(empty: App) -> None:
    evil = "../../../evil\\..\\x.mp4"
    status, body, _ = empty.ask("/api/recordings", "POST", {"id": evil, "parts": [{"name": evil, "bytes": 4}]})
    assert status == 201
    recording = json.loads(body)["id"]
    assert empty.ask(f"/api/recordings/{recording}/parts/0", "PUT", b"abcd")[0] == 201
    kept = list(empty.data.parent.rglob("*.mp4"))
    assert [path.parent.parent.name for path in kept] == ["uploads"]
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", recording)
    settings = {"id": "../x", "options": {}}
    assert empty.ask(f"/api/recordings/{recording}/settings", "POST", settings)[0] == 400
    settings = {"id": recording, "options": {"camera": "../../secret.json"}}
    assert empty.ask(f"/api/recordings/{recording}/settings", "POST", settings)[0] == 400
    assert empty.ask("/api/recordings", "POST", _upload(4, "x.exe"))[0] == 400


def test_uploads_end_at_the_limit(empty: App) -> None:
    status, body, _ = empty.ask("/api/recordings", "POST", _upload(10_000_000_000))
    assert status == 413
    assert "haustra app FOLDER" in json.loads(body)["error"]
    many = [{"name": f"{n}.mp4", "bytes": 5_000_000_000} for n in range(2)]
    assert empty.ask("/api/recordings", "POST", {"id": "x", "parts": many})[0] == 413

    _, body, _ = empty.ask("/api/recordings", "POST", _upload(1000))
    target = f"/api/recordings/{json.loads(body)['id']}/parts/0"
    with socket.create_connection(("127.0.0.1", empty.port), timeout=PATIENCE_S) as connection:
        connection.sendall(f"PUT {target} HTTP/1.1\r\n{_head(empty)}Transfer-Encoding: chunked\r\n\r\n".encode())
        piece = b"10000\r\n" + bytes(65536) + b"\r\n"
        answer = b""
        with suppress(OSError):
            for _ in range(2000):  # 130 MB, were they taken
                connection.sendall(piece)
        with suppress(OSError):
            answer = connection.recv(200)
    assert b" 413 " in answer or answer == b""
    assert sum(path.stat().st_size for path in empty.data.rglob("*") if path.is_file()) < 1_000_000
    assert empty.ask("/")[0] == 200


def test_an_upload_that_breaks_off_leaves_nothing(empty: App) -> None:
    _, body, _ = empty.ask("/api/recordings", "POST", _upload(1000, "broken.mp4"))
    target = f"/api/recordings/{json.loads(body)['id']}/parts/0"
    with socket.create_connection(("127.0.0.1", empty.port), timeout=PATIENCE_S) as connection:
        connection.sendall(f"PUT {target} HTTP/1.1\r\n{_head(empty)}Content-Length: 1000\r\n\r\nabc".encode())
    until(lambda: b"broken" not in empty.ask("/")[1])
    assert not list(empty.data.rglob("*.incoming"))


def test_two_browsers_at_once(reviewed: App) -> None:
    """Both began from the same version: the second to save is told so, and nothing of the first is lost."""
    path = "/api/recordings/demo/versions"
    folder = reviewed.out / "recordings" / "demo"
    newest = len(history(folder))
    both = {**reviewed.headers, "If-Match": f'"{newest}"'}
    assert reviewed.ask(path, "POST", _said(times_s={"transverse": 20.0}), both)[0] == 201
    status, body, _ = reviewed.ask(path, "POST", _said(by="B", comments=[{"text": "x"}]), both)
    assert status == 409
    assert f"version {newest + 1} was saved by A" in json.loads(body)["error"]
    assert reviewed.ask(path, "POST", _said())[0] == 428
    assert reviewed.ask(path, "POST", _said(by=""), {**reviewed.headers, "If-Match": f'"{newest + 1}"'})[0] == 400
    assert [version.by for version in history(folder)[newest:]] == ["A"]


def test_saves_at_the_same_moment_leave_one_winner(reviewed: App) -> None:
    codes: list[int] = []
    newest = len(history(reviewed.out / "recordings" / "demo"))

    def save(name: str) -> None:
        headers = {**reviewed.headers, "If-Match": f'"{newest}"'}
        codes.append(reviewed.ask("/api/recordings/demo/versions", "POST", _said(by=name), headers)[0])

    threads = [threading.Thread(target=save, args=(name,)) for name in "ABCD"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [201, 409, 409, 409]
    assert len(history(reviewed.out / "recordings" / "demo")) == newest + 1


@pytest.mark.posix
@pytest.mark.skipif(os.name == "nt", reason="kills by a signal")
@pytest.mark.parametrize("named", ["0001.json", "segments.csv"])
def test_killed_in_the_middle_of_a_save(
    named: str, start: Callable[..., App], demo_cohort: Path, tmp_path: Path
) -> None:
    """The version is there as soon as its file is; the outputs follow when the app is opened again."""
    out = tmp_path / "out"
    shutil.copytree(demo_cohort, out)
    folder = out / "recordings" / "demo"
    app = start(out, killed_behind=named)
    with suppress(OSError, HTTPException):  # it is killed
        headers = {**app.headers, "If-Match": '"0"'}
        app.ask("/api/recordings/demo/versions", "POST", _said(times_s={"transverse": 21.6}), headers)
    assert app.process.wait(PATIENCE_S) == -signal.SIGKILL
    assert [version.number for version in history(folder)] == [1]
    assert version_written(folder) != 1
    again = start(out)
    status, body, _ = again.ask("/review/demo")
    assert status == 200
    assert b'"transverse":21.6' in body
    assert version_written(folder) == 1
    assert "21.6" in (folder / "segments.csv").read_text()
    assert not [path for path in folder.rglob("*") if is_temporary(path.name)]


def test_only_loopback_unless_told_otherwise(empty: App, tmp_path: Path) -> None:
    listening = Path("/proc/net/tcp")
    if not listening.is_file():
        pytest.skip("no /proc here")
    port = f":{empty.port:04X} "
    addresses = [line.split()[1] for line in listening.read_text().splitlines() if port in f"{line.split()[1]} "]
    assert all(address.startswith("0100007F") for address in addresses)
    refused = subprocess.run(
        [sys.executable, "-m", "haustra", "app", "--host", "0.0.0.0"], capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path)},
    )  # fmt: skip
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.posix
def test_ctrl_c_ends_it_while_a_page_listens(start: Callable[..., App], tmp_path: Path) -> None:
    empty = start(tmp_path)
    with socket.create_connection(("127.0.0.1", empty.port)) as listening:
        listening.sendall(f"GET /api/events HTTP/1.1\r\n{_head(empty)}\r\n".encode())
        assert b"200" in listening.recv(100)
        assert empty.end() == 0


def test_ranges_of_the_video(reviewed: App) -> None:
    whole = (reviewed.out / "recordings" / "demo" / "overlay.mp4").read_bytes()
    path = "/api/recordings/demo/overlay"
    status, body, headers = reviewed.ask(path, headers={**reviewed.headers, "Range": "bytes=100-199"})
    assert (status, body, headers["content-range"]) == (206, whole[100:200], f"bytes 100-199/{len(whole)}")
    many = ",".join(f"{n}-{n}" for n in range(0, 20_000, 2))
    assert reviewed.ask(path, headers={**reviewed.headers, "Range": f"bytes={many}"})[0] in (200, 206, 400, 416, 431)


def _head(app: App) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in {"Host": f"127.0.0.1:{app.port}", **app.headers}.items())
