"""examples/quickstart.ipynb, run as a notebook: by a kernel of its own, cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "quickstart.ipynb"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """The folder it ran in, and its cells of code with what they showed."""
    folder = tmp_path_factory.mktemp("quickstart")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(
        notebook,
        timeout=600,
        startup_timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    return folder, [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: Any, kind: str) -> str:
    """What of this kind a cell showed, all of it."""
    return "\n".join(out["data"][kind] for out in cell.outputs if kind in out.get("data", {}))


def test_it_is_committed_without_what_a_machine_showed() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert [cell.outputs for cell in cells if cell.cell_type == "code" and cell.outputs] == []


def test_progress_and_result_are_seen(ran: tuple[Path, list[Any]]) -> None:
    _, cells = ran
    located, plotted = cells[0], cells[1]
    assert "<progress value=" in shown(located, "text/html")
    assert "frames: 59.9" in shown(located, "text/plain"), "one bar, drawn anew up to the end"
    assert "Localization('quickstart-haustra': 871 frames, 00:00 to 00:58, cecum to rectum)" in shown(
        located, "text/plain"
    )
    for words in ("Withdrawal", "Transverse", "data:image/svg+xml;base64,", "To check"):
        assert words in shown(located, "text/html")
    assert "<script" not in shown(located, "text/html")
    assert shown(plotted, "image/svg+xml").count('class="line"') == 1


def test_what_it_writes_is_there(ran: tuple[Path, list[Any]]) -> None:
    folder, cells = ran
    assert (folder / "location.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (folder / "quickstart-haustra" / "report.html").is_file()
    assert (folder / "quickstart-haustra" / "video.vtt").is_file()
    assert "'entered_s': 28.0" in shown(cells[-2], "text/plain"), "the correction counts"
