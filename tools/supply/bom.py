"""A CycloneDX bill of materials of the product: its packages with hashes and licences, and its networks.

What wheels bring in shared libraries is listed below them, as far as it lies in this environment: PyAV's wheel has
FFmpeg with x264 and x265, which no metadata of it tells.
"""

from __future__ import annotations

import re
import uuid
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

import haustra
from haustra.core.files import read_json, write_json
from haustra.results.run import file_digest
from tools.supply.licences import WEIGHTS, licence_of
from tools.supply.lock import FOLDER, read_lock
from tools.supply.pins import USERS, needed

# libx264-d6533a8d.so.165: the wheel's builder adds a digest to the name.
_LIBRARY = re.compile(r"(?P<name>lib[\w+.-]*?)(?:-[0-9a-f]{8}){0,2}\.(?:so|dylib|dll)(?:\.(?P<version>[\d.]+))?")
GPL = {"libx264": "GPL-2.0-or-later", "libx265": "GPL-2.0-or-later"}


def write_bom(target: Path) -> None:
    """The same bytes for the same release: its number is made of the contents, and nothing in it is a time."""
    write_json(target, bom())


def bom() -> dict[str, Any]:
    locked, product, extras = read_lock(FOLDER / "all.txt"), needed(), needed(USERS)
    packages = [
        _package(name, version, hashes, "required" if name in product else "optional")
        for name, (version, hashes) in sorted(locked.items())
        if name in product | extras
    ]
    root = f"pkg:pypi/haustra@{haustra.__version__}"
    components = [*packages, *map(_network, sorted(WEIGHTS.glob("*.onnx")))]
    serial = uuid.uuid5(uuid.NAMESPACE_URL, root + "".join(str(component) for component in components))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application", "bom-ref": root, "name": "haustra", "version": haustra.__version__, "purl": root,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": components,
        "dependencies": [{"ref": root, "dependsOn": [component["bom-ref"] for component in packages]}],
    }  # fmt: skip


def _package(name: str, version: str, hashes: list[str], scope: str) -> dict[str, Any]:
    """Each hash is that of one file of it, for a system and a Python: a release has many."""
    purl = f"pkg:pypi/{name}@{version}"
    files = [{"type": "distribution", "url": purl, "hashes": [{"alg": "SHA-256", "content": one}]} for one in hashes]
    component: dict[str, Any] = {
        "type": "library", "bom-ref": purl, "name": name, "version": version, "scope": scope, "purl": purl,
        "externalReferences": files,
    }  # fmt: skip
    licence, libraries = licence_of(name), bundled(name)
    if licence:
        component["licenses"] = [{"expression": licence}] if " " in licence else [{"license": _named(licence)}]
    if libraries:
        component["components"] = libraries
    return component


def _named(licence: str) -> dict[str, str]:
    return {"name" if licence in ("BSD", "LGPL") else "id": licence}


def bundled(name: str) -> list[dict[str, Any]]:
    """Shared libraries of others in the wheel of a package that is installed here."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return []
    found = []
    for file in files:
        match = _LIBRARY.fullmatch(file.name) if ".libs" in file.parts[0] or ".dylibs" in str(file.parent) else None
        if match is not None:
            library: dict[str, Any] = {
                "type": "library", "bom-ref": f"{canonicalize_name(name)}/{file.name}", "name": match["name"],
                "hashes": [{"alg": "SHA-256", "content": file_digest(Path(str(file.locate())))}],
            }  # fmt: skip
            if match["version"]:
                library["version"] = match["version"]
            if match["name"] in GPL:
                library["licenses"] = [{"license": {"id": GPL[match["name"]]}}]
            found.append(library)
    return sorted(found, key=lambda library: str(library["bom-ref"]))


def _network(file: Path) -> dict[str, Any]:
    card = read_json(file.with_suffix(".json"))
    return {
        "type": "machine-learning-model",
        "bom-ref": f"haustra/weights/{file.name}",
        "name": file.stem,
        "hashes": [{"alg": "SHA-256", "content": file_digest(file)}],
        "licenses": [{"license": {"id": card["licence"]}}],
    }
