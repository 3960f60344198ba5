"""One judge for `locate` and `haustra quality`: it differs in nothing but which frames the network is asked about."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from haustra.quality import Chances, Judge, Thresholds
from haustra.terms import Reason
from haustra.video import Frame


class Network:
    """Answers by the brightness of a picture, and remembers how many it saw."""

    thresholds = Thresholds(0.5, 0.5)

    def __init__(self) -> None:
        self.batches: list[int] = []

    def classify(self, pictures: list[np.ndarray]) -> Chances:
        self.batches.append(len(pictures))
        level = np.array([picture.mean() / 255 for picture in pictures], np.float32)
        return Chances(level, np.zeros(len(pictures), np.float32))


def frames(count: int = 31) -> list[Frame]:
    """Dim noise at 15 Hz; number 5 is black, number 9 repeats number 8."""
    rng = np.random.default_rng(0)
    images = [rng.integers(0, 30, (16, 16, 3), np.uint8) + np.uint8(10) for _ in range(count)]
    images[5][:] = 0
    images[9] = images[8].copy()
    return [Frame(i, i / 15, image) for i, image in enumerate(images)]


def judged(*, sparse: bool, threads: int = 0) -> tuple[Network, np.ndarray, tuple[Reason, ...]]:
    network = Network()
    judge = Judge(network, sparse=sparse)  # type: ignore[arg-type]
    samples = list(judge.samples(frames()))
    if threads:
        with ThreadPoolExecutor(threads) as pool:
            answer = judge(samples, pool.map)
    else:
        answer = judge(samples)
    return network, answer.p_noninformative, answer.kind


def test_dense_and_sparse_asking_agree_where_both_asked() -> None:
    network, dense, kind = judged(sparse=False)
    fewer, sparse, same_kind = judged(sparse=True)
    assert kind == same_kind
    assert sum(network.batches) == 29, "all but the black and the frozen one"
    assert 14 <= sum(fewer.batches) < 20
    np.testing.assert_array_equal(np.isnan(dense), np.isnan(sparse))
    assert np.flatnonzero(np.isnan(dense)).tolist() == [5, 9]
    assert (kind[5], kind[9]) == (Reason.BLACK, Reason.FROZEN)
    assert np.nanmax(np.abs(dense - sparse)) < 0.03
    assert (dense == sparse)[~np.isnan(dense)].mean() >= 0.5
    assert max(network.batches) <= 8


def test_threads_do_not_change_the_answer() -> None:
    np.testing.assert_array_equal(judged(sparse=True)[1], judged(sparse=True, threads=3)[1])


def test_without_a_network_nothing_is_removed() -> None:
    judge = Judge(None, sparse=True)
    samples = list(judge.samples(frames()))
    answer = judge(samples)
    assert set(answer.kind) == {Reason.KEPT}
    assert np.isnan(answer.p_noninformative).all()
    assert judge.thresholds == Thresholds(1.0, 1.0)


@pytest.mark.parametrize("sparse", [True, False])
def test_nothing_in_nothing_out(sparse: bool) -> None:
    assert len(Judge(Network(), sparse=sparse)([])) == 0  # type: ignore[arg-type]
