"""Many recordings: on this machine's cores, as shards of a batch array, or on a Dask cluster."""

from haustra.cohort.driver import CohortResult, run_cohort
from haustra.cohort.tables import merge

__all__ = ["CohortResult", "merge", "run_cohort"]
