"""Every dataset by name: contents, origin, terms of use, and its reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from haustra.core.errors import HaustraError
from haustra.lab.datasets.layout import WrongFolderError, wrong_folder

if TYPE_CHECKING:
    from haustra.lab.datasets.dataset_recording import DatasetRecording


@dataclass(frozen=True)
class Dataset:
    """`terms` as its authors state them; read them there before use. `reader` is module:function."""

    name: str
    title: str
    holds: str
    where: str
    terms: str
    layout: str
    reader: str

    def as_dict(self) -> dict[str, str]:
        """For `--json`."""
        return {key: value for key, value in asdict(self).items() if key != "reader"}


# In the order in which a folder is tried: a layout that could be mistaken for another comes after it.
DATASETS = (
    Dataset(
        "simulated",
        "Simulated recordings and cohorts",
        "pose, location, segment, depth, flow, ScopeGuide",
        "haustra simulate cohort",
        "yours",
        "video.mp4, truth.parquet, camera.json",
        "simulated:recordings",
    ),
    Dataset(
        "foreign",
        "Recordings of another simulator",
        "pose, location, segment",
        "anything exported to this layout",
        "those of their origin",
        "video.mp4, truth.csv, camera.json, times.json",
        "simulated:foreign_recordings",
    ),
    Dataset(
        "endoslam",
        "EndoSLAM (Ozyoruk et al., Medical Image Analysis 2021)",
        "pose of real organs; rendered pose and depth",
        "Mendeley Data and the project's GitHub page (CapsuleEndoscope/EndoSLAM), doi 10.1016/j.media.2021.102058",
        "MIT for what the project publishes; cite",
        "Cameras/<camera>/<organ>/TumorfreeTrajectory_1/{Frames,Poses}, UnityCam/<organ>/{Frames,Poses}",
        "endoslam:recordings",
    ),
    Dataset(
        "c3vdv2",
        "C3VDv2 (Golhar et al. 2025)",
        "pose, depth, flow of a phantom; whole withdrawals with pose",
        "the page of the Durr lab, Johns Hopkins University, beside that of C3VD",
        "non-commercial, share alike; read them at the site",
        "c1_cecum_t1_v1/{rgb,depth,optical_flow,pose.txt}",
        "c3vd:recordings_v2",
    ),
    Dataset(
        "c3vd",
        "C3VD (Bobrow et al., Medical Image Analysis 2023)",
        "pose, depth, flow of a phantom; whole withdrawals with pose",
        "durr.jhu.edu/C3VD, doi 10.1016/j.media.2023.102956",
        "non-commercial, share alike; read them at the site",
        "cecum_t1_a/{0000_color.png,0000_depth.tiff,0000_flow.tiff,pose.txt}",
        "c3vd:recordings",
    ),
    Dataset(
        "simcol3d",
        "SimCol3D (Rau et al., Medical Image Analysis 2024)",
        "rendered pose and depth",
        "UCL Research Data Repository, doi 10.5522/04/24077763",
        "non-commercial; read them at the repository",
        "SyntheticColon_I/{Frames_S1/FrameBuffer_0000.png,SavedPosition_S1.txt,cam.txt}",
        "simcol3d:recordings",
    ),
    Dataset(
        "real-colon",
        "REAL-Colon (Biffi et al., Scientific Data 2024)",
        "sixty whole real recordings; segment labels of frames",
        "figshare, doi 10.25452/figshare.plus.22202866",
        "CC BY 4.0",
        "001-001_frames/001-001_0.jpg, video_info.csv, labels as csv with frame_filename,GT",
        "real_colon:recordings",
    ),
    Dataset(
        "endomapper",
        "EndoMapper (Azagra et al., Scientific Data 2023)",
        "whole real recordings, calibrated; regions of some",
        "Synapse, after registration, doi 10.7303/syn26707219",
        "its own data use agreement; read it at Synapse",
        "Seq_001.mov, calibration .xml, Anatomical_regions_*",
        "endomapper:recordings",
    ),
    Dataset(
        "polypgen",
        "Sequences of PolypGen (Ali et al., Scientific Data 2023)",
        "short real sequences, pictures only",
        "Synapse, doi 10.7303/syn26376615",
        "CC BY 4.0",
        "seq2/0001.jpg",
        "polypgen:recordings",
    ),
    Dataset(
        "cas-colon",
        "CAS-Colon (Scientific Data 2025)",
        "times of ten regions in real withdrawals; no pictures",
        "doi 10.1038/s41597-025-05588-3",
        "cite; read them at the article",
        "a csv with VideoID, ten regions, TotalFrames",
        "cas_colon:read_withdrawals",
    ),
)  # fmt: skip
TIMES_ONLY = ("cas-colon",)


def dataset_named(name: str) -> Dataset:
    """The entry of this name."""
    for entry in DATASETS:
        if entry.name == name:
            return entry
    raise HaustraError(f"no dataset '{name}': choose one of {', '.join(entry.name for entry in DATASETS)}")


def open_dataset(folder: str | Path, name: str | None = None) -> tuple[Dataset, list[DatasetRecording]]:
    """The recordings in a folder, of the dataset `name` or of the first whose layout matches."""
    folder = Path(folder)
    if name is not None:
        entry = dataset_named(name)
        if name in TIMES_ONLY:
            raise HaustraError(
                f"'{name}' has no pictures: it is a table of times, read by haustra.lab.datasets.cas_colon"
            )
        return entry, _reader(entry)(folder)
    if not folder.is_dir():
        raise HaustraError(f"{folder} is not a folder: give the folder of a dataset (`haustra datasets` lists them)")
    for entry in DATASETS:
        if entry.name not in TIMES_ONLY:
            try:
                return entry, _reader(entry)(folder)
            except WrongFolderError as error:
                if error.folder != folder:
                    raise  # the layout matches, but a part of it is broken
    raise wrong_folder("a known dataset", "one of the layouts that `haustra datasets` lists", folder)


def _reader(entry: Dataset) -> Callable[[Path], list[DatasetRecording]]:
    module, _, function = entry.reader.partition(":")
    reader: Callable[[Path], list[DatasetRecording]] = getattr(
        import_module(f"haustra.lab.datasets.{module}"), function
    )
    return reader
