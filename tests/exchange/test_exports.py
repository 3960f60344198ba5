"""Each export, read back by the library or by the rules of the program that it is for."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import haustra
from haustra.anatomy.findings import place_findings
from haustra.anatomy.findings_file import read_findings
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS
from haustra.exchange.export import make_export
from haustra.exchange.formats import FORMATS, Asked
from haustra.results.table import write_csv


def segments(result: Path) -> list[tuple[str, float, float]]:
    """What every export has to say."""
    table = pl.read_csv(result / "segments.csv")
    return [(row["segment"], row["start_s"], row["end_s"]) for row in table.iter_rows(named=True)]


def assert_same(found: list[tuple[str, float, float]], result: Path, within_s: float) -> None:
    known = segments(result)
    assert [name for name, _, _ in found] == [name for name, _, _ in known]
    assert np.ravel([one[1:] for one in found]) == pytest.approx(np.ravel([one[1:] for one in known]), abs=within_s)


def test_the_result_has_a_segment_twice(result: Path) -> None:
    """Else the tests below would not see how a re-entry is written."""
    names = [name for name, _, _ in segments(result)]
    assert len(names) > len(set(names)) == len(SEGMENTS)


def test_elan_by_pympi(result: Path) -> None:
    pympi = pytest.importorskip("pympi")
    document = pympi.Elan.Eaf(str(haustra.export(result, "elan")))
    found = [(text, start / 1000, end / 1000) for start, end, text in document.get_annotation_data_for_tier("segment")]
    assert_same(found, result, 0.0006)
    assert [row[::2] for row in document.get_annotation_data_for_tier("noted finding")] == [
        (20000, "polyp, 4 mm: flat <b> & -->"),
        (31500, "ulcer: deep"),
    ]
    assert {row[2] for row in document.get_annotation_data_for_tier("comment")} == {
        "=1+1 prep poor",
        "look\nagain",
        "and here",
    }
    assert document.get_annotation_data_for_tier("detected biopsy")[0][0] == pytest.approx(42000, abs=1)
    for tier in document.get_tier_names():
        rows = sorted(document.get_annotation_data_for_tier(tier))
        assert all(a[1] <= b[0] for a, b in pairwise(rows)), "annotations of a tier do not overlap"
    assert document.media_descriptors[0]["RELATIVE_MEDIA_URL"] == "./case%207%20%C3%84.mp4"


def test_webvtt_by_webvtt(result: Path) -> None:
    webvtt = pytest.importorskip("webvtt")
    cues = list(webvtt.from_string(make_export(result, "webvtt").data.decode()))
    named = [(cue.text.partition(" ")[0].rstrip(",").lower(), cue.start_in_seconds, cue.end_in_seconds) for cue in cues]
    assert_same([cue for cue in named if cue[0] in SEGMENTS and cue[2] - cue[1] != 4], result, 1.0)
    assert "Finding: polyp, 4 mm: flat &lt;b&gt; &amp; --&gt;" in [cue.raw_text for cue in cues]
    assert any(re.fullmatch(r"\w+, re-entered \(\d+ %\)", cue.text) for cue in cues)


def test_srt_by_srt(result: Path) -> None:
    srt = pytest.importorskip("srt")
    cues = list(srt.parse(make_export(result, "srt").data.decode()))
    assert [cue.index for cue in cues] == list(range(1, len(cues) + 1))
    words = re.compile(rf"({'|'.join(SEGMENTS)})(, re-entered)? \(\d+ %\)", re.IGNORECASE)
    matched = [(words.fullmatch(cue.content), cue.start.total_seconds(), cue.end.total_seconds()) for cue in cues]
    assert_same([(found[1].lower(), start, end) for found, start, end in matched if found], result, 0.0006)
    assert "Comment: look again" in [cue.content for cue in cues]
    assert not any("<" in cue.content for cue in cues)


def test_label_studio_by_its_documented_fields(result: Path) -> None:
    """https://labelstud.io/guide/predictions and https://labelstud.io/tags/timelinelabels."""
    (task,) = json.loads(make_export(result, "labelstudio").data)
    interface = ET.fromstring(task["data"]["labelling_interface"])
    control, video = interface.find("TimelineLabels"), interface.find("Video")
    labels = {label.get("value") for label in control.iter("Label")}
    assert {video.get("value"), video.get("frameRate")} == {f"${name}" for name in ("video", "fps")}
    (prediction,) = task["predictions"]
    found = []
    for entry in prediction["result"]:
        assert (entry["from_name"], entry["to_name"]) == (control.get("name"), control.get("toName"))
        assert (entry["type"], video.get("name")) == ("timelinelabels", entry["to_name"])
        (span,), (label,) = entry["value"]["ranges"], entry["value"]["timelinelabels"]
        assert label in labels
        assert 1 <= span["start"] <= span["end"]
        if label in SEGMENTS and span["end"] > span["start"]:
            found.append((label, (span["start"] - 1) / 25, span["end"] / 25))
    assert_same(found, result, 0.021)


def test_cvat_by_its_documented_elements(result: Path) -> None:
    """https://docs.cvat.ai/docs/manual/advanced/xml_format: shown from one key frame until one that is outside."""
    root = ET.fromstring(make_export(result, "cvat").data)
    assert (root.tag, root.findtext("version"), root.findtext("meta/task/mode")) == (
        "annotations",
        "1.1",
        "interpolation",
    )
    size, labels = int(root.findtext("meta/task/size")), {e.text for e in root.findall("meta/task/labels/label/name")}
    found = []
    for number, track in enumerate(root.findall("track")):
        boxes = track.findall("box")
        assert (track.get("id"), track.get("label") in labels) == (str(number), True)
        assert [box.get("outside") for box in boxes] == ["0", "1"]
        assert all(0 <= int(box.get("frame")) < size and box.get("keyframe") == "1" for box in boxes)
        assert (boxes[0].get("xtl"), boxes[0].get("xbr"), boxes[0].get("ybr")) == ("10.00", "310.00", "256.00")
        if track.get("label") in SEGMENTS:
            found.append((track.get("label"), *(int(box.get("frame")) / 25 for box in boxes)))
    assert_same(found, result, 0.021)
    assert "polyp, 4 mm: flat <b> & -->" in [entry.text for entry in root.iter("attribute")]


def test_evo_by_evo(result: Path) -> None:
    file_interface = pytest.importorskip("evo.tools.file_interface")
    path = file_interface.read_tum_trajectory_file(str(haustra.export(result, "evo")))
    assert path.check()[0]
    kept = pl.read_parquet(result / "frames.parquet").filter("kept")
    assert path.timestamps == pytest.approx(kept["time_s"].to_numpy(), abs=1e-6)
    assert path.positions_xyz[:, 2] == pytest.approx(kept["tz"].to_numpy(), abs=1e-6)


def test_csv_by_polars(result: Path) -> None:
    table = pl.read_csv(io.BytesIO(make_export(result, "csv").data))
    rows = table.filter(kind="segment").select("label", "start_s", "end_s").rows()
    assert_same(rows, result, 1e-6)
    (finding, ulcer) = table.filter(kind="finding").select("label", "size_mm", "note").rows()
    assert (finding, ulcer[0]) == (("polyp", 4.0, "flat <b> & -->"), "ulcer: deep")
    ((begins_s, ends_s),) = table.filter(kind="biopsy").select("start_s", "end_s").rows()
    assert (begins_s, ends_s) == pytest.approx((42, 43 - 1 / 15), abs=1e-3), "as long as forceps are seen"
    assert "'=1+1 prep poor" in table.filter(kind="comment")["label"].to_list(), "a spreadsheet runs nothing"


@pytest.fixture
def dicom(tmp_path: Path) -> Path:
    pydicom = pytest.importorskip("pydicom")
    header = pydicom.Dataset()
    header.file_meta = pydicom.dataset.FileMetaDataset()
    header.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
    header.SOPClassUID = header.file_meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.77.1.1.1"
    header.SOPInstanceUID = header.file_meta.MediaStorageSOPInstanceUID = "1.2.3.4"
    header.StudyInstanceUID, header.SeriesInstanceUID, header.PatientID = "1.2.3", "1.2.3.1", "P7"
    header.save_as(tmp_path / "video.dcm", enforce_file_format=True)
    return tmp_path / "video.dcm"


def test_a_dicom_report_by_highdicom(result: Path, dicom: Path) -> None:
    hd = pytest.importorskip("highdicom")
    report = hd.sr.srread(haustra.export(result, "dicom-sr", source=dicom))
    assert (report.StudyInstanceUID, report.PatientID) == ("1.2.3", "P7")
    assert report.VerificationFlag == "UNVERIFIED"
    found = []
    for group in report.content.get_image_measurement_groups():
        values = {one.name.value: one.value for one in group.get_measurements()}
        assert group.source_images[0].referenced_sop_instance_uid == "1.2.3.4"
        if "start" in values:
            site = group.finding_sites[0].value.meaning.partition(" ")[0].lower()
            found.append((site, values["start"], values["end"]))
    assert_same(found, result, 0.0006)
    with pytest.raises(HaustraError, match="filed with a study: give the DICOM file"):
        haustra.export(result, "dicom-sr")
    with pytest.raises(HaustraError, match="is not a DICOM file"):
        haustra.export(result, "dicom-sr", source=result / "segments.csv")


def test_findings_that_were_given_are_in_every_list_with_their_places(result: Path, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("time,label,score,size_mm,note\n43,erosion,2,3.5,fibrin\n50,clear,0,,\n")
    frames = pl.read_parquet(result / "frames.parquet")
    write_csv(result / "findings.csv", place_findings(read_findings(tmp_path / "f.csv"), frames))
    table = pl.read_csv(io.BytesIO(make_export(result, "csv").data))
    (given,) = table.filter(kind="given finding").to_dicts()
    assert (given["label"], given["segment"]) == ("erosion", frames.filter(pl.col("time_s") >= 43)["segment"][0])
    assert given["location_index"] == pytest.approx(43 / 60, abs=0.01)
    assert (given["size_mm"], given["note"]) == (3.5, "fibrin")
    assert table.filter(kind="biopsy").is_empty(), "the biopsy beside it is the same event"
    assert "clear" not in table["label"]
    for name in ("webvtt", "srt", "elan", "cvat"):
        assert b"erosion, 3.5 mm: fibrin" in make_export(result, name).data


def test_all_formats_from_the_command_line_and_nothing_of_ours_is_written_over(result: Path, dicom: Path) -> None:
    before = {file: file.read_bytes() for file in result.iterdir() if file.is_file()}
    for name in FORMATS:
        if name == "dicom-sr" and find_spec("highdicom") is None:
            continue
        ran = CliRunner().invoke(app, ["export", str(result), "--to", name, "--source", str(dicom), "--json"])
        assert ran.exit_code == 0, ran.output
        assert Path(json.loads(ran.stdout)["file"]).stat().st_size > 100
    assert {file: file.read_bytes() for file in before} == before
    with pytest.raises(HaustraError, match="would be written over: choose another file"):
        haustra.export(result, "csv", result / "segments.csv")
    assert haustra.export(result, "srt", result.parent).parent == result.parent
    for name in ("srt", "webvtt"):
        assert haustra.export(result, name, result.parent / "new").parent == result.parent / "new"
    named = CliRunner().invoke(app, ["export", "--help"]).output
    assert all(name in named for name in FORMATS)


def test_an_interval_that_was_left_unsure_has_a_label_too(result: Path) -> None:
    table = (result / "segments.csv").read_text().splitlines()
    table[3] = table[3].replace(table[3].partition(",")[0], "unsure")
    (result / "segments.csv").write_text("\n".join(table))
    (task,) = json.loads(make_export(result, "labelstudio").data)
    labels = {label.get("value") for label in ET.fromstring(task["data"]["labelling_interface"]).iter("Label")}
    assert {name for entry in task["predictions"][0]["result"] for name in entry["value"]["timelinelabels"]} <= labels
    root = ET.fromstring(make_export(result, "cvat").data)
    named = {entry.text for entry in root.findall("meta/task/labels/label/name")}
    assert "unsure" in {track.get("label") for track in root.findall("track")} <= named


def test_what_cannot_be_exported_is_one_line(result: Path, tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="'avid' is no format to export to: choose of csv, elan"):
        haustra.export(result, "avid")
    with pytest.raises(HaustraError, match="not a result folder"):
        haustra.export(tmp_path, "elan")
    summary = json.loads((result / "summary.json").read_text())
    del summary["recording"]["frame_rate"]
    (result / "summary.json").write_text(json.dumps(summary))
    with pytest.raises(HaustraError, match="frame rate of this recording is not known: give it with --fps"):
        haustra.export(result, "cvat")
    assert b"track" in make_export(result, "cvat", Asked(fps=25)).data


def test_only_a_report_needs_highdicom(result: Path) -> None:
    code = (
        "import sys; sys.modules['highdicom'] = sys.modules['pympi'] = None; import haustra;"
        f"[haustra.export({str(result)!r}, to) for to in {[name for name in FORMATS if name != 'dicom-sr']}]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
