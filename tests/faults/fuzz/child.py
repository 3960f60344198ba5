"""One process that reads damaged files, one after the other, with limits: a line of JSON before and after each.

python -m fuzz.child SEED SCRATCH PLAN, where PLAN is JSON: reader, its sound files, first mutant, mutants in all.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from fuzz import all_readers
from fuzz.damage import damaged
from fuzz.side_files import Reader
from haustra.core.errors import HaustraError
from haustra.core.temporary import is_temporary
from haustra.results.folder import LOG

CPU_S, PEAK_BYTES = 20.0, 2 << 30
# Far above the peak that is allowed: what asks for more ends here rather than takes the machine.
ADDRESS_SPACE = 12 << 30
SPARSE_BYTES = 1 << 36
SOUND = 0  # the number of the mutant that is none: it has to be read


class Outcome(StrEnum):
    READ = "read"
    REFUSED = "refused"
    TRACEBACK = "traceback"
    NOT_A_LINE = "line not printable"
    PEAK = "peak above 2 GB"
    LEFT = "half-written"
    OUTSIDE = "touched outside"
    CRASH = "crash"
    HANG = "above 20 s of CPU"
    NOT_SOUND = "sound file not read"


GOOD = (Outcome.READ, Outcome.REFUSED)


def mutant(reader: Reader, number: int, corpus: Path, folder: Path, outside: Path, rng: random.Random) -> str:
    """A copy of the sound files with one of them damaged, or replaced by a link to somebody else's."""
    shutil.copytree(corpus, folder, symlinks=True)
    if number == SOUND:
        return "nothing"
    found = sorted({path for pattern in reader.damages for path in folder.rglob(pattern) if path.is_file()})
    target = rng.choice(found)
    if reader.links and rng.random() < 0.2:
        return _replaced(target, folder, outside, rng)
    data = damaged(target.name, target.read_bytes(), rng)
    target.write_bytes(data)
    return f"{target.relative_to(folder)}, {len(data)} bytes"


def _replaced(target: Path, folder: Path, outside: Path, rng: random.Random) -> str:
    """A link to what is somebody else's, to itself, or to nothing; or what never ends, or ends very late."""
    whole_folder = rng.random() < 0.3 and target.parent != folder
    place = target.parent if whole_folder else target
    shutil.rmtree(place) if whole_folder else place.unlink()
    kind = rng.randrange(8)
    if kind == 0:
        os.mkfifo(place)
    elif kind == 1:
        place.mkdir()
    elif kind == 2:
        with place.open("wb") as file:
            file.truncate(SPARSE_BYTES)
    else:
        place.symlink_to([outside, outside / "canary.json", Path("/dev/zero"), folder / "nobody", place][kind - 3])
    what = os.readlink(place) if place.is_symlink() else ("a pipe", "a folder", "a sparse file")[kind]
    return f"{place.relative_to(folder)} -> {what}"


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder by the digest of its contents, links by where they point."""
    found = {}
    for place, folders, names in os.walk(folder):
        for name in [*names, *(name for name in folders if (Path(place) / name).is_symlink())]:
            path = Path(place) / name
            found[str(path.relative_to(folder))] = _mark(path)
    return found


def _mark(path: Path) -> str:
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    if not path.is_file() or path.stat().st_size == SPARSE_BYTES:
        return "neither contents nor a link"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def outcome_of(read: Callable[[Path], object], folder: Path) -> tuple[Outcome, str]:
    """How reading ends, and what was said."""
    try:
        read(folder)
    except HaustraError as error:
        line = str(error)
        return (Outcome.REFUSED if line.isprintable() and line.strip() else Outcome.NOT_A_LINE), line
    except MemoryError:
        return Outcome.PEAK, traceback.format_exc()
    except Exception:
        return Outcome.TRACEBACK, traceback.format_exc()
    return Outcome.READ, ""


def examined(reader: Reader, folder: Path, outside: Path) -> dict[str, str]:
    """Read one mutant, and look at what it cost and what it left."""
    before, around = tree(folder), tree(outside)
    _forget_peak()
    signal.setitimer(signal.ITIMER_PROF, CPU_S)
    outcome, line = outcome_of(reader.read, folder)
    signal.setitimer(signal.ITIMER_PROF, 0)
    after = tree(folder)
    if outcome in GOOD:
        changed = {name for name in before | after if before.get(name) != after.get(name)}
        changed = {name for name in changed if Path(name).name != LOG}
        left = [name for name in after if is_temporary(Path(name).name)]
        if _peak_bytes() > PEAK_BYTES:
            outcome, line = Outcome.PEAK, f"{_peak_bytes() >> 20} MB; {line}"
        elif tree(outside) != around:
            outcome = Outcome.OUTSIDE
        elif left or (outcome is Outcome.REFUSED and changed):
            outcome, line = Outcome.LEFT, f"{sorted(changed)[:9]} {left}; {line}"
    return {"outcome": outcome.value, "line": line}


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _peak_bytes() -> int:
    """Of this process since it was forgotten; of the processes that it started, ever."""
    status = Path("/proc/self/status").read_text()
    own = int(status.partition("VmHWM:")[2].split()[0]) * 1024
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)


def main(seed: str, scratch: Path, plan: list[tuple[str, str, int, int]]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    readers, outside = all_readers(), scratch / "outside"
    outside.mkdir(parents=True, exist_ok=True)
    (outside / "canary.json").write_text('{"haustra": "somebody else\'s"}')
    os.chdir(outside)  # what a payload does, it does here
    report = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for name, corpus, first, count in plan:
        for number in range(first, count):
            folder = scratch / "case"
            shutil.rmtree(folder, ignore_errors=True)
            rng = random.Random(f"{seed}/{name}/{number}")
            said = mutant(readers[name], number, Path(corpus), folder, outside, rng)
            print(json.dumps({"reader": name, "case": number, "damage": said}), file=report)
            ending = examined(readers[name], folder, outside)
            if number == SOUND and ending["outcome"] == Outcome.REFUSED:
                ending["outcome"] = Outcome.NOT_SOUND
            print(json.dumps(ending), file=report)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3]))
