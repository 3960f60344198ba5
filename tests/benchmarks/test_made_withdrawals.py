import numpy as np
from benchmarks.made_withdrawals import HEADER, figures, made_withdrawals

from haustra.anatomy.bends import open_bend_network


def test_made_withdrawals_pass_all_segments_in_order_and_give_a_row():
    cases = made_withdrawals(np.random.default_rng(0), "laid", 3)
    for case in cases:
        assert (np.diff(case.segment) >= 0).all()
        assert set(case.segment) == set(range(1, 7))
        assert (np.diff(case.location) > 0).all()
        assert 0.0 < case.index[0] < case.index[-1] < 1.0
    row = figures(cases, open_bend_network())
    assert len(row) == len(HEADER) - 1
    assert all(0.0 <= float(cell) <= 1.0 for cell in row)
