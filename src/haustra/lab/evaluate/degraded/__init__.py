"""Good pictures degraded on purpose: training material, and tests that need no labels but "this one is good"."""
