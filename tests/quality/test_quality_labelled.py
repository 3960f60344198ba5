from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.quality.labelled import read_samples, recording_of, split_of
from haustra.quality.labelled_pictures import load_pictures


def picture(path, value=120, size=(40, 60)):
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.full((*size, 3), value, np.uint8))


def test_folder_of_classes_with_recordings_in_names_or_in_folders(tmp_path):
    picture(tmp_path / "informative" / "patient1_0001.png")
    picture(tmp_path / "informative" / "patient1_0002.png")
    picture(tmp_path / "non-informative" / "patient2" / "a.png")
    picture(tmp_path / "forceps" / "still.png")
    samples = {sample.path.name: sample for sample in read_samples([tmp_path])}
    assert {name: sample.recording for name, sample in samples.items()} == {
        "patient1_0001.png": "patient1",
        "patient1_0002.png": "patient1",
        "a.png": "patient2",
        "still.png": "still",
    }
    assert samples["a.png"].answers == (1.0, 0.0)
    assert samples["patient1_0001.png"].answers == (0.0, 0.0)
    poor, forceps = samples["still.png"].answers
    assert math.isnan(poor)
    assert forceps == 1.0


def test_frames_of_one_recording_are_always_in_the_same_part(tmp_path):
    for recording in range(40):
        for frame in range(3):
            picture(tmp_path / "informative" / f"case{recording}x_{frame}.png", size=(4, 4))
    samples = read_samples([tmp_path])
    parts = {}
    for sample in samples:
        parts.setdefault(sample.recording, set()).add(sample.split)
    assert len(parts) == 40
    assert all(len(found) == 1 for found in parts.values())
    assert {"train", "test"} == set.union(*parts.values())


def test_table_of_pictures_with_and_without_split(tmp_path):
    (tmp_path / "labels.csv").write_text("path,label,recording,split\na.png,blur,7,test\nb.png,informative,,\n")
    first, second = read_samples([tmp_path])
    assert (first.recording, first.split, first.path) == ("7", "test", tmp_path / "a.png")
    assert first.answers == (1.0, 0.0)
    assert second.split == split_of("b")


def test_table_of_moments_of_videos(tmp_path):
    (tmp_path / "t.csv").write_text("video,time_s,label\nx.mp4,1.5,forceps\nx.mp4,01:02,wall\n")
    samples = read_samples([tmp_path / "t.csv"])
    assert [sample.time_s for sample in samples] == [1.5, 62.0]
    assert {sample.recording for sample in samples} == {"x.mp4"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,class\na.png,blur\n", "columns file,class"),
        ("path,label\na.png,lovely\n", "line 2.*'lovely' is unknown"),
        ("path,label,split\na.png,blur,holdout\n", "split is 'holdout'"),
        ("path,label\n", "no rows"),
        ("path,label\n,blur\n", "no file is named"),
    ],
)
def test_wrong_tables_are_told_in_one_line(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(HaustraError, match=message):
        read_samples([tmp_path / "t.csv"])


def test_an_unknown_class_folder_and_an_empty_folder(tmp_path):
    with pytest.raises(HaustraError, match="no pictures"):
        read_samples([tmp_path])
    picture(tmp_path / "cats" / "a.png")
    with pytest.raises(HaustraError, match="'cats' is unknown"):
        read_samples([tmp_path])


@pytest.mark.parametrize(
    ("name", "recording"),
    [("v3_0007.png", "v3"), ("case-12-frame0003.jpg", "case-12"), ("0007.png", "0007"), ("nice.png", "nice")],
)
def test_recording_names(name, recording):
    assert recording_of(name) == recording


def test_pictures_of_one_recording_share_one_box(tmp_path):
    """A frame that is dark outside its middle must be cropped as its brighter neighbours are."""
    bright = np.zeros((100, 160, 3), np.uint8)
    bright[10:90, 40:120] = 150
    dark = np.zeros_like(bright)
    dark[40:95, 60:145] = 60
    for name, image in (("r_1.png", bright), ("r_2.png", dark)):
        (tmp_path / "informative").mkdir(exist_ok=True)
        cv2.imwrite(str(tmp_path / "informative" / name), image)
    samples = read_samples([tmp_path])
    first, second = load_pictures(samples, 105)
    # The box around both is 105 x 85 pixels: pictures keep their scale and are padded above and below.
    assert (first[10:90, :80] == 150).all()
    assert (second[40:95, 20:] == 60).all()
