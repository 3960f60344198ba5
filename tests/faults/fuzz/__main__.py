"""`make fuzz`: 3,000 side files, 300 strangers' folders and 1,000 videos; how many ended how, and what went wrong.

python -m fuzz [--seed 1] [--files 3000] [--folders 300] [--videos 1000] [--only NAME] [--report FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from fuzz import dataset_files, folders, side_files, videos
from fuzz.batches import Ending, run
from fuzz.child import Outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--folders", type=int, default=300)
    parser.add_argument("--videos", type=int, default=1000)
    parser.add_argument("--only", default="")
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    side = [*side_files.READERS, *dataset_files.READERS, *folders.READERS]
    groups = {"files": side, "folders": [*folders.STRANGERS], "videos": [*videos.READERS]}
    endings: list[Ending] = []
    for group, names in groups.items():
        wanted = [name for name in names if given.only in name]
        if wanted and getattr(given, group):
            found = []
            for one in run(wanted, getattr(given, group), given.seed):
                found.append(one)
                if given.report:
                    with given.report.open("a", encoding="utf-8") as report:
                        report.write(json.dumps(asdict(one)) + "\n")
            endings += found
            print(f"\n{group}: {len(found)} mutants\n{_counts(found)}", flush=True)
    bad = [one for one in endings if not one.is_good]
    for one in bad[:40]:
        print(f"\n{one.reader} {given.seed}/{one.number}: {one.outcome} ({one.damage})\n{one.line[-1500:]}")
    print(f"\n{len(endings)} mutants, {len(bad)} ended otherwise than with a result or one line")
    return 1 if bad else 0


def _counts(endings: list[Ending]) -> str:
    """A line for each reader: how many ended how."""
    lines = []
    for name in dict.fromkeys(one.reader for one in endings):
        found = Counter(one.outcome for one in endings if one.reader == name)
        lines.append(f"  {name:<18}" + ", ".join(f"{found[kind]} {kind}" for kind in Outcome if found[kind]))
    return "\n".join(lines)


if __name__ == "__main__":
    start = time.monotonic()
    code = main()
    print(f"{time.monotonic() - start:.0f} s")
    raise SystemExit(code)
