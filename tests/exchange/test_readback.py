"""What a person changed in another program becomes corrections; what they left alone does not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from made_result import DIGEST, NOTED, made_frames

import haustra
from haustra.anatomy.abstention import abstained
from haustra.anatomy.frame_places import located
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import UNSURE
from haustra.exchange.content import read_content
from haustra.exchange.reading import read_corrections
from haustra.report.write import write_intervals
from haustra.results.annotations import Annotations
from haustra.results.table import write_frames


def changed(result: Path, to: str, change: Any) -> Annotations:
    file = haustra.export(result, to)
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
    return read_corrections(file, result)


@pytest.mark.parametrize("to", ["elan", "csv"])
def test_an_unchanged_file_says_nothing_new(result: Path, to: str) -> None:
    read = changed(result, to, lambda text: text)
    for field in ("times_s", "findings", "sightings", "comments", "reviewed"):
        assert getattr(read, field) == getattr(NOTED, field), field
    assert (read.recording, read.version) == ((DIGEST, 1) if to == "elan" else ("", None))


@pytest.mark.parametrize("to", ["elan", "csv"])
def test_unsure_stretches_are_exported_and_read_back_as_no_change(result: Path, to: str) -> None:
    frames = abstained(made_frames(), 0.8)
    write_frames(result, frames)
    write_intervals(result, located(frames))
    assert UNSURE in [one.segment for one in read_content(result).intervals]
    assert UNSURE in haustra.export(result, to).read_text(encoding="utf-8")
    assert changed(result, to, lambda text: text).times_s == NOTED.times_s


def test_segments_csv_itself_is_read_too(result: Path) -> None:
    assert read_corrections(result / "segments.csv", result).times_s == NOTED.times_s


def test_a_border_that_was_dragged_in_elan_is_set_and_no_other(result: Path) -> None:
    start_s = next(one.start_s for one in read_content(result).intervals if one.segment == "ascending")
    at = str(round(1000 * start_s))
    read = changed(result, "elan", lambda text: text.replace(f'TIME_VALUE="{at}"', 'TIME_VALUE="3210"'))
    assert read.times_s == {"ascending": 3.21, "rectum": 55.0}


def test_both_ends_can_be_moved(result: Path) -> None:
    last = read_content(result)

    def shorter(text: str) -> str:
        text = text.replace("segment,cecum,0.000000", "segment,cecum,0:01")
        return text.replace(f"{max(one.end_s for one in last.intervals):.6f}", "58,5")

    read = changed(result, "csv", lambda text: shorter(text).replace(",", ";").replace("58;5", "58,5"))
    assert read.times_s["cecum"] == 1.0
    assert read.times_s["stop"] == pytest.approx(58.5 - 1 / 15, abs=2e-3), "the last interval ends with its last frame"


@pytest.mark.parametrize("to", ["elan", "csv"])
def test_moving_the_end_of_a_segment_moves_the_begin_of_the_next(result: Path, to: str) -> None:
    """A row of a table, or an annotation in ELAN, has two ends; people move the one that they look at."""
    intervals = read_content(result).intervals
    end_s = next(one.end_s for one in intervals if one.segment == "ascending")

    def longer(text: str) -> str:
        if to == "csv":
            return re.sub(r"(segment,ascending,[^,]*),[^,]*", rf"\1,{end_s - 1:.6f}", text, count=1)
        before, _, behind = text.partition(f'TIME_VALUE="{round(1000 * end_s)}"')
        return before + f'TIME_VALUE="{round(1000 * end_s) - 1000}"' + behind

    read = changed(result, to, longer)
    assert read.times_s == {"transverse": pytest.approx(end_s - 1, abs=1e-3), "rectum": 55.0}


def test_two_ends_that_were_moved_apart_are_one_line(result: Path) -> None:
    intervals = {one.segment: one for one in reversed(read_content(result).intervals)}
    first, second = intervals["ascending"], intervals["transverse"]

    def apart(text: str) -> str:
        text = text.replace(f"{first.start_s:.6f},{first.end_s:.6f}", f"{first.start_s:.6f},{first.end_s - 1:.6f}")
        return text.replace(f"transverse,{second.start_s:.6f}", f"transverse,{second.start_s + 1:.6f}")

    with pytest.raises(HaustraError, match=r"transverse begins at .* s, but .* ends at .* s: let them meet"):
        changed(result, "csv", apart)


def test_findings_and_comments_follow_the_file(result: Path) -> None:
    read = changed(result, "elan", lambda text: text.replace("polyp, 4 mm", "adenoma, 6.5 mm").replace("look", "see"))
    assert (read.findings[0].kind, read.findings[0].size_mm, read.findings[0].note) == (
        "adenoma",
        6.5,
        "flat <b> & -->",
    )
    assert read.findings[1] == NOTED.findings[1], "its colon is not taken for a note"
    assert [one.text for one in read.comments] == ["=1+1 prep poor", "see\nagain", "and here"]
    without = changed(result, "csv", lambda text: "".join(row for row in text.splitlines(True) if "finding" not in row))
    assert without.findings == ()


@pytest.mark.parametrize(
    ("to", "old", "new", "message"),
    [
        ("elan", "<ANNOTATION_VALUE>cecum", "<ANNOTATION_VALUE>caecum", "'caecum' is no segment: choose of cecum"),
        ("elan", "<?xml", "<!DOCTYPE x [<!ENTITY a 'b'>]><?xml", "document type definition"),
        ("elan", "</HEADER>", "", "not a readable ELAN file"),
        ("elan", "ANNOTATION_DOCUMENT", "html", "is a document of html"),
        ("elan", 'TIER_ID="segment"', 'TIER_ID="mine"', "has no tier 'segment'"),
        ("elan", 'TIME_VALUE="0"', 'TIME_VALUE="soon"', "the annotation 'cecum' of tier 'segment' has no time"),
        ("elan", "polyp, 4 mm", "", "has no kind"),
        ("csv", "start_s", "begins", "has no column start_s"),
        ("csv", "cecum,0.000000", "cecum,soon", "line 2, start_s: 'soon' is not a time"),
        ("csv", "polyp", "", "the label is empty"),
        ("csv", ",4.000000", ",huge", "size 'huge' is not a number"),
        ("csv", ",4.000000", ",-4", "findings"),
        ("csv", "segment,rectum", "comment,rectum", "rectum is missing. Segments can be moved"),
        ("csv", "segment,cecum", "interval,cecum", "line 2: the kind 'interval' is not read: choose of segment, find"),
        ("csv", "segment,", "biopsy,", "has no interval in a segment"),
        ("csv", "start_s", "Kind", "has the column kind twice"),
    ],
)
def test_a_file_that_cannot_be_meant_is_one_line(result: Path, to: str, old: str, new: str, message: str) -> None:
    with pytest.raises(HaustraError, match=re.escape(message)) as raised:
        changed(result, to, lambda text: text.replace(old, new))
    assert "\n" not in str(raised.value)


def test_a_large_file_is_not_read(result: Path, tmp_path: Path) -> None:
    (tmp_path / "large.eaf").write_bytes(b" " * 5_000_000)
    with pytest.raises(HaustraError, match="at most 4000000 are read"):
        read_corrections(tmp_path / "large.eaf", result)
