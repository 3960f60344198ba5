import numpy as np

from haustra.lab.training.cecum.cecum_stills import CECUM, Stills
from haustra.lab.training.cecum.trainer import Linear, across_layouts


def test_scores_are_of_the_layout_that_was_not_trained_on():
    """A feature that only tells the layout is worth nothing there, one that tells the cecum is worth all."""
    rng = np.random.default_rng(0)
    kind = np.repeat([CECUM, "lumen", "kept away"], [120, 120, 40])
    tall = (kind == CECUM) & (rng.random(280) < 0.5)
    stills = Stills(np.zeros((280, 3, 4, 4), np.float32), kind, tall)
    noise = rng.standard_normal((280, 3))
    honest = noise + 4.0 * (kind == CECUM)[:, None]
    cheating = noise + 4.0 * tall[:, None]
    good, bad = (across_layouts(features, stills, 0) for features in (honest, cheating))
    assert good["trained_on_tall_auc_kept_away"] > 0.95
    assert good["trained_on_low_found"] > 0.9
    assert bad["trained_on_tall_found"] < 0.3
    assert abs(bad["trained_on_tall_auc_lumen"] - 0.5) < 0.15


def test_both_classes_count_alike_however_many_they_are():
    rng = np.random.default_rng(1)
    cecum = np.arange(420) < 20
    features = rng.standard_normal((420, 2)) + 2.0 * cecum[:, None]
    assert Linear(features, cecum)(features[cecum]).mean() > 0.5
