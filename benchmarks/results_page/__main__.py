"""`python -m benchmarks.results_page [NAME ...]`: record the named sections again, then write all pages.

A word in capitals in a command (COHORT, WORK ...) is a folder that the option of that name gives.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.readme_table import write_readme
from benchmarks.results_page.record import record
from benchmarks.results_page.sections import FOLDERS, sections
from benchmarks.results_page.write import write_pages
from benchmarks.scale_figures import write_scale
from haustra.core.errors import HaustraError


def main(arguments: list[str]) -> int:
    known = sections()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results_page", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    for folder, meaning in FOLDERS.items():
        parser.add_argument(f"--{folder.lower()}", dest=folder, type=Path, metavar="DIR", help=meaning)
    options = vars(parser.parse_args(arguments))
    names = options.pop("names")
    try:
        if unknown := set(names) - set(known):
            raise HaustraError(f"no section {', '.join(sorted(unknown))}: there are {', '.join(known)}")
        for name in names:
            record(known[name], options)
    except HaustraError as error:
        print(error, file=sys.stderr)
        return 2
    write_pages()
    write_readme()
    write_scale()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
