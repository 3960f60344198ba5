"""The laboratory: what makes and proves the product and is never imported by it. Training, simulator, evaluation,
datasets and baselines."""
