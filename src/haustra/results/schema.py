"""The layout of a result: its version, what each column of a table means, and summary.json as types.

A key or column that is added leaves the version as it is; one that is removed, renamed or means something else raises
it, and results of another version are refused. The reference page is made from this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from haustra.core.errors import HaustraError
from haustra.core.times import MOST_S
from haustra.core.vocabulary import SEGMENTS

VERSION: Final = 1
# In summary.json, and in the metadata of parquet files.
KEY: Final = "schema_version"

# Columns of frames.parquet and frames.csv.
FRAMES: Final = {
    "frame": "number of the sample, from 0 at the first of the withdrawal",
    "time_s": "seconds since the first frame of the recording",
    "part": "of a recording in parts: which one, from 1",
    "part_file": "its file",
    "part_time_s": "the time in that file",
    "p_noninformative": "probability that the frame shows nothing; interpolated where both neighbours clearly agree",
    "p_forceps": "probability that it shows an instrument",
    "kept": "whether the frame is used for the path",
    "reason": "why not: black, white, frozen, forceps, non-informative, biopsy (within 1 s of forceps)",
    **dict.fromkeys(("tx", "ty", "tz"), "position of the camera; the unit of length is arbitrary"),
    **dict.fromkeys(("qx", "qy", "qz", "qw"), "orientation of the camera, camera to world"),
    "basis": "what the place rests on: seen (two kept frames), poor (a dropped frame), unseen (bridged)",
    "location_index": "0 where the withdrawal starts (cecum), 1 where it ends; of a part, progress through it",
    "location_std": "standard deviation of the location index",
    "scopeguide_index": "with --scopeguide: location index of the inserted length",
    "segment": "the segment, without visits of less than 3 s to another one (unless the template alone named it); "
    "empty where none is named, unsure where it is less probable than --abstain asks for",
    **{f"p_{name}": f"probability of the segment {name}" for name in SEGMENTS},
}
# Columns of segments.csv: a row for each stretch in one segment.
INTERVALS: Final = {
    "segment": "the segment, or unsure",
    "start_s": "when it is entered, seconds of the recording",
    "end_s": "when the next stretch begins",
    "duration_s": "the difference",
    "start_frame": "first frame, as in frames",
    "end_frame": "last frame",
    "probability": "of the segment, on average over the stretch",
    "kept_share": "share of its frames that are used",
    "re_entered": "whether the scope had been here, or further out, before",
    "entered_by": "who set the start: decoder, template, time, given (as an option), or a person",
}
# Columns of findings.csv; columns of the user's own follow.
FINDINGS: Final = {
    "time_s": "seconds of the recording",
    "label": "what was found",
    "kind": "what it is drawn as: as given, else the label up to its first number or sign",
    "score": "as given",
    "affected": "false where the score is 0 or below: it was looked for and not found",
    "biopsied": "whether forceps were detected within 5 s",
    "lasts_s": "of a detected biopsy: how long forceps were seen",
    "size_mm": "as given or noted",
    "note": "as given or noted",
    "by": "given (as a table), detected, or who noted it",
    "location_index": "place of the nearest frame, as in frames",
    "location_std": "its standard deviation",
    "segment": "its segment",
    "p_segment": "the probability of that segment",
}


Number = Annotated[float, Meta(ge=-1e20, le=1e20)]  # times of another program may be nanoseconds since 1970
Share = Annotated[float, Meta(ge=0, le=1)]
Pixels = Annotated[int, Meta(ge=0, le=65_536)]
Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Line = Annotated[str, Meta(max_length=2000)]
Segment = Literal[SEGMENTS]  # type: ignore[valid-type]


class PartSummary(Struct):
    """A file of a recording in parts, and when it begins on the clock of the whole."""

    name: Line
    start_s: Number


class RecordingSummary(Struct):
    """The recording; nothing else of its metadata is copied."""

    name: Line
    width: Pixels
    height: Pixels
    codec: Line
    picture: tuple[Pixels, Pixels, Pixels, Pixels]
    read_s: tuple[Number, Number]
    duration_s: Annotated[float, Meta(ge=0, le=MOST_S)] | None = None
    frame_rate: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    parts: Annotated[list[PartSummary], Meta(max_length=10_000)] = []
    pictures: bool = True


class SuitabilitySummary(Struct):
    """What says whether the recording suits the tool: shares of frames, or null where nothing was measured."""

    usable: Share
    repeated: Share
    longest_unusable_s: Number
    blur: Number | None = None
    other_light: Number | None = None
    stated: Number | None = None
    lumen_deg: Number | None = None


class NamedAboveSummary(Struct):
    """Naming only what is at least this probable: share of the frames named, and the accuracy to expect of them."""

    level: Share
    share: Share
    expected_accuracy: Share | None


class AbstentionSummary(Struct):
    """`asked` is for the level of --abstain, null without it; `levels` is what others would give."""

    asked: NamedAboveSummary | None
    levels: Annotated[list[NamedAboveSummary], Meta(max_length=1000)]


class RunSummary(Struct):
    """Everything that the result depends on; digests first."""

    digest: Digest
    observed: Digest
    recording: Digest
    camera: dict[str, Any]
    models: dict[str, Any]
    reading: dict[str, Any]
    placing: dict[str, Any]
    haustra: Line
    template: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    libraries: dict[str, Line] = {}


class LensSummary(Struct):
    """Where the lens comes from, and its angle of view from rim to rim with its uncertainty."""

    source: Literal["given", "found", "typical"]
    angle_deg: Annotated[float, Meta(ge=0, le=360)] | None = None
    angle_std_deg: Annotated[float, Meta(ge=0, le=360)] | None = None
    relative_std: Annotated[float, Meta(ge=0, le=10)] = 0.0
    pairs: Count = 0
    found_in: Line = ""
    camera: dict[str, Any] = {}


class FrameCounts(Struct):
    """How many were sampled in the withdrawal, and how many of them are used."""

    sampled: Count
    kept: Count


class SegmentNumbers(Struct):
    """Of one segment: seconds, share of the withdrawal, percent of the colon per minute, shares of that time.

    Null where no segment at all is named.
    """

    time_s: Number | None
    share_of_time: Share | None
    speed_percent_per_min: Number | None
    noninformative_share: Share | None
    dropped_share: Share | None
    net_s: Number | None = None


class WithdrawalSummary(Struct):
    """`net_s` is without biopsies and stretches of a second and more that show nothing, `extent` how much is seen."""

    duration_s: Number
    noninformative_share: Share
    dropped_share: Share
    segments: dict[Segment, SegmentNumbers]
    net_s: Number = 0.0
    start_s: Number | None = None
    end_s: Number | None = None
    extent: Line | None = None
    start_source: Line | None = None
    start_confidence: Share | None = None
    end_source: Line | None = None

    def __post_init__(self) -> None:
        if len(self.segments) != len(SEGMENTS):
            raise ValueError(f"the withdrawal has {len(self.segments)} segments: it needs {', '.join(SEGMENTS)}")


class BoundarySummary(Struct):
    """When `segment` was first entered, one standard deviation around it, who set it, and each source's share."""

    segment: Segment
    entered_s: Number
    between_s: tuple[Number, Number] | None
    set_by: Line
    decided_by: dict[str, Number]


class LandmarkSummary(Struct):
    """What was given for boundary 1 (cecum | ascending) to 5 (sigmoid | rectum)."""

    boundary: Annotated[int, Meta(ge=1, le=5)]
    time_s: Annotated[float, Meta(ge=0, le=MOST_S)]
    std_s: Annotated[float, Meta(ge=0, le=MOST_S)]
    by: Line


class FindingsSummary(Struct):
    """Findings that were given or noted, null where nobody said anything; biopsies that were detected.

    `outside`: how many of the findings lie outside the withdrawal, and have no place.
    """

    count: Count | None
    biopsies: Count
    outside: Count = 0


class CecumSummary(Struct):
    """The best view of the cecum, or the one that `set_by` marked."""

    seen_s: Number
    probability: Share
    set_by: Line | None = None


class VersionSummary(Struct):
    """After corrections: which version, whose, when, and whether all was looked at."""

    number: Annotated[int, Meta(ge=1, le=9999)]
    by: Line
    made: Line
    reviewed: bool


class Summary(Struct):
    """summary.json. Of `haustra place` there is no `run` and nothing that a video tells."""

    haustra: Line
    withdrawal: WithdrawalSummary
    warnings: Annotated[list[Line], Meta(max_length=10_000)]
    schema_version: int = VERSION
    run: RunSummary | None = None
    recording: RecordingSummary | None = None
    lens: LensSummary | None = None
    suitability: SuitabilitySummary | None = None
    abstention: AbstentionSummary | None = None
    frames: FrameCounts | None = None
    boundaries: Annotated[list[BoundarySummary], Meta(max_length=100)] = []
    landmarks: Annotated[list[LandmarkSummary], Meta(max_length=5)] = []
    findings: FindingsSummary | None = None
    cecum: CecumSummary | None = None
    version: VersionSummary | None = None
    trajectory: Line = ""
    poses: Count = 0
    smoothing: Number = 0.0
    template: dict[str, Any] = {}

    def __post_init__(self) -> None:
        located = (self.recording, self.frames, self.findings, self.withdrawal.start_s, self.withdrawal.end_s)
        if self.run is not None and any(part is None for part in located):
            raise ValueError("of a recording it needs recording, frames, findings, and start_s and end_s")


def summary_schema() -> dict[str, Any]:
    """The JSON Schema of summary.json."""
    return msgspec.json.schema(Summary)


def check_version(found: Mapping[str, Any], source: object) -> None:
    """Refuse what a later program wrote in another layout; a result without a version is older than the versions."""
    version = found.get(KEY, VERSION)
    if version != VERSION:
        raise HaustraError(
            f"{source} has layout version {version!r}, this program reads {VERSION}: use the program that made it, or "
            "locate the recording again"
        )
