"""docs/RESULTS.md, from what the commands of its sections print: `python -m benchmarks.results_page [NAME ...]`.

Each section is one command. Named sections are run again and what they print is kept in benchmarks/results/NAME.md;
the page is then put together from all that is kept. Nothing on the page is written by hand but titles and the sentence
that says what was measured on what. Data is found through variables: HAUSTRA_DATA (real stills), HAUSTRA_COHORT
(simulated recordings), HAUSTRA_FRAMES (labels of simulated stills), HAUSTRA_WORK (where runs are kept).
"""

from __future__ import annotations

import os
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
    "localisation": Section(
        "The whole job",
        "python -m benchmarks.localisation $HAUSTRA_COHORT/test --work $HAUSTRA_WORK/located",
        "Simulated recordings of colons, patients, lenses and operators that no model has seen, from video to segments"
        " with the shipped models. Every row is judged on the frames that the full method keeps.",
    ),
    "motion": Section(
        "Camera motion of the shipped model",
        'python -m benchmarks.reproduce_motion $HAUSTRA_COHORT $HAUSTRA_WORK/motion --rows ""'
        " --model simulated=src/haustra/weights/motion.onnx",
        "The same unseen recordings, pairs of informative neighbours; lengths in mm after one Sim(3) alignment.",
    ),
    "quality": Section(
        "Frame quality, the shipped model",
        "haustra evaluate quality $HAUSTRA_FRAMES --stills $HAUSTRA_DATA/kvasir-seg-train",
        "Five simulated test recordings (750 stills at 1 Hz) that steered no choice, and the real stills kept out of"
        " training: good ones, their degraded versions, and nine with real instruments.",
    ),
    "quality_inception": Section(
        "Frame quality, Inception-v3",
        "haustra evaluate quality $HAUSTRA_FRAMES --stills $HAUSTRA_DATA/kvasir-seg-train --quality inception_v3",
        "The paper's network on the same frames, trained from nothing (no ImageNet weights can be had here) for 400"
        " steps of 8 pictures at 128 px.",
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
    words = [os.path.expandvars(word) for word in shlex.split(SECTIONS[name].command)]
    programs = {"python": [sys.executable], "haustra": [sys.executable, "-m", "haustra"]}
    words = [*programs[words[0]], *words[1:]]
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, cwd=HERE.parent).stdout
    write_text(HERE / "results" / f"{name}.md", printed.strip("\n") + "\n")


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
