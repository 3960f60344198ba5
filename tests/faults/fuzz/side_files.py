"""Sound side files of every kind, made here, and how each is read: what the fuzzer damages."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import scipy.io

from haustra.demo import DEMO

K = [[220.0, 0.0, 160.0], [0.0, 220.0, 160.0], [0.0, 0.0, 1.0]]
CALIBU = """<rig><camera><camera_model name="" index="0" serialno="0" type="calibu_fu_fv_u0_v0_kb4" version="8">
<width> 320 </width><height> 320 </height>
<params> [ 120.5; 120.1; 159.7; 160.2; -0.13; -0.005; 0.01; -0.002 ] </params></camera_model></camera></rig>"""


@dataclass(frozen=True)
class Reader:
    """`make` writes sound files into a folder, `read` takes them as a user's command would.

    `damages` is which of them are damaged. `share` weighs how many of all mutants it gets: less where one takes long.
    `links`: now and then a file is replaced by a link to somebody else's.
    """

    make: Callable[[Path], object]
    read: Callable[[Path], object]
    damages: tuple[str, ...] = ("*",)
    share: float = 1.0
    links: bool = False


def write(name: str, content: str | bytes | Any) -> Callable[[Path], object]:
    """A maker of one file: text, bytes, or a value for JSON."""
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    return lambda folder: (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def copied(*sources: Path) -> Callable[[Path], object]:
    return lambda folder: [shutil.copy(source, folder / source.name) for source in sources]


def _camera(name: str, folder: Path) -> object:
    """Read, and used for a picture as `locate` and `undistort` do."""
    from haustra.camera.import_file import import_camera
    from haustra.camera.presets import camera_for_picture
    from haustra.camera.undistort import Undistorter

    camera = import_camera(folder / name, (320, 320)).camera
    fitting = camera_for_picture(camera, (320, 320), (0, 0, 320, 320))
    return Undistorter(fitting, 64, 100.0)(np.zeros((320, 320, 3), np.uint8))


def _opencv(name: str, folder: Path) -> None:
    storage = cv2.FileStorage(str(folder / name), cv2.FILE_STORAGE_WRITE)
    storage.write("image_width", 320), storage.write("image_height", 320)
    storage.write("camera_matrix", np.array(K)), storage.write("distortion_coefficients", np.zeros(5))
    storage.release()


def _matlab(folder: Path) -> None:
    fields = {
        "MappingCoefficients": [[136.0, -0.0057, 5.8e-05, -2.3e-07]],
        "StretchMatrix": np.eye(2),
        "DistortionCenter": [[162.2, 160.5]],
        "ImageSize": [[320.0, 320.0]],
    }
    scipy.io.savemat(folder / "camera.mat", {"intrinsics": fields})


def _annotations(folder: Path) -> object:
    from haustra.anatomy.annotated_times import read_annotations
    from haustra.anatomy.landmarks import parse_landmarks
    from haustra.lab.evaluate.score_result import read_truth

    source = folder / "annotations.json"
    return parse_landmarks([str(source)]), read_annotations(source), read_truth(source)


def _findings(name: str, folder: Path) -> object:
    from haustra.anatomy.findings_file import read_findings

    return read_findings(folder / name)


def _workbook(name: str, rows: list[list[Any]], folder: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / name)


def _scopeguide(folder: Path) -> object:
    from haustra.path.indices import read_scopeguide, scopeguide_index

    return scopeguide_index(np.arange(0, 8, 0.1), *read_scopeguide(folder / "scopeguide.csv"))


def _template(folder: Path) -> object:
    from haustra.anatomy.decoder_priors import length_prior
    from haustra.anatomy.frame_places import place_columns
    from haustra.anatomy.template import load_template

    template, index = load_template(folder / "template.json"), np.linspace(0, 1, 50)
    return place_columns(index, np.full(50, 0.05), template), length_prior(template)


def _durations(folder: Path) -> object:
    from haustra.anatomy.decoder_priors import load_durations

    return load_durations(folder / "durations.json").log_density(2, np.array([20.0, 60.0]))


def _toml(folder: Path) -> object:
    from haustra.options import options_for

    return options_for(folder / "video.mp4", {})


def _options(folder: Path) -> object:
    from haustra.core.files import read_json
    from haustra.options import LocateOptions, check_options

    given = read_json(folder / "options.json")
    given = given if isinstance(given, dict) else {"camera": given}
    check_options(given)
    return LocateOptions(**given)


def _cohort_table(name: str, folder: Path) -> object:
    from haustra.cohort.entries import find_entries

    return find_entries([str(folder / name)], str(folder / "out"))


def _labelled(folder: Path) -> object:
    from haustra.quality.labelled import read_samples

    return read_samples([folder / "frames.csv"])


def _trajectory(name: str, folder: Path) -> object:
    from haustra.place import place

    return place(folder / name, folder / "out")


def _model(name: str, folder: Path) -> object:
    """Opened and run once, as its stage does."""
    source, picture = folder / name, np.full((128, 128, 3), 99, np.uint8)
    if name == "quality_lite.onnx":
        from haustra.quality import QualityModel

        return QualityModel(source).classify([picture])
    if name == "motion.onnx":
        from haustra.motion.methods import open_motion

        motion = open_motion(source)
        pictures = np.full((1, motion.size, motion.size, 3), 99, np.uint8)
        return motion.measure(pictures, pictures)
    if name == "cecum.onnx":
        from haustra.quality.cecum_classifier import central_square, open_cecum_network

        return open_cecum_network(source)(central_square(picture)[None])
    if name == "bends.onnx":
        from haustra.anatomy.bends import open_bend_network

        network = open_bend_network(source)
        return network(np.zeros((1, 686), np.float32)) / network.prior
    from haustra.flow import open_flow

    return open_flow(str(source))(picture, picture)


WEIGHTS = DEMO.parents[1] / "weights"
FINDINGS: list[list[Any]] = [
    ["time_s", "label", "score", "size_mm", "note"],
    [5, "polyp", 1, 4, ""],
    ["0:30", "biopsy"],
]
TIMES = ["cecum", "ascending", "transverse", "descending", "sigmoid", "rectum", "stop"]
REVIEW = {
    "format": "haustra-annotations-1",
    "by": "Dr. A",
    "times_s": {name: 8.0 * k for k, name in enumerate(TIMES)},
    "begins": "cecum",
    "ends": 0.9,
    "sightings": [{"kind": "cecum", "time_s": 1.0}],
    "findings": [{"kind": "polyp", "time_s": 5.0, "size_mm": 4.0, "note": "flat"}],
    "comments": [{"text": "well", "time_s": 5.0}],
    "reviewed": True,
}
OPTIONS = {
    "withdrawal_start": "12:40", "withdrawal_end": 900, "from_place": "cecum", "to_place": 0.9, "camera": "generic",
    "template": "paper-set2", "index": "paper", "segments": "time", "landmarks": "hepatic=3:05,splenic=4:00+-10",
    "flow": "dis", "motion": "liu2013", "quality": "none", "fps": 25, "overlay": True,
}  # fmt: skip
TOML = "".join(f"{name} = {json.dumps(value)}\n" for name, value in OPTIONS.items())
TUM = "".join(f"{t / 15} {t / 9} {t % 7 / 9} 0 0 0 0 1\n" for t in range(60))
KITTI = "".join(f"1 0 0 {t} 0 1 0 {t % 5} 0 0 1 0\n" for t in range(60))
OCAM = "5 -130.0 0.0 1e-3 -1e-6 1e-9\n3 400.0 200.0 10.0\n160.5 160.5\n1.0 0.0 0.0\n320 320\n"
PY_OCAM = {
    "taylor_coefficient": [137.7, 0.0, -1.2e-3, 1.4e-6, -3e-9],
    "distortion_center": [160.9, 157.6],
    "stretch_matrix": [[1.003, 1e-4], [2e-4, 1.0]],
}
STUDY = (
    "id,video,withdrawal_start,template,landmarks,annotations\na,a.mp4,0:10,paper-set2,hepatic=9,a.json\nb,b.mp4,,,,\n"
)
LENGTHS = "time_s,length_cm\n" + "".join(f"{t},{90 - t}\n" for t in range(9))
FRAMES = "video,time_s,label,recording,split\na.mp4,0:10,forceps,a,train\nb.mp4,3.5,blur,b,test\n"


def _named(read: Callable[[str, Path], object], name: str, content: Any, share: float = 1.0) -> Reader:
    return Reader(write(name, content), partial(read, name), share=share)


READERS: dict[str, Reader] = {
    "camera.json": Reader(copied(DEMO / "camera.json"), partial(_camera, "camera.json")),
    "ocamcalib": _named(_camera, "calib.txt", OCAM),
    "py-ocamcalib": _named(_camera, "fisheye.json", PY_OCAM),
    "opencv json": _named(_camera, "pinhole.json", {"K": K, "D": [0.01] * 5, "width": 320, "height": 320}),
    "fisheye json": _named(
        _camera, "kb.json", {"model": "fisheye", "K": K, "D": [0.01, 0, 0, 0], "image_size": [320, 320]}
    ),
    "opencv yaml": Reader(partial(_opencv, "camera.yml"), partial(_camera, "camera.yml"), share=0.5),
    "opencv xml": Reader(partial(_opencv, "camera.xml"), partial(_camera, "camera.xml"), share=0.3),
    "calibu": _named(_camera, "calibu.xml", CALIBU, share=0.3),
    "matlab": Reader(_matlab, partial(_camera, "camera.mat"), share=0.5),
    "annotations": Reader(copied(DEMO / "annotations.json"), _annotations),
    "tum": _named(_trajectory, "path.tum", TUM),
    "kitti": _named(_trajectory, "path.kitti", KITTI),
    "findings csv": _named(_findings, "findings.csv", "time_s,label,score,size_mm\n5,polyp,1,4\n0:30,biopsy,,\n"),
    "findings tsv": _named(_findings, "findings.tsv", "time\tfinding\tkind\n5,5\tpolyp\tx\n0:30\tbiopsy\t\n"),
    "findings xlsx": Reader(
        partial(_workbook, "findings.xlsx", FINDINGS), partial(_findings, "findings.xlsx"), share=0.5
    ),
    "scopeguide": Reader(write("scopeguide.csv", LENGTHS), _scopeguide),
    "template": Reader(write("template.json", (DEMO.parent / "templates" / "paper-set2.json").read_bytes()), _template),
    "durations": Reader(copied(DEMO.parent / "durations.json"), _durations, share=0.5),
    "haustra.toml": Reader(write("haustra.toml", TOML), _toml),
    "options": Reader(write("options.json", OPTIONS), _options),
    "cohort csv": _named(_cohort_table, "study.csv", STUDY),
    "cohort tsv": _named(_cohort_table, "study.tsv", STUDY.replace(",", "\t"), share=0.5),
    "cohort xlsx": Reader(
        partial(_workbook, "study.xlsx", [row.split(",") for row in STUDY.splitlines()]),
        partial(_cohort_table, "study.xlsx"),
        share=0.5,
    ),
    "labelled frames": Reader(write("frames.csv", FRAMES), _labelled, share=0.5),
    **{
        name: Reader(copied(WEIGHTS / name), partial(_model, name), share=0.3)
        for name in ("quality_lite.onnx", "motion.onnx", "cecum.onnx", "bends.onnx", "pwcnet.onnx")
    },
}  # fmt: skip
