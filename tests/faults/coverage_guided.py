"""Coverage-guided fuzzing of the readers that are plain Python, with atheris (pip install it; no extra brings it).

    cd tests/faults && python coverage_guided.py -max_total_time=3600 SEEDS

SEEDS is a folder for what it finds interesting; the sound files of the fuzzer are put there first. What ends otherwise
than with a result or one line is printed once for each place in our code, with the file that did it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris
from fuzz import dataset_files, side_files
from fuzz.child import GOOD, outcome_of

READERS = side_files.READERS | dataset_files.READERS
PLAIN = (
    "camera.json", "ocamcalib", "py-ocamcalib", "opencv json", "annotations", "findings csv",
    "findings tsv", "scopeguide", "template", "durations", "haustra.toml", "options", "cohort csv",
    "labelled frames", "cas-colon",
)  # fmt: skip


def main() -> None:
    """The first byte of an input chooses the reader, the rest is its file."""
    scratch = Path(tempfile.mkdtemp(prefix="atheris-"))
    targets, seen = [], set[tuple[str, str]]()
    for number, name in enumerate(PLAIN):
        folder = scratch / str(number)
        folder.mkdir()
        READERS[name].make(folder)
        (file,) = folder.iterdir()
        with atheris.instrument_imports(include=["haustra"]):  # readers import what they need when they are called
            READERS[name].read(folder)
        targets.append((name, folder, file))
        (Path(sys.argv[-1]) / f"sound-{number}").write_bytes(bytes([number]) + file.read_bytes())

    def one(data: bytes) -> None:
        name, folder, file = targets[(data[0] if data else 0) % len(targets)]
        file.write_bytes(data[1:])
        outcome, line = outcome_of(READERS[name].read, folder)
        frames = [entry for entry in line.splitlines() if "haustra" in entry]
        place = (outcome.value, frames[-1] if frames else line[:80])
        if outcome not in GOOD and place not in seen:
            seen.add(place)
            print(f"{name} {outcome}: {line}\n{data[1:500]!r}", flush=True)

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
