"""`python -m tools.supply lock --index URL`, `licences`, `bom --out FILE`, `check`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.supply.bom import write_bom
from tools.supply.licences import check_licences, write_page
from tools.supply.lock import check_locks, write_locks


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.supply", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    lock = commands.add_parser("lock", help="write locked/*.txt anew")
    lock.add_argument("--index", required=True, help="a package index (its 'simple' address)")
    commands.add_parser("licences", help="write docs/reference/licences.md anew")
    bom = commands.add_parser("bom", help="write a CycloneDX bill of materials")
    bom.add_argument("--out", type=Path, required=True)
    commands.add_parser("check", help="do hashes and licences cover what constraints.txt has?")
    given = parser.parse_args()
    if given.command == "lock":
        write_locks(given.index)
    elif given.command == "licences":
        write_page()
    elif given.command == "bom":
        write_bom(given.out)
    wrong = [*check_locks(), *check_licences()]
    print("\n".join(wrong) or "hashes and licences cover constraints.txt")
    return 2 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
