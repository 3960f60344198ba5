"""docs/RESULTS.md, from what the commands of its sections print: `python -m benchmarks.results_page [NAME ...]`.

Each section is one command. Named sections are run again and what they print is kept in benchmarks/results/NAME.md;
the page is then put together from all that is kept. Nothing on the page is written by hand but titles and the sentence
that says what was measured on what.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from haustra.files import write_text

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "RESULTS.md"
HEAD = """# Results

Made by `python -m benchmarks.results_page`; each section names the command that printed it. The paper's recordings are
private: everything here was measured on simulated recordings, or on real stills where a section says so. Timings are
ratios in one run, because machines differ.
"""


@dataclass(frozen=True)
class Section:
    title: str
    command: str
    measured_on: str


SECTIONS = {
    "place": Section(
        "Places from true poses",
        "python -m benchmarks.place_cohort --tune",
        "True camera poses of a simulated cohort (Set 2: 18 recordings, Set 3: 10, 120 s each), not rendered: what the"
        " path and the template lose when the motion is known. The oracle is the true location index.",
    ),
    "speed": Section(
        "Cost",
        "python -m benchmarks",
        "CPU time and memory on this machine, each over its reference in the same run.",
    ),
    "realism": Section(
        "The simulator beside real stills",
        "python -m benchmarks.sim_realism",
        "96 simulated pictures of 24 seeds and every eighth of 800 real stills (Kvasir-SEG). The look was tuned on this"
        " table: it shows fit, not an independent test.",
    ),
}


def record(name: str) -> None:
    """Run the command of a section and keep what it prints."""
    words = shlex.split(SECTIONS[name].command)
    words[0] = sys.executable if words[0] == "python" else words[0]
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, cwd=HERE.parent).stdout
    write_text(HERE / "results" / f"{name}.md", printed.strip() + "\n")


def write_page() -> None:
    parts = [HEAD]
    for name, section in SECTIONS.items():
        kept = HERE / "results" / f"{name}.md"
        if kept.is_file():
            parts.append(f"## {section.title}\n\n{section.measured_on}\n\n    {section.command}\n\n{kept.read_text()}")
    write_text(PAGE, "\n".join(parts))


def main(names: list[str]) -> int:
    if unknown := set(names) - set(SECTIONS):
        print(f"no section {', '.join(sorted(unknown))}: there are {', '.join(SECTIONS)}", file=sys.stderr)
        return 2
    for name in names:
        record(name)
    write_page()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
