"""tab:image_classification: informative or not, forceps or not, by the shipped classifier on held-out stills."""

from __future__ import annotations

from benchmarks.reproduce.parts import Outcome, Place
from haustra.lab.evaluate.quality_run import evaluate_quality
from haustra.lab.evaluate.quality_tables import quality_table
from haustra.quality import QualityModel


def classification(place: Place) -> Outcome:
    scores = evaluate_quality([place.data.stills], QualityModel(), everything=True)
    budget = f"The shipped classifier on {place.scale.stills} simulated recordings, one still a second."
    return Outcome((quality_table(scores),), (), budget)
