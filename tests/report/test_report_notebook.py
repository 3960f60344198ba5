"""What a notebook shows of a result: one line, a picture with figures, a drawing, the table for pandas."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_withdrawal import made_summary, made_table

import haustra
from haustra.core.vocabulary import SEGMENTS

HOSTILE = "<script>alert(1)</script>"


def opened(table: pl.DataFrame, **more: object) -> haustra.Localization:
    return haustra.Localization(Path("colon"), table, made_summary(**more))


def test_the_repr_is_one_short_line() -> None:
    assert (
        repr(opened(made_table(20.0)))
        == "Localization('colon': 300 frames, 00:00 to 00:20, cecum to rectum, 1 warning)"
    )
    nowhere = made_table(20.0).head(1).with_columns(segment=pl.lit(""))
    assert repr(opened(nowhere, warnings=[])) == "Localization('colon': 1 frame, 00:00 to 00:00, no segment named)"
    assert "0 frames" in repr(opened(made_table(20.0).head(0)))


def test_a_notebook_shows_figures_curve_segments_and_what_to_check() -> None:
    html = opened(made_table(60.0))._repr_html_()
    assert "No calibration was given" in html
    for words in ("Withdrawal", "01:00", "Net time", *(f"<td>{name.capitalize()}</td>" for name in SEGMENTS)):
        assert words in html
    assert html.count("data:image/svg+xml;base64,") == 1


def test_names_and_warnings_are_text() -> None:
    html = opened(made_table(20.0), recording={"name": HOSTILE}, warnings=[HOSTILE])._repr_html_()
    assert HOSTILE not in html
    assert "&lt;script&gt;" in html


def test_the_drawing_breaks_at_a_hole_and_keeps_a_spike(tmp_path: Path) -> None:
    table = made_table(3600.0).with_columns(location_index=pl.lit(0.2))
    index = table["location_index"].to_numpy().copy()
    index[20_000], index[30_000:30_400] = 0.9, np.nan
    drawn = opened(table.with_columns(location_index=pl.Series(index))).plot()
    root = ET.fromstring(drawn.svg)
    line = next(path for path in root.iter() if path.get("class") == "line").attrib["d"]
    assert line.count("M") == 2
    low, high = 26 + 0.2 * 226, 26 + 0.9 * 226
    heights = [float(y) for _, y in re.findall(r"([\d.]+) ([\d.]+)", line)]
    assert min(heights) == pytest.approx(low, abs=0.1)
    assert max(heights) == pytest.approx(high, abs=0.1)
    assert drawn.save(tmp_path / "curve.svg").read_text(encoding="utf-8") == drawn.svg
    assert repr(drawn) != drawn.svg


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_hardly_a_frame_and_no_place_are_shown_all_the_same(rows: int) -> None:
    table = made_table(20.0).head(rows).with_columns(location_index=pl.lit(None, pl.Float64), segment=pl.lit(""))
    result = opened(table)
    assert "recording.mp4" in result._repr_html_()
    ET.fromstring(result.plot().svg)


def test_the_trajectory_of_another_program_is_shown(tmp_path: Path) -> None:
    from haustra.place import place

    rows = [f"{k / 15:.3f} {k / 10} {np.sin(k / 40):.4f} 0 0 0 0 1" for k in range(300)]
    (tmp_path / "path.tum").write_text("\n".join(rows) + "\n")
    place(tmp_path / "path.tum", tmp_path / "out")
    result = haustra.open(tmp_path / "out")
    assert "300 frames" in repr(result)
    assert "<td>Sigmoid</td>" in result._repr_html_()
    assert "Dropped" not in result.plot().svg


def test_pandas_needs_nothing_but_pandas() -> None:
    frames = opened(made_table(20.0)).to_pandas()
    assert list(frames.columns) == made_table(20.0).columns
    assert str(frames["time_s"].dtype) == "float64"
    assert frames["tx"].isna().sum() == made_table(20.0)["tx"].is_nan().sum()
    assert set(frames["segment"]) == set(SEGMENTS)


def test_without_pandas_it_is_one_line() -> None:
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "import polars, haustra\n"
        "try: haustra.Localization(None, polars.DataFrame({'a': [1]}), {}).to_pandas()\n"
        "except haustra.HaustraError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "the package 'pandas' is not installed: pip install pandas\n"
