"""Sound result and cohort folders, and the commands that take such a folder from a stranger."""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import polars as pl

from fuzz.side_files import REVIEW, Reader
from haustra.core.errors import HaustraError
from haustra.demo import DEMO

SECONDS, LAST_S = 3.0, 1.9  # read, and where the withdrawal then ends


class NotOneLineError(Exception):
    """A command ended otherwise than with its result, or with exit code 2 and one line."""


def command(*words: str) -> None:
    """The real command line in this process; what it refuses is a HaustraError, as a reader refuses."""
    from haustra.cli import main

    said, printed, given = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["haustra", *words]
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(printed):
            main()
    except SystemExit as ended:
        lines = [line for line in said.getvalue().splitlines() if not line.startswith("haustra: note")]
        if ended.code in (None, 0):
            return
        if ended.code != 2 or len(lines) != 1 or "internal error" in lines[0]:
            raise NotOneLineError(f"exit code {ended.code}: {said.getvalue()[-2000:]}") from ended
        raise HaustraError(lines[0]) from ended
    finally:
        sys.argv = given


def located(folder: Path) -> None:
    """A result of `haustra locate`, corrected once, and what its commands need beside it; made once in a process."""
    shutil.copytree(_made(), folder, dirs_exist_ok=True)


@cache
def _made() -> Path:
    from haustra import locate
    from haustra.corrections import apply_corrections

    folder = Path(tempfile.mkdtemp(prefix="fuzz-located-"))
    atexit.register(shutil.rmtree, folder)
    locate(
        DEMO / "video.mp4",
        camera=DEMO / "camera.json",
        withdrawal_start=0,
        withdrawal_end=SECONDS,
        scopeguide=DEMO / "scopeguide.csv",
        landmarks=["hepatic=0:01"],
        from_place="cecum",
        to_place="rectum",
        overlay=False,
        quiet=True,
        out=folder / "result",
    )
    (folder / "findings.csv").write_text("time_s,label,score\n1,polyp,2\n")
    (folder / "times.json").write_text(json.dumps({"rectum": 1.5}))
    apply_corrections(folder / "result", folder / "times.json", by="Dr. A")
    times = {name: LAST_S * k / 7 for k, name in enumerate(REVIEW["times_s"])}  # type: ignore[arg-type]
    (folder / "result" / "annotations.json").write_text(json.dumps(times))
    sound = folder / "sound"
    sound.mkdir()
    for name in ("frames.parquet", "annotations.json"):
        shutil.copy(folder / "result" / name, sound / name)
    return folder


def cohort(folder: Path) -> None:
    """The folder of a cohort of three annotated recordings, put together from results without running anything."""
    from haustra.cohort.parts import write_part
    from haustra.cohort.recording_row import curve_of, row_of
    from haustra.cohort.status import State, Status, write_cohort, write_status
    from haustra.cohort.store import store_at
    from haustra.results.table import read_frames

    located(folder)
    result, store, names = folder / "result", store_at(str(folder / "cohort")), ["p1", "p2", "p3"]
    frames, summary = read_frames(result), json.loads((result / "summary.json").read_text())
    write_cohort(store, "1", names)
    for name in names:
        write_part(store, name, frames)
        row, times = row_of(summary, frames), tuple(LAST_S * k / 7 for k in range(7))
        write_status(
            store, Status(name, State.FINISHED, "r", "s", frames=9, row=row, curve=curve_of(frames), annotated_s=times)
        )
    for name in ("result", "sound"):
        shutil.rmtree(folder / name)


def _compare(folder: Path) -> None:
    command("compare", str(folder / "result"), str(folder / "result" / "annotations.json"), "--json")


def _map(folder: Path) -> None:
    command("map", str(folder / "result"), "--findings", str(folder / "findings.csv"), "-o", str(folder / "out"))


def _template(folder: Path) -> None:
    results = [str(folder / name) for name in ("result", "sound")]
    times = [word for result in results for word in ("--annotations", f"{result}/annotations.json")]
    command("template", "build", *results, *times, "-o", str(folder / "template.json"))


def _apply(folder: Path) -> None:
    command("apply", str(folder / "result"), str(folder / "times.json"))


def _export(name: str, folder: Path) -> None:
    command("export", str(folder / "result"), "--to", name, "-o", str(folder / "exported"))


def _merge(folder: Path) -> None:
    command("cohort", "merge", str(folder / "cohort"))
    pl.read_csv(folder / "cohort" / "recordings.csv")


def _cohort_with_results(folder: Path) -> None:
    """As the app opens it: two of the recordings have their results."""
    cohort(folder)
    for name in ("p1", "p2"):
        shutil.copytree(_made() / "result", folder / "cohort" / "recordings" / name)


def _app(folder: Path) -> None:
    """The board, the review of every recording that has one, and the agreement of the readers, as the routes ask."""
    from haustra.app.library import Library
    from haustra.app.services import Services
    from haustra.app.workspace import Workspace

    workspace = Workspace(folder / "cohort", Library(folder / "library"))
    services = Services(workspace, workers=1, most_bytes=1)
    services.board_data()
    services.readers.agreement()
    for name in workspace.ids():
        if workspace.has_result(name):
            services.review_data(name, blind=False)
            services.export(name, "csv")


def _corrections(name: str, folder: Path) -> None:
    command("apply", str(folder / "result"), str(folder / name))


def _exported(name: str, to: str, folder: Path) -> None:
    """The result has one more comment by now: a file that says nothing else than the result is refused.

    So is one of an older version, which an ELAN file says it is.
    """
    located(folder)
    command("export", str(folder / "result"), "--to", to, "-o", str(folder / name))
    text = (folder / name).read_text()
    (folder / name).write_text(re.sub('<PROPERTY NAME="haustra:version">.*?</PROPERTY>', "", text))
    said = {"format": REVIEW["format"], "times_s": {"rectum": 1.5}, "comments": [{"text": "well", "time_s": 1.0}]}
    (folder / "said.json").write_text(json.dumps(said))
    command("apply", str(folder / "result"), str(folder / "said.json"))


def _review(folder: Path) -> None:
    located(folder)
    times = {name: LAST_S * k / 7 for k, name in enumerate(REVIEW["times_s"])}  # type: ignore[arg-type]
    (folder / "review.json").write_text(json.dumps(REVIEW | {"times_s": times}))


def _tampered(make: Callable[[Path], None], read: Callable[[Path], None], where: str = "result") -> Reader:
    return Reader(make, read, (f"{where}/**/*",), links=True)


# `compare`, `map`, `template build`, `cohort merge`, `app`, `apply` and `export` on a stranger's folder.
STRANGERS: dict[str, Reader] = {
    "compare": _tampered(located, _compare),
    "map": _tampered(located, _map),
    "template build": _tampered(located, _template),
    "cohort merge": _tampered(cohort, _merge, "cohort"),
    "app": _tampered(_cohort_with_results, _app, "cohort"),
    "apply": _tampered(located, _apply),
    "export": _tampered(located, partial(_export, "elan")),
}
READERS: dict[str, Reader] = {
    "corrections json": Reader(_review, partial(_corrections, "review.json"), ("review.json",), share=0.5),
    "corrections csv": Reader(
        partial(_exported, "e.csv", "csv"), partial(_corrections, "e.csv"), ("e.csv",), share=0.5
    ),
    "corrections elan": Reader(
        partial(_exported, "e.eaf", "elan"), partial(_corrections, "e.eaf"), ("e.eaf",), share=0.5
    ),
}
