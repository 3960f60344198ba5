"""docs/RESULTS.md, from what the commands of its sections print: `python -m benchmarks.results_page [NAME ...]`.

Each section is one command. Named sections are run again and what they print is kept in benchmarks/results/NAME.md;
the page is then put together from all that is kept. Nothing on the page is written by hand but titles and the sentences
that say what was measured on what. A word in capitals in a command (COHORT, WORK ...) is a folder that the option of
that name gives.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.__main__ import LIMIT_BROKEN
from benchmarks.readme_table import write_readme
from benchmarks.scale_figures import write_scale
from haustra.errors import HaustraError
from haustra.files import write_text

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "RESULTS.md"
HEAD = """# Results

Made by `python -m benchmarks.results_page`; each section names the command that printed it. The paper's recordings are
private: everything here was measured on simulated recordings, or on real stills and short sequences where a section
says so. Timings are ratios in one run, because machines differ.

What the simulator takes from the paper: the relative lengths of the segments (mean and spread,
tab:colon_segment_variation) and the mean share of time in each. How much the pace varies was set so that the clock
names the segment about as often as in the paper (0.608). Rows of a time index, and how far even a perfect index gets,
therefore follow the paper by design.

What version 0.2 found out about these pages: training pairs and cohorts drew their seeds from ranges that
overlapped. All three colons of Set 1 test and nine of the ten of Set 3 were among the colons that the shipped motion
network and PWC-Net learnt from (other recordings of them, the same bodies, mucosa and lenses). Figures of the shipped
network on Set 1 and Set 3 are therefore not those of unseen colons; those on the foreign colons and the real sequences
are. Seeds are disjoint now. Sections that say so were recorded with version 0.1.0 and have not been run again since.
"""


# Folders that commands are given, as options of this program.
FOLDERS = {
    "COHORT": "simulated recordings of 'haustra simulate cohort'",
    "WORK": "where runs are kept",
    "DATA": "real stills and sequences",
    "INSERTIONS": "simulated recordings with an insertion",
    "WITHDRAWALS": "simulated recordings without one",
    "FRAMES": "simulated stills of 'haustra simulate frames'",
    "PAIRS": "frame pairs of 'haustra train pairs'",
}


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
        " path and the template lose when the motion is known. The oracle is the true location index. Templates are"
        " built from Set 2 with the same kind of index as the row (`motion`: true poses), or from the other recordings"
        " of Set 3 (leave-one-out). The pace of the operators was fitted to the paper's figure for the time index"
        " (0.608, see the section on pace).",
    ),
    "localisation": Section(
        "The whole job",
        "python -m benchmarks.localisation COHORT/set3/set3 --work WORK/located",
        "Set 3: ten simulated withdrawals of 3 minutes on average (`haustra simulate cohort --only set3 --seconds 180"
        " --size 256x256`) that steered no choice (nine of the ten colons were in the pairs the motion network learnt"
        " from), from video to segments; the start of the withdrawal is given. Every row is judged on"
        " the frames that the full method keeps. The template of a row is built from the 18 recordings of Set 2 (not"
        " rendered): from their true location index, for the rows `time index` and `ScopeGuide` from that index. How"
        " unevenly simulated operators withdraw was fitted to the paper's figure for the clock (0.608, see the section"
        " on pace): the row `time index` is fit, not a finding.",
    ),
    "foreign": Section(
        "Colons of another origin",
        "haustra evaluate location DATA/foreign-colons --methods ours -o WORK/foreign",
        "Two simulated withdrawals of 4 minutes in real CT anatomies, by another renderer, operator and lens, 38 % of"
        " the frames non-informative; nothing was trained on them. The share of the calibre prior (0.6) was chosen with"
        " their errors and those of six of our own recordings in view; the other constants on fifteen simulated"
        " recordings of Set 1 and of wide worlds, while these two were looked at beside them. Version 0.1.0 had a"
        " location error of 0.017 and 0.060 here (truth within two standard deviations: 90 and 28 % of the frames).",
    ),
    "segments_set3": Section(
        "Ways to tell segments on Set 3",
        "haustra evaluate segments COHORT/set3/set3 --segments template,decoder,time,scopeguide -o WORK/set3",
        "The ten simulated withdrawals of the whole job. Nine of the ten colons were seen by the motion network in"
        " training. Earlier decoders had 0.864, 0.811 and 0.820 here (networks of bends that were not told how far off"
        " a turn may be), and 0.852 before the lumen told of turns across gaps.",
    ),
    "segments_foreign": Section(
        "Ways to tell segments on the colons of another origin",
        "haustra evaluate segments DATA/foreign-colons --segments template,decoder,time -o WORK/foreign",
        "The same two recordings. How much the network of bends counts was set on 35 simulated recordings that report"
        " nothing, but how much the lumen is trusted across gaps with these two in view, too: as the simulated ones"
        " have it, they had 0.82, and 0.85 to 0.87 as it is trusted less. What earlier decoders reached was known"
        " (0.871 and 0.726; 0.834 and 0.803; 0.831 and 0.812; 0.854 and 0.844; 0.898 and 0.848; how far they depend on"
        " luck is in the section of other looks). Single recordings: decoder 0.901 and 0.848, template"
        " 0.78 and 0.82, oracle 0.862 and 0.824, clock 0.666 and 0.884 by the durations of real withdrawals, 0.672 and"
        " 0.926 by the paper's time template (a, b). The decoder says too little: its mean probability is 0.82.",
    ),
    "named_worlds": Section(
        "Ways to tell segments in many worlds",
        "python -m benchmarks.named_worlds COHORT/set3/set3 COHORT/set3wide/set3 COHORT/hurried COHORT/spoilt"
        " DATA/foreign-colons src/haustra/simulate/data/demo --work WORK/observed",
        'The recordings of "Is the uncertainty of places right?": withdrawals of Set 3, of the wide world, of 35 s,'
        " with 60 % planned to show nothing, of another origin, and the bundled one. Mean accuracy over recordings,"
        " that of the worst, the mean probability that the decoder states, and its calibration error over all frames."
        " No constant was set on them but those named in the sections of Set 3 and of the foreign pair; single worlds"
        " have few recordings, which differ by 0.1 to 0.2.",
    ),
    "other_looks": Section(
        "The colons of another origin with other looks",
        "python -m benchmarks.other_looks DATA/foreign-colons --work WORK/looks",
        "Copies of the two foreign recordings, darker, brighter, noisy, soft and with few bits, each located from its"
        " video; nothing was set on the copies. The same colons and the same scope: how far the figures of a pair are"
        " luck.",
    ),
    "segments_made": Section(
        "The decoder by family of courses",
        "python -m benchmarks.made_withdrawals --count 60 --seed 2",
        "Made withdrawals, not rendered: courses made as wrong as located recordings that report nothing, times of real"
        " operators. The network of bends learnt from other draws of the first four families and never from `laid`"
        " ones.",
    ),
    "segments_times": Section(
        "Segments of real withdrawals by the clock",
        "haustra evaluate segments DATA/cas-colon/withdrawals.csv -o WORK/times",
        "Times of 48 real withdrawals (CAS-Colon), no video: the decoder knows the durations of the other 47 and the"
        " landmarks that are given.",
    ),
    "odd_inputs": Section(
        "Recordings that show no whole colon",
        "python -m benchmarks.odd_inputs",
        "Eleven inputs of 30 s (or as short as they are called), made from the bundled recording or from nothing, and"
        " given to `haustra locate` without an option. What is said: the refusal, or the last warning of the summary.",
    ),
    "cut_recordings": Section(
        "Parts of a colon",
        "python -m benchmarks.cut_recordings COHORT/set3/set3 --work WORK/observed",
        "Twenty pieces of a tenth to eight tenths, cut at random from the ten withdrawals of Set 3, and those whole. A"
        " user who says that a piece begins with the withdrawal is believed: such a piece is told from a whole"
        " colon by the length of its way alone.",
    ),
    "cut_recordings_wide": Section(
        "Parts of a colon, wide worlds and another origin",
        "python -m benchmarks.cut_recordings COHORT/set3wide/set3 DATA/foreign-colons src/haustra/simulate/data/demo"
        " --work WORK/observed",
        "The same with four recordings of Set 3 in the wide world, two of another origin, and the bundled one.",
    ),
    "coverage": Section(
        "Is the uncertainty of places right?",
        "python -m benchmarks.coverage COHORT/set3/set3 COHORT/set3wide/set3 COHORT/hurried COHORT/spoilt"
        " DATA/foreign-colons src/haustra/simulate/data/demo --work WORK/observed",
        "Set 3, four of its recordings in the wide world, withdrawals of 35 s (seeds 9521 to 9532, wide and plain in"
        " turn), withdrawals with 60 % planned to show nothing (seeds 9541 to 9548, the same, 120 s), two of another"
        " origin, and the bundled one. Constants were set on 35 other recordings (a script), where 91 % of the frames"
        " of withdrawals of 35 s lie within two deviations, 91 % of those of 120 s, and 95 % of those with 60 % planned"
        " to show nothing. Two choices were made with Set 3 and the foreign pair in view: that the deviations of poor"
        " pairs stay capped (without it Set 3 was off by 0.0235), and how much calibre and gaps widen a location (with"
        " 0.08 and 1.9 instead of 0.06 and 1.6 Set 3 had 98.7 %, with 1.7 it had 98.1; the others allow all of them)."
        " The first six hurried and first four spoilt recordings were known before, the others were not; the error of a"
        " recording is nearly one number, so a pair of recordings is mostly covered whole or missed by much.",
    ),
    "dropped_frames": Section(
        "More frames dropped",
        "python -m benchmarks.dropped_frames COHORT/set3/set3 --work WORK/observed",
        "The ten withdrawals of Set 3 with other shares of dropped frames. More: further seconds count as dropped and"
        " nothing is measured in them. Fewer: seconds that were dropped count as seen, with their true motion. Both"
        " make the difference larger than it would be.",
    ),
    "withdrawal_start": Section(
        "Start of the withdrawal after long insertions",
        "python -m benchmarks.withdrawal_start INSERTIONS COHORT/set3/set3 --work WORK/starts",
        "Ten simulated recordings with an insertion of 3 to 8 minutes and a withdrawal of 1 to 2 (`haustra simulate"
        " withdrawal --insertion`, seeds 7801 to 7810, plain and wide in turn, 160x160, 15 Hz), which steered no"
        " constant, and the ten withdrawals of Set 3, which have no insertion. The start is not given. That the"
        " deepest point of all may lie a minute off was seen on earlier recordings of these seeds.",
    ),
    "withdrawal_start_short": Section(
        "Start of the withdrawal after short insertions",
        "python -m benchmarks.withdrawal_start INSERTIONS WITHDRAWALS --work WORK/starts",
        "Recorded with version 0.1.0. "
        "Ten simulated recordings with an insertion of 40 to 70 s before a withdrawal of 50 to 80 s (seeds 7201 to"
        " 7210, 256x256, 15 Hz, rendered before the spread of pace was widened), which no model has seen and which"
        " steered no choice in the method, and three withdrawals alone of 3 minutes (Set 3). From video with the"
        " shipped models; the start is not given.",
    ),
    "motion": Section(
        "Camera motion",
        "python -m benchmarks.reproduce_motion COHORT/set1 WORK/motion --threads 1 --rows"
        " full,no-consistency,no-flow,rescaled,lambda-mc-10,lambda-mc-500,adapt"
        " --model simulated=src/haustra/weights/motion.onnx",
        "Recorded with version 0.1.0. "
        "Set 1 test: three simulated recordings (`haustra simulate cohort --only set1 --seconds 90"
        " --size 256x256`), pairs of informative neighbours; lengths in mm after one Sim(3) alignment. Rows"
        " other than `simulated` and `adapt` are self-supervised, 2000 steps of 8 pairs at 128x128 (`--config targets`)"
        " on the ten training recordings of Set 1. They learn by the paper's losses and by our targets from flow and"
        " disparity; `rescaled` and `no-flow` do without the targets. `simulated` is the shipped model, which"
        " learnt from 134 other colons with truth; `adapt` is that model after `--config adapt` on the same"
        " ten recordings.",
    ),
    "motion_paper": Section(
        "Camera motion by the paper's losses alone",
        "python -m benchmarks.reproduce_motion COHORT/set1 WORK/motion --threads 1 --paper"
        " --steps 1000 --rows full,no-consistency,no-flow,lambda-mc-10,lambda-mc-500",
        "As above without our targets, 1000 steps a row.",
    ),
    "rivals": Section(
        "Camera motion beside the rivals",
        "python -m benchmarks.rivals COHORT WORK/rivals --steps 250 --seeds 0,1,2",
        "Set 1 test, whose colons no network but the shipped one has seen: three simulated recordings (`haustra"
        " simulate cohort --only set1 --seconds 90 --size 256x256`), pairs of informative neighbours, lengths in mm"
        " after one Sim(3) alignment. Trained without truth on six recordings of Set 1 train (five, and one for"
        " validation), pairs of 128x128. `ours` is the configuration `targets`, refined by flow as `locate` does it,"
        " `network` that network alone, `shipped` the shipped one, refined, which learnt much longer, from truth, and"
        " stands outside the budget. The learnt rivals are written from their publications, with our learning rate"
        " instead of theirs, which are for some hundred times as many steps (GeoNet collapsed at it and has its own)."
        " Direction right: how often a trained network tells forward from backward on its validation pairs; below 0.5"
        " it has not learnt to within this budget, and its row says so, not that the method cannot. Easy: a straight,"
        " well textured recording of 20 s with nothing dropped; a path that only goes straight on does well there"
        " after alignment. How the refinement treats networks without truth was decided on two recordings of Set 1"
        " validation, which no row here has seen. Runs: how many of the seeds were trained.",
    ),
    "photometric": Section(
        "What the photometric loss asks for",
        "python -m benchmarks.photometric_truth WORK/motion/pairs WORK/motion/targets-rescaled-2000-0/motion.onnx",
        "48 pairs of Set 1 test that turn by 1 to 4 degrees: the corrected photometric loss at the true motion, at the"
        " motion of a self-supervised network (row `rescaled` above), and at its minimum for every pair by itself,"
        " searched from either. Least squares: our targets, from no motion at all. Found: how much of the true rotation"
        " there is in it, in brackets the correlation.",
    ),
    "real_motion": Section(
        "Real tissue: camera motion",
        "python -m benchmarks.real_motion DATA/real-sequences --work WORK/real --model network --model klt"
        " --model liu2013 --model self-supervised=WORK/adapt/run/motion.onnx"
        " --alone self-supervised,network=WORK/adapt/run/motion.onnx",
        "Near neighbours of the six reported real sequences (PolypGen; three recorders, generic lens), told by"
        " flow there and back; matches by XFeat at 384 px that agree with the best essential matrix of their pair"
        " (MAGSAC++ and least squares, 1.5 px). Nobody knows the truth: the error is how far matches lie from what a"
        " motion allows, medians over the matches of a pair and then over pairs. Straight ahead: no turn at all."
        " `network`: the shipped network, not refined by points. `self-supervised`: see its section.",
    ),
    "real_motion_more": Section(
        "Real tissue: camera motion, dearer rows",
        "python -m benchmarks.real_motion DATA/real-sequences --work WORK/real --flow pwcnet --model xfeat",
        "As above. `xfeat` sees the very matches it is scored by.",
    ),
    "real_rivals": Section(
        "Real tissue: camera motion of the trained rivals",
        "python -m benchmarks.real_motion DATA/real-sequences --work WORK/real"
        " --model self-supervised=WORK/rivals/ours-250-0/motion.onnx"
        " --model sfmlearner=WORK/rivals/sfmlearner-250-0/motion.onnx"
        " --model geonet=WORK/rivals/geonet-250-0/motion.onnx"
        " --model sc-sfmlearner=WORK/rivals/sc-sfmlearner-250-0/motion.onnx --model liu2013",
        'As above, with the networks of "Camera motion beside the rivals" (250 steps on simulated recordings, no truth,'
        " seed 0). `self-supervised`: ours, refined.",
    ),
    "real_adapt": Section(
        "Real tissue: self-supervision",
        "python -m benchmarks.real_adapt DATA/real-sequences COHORT/set1/set1 --work WORK/adapt --steps 400",
        "The shipped motion network, trained on by the paper's losses and our targets without any truth (`--config"
        " adapt`, 128 px, batches of 8), on real and simulated pairs together. CPE: corrected photometric error;"
        " mc: disagreement of both directions. Two of the seven training sequences were kept out.",
    ),
    "real_lumen": Section(
        "Real tissue: turns by the lumen",
        "python -m benchmarks.real_lumen DATA/real-sequences",
        "All 13 real sequences, in stretches of 3 to 8 frames that are near neighbours; nothing was set on them. By how"
        " much pitch and yaw told by the lumen of the first and the last frame differ from the refined motion between"
        " them, medians. Real cameras hardly turn in these sequences, so this is mostly how still the lumen is found.",
    ),
    "real_masks": Section(
        "Real tissue: the picture in the frame",
        "python -m benchmarks.real_masks DATA/real-sequences",
        "All 13 real sequences; outlines, banners, insets and frozen views were drawn by hand"
        " (`tests/data/real_outlines.json`). The finder's thresholds were set with all 13 in view.",
    ),
    "real_quality": Section(
        "Real tissue: frames kept and dropped",
        "python -m benchmarks.real_quality DATA",
        "The shipped quality network, which has seen other stills of Kvasir-SEG and nothing else of this. Stills were"
        " kept out by scene, for networks that do learn from HyperKvasir and the training sequences; all were labelled"
        " by eye"
        " (`src/haustra/evaluate/real_labels.json`, by the paper's rule: stool is no reason to drop a frame). Sequences"
        " are played at 15 Hz, so that forceps take a second on either side with them.",
    ),
    "real_pictures": Section(
        "Real tissue: pictures",
        "python -m benchmarks.real_pictures DATA/real-sequences --work WORK/real",
        "The command also draws the same over the frames, into its work folder; the frames themselves are not ours to"
        " publish.",
    ),
    "frame_truth": Section(
        "Frames kept and dropped abroad",
        "python -m benchmarks.frame_truth DATA/foreign-colons",
        "Two whole recordings of another simulator, which nothing was trained on; every sample at 15 Hz is judged."
        " Kept right: informative and no instrument. Good: informative, no instrument within a second.",
    ),
    "forceps": Section(
        "Frames kept and dropped at home, forceps by episode",
        "python -m benchmarks.frame_truth COHORT/set1/set1/test",
        "Set 1 test, the same figures.",
    ),
    "real_quality_tuned": Section(
        "Frame quality: tuned on real pictures, not shipped",
        "python -m benchmarks.real_quality DATA --quality WORK/run1/quality_lite.onnx",
        "The shipped quality network after 500 more steps with HyperKvasir's stills and the seven training sequences"
        " (`haustra train quality frames3 --stills kvasir-seg-train --stills hyperkvasir --stills real-sequences"
        " --weights shipped --steps 500 --lr 3e-4 --threads 1`, `frames3` from `haustra simulate frames --seconds 150"
        " --seed 3`). It finds all of the instrument it has learnt from and is no better elsewhere; on the simulated"
        " test frames of `frames3` its forceps are no longer all right, as those of the shipped one are; abroad (next"
        " section) it keeps more of the good frames and more of the poor ones: below the 98 % that were asked.",
    ),
    "frame_truth_tuned": Section(
        "Frame quality: the same network abroad",
        "python -m benchmarks.frame_truth DATA/foreign-colons --quality WORK/run1/quality_lite.onnx",
        'As "Frames kept and dropped abroad"; the foreign colons reported on it and steered nothing.',
    ),
    "interlaced": Section(
        "Interlaced recordings",
        "python -m benchmarks.interlaced_copies src/haustra/simulate/data/demo/video.mp4 COHORT/set3/set3/01/video.mp4",
        "The demo and a recording of Set 3.",
    ),
    "real_stills": Section(
        "Camera motion over real stills",
        "python -m benchmarks.real_stills_motion DATA/kvasir-seg-train"
        " --model simulated=src/haustra/weights/motion.onnx"
        " --model self-supervised=WORK/motion/targets-full-2000-0/motion.onnx",
        "300 real stills (Kvasir-SEG), each painted on a tube of 15 to 30 mm radius towards its lumen and seen before"
        " and after a known motion: 0.5 to 2.5 mm forward or backward, up to 2 degrees about each axis. Errors are"
        " medians. Direction right: the sign along the optical axis.",
    ),
    "flow": Section(
        "Optical flow",
        "python -m benchmarks.flow_error PAIRS",
        "Simulated pairs with exact flow of colons that no training has seen (`haustra train pairs --colons 8 --clips"
        " 32 --seed 4242`), by the size of the true motion and by what the picture is like. In brackets: pairs.",
    ),
    "quality": Section(
        "Frame quality, the shipped model",
        "haustra evaluate quality FRAMES --stills DATA/kvasir-seg-train",
        "Five simulated test recordings (750 stills at 1 Hz) that steered no choice, and the real stills kept out of"
        " training: good ones, their degraded versions, and nine with real instruments.",
    ),
    "quality_inception": Section(
        "Frame quality, Inception-v3",
        "haustra evaluate quality FRAMES --stills DATA/kvasir-seg-train"
        " --quality WORK/inception/quality_inception_v3.onnx",
        "The paper's network on the same frames, trained from nothing (no ImageNet weights can be had here) for 400"
        " steps of 8 pictures at 128 px.",
    ),
    "pipeline": Section(
        "Cost of the whole job",
        "python -m benchmarks pipeline",
        "Two minutes of 1080p30 H.264 at 12 Mbit/s, made of simulated pictures, about half of them dropped; without"
        " B-frames, so that each frame has to be decoded. CPU time over decoding alone, in one run."
        " `python -m benchmarks pipeline_long` adds a file with B-frames and the memory of 20 minutes.",
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
        "python -m benchmarks.sim_realism DATA/kvasir-seg-train",
        "240 simulated pictures of 40 seeds and every third of 800 real stills (Kvasir-SEG). The look was tuned on this"
        " table: it shows fit, not an independent test.",
    ),
}


def record(name: str, folders: dict[str, Path | None]) -> None:
    """Run the command of a section and keep what it prints. A command that failed leaves what was kept before."""
    command = filled(SECTIONS[name].command, folders)
    words = shlex.split(command)
    programs = {"python": [sys.executable], "haustra": [sys.executable, "-m", "haustra"]}
    words = [*programs[words[0]], *words[1:]]
    done = subprocess.run(words, check=False, stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
    if done.returncode not in (0, LIMIT_BROKEN) or not done.stdout:  # a broken limit is a result too
        raise HaustraError(f"'{command}' ended with exit code {done.returncode}: section '{name}' is as it was")
    write_text(HERE / "results" / f"{name}.md", without_places(done.stdout, folders).strip("\n") + "\n")


def without_places(printed: str, folders: dict[str, Path | None]) -> str:
    """What a command printed, with the names of the folders in place of where they lie on this machine."""
    places = {str(given.resolve()): name for name, given in folders.items() if given is not None}
    for place in sorted(places, key=len, reverse=True):  # one folder may lie in another
        printed = printed.replace(place, places[place])
    return printed


def filled(command: str, folders: dict[str, Path | None]) -> str:
    """The command with the folders in place of their names."""

    def folder(match: re.Match[str]) -> str:
        given = folders[match[0]]
        if given is None:
            raise HaustraError(f"'{command}' needs --{match[0].lower()} ({FOLDERS[match[0]]})")
        return shlex.quote(str(given.resolve()))

    return re.sub(rf"\b({'|'.join(FOLDERS)})\b", folder, command)


def write_page() -> None:
    """Sections in their order, then the reproduction of the paper in each scale that was run."""
    parts = [HEAD]
    for name, section in SECTIONS.items():
        kept = HERE / "results" / f"{name}.md"
        if kept.is_file():
            parts.append(f"## {section.title}\n\n{section.measured_on}\n\n    {section.command}\n\n{kept.read_text()}")
    parts += [kept.read_text() for kept in sorted((HERE / "results").glob("reproduce_*.md"), reverse=True)]
    write_text(PAGE, "\n".join(parts))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results_page", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SECTIONS)}")
    for folder, meaning in FOLDERS.items():
        parser.add_argument(f"--{folder.lower()}", dest=folder, type=Path, metavar="DIR", help=meaning)
    options = vars(parser.parse_args(arguments))
    names = options.pop("names")
    try:
        if unknown := set(names) - set(SECTIONS):
            raise HaustraError(f"no section {', '.join(sorted(unknown))}: there are {', '.join(SECTIONS)}")
        for name in names:
            record(name, options)
    except HaustraError as error:
        print(error, file=sys.stderr)
        return 2
    write_page()
    write_readme()
    write_scale()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
