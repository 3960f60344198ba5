"""Many recordings: on this machine's cores, as shards of a batch array, or on a Dask cluster."""

from haustra.cohort.beside import Score
from haustra.cohort.driver import CohortResult, run_cohort
from haustra.cohort.tables import merge

__all__ = ["CohortResult", "Score", "merge", "run_cohort"]
