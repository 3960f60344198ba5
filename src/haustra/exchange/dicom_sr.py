"""A DICOM structured report (TID 1500, imaging measurements) by highdicom, filed with the recording's study.

A report belongs to a patient and a study. Results do not keep either, so the DICOM file of the recording is asked for,
and the report is given its patient and study; nothing else of it is copied.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any, Final

from haustra import __version__
from haustra.core.errors import HaustraError, require
from haustra.core.files import regular_file
from haustra.core.segments import COLON
from haustra.exchange.content import COMMENT, Content, Event, SegmentInterval
from haustra.exchange.formats import Asked, Format

EXTRA: Final = "dicom-sr"
# A recording may be large; its header alone is read.
MOST_BYTES: Final = 1 << 40
PLACES: Final = {segment.name: segment.snomed for segment in COLON}
# Ours, in a scheme of our own (99...: private): DICOM has no codes for times in a recording.
SCHEME: Final = "99HAUSTRA"
START, END, PROBABILITY, AT = (
    ("start", "Start in the recording"),
    ("end", "End in the recording"),
    ("probability", "Probability of the segment"),
    ("time", "Time in the recording"),
)
# What the patient and study modules need; a file may leave them out.
_NEEDED: Final = (
    *("PatientID", "PatientName", "PatientBirthDate", "PatientSex"),
    *("AccessionNumber", "StudyID", "StudyDate", "StudyTime"),
)  # fmt: skip


def write(content: Content, asked: Asked) -> bytes:
    """The report, encoded as a DICOM file."""
    if asked.source is None:
        raise HaustraError("a DICOM report is filed with a study: give the DICOM file of the recording with --source")
    hd = require("highdicom", EXTRA)
    evidence = _evidence(asked.source)
    with warnings.catch_warnings(action="ignore"):  # about odd but readable headers
        report = hd.sr.ComprehensiveSR(
            evidence=[evidence],
            content=_report(hd, content, evidence)[0],
            series_instance_uid=hd.UID(),
            series_number=1,
            sop_instance_uid=hd.UID(),
            instance_number=1,
            manufacturer="Haustra",
            manufacturer_model_name="Haustra",
            software_versions=__version__,
            series_description="Haustra: research, not for diagnosis",
        )
        buffer = io.BytesIO()
        report.save_as(buffer, enforce_file_format=True)
    return buffer.getvalue()


def _evidence(source: Path) -> Any:
    """The header of the recording."""
    pydicom = require("pydicom", EXTRA)
    regular_file(source, MOST_BYTES)
    try:
        with warnings.catch_warnings(action="ignore"):
            header = pydicom.dcmread(source, stop_before_pixels=True)
        missing = [name for name in ("SOPClassUID", "SOPInstanceUID", "StudyInstanceUID", "SeriesInstanceUID")
                   if name not in header]  # fmt: skip
    except (pydicom.errors.InvalidDicomError, AttributeError, EOFError, ValueError, OSError) as error:
        raise HaustraError(f"{source} is not a DICOM file that can be read") from error
    if missing:
        raise HaustraError(f"{source} has no {missing[0]}: a report cannot refer to it")
    for name in _NEEDED:
        if name not in header:
            setattr(header, name, "")
    return header


def _report(hd: Any, content: Content, evidence: Any) -> Any:
    sr = hd.sr
    device = sr.DeviceObserverIdentifyingAttributes(uid=hd.UID(), name="Haustra", model_name=f"Haustra {__version__}")
    observer = sr.ObserverContext(sr.CodedConcept("121007", "DCM", "Device"), device)
    groups = [_interval(hd, one, number, evidence) for number, one in enumerate(content.intervals, 1)]
    groups += [_event(hd, one, number, evidence) for number, one in enumerate(content.events, 1) if one.kind != COMMENT]
    return sr.MeasurementReport(
        observation_context=sr.ObservationContext(observer_device_context=observer),
        procedure_reported=sr.CodedConcept("73761001", "SCT", "Colonoscopy"),
        imaging_measurements=groups,
        title=sr.CodedConcept("126000", "DCM", "Imaging Measurement Report"),
    )


def _interval(hd: Any, one: SegmentInterval, number: int, evidence: Any) -> Any:
    sr = hd.sr
    values = [_seconds(sr, START, one.start_s), _seconds(sr, END, one.end_s)]
    if one.probability is not None:
        ratio = sr.CodedConcept("1", "UCUM", "no units")
        values.append(sr.Measurement(_ours(sr, PROBABILITY), round(one.probability, 4), ratio))
    word = "re-entered" if one.re_entered else "entered"
    return _group(hd, f"{number}: {one.segment} {word}, set by {one.entered_by}", one.segment, values, evidence)


def _event(hd: Any, one: Event, number: int, evidence: Any) -> Any:
    return _group(
        hd, f"{one.kind} {number}: {one.text}"[:1000], one.segment, [_seconds(hd.sr, AT, one.time_s)], evidence
    )


def _group(hd: Any, name: str, segment: str, values: list[Any], evidence: Any) -> Any:
    sr = hd.sr
    place = PLACES.get(segment)
    return sr.MeasurementsAndQualitativeEvaluations(
        tracking_identifier=sr.TrackingIdentifier(uid=hd.UID(), identifier=name),
        finding_sites=None if place is None else [sr.FindingSite(sr.CodedConcept(place[0], "SCT", place[1]))],
        measurements=values,
        source_images=[sr.SourceImageForMeasurementGroup(evidence.SOPClassUID, evidence.SOPInstanceUID)],
    )


def _seconds(sr: Any, what: tuple[str, str], time_s: float) -> Any:
    return sr.Measurement(_ours(sr, what), round(time_s, 3), sr.CodedConcept("s", "UCUM", "second"))


def _ours(sr: Any, what: tuple[str, str]) -> Any:
    return sr.CodedConcept(what[0], SCHEME, what[1])


FORMAT = Format(".sr.dcm", "application/dicom", write)
