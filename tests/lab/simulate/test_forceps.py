"""Biopsies: instruments come in from below, are labelled while they are seen, and the scope rests."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from haustra.core.poses import invert, rotation_angle_deg
from haustra.lab.simulate.forceps import Biopsy, make_instrument, plan_biopsies
from haustra.lab.simulate.instrument_view import draw_instrument
from haustra.lab.simulate.procedure import Procedure, make_plan
from haustra.lab.simulate.timeline import make_timeline


def test_about_three_percent_in_one_to_four() -> None:
    shares = []
    for seed in range(30):
        timeline = make_timeline(seed, 120.0, 15.0)
        biopsies = plan_biopsies(seed, timeline)
        assert 1 <= len(biopsies) <= 4
        assert all(a.end_s < b.start_s for a, b in pairwise(biopsies))
        shares.append(sum(b.end_s - b.start_s for b in biopsies) / 120.0)
    assert 0.02 < np.mean(shares) < 0.04


def test_jaws_open_and_close_and_the_shaft_goes_back() -> None:
    biopsy = Biopsy(0.0, 4.0, False, 15.0, 0.5, 1.0)
    assert biopsy.out(0.0) == 0.0
    assert biopsy.out(2.0) > 0.9
    assert biopsy.out(4.0) == 0.0
    assert biopsy.opening(1.6) > 0.9
    assert biopsy.opening(3.2) == 0.0
    instrument = make_instrument(1)
    spread = {t: np.ptp(instrument.cones(biopsy, t)[-4:, 3:5]) for t in (1.6, 3.2)}
    assert spread[1.6] > spread[3.2]
    assert len(instrument.cones(biopsy, 4.0)) == 0


def test_label_matches_what_is_in_view_and_the_scope_rests() -> None:
    procedure = Procedure(make_plan(4, 60.0, 15.0), (96, 96))
    biopsy = procedure.plan.biopsies[0]
    middle = round((biopsy.start_s + biopsy.end_s) / 2 * 15)
    shot = procedure.shoot(middle)
    assert shot.truth.forceps
    assert shot.view is not None
    rows = np.nonzero(shot.hidden > 0.5)[0]
    assert rows.max() > 0.8 * 96  # it comes in at the lower edge
    assert not procedure.shoot(round((biopsy.start_s - 0.3) * 15)).truth.forceps
    assert not procedure.shoot(round((biopsy.end_s + 0.3) * 15)).truth.forceps
    still = invert(procedure.T_w_c[middle]) @ procedure.T_w_c[middle + 1]
    assert np.linalg.norm(still[:3, 3]) < 0.2
    assert rotation_angle_deg(still[:3, :3]) < 0.6


def test_instrument_hides_behind_what_is_nearer() -> None:
    y, x = np.mgrid[-1:1:64j, -1:1:64j]
    rays = np.stack([x, y, np.ones_like(x)], axis=-1)
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    lights = np.array([[3.0, 0.0, 0.0, 0.5], [-3.0, 0.0, 0.0, 0.5]])
    light = np.full((64, 64, 3), 0.1, np.float32)
    instrument, biopsy = make_instrument(2), Biopsy(0.0, 4.0, True, 15.0, 0.5, 1.0)
    cones = instrument.cones(biopsy, 2.0)
    far, cover = draw_instrument(light, np.full((64, 64), 60.0, np.float32), rays, lights, cones, instrument)
    assert cover.max() > 0.99
    assert np.abs(far - light)[cover > 0.9].mean() > 0.005
    assert np.array_equal(far[:4], light[:4])
    _, hidden = draw_instrument(light, np.full((64, 64), 1.0, np.float32), rays, lights, cones, instrument)
    assert hidden.sum() < 0.2 * cover.sum()
