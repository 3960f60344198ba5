"""The overlay video and the strip of frames, on a small recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import polars as pl
import pytest
from made_withdrawal import START_S, TEMPLATE, lumen, made_table, made_video

from haustra.core.errors import HaustraError
from haustra.core.segments import SEGMENT_COLOURS
from haustra.quality.thumbnails import clearest
from haustra.report.overlay import fitted, write_overlay
from haustra.report.panel import HEIGHT, Panel, caption_of, rgb
from haustra.report.strip import strip_rows
from haustra.video import Box, open_recording


def test_overlay_is_h264_for_browsers_in_step_with_the_recording(made: Any) -> None:
    with av.open(str(made.overlay.file)) as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert stream.codec_context.height <= 720
        packets = [packet for packet in container.demux(stream) if packet.pts is not None]
        times = [float(packet.pts * stream.time_base) for packet in packets]
        keys = [time for packet, time in zip(packets, times, strict=True) if packet.is_keyframe]
    assert made.overlay.start_s == pytest.approx(START_S)
    assert np.array(times) + made.overlay.start_s == pytest.approx(made.table["time_s"].to_numpy(), abs=1e-3)
    assert np.diff(keys).max() <= 1.01
    # The index stands in front: a browser can seek before it has the whole file.
    content = made.overlay.file.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")


def test_overlay_shows_the_picture_of_its_time(made: Any) -> None:
    with av.open(str(made.overlay.file)) as container:
        frame = next(f for f in container.decode(video=0) if f.time >= 5.0)
    shown = frame.to_ndarray(format="rgb24")[:-HEIGHT]
    assert shown.shape == (384, 480, 3)  # a small picture is shown larger
    expected = cv2.resize(lumen(START_S + frame.time, (160, 128)), (480, 384))
    assert np.abs(shown.astype(int) - expected).mean() < 8


def test_overlay_keeps_uneven_time_stamps(tmp_path: Path) -> None:
    source = made_video(tmp_path / "film.mp4", 4.0, size=(96, 64), fps=7)
    table = made_table(4.0)
    first_s = write_overlay(
        open_recording(source), table, tmp_path / "o.mp4", template=TEMPLATE, start_s=1.0, end_s=3.0
    )
    with av.open(str(tmp_path / "o.mp4")) as container:
        times = [first_s + frame.time for frame in container.decode(video=0)]
    assert times == pytest.approx([k / 7 for k in range(7, 21)], abs=1e-3)


def test_empty_part_is_one_clear_line_and_leaves_no_file(tmp_path: Path) -> None:
    recording = open_recording(made_video(tmp_path / "film.mp4", 1.0, size=(96, 64)))
    with pytest.raises(HaustraError):
        write_overlay(recording, made_table(1.0), tmp_path / "o.mp4", template=TEMPLATE, start_s=0.99, end_s=0.995)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["film.mp4"]


def test_panel_marks_location_and_dropped_frames() -> None:
    panel = Panel(640, TEMPLATE.boundaries)
    row = made_table(20.0).row(60, named=True) | {"kept": True, "reason": "", "location_index": 0.5}
    kept = panel.draw(caption_of(row)).copy()
    dropped = panel.draw(caption_of(row | {"kept": False, "reason": "ruchoma ąę"})).copy()
    assert np.any(kept[:30, 400:] != dropped[:30, 400:])
    assert np.array_equal(kept[32:], dropped[32:])
    moved = panel.draw(caption_of(row | {"location_index": 0.9})).copy()
    assert np.abs(moved[46, 320].astype(int) - kept[46, 320]).sum() > 100
    for name, share in zip(SEGMENT_COLOURS, TEMPLATE.boundaries, strict=False):
        assert tuple(moved[42, 14 + round(share * 612) + 2]) == rgb(SEGMENT_COLOURS[name])


def test_the_bar_of_a_part_has_no_segments() -> None:
    row = made_table(20.0).row(60, named=True) | {"location_index": 0.5, "segment": ""}
    drawn = Panel(640, None).draw(caption_of(row))
    colours = {tuple(drawn[42, x].tolist()) for x in (*range(20, 300), *range(340, 620))}
    assert len(colours) == 1
    assert not colours & {rgb(colour) for colour in SEGMENT_COLOURS.values()}


def test_panel_says_nothing_about_a_frame_without_a_place() -> None:
    row = made_table(20.0).row(60, named=True)
    place = caption_of(row | {"location_index": None, "location_std": None, "segment": ""})
    assert (place.location, place.segment, place.probability) == (None, None, 0.0)
    Panel(480, TEMPLATE.boundaries).draw(place)


def test_strip_is_even_in_location_and_uses_kept_frames_once() -> None:
    table = made_table(120.0)
    rows = strip_rows(table, count=24)
    assert rows["kept"].all()
    assert rows["frame"].n_unique() == rows.height
    location = rows["location_index"].to_numpy()
    targets = (np.arange(24) + 0.5) / 24
    kept = table.filter("kept")["location_index"].to_numpy()
    reachable = np.abs(kept[:, None] - targets).min(axis=0)
    nearest = np.abs(location[:, None] - targets).min(axis=0)
    assert np.all(nearest <= np.maximum(reachable, 0.2 / 24) + 1e-9)
    assert strip_rows(table.with_columns(kept=pl.lit(False))).is_empty()


def test_strip_pictures_are_those_of_their_times(made: Any) -> None:
    assert len(made.strip) >= 10
    for image in made.strip:
        picture = cv2.imdecode(np.frombuffer(image.jpeg, np.uint8), cv2.IMREAD_COLOR)[..., ::-1]
        assert np.abs(picture.astype(int) - lumen(image.time_s, (160, 128))).mean() < 8
        row = made.table.row(by_predicate=pl.col("time_s") == image.time_s, named=True)
        assert row["kept"]
        assert (row["location_index"], row["segment"]) == (image.location_index, image.segment)


def test_thumbnails_are_the_clearest_of_their_second() -> None:
    time_s = np.array([0.0, 0.4, 0.8, 1.2, 2.1])
    kept = np.array([True, True, False, True, False])
    assert clearest(time_s, kept, np.array([0.3, 0.1, 0.0, np.nan, 0.0])) == [1, 3]


def test_pictures_are_scaled_evenly_and_up_only_when_told(made: Any) -> None:
    recording = open_recording(made.folder / "recording.mp4")
    assert fitted(recording, None, 64) == (80, 64)
    assert fitted(recording, None, 2000) == (160, 128)
    assert fitted(recording, None, 2000, at_least=256) == (320, 256)
    assert fitted(recording, Box(0, 0, 101, 33), 720) == (98, 32)
