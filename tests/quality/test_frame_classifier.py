"""One classifier for `locate` and `haustra quality`: it differs in nothing but which frames the network sees."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from haustra.core.vocabulary import Reason
from haustra.quality import FrameClassifier, FrameProbabilities, Thresholds
from haustra.results.observations import Observations
from haustra.video import Frame


class Network:
    """Answers by the brightness of a picture, and remembers how many it saw."""

    thresholds = Thresholds(0.5, 0.5)

    def __init__(self) -> None:
        self.batches: list[int] = []

    def classify(self, pictures: list[np.ndarray]) -> FrameProbabilities:
        self.batches.append(len(pictures))
        level = np.array([picture.mean() / 255 for picture in pictures], np.float32)
        return FrameProbabilities(level, np.zeros(len(pictures), np.float32))


def frames(count: int = 31) -> list[Frame]:
    """Dim noise at 15 Hz; number 5 is black, number 9 repeats number 8."""
    rng = np.random.default_rng(0)
    images = [rng.integers(0, 30, (16, 16, 3), np.uint8) + np.uint8(10) for _ in range(count)]
    images[5][:] = 0
    images[9] = images[8].copy()
    return [Frame(i, i / 15, image) for i, image in enumerate(images)]


def classified(*, sparse: bool, threads: int = 0) -> tuple[Network, np.ndarray, tuple[Reason, ...]]:
    network = Network()
    classifier = FrameClassifier(network, sparse=sparse)  # type: ignore[arg-type]
    samples = list(classifier.samples(frames()))
    if threads:
        with ThreadPoolExecutor(threads) as pool:
            scores = classifier.score(samples, pool.map)
    else:
        scores = classifier.score(samples)
    return network, scores.p_noninformative, scores.reason


def test_dense_and_sparse_asking_agree_where_both_asked() -> None:
    network, dense, reason = classified(sparse=False)
    fewer, sparse, same_reason = classified(sparse=True)
    assert reason == same_reason
    assert sum(network.batches) == 29, "all but the black and the frozen one"
    assert 14 <= sum(fewer.batches) < 20
    np.testing.assert_array_equal(np.isnan(dense), np.isnan(sparse))
    assert np.flatnonzero(np.isnan(dense)).tolist() == [5, 9]
    assert (reason[5], reason[9]) == (Reason.BLACK, Reason.FROZEN)
    assert np.nanmax(np.abs(dense - sparse)) < 0.03
    assert (dense == sparse)[~np.isnan(dense)].mean() >= 0.5
    assert max(network.batches) <= 8


def test_threads_do_not_change_the_answer() -> None:
    np.testing.assert_array_equal(classified(sparse=True)[1], classified(sparse=True, threads=3)[1])


def test_without_a_network_nothing_is_removed() -> None:
    classifier = FrameClassifier(None, sparse=True)
    ((samples, seen),) = classifier.observe(classifier.samples(frames()))
    assert len(samples) == 31
    assert seen.kept.all()
    assert np.isnan(seen.p_noninformative).all()


class Forceps(Network):
    """Sees forceps in bright pictures, and nothing else."""

    def classify(self, pictures: list[np.ndarray]) -> FrameProbabilities:
        level = super().classify(pictures).noninformative
        return FrameProbabilities(np.zeros_like(level), level)


@pytest.mark.parametrize("at", [149, 150, 153])
def test_a_biopsy_is_widened_across_chunks_as_if_there_were_none(at: int) -> None:
    rng = np.random.default_rng(0)
    images = [rng.integers(20, 40, (16, 16, 3), np.uint8) for _ in range(400)]
    for image in images[at - 1 : at + 2]:
        image += np.uint8(200)
    samples = [Frame(i, i / 15, image) for i, image in enumerate(images)]
    classifier = FrameClassifier(Forceps(), sparse=False)  # type: ignore[arg-type]
    chunks = [seen for _, seen in classifier.observe(classifier.samples(samples))]
    assert [len(seen) for seen in chunks] == [150, 150, 100]
    dropped = np.flatnonzero(~Observations.concatenated(chunks).kept).tolist()
    assert dropped == list(range(at - 16, at + 17)), "a second before the first and behind the last"
    resumed = classifier.observe(classifier.samples(samples[150:]), chunks[0])
    assert [seen.reason for _, seen in resumed] == [seen.reason for seen in chunks[1:]]


@pytest.mark.parametrize("sparse", [True, False])
def test_nothing_in_nothing_out(sparse: bool) -> None:
    assert len(FrameClassifier(Network(), sparse=sparse).score([])) == 0  # type: ignore[arg-type]
