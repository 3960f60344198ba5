"""EndoMapper, REAL-Colon and PolypGen replicas: calibu xml, `;` tables, `ceacum`, `.0.jpg`, numbered pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_datasets import number_of, picture, write_picture, write_video

from haustra.core.errors import HaustraError
from haustra.lab.datasets import endomapper, polypgen, real_colon

CALIBU = """<rig><camera><camera_model name="" index="0" serialno="0" type="calibu_fu_fv_u0_v0_kb4" version="8">
<width> 40 </width><height> 32 </height><right> [ 1; 0; 0 ] </right>
<params> [ 20.5; 20.1; 19.7; 15.2; -0.13; -0.005; 0.01; -0.002 ] </params></camera_model></camera></rig>"""


def test_endomapper_camera_and_regions(tmp_path: Path) -> None:
    write_video(tmp_path / "Seq_003" / "Seq_003.mov", 10, fps=40)
    (tmp_path / "Seq_003" / "Endoscope_04.xml").write_text(CALIBU)
    regions = "num;frame;region\n1;2;rectum\n2;4;sigmoid\n3;6;esplenic\n4;7;ileocecal\n5;8;ileum\n6;9;Hepatic\n"
    (tmp_path / "Seq_003" / "Anatomical_regions_Seq_003.csv").write_text(regions)
    (one,) = endomapper.recordings(tmp_path)
    assert one.time_s == pytest.approx(np.arange(10) / 40, abs=1e-3)
    assert one.segment.tolist() == [0, 0, 6, 6, 5, 5, 3, 1, 0, 2]
    assert [number_of(frame.image) for frame in one.frames(np.array([1, 4]))] == [1, 4]
    angle = 0.4
    radius = angle * (1 - 0.13 * angle**2 - 0.005 * angle**4 + 0.01 * angle**6 - 0.002 * angle**8)
    assert one.camera.project(np.array([np.sin(angle), 0, np.cos(angle)])) == pytest.approx(
        [19.7 + 20.5 * radius, 15.2], abs=0.01
    )


def test_endomapper_refuses_what_it_cannot_trust(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match=r"not EndoMapper: expected Seq_001.mov"):
        endomapper.recordings(tmp_path)
    write_video(tmp_path / "Seq_001.mov", 3)
    (tmp_path / "calib.xml").write_text('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + CALIBU)
    with pytest.raises(HaustraError, match="no document type"):
        endomapper.recordings(tmp_path)
    (tmp_path / "calib.xml").write_text(CALIBU)
    (tmp_path / "Anatomical_regions_1.csv").write_text("a;b;c\n1;2;stomach\n")
    with pytest.raises(HaustraError, match="line 2: expected number;frame;region, found '1;2;stomach'"):
        endomapper.recordings(tmp_path)


@pytest.mark.parametrize("ending", [".jpg", ".0.jpg"])
def test_real_colon_labels(tmp_path: Path, ending: str) -> None:
    for n in (0, 1, 2, 10):
        write_picture(tmp_path / "001-007_frames" / f"001-007_{n}.jpg", picture(n))
    (tmp_path / "video_info.csv").write_text("unique_video_name,fps,num_frames\n001-006,30,9\n001-007,25,4\n")
    labels = ["ceacum", "n.a.", "Transverse", "insertion"]
    rows = [f"001-007_{n}{ending},{label}" for n, label in zip((0, 1, 2, 10), labels, strict=True)]
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "001-007.csv").write_text("\n".join(["frame_filename,GT", *rows]))
    (one,) = real_colon.recordings(tmp_path)
    assert one.name == "001-007"
    assert one.time_s == pytest.approx([0, 0.04, 0.08, 0.4])
    assert one.segment.tolist() == [1, 0, 3, 0]
    assert [number_of(frame.image) for frame in one.frames()] == [0, 1, 2, 10]
    assert one.rows(rate_hz=12.5).tolist() == [0, 2, 3]


def test_real_colon_wrong_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="not REAL-Colon: expected 001-001_frames"):
        real_colon.recordings(tmp_path)
    write_picture(tmp_path / "001-001_frames" / "001-001_0.jpg", picture(0))
    with pytest.raises(HaustraError, match=r"no video_info.csv"):
        real_colon.recordings(tmp_path)
    (tmp_path / "video_info.csv").write_text("unique_video_name,fps\n001-001,30\n")
    (tmp_path / "001-001.csv").write_text("frame_filename,GT\n../../etc/passwd,cecum\n")
    with pytest.raises(HaustraError, match="is no label of a frame"):
        real_colon.recordings(tmp_path)


def test_polypgen_sequences_in_order(tmp_path: Path) -> None:
    for name in ("seq10", "seq2_neg"):
        for n in (2, 10, 1):
            write_picture(tmp_path / name / f"{n}.jpg", picture(n))
    first, second = polypgen.recordings(tmp_path)
    assert (first.name, second.name) == ("seq2_neg", "seq10")
    assert [number_of(frame.image) for frame in first.frames()] == [1, 2, 10]
    assert "nominal" in first.notes[0]
    with pytest.raises(HaustraError, match="expected seq2"):
        polypgen.recordings(tmp_path / "nothing")


def test_the_real_sequences_at_hand(shared_data: Path) -> None:
    found = polypgen.recordings(shared_data / "real-sequences")
    assert len(found) == 13
    assert sum(map(len, found)) == 476
