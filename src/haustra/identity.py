"""The identity of a run: recording, options, models, parameters, versions, each by its contents.

Code that gives other numbers under the same identity must raise the version: `tests/test_golden.py` checks that.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from haustra import __version__
from haustra.anatomy.parameters import AnatomyParameters
from haustra.anatomy.segment_labels import Labelling
from haustra.anatomy.template import Template
from haustra.camera import Camera, camera_to_dict
from haustra.checking.parameters import CheckParameters
from haustra.core.option import Decides
from haustra.core.vocabulary import Naming
from haustra.flow import flow_weights
from haustra.motion import MotionParameters
from haustra.motion.estimator_pool import EstimatorPool
from haustra.options import LocateOptions
from haustra.path import PathParameters
from haustra.quality import FrameClassifier
from haustra.quality.cecum_classifier import CecumNetwork
from haustra.results.run import (
    Run,
    array_digest,
    file_digest,
    file_identity,
    library_versions,
    value_digest,
)
from haustra.video import Picture


def parameters(
    motion: MotionParameters | None = None, path: PathParameters | None = None, anatomy: AnatomyParameters | None = None
) -> dict[str, Any]:
    """Every tuned number, by stage; those that are not given are as shipped."""
    return {
        "motion": asdict(motion or MotionParameters()),
        "path": asdict(path or PathParameters()),
        "anatomy": asdict(anatomy or AnatomyParameters()),
        "checking": asdict(CheckParameters()),
    }


def made_by() -> dict[str, Any]:
    """The code, as far as it decides numbers: its version, its parameters as shipped, the libraries it runs on."""
    return {"haustra": __version__, "parameters": value_digest(parameters()), "libraries": library_versions()}


def lens_identity(recording: str, picture: Picture) -> str:
    """What a lens that is found from a recording depends on; `recording` is its digest."""
    made = {"haustra": __version__, "libraries": library_versions()}
    return value_digest({"recording": recording, **_picture(picture), **made})


def identify(
    recording: str,
    picture: Picture,
    camera: Camera,
    estimators: EstimatorPool,
    classifier: FrameClassifier,
    cecum_network: CecumNetwork,
    path: PathParameters,
    labelling: Labelling,
    options: LocateOptions,
    *,
    lens_std: float = 0.0,
) -> Run:
    """The run of these options on a recording (its digest) whose endoscope `picture` was taken with `camera`.

    `lens_std` is the relative standard deviation of the angles of that lens.
    """
    return Run(
        recording=recording,
        camera=camera_to_dict(camera),
        models={
            "flow": _flow(estimators.flow_name),
            "motion": _motion(estimators),
            "quality": None if classifier.model is None else file_identity(classifier.model.path),
            "cecum": file_identity(cecum_network.path),
        },
        reading={
            **options.identity(Decides.OBSERVATIONS, file_digest),
            "start_s": options.withdrawal_start or 0.0,
            **_picture(picture),
        },
        placing={**options.identity(Decides.PLACES, file_digest), **_bends(labelling), **_lens(lens_std)},
        template=_template(labelling.template),
        parameters=parameters(estimators.parameters, path, labelling.parameters),
    )


def _picture(picture: Picture) -> dict[str, Any]:
    return {"picture": list(picture.box), "mask": array_digest(picture.mask)}


def _flow(name_or_file: str) -> dict[str, str]:
    return {"name": Path(name_or_file).name, **_file(flow_weights(name_or_file))}


def _motion(estimators: EstimatorPool) -> dict[str, str]:
    """Its parameters decide what is observed, as the network does."""
    tuned = value_digest(asdict(estimators.parameters))
    return {"recipe": estimators.recipe, "parameters": tuned, **_file(estimators.path)}


def _file(path: Path | None) -> dict[str, str]:
    return {} if path is None else file_identity(path)


def _bends(labelling: Labelling) -> dict[str, Any]:
    network = labelling.bend_network
    return {} if network is None or labelling.naming is not Naming.DECODER else {"bends": file_identity(network.path)}


def _lens(std: float) -> dict[str, Any]:
    """Places depend on how sure the lens is, where it was not given."""
    return {"lens_std": round(std, 6)} if std else {}


def _template(template: Template) -> dict[str, Any]:
    spread = value_digest(template.covariance.tolist())
    return {"name": template.name, "mean": template.mean.tolist(), "spread": spread}
