"""Public datasets and our own folders behind one small interface, in our conventions (docs/concepts/conventions.md)."""

from __future__ import annotations

from haustra.lab.datasets.catalogue import DATASETS, Dataset, dataset_named, open_dataset

__all__ = ["DATASETS", "Dataset", "dataset_named", "open_dataset"]
