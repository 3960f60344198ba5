"""docs/RESULTS.md, from what the commands of its sections print: `python -m benchmarks.results_page [NAME ...]`.

Each section is one command. Named sections are run again and what they print is kept in benchmarks/results/NAME.md;
the page is then put together from all that is kept. Nothing on the page is written by hand but titles and the sentence
that says what was measured on what. Data is found through variables: HAUSTRA_DATA (real stills), HAUSTRA_COHORT
(simulated recordings), HAUSTRA_INSERTIONS and HAUSTRA_WITHDRAWALS (the same with and without an insertion),
HAUSTRA_FRAMES (labels of simulated stills), HAUSTRA_PAIRS (frame pairs with truth), HAUSTRA_WORK (where runs are kept).
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
        "python -m benchmarks.localisation $HAUSTRA_COHORT/set3/set3 --work $HAUSTRA_WORK/located",
        "Set 3: ten simulated withdrawals of 3 minutes on average (`haustra simulate cohort --only set3 --seconds 180"
        " --size 256x256`), colons, patients, lenses and operators that no model has seen and that steered no choice,"
        " from video to segments with the shipped models; the start of the withdrawal is told. Every row is judged on"
        " the frames that the full method keeps.",
    ),
    "withdrawal_start": Section(
        "Start of the withdrawal",
        "python -m benchmarks.withdrawal_start $HAUSTRA_INSERTIONS $HAUSTRA_WITHDRAWALS --work $HAUSTRA_WORK/starts",
        "Ten simulated recordings with an insertion of 40 to 70 s before a withdrawal of 50 to 80 s (seeds 7201 to"
        " 7210, 256x256, 15 Hz, rendered before the spread of pace was widened), which no model has seen and which"
        " steered no choice in the method, and three withdrawals alone of 3 minutes (Set 3). From video with the"
        " shipped models; the start is not told.",
    ),
    "motion": Section(
        "Camera motion",
        "python -m benchmarks.reproduce_motion $HAUSTRA_COHORT/set1 $HAUSTRA_WORK/motion --threads 1 --rows"
        " full,no-consistency,no-flow,rescaled,lambda-mc-10,lambda-mc-500,adapt"
        " --model simulated=src/haustra/weights/motion.onnx",
        "Set 1 test: three simulated recordings of unseen colons (`haustra simulate cohort --only set1 --seconds 90"
        " --size 256x256`), pairs of informative neighbours; lengths in mm after one Sim(3) alignment. Rows"
        " other than `simulated` and `adapt` are self-supervised, 2000 steps of 8 pairs at 128x128 (`--config targets`)"
        " on the ten training recordings of Set 1. They learn by the paper's losses and by our targets from flow and"
        " disparity; `rescaled` and `no-flow` do without the targets. `simulated` is the shipped model, which"
        " learnt from 134 other colons with truth; `adapt` is that model after `--config adapt` on the same"
        " ten recordings.",
    ),
    "motion_paper": Section(
        "Camera motion by the paper's losses alone",
        "python -m benchmarks.reproduce_motion $HAUSTRA_COHORT/set1 $HAUSTRA_WORK/motion --threads 1 --paper"
        " --steps 1000 --rows full,no-consistency,no-flow,lambda-mc-10,lambda-mc-500",
        "As above without our targets, 1000 steps a row.",
    ),
    "photometric": Section(
        "What the photometric loss asks for",
        "python -m benchmarks.photometric_truth $HAUSTRA_WORK/motion/pairs $HAUSTRA_WORK/motion/rescaled/motion.onnx",
        "48 pairs of Set 1 test that turn by 1 to 4 degrees: the corrected photometric loss at the true motion, at the"
        " motion of a self-supervised network (row `rescaled` above), and at its minimum for every pair by itself,"
        " searched from either. Least squares: our targets, from no motion at all. Found: how much of the true rotation"
        " there is in it, in brackets the correlation.",
    ),
    "real_stills": Section(
        "Camera motion over real stills",
        "python -m benchmarks.real_stills_motion $HAUSTRA_DATA/kvasir-seg-train"
        " --model simulated=src/haustra/weights/motion.onnx"
        " --model self-supervised=$HAUSTRA_WORK/motion/full/motion.onnx",
        "300 real stills (Kvasir-SEG), each painted on a tube of 15 to 30 mm radius towards its lumen and seen before"
        " and after a known motion: 0.5 to 2.5 mm forward or backward, up to 2 degrees about each axis. Errors are"
        " medians. Direction right: the sign along the optical axis.",
    ),
    "flow": Section(
        "Optical flow",
        "python -m benchmarks.flow_error $HAUSTRA_PAIRS",
        "Simulated pairs with exact flow of colons that no training has seen (`haustra train pairs --colons 8 --clips"
        " 32 --seed 4242`), by the size of the true motion and by what the picture is like. In brackets: pairs.",
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
    "pipeline": Section(
        "Cost of the whole job",
        "python -m benchmarks pipeline",
        "Two minutes of 1080p30 H.264 at 12 Mbit/s, made of simulated pictures, about half of them dropped; without"
        " B-frames, so that each frame has to be decoded. CPU time over decoding alone, in one run."
        " HAUSTRA_BENCH_LONG=1 adds a file with B-frames and the memory of 20 minutes.",
    ),
    "speed": Section(
        "Cost of the parts",
        "python -m benchmarks motion place quality render video",
        "CPU time and memory on this machine, each over its reference in the same run.",
    ),
    "pace": Section(
        "The simulated operators beside the paper's",
        "python -m benchmarks.operator_pace",
        "How well the clock alone tells the segment, on four cohorts that no other figure uses (true index, not"
        " rendered, 180 s). The spread of pace over patients was set by this figure, the only one of its kind that the"
        " paper prints: fit, not an independent test.",
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
    done = subprocess.run(words, check=False, stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
    if done.returncode > 1 or not done.stdout:  # 1: a limit is broken, which is a result too
        raise SystemExit(f"{SECTIONS[name].command}: ended with exit code {done.returncode}")
    printed = done.stdout
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
