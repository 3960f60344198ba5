"""Templates: the paper's equations, the published four, files that are wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import nnls

from haustra.anatomy import load_template
from haustra.anatomy.annotated_times import read_annotations, segments_at
from haustra.anatomy.template import (
    AnnotatedRecording,
    Template,
    boundary_indices,
    build_template,
    is_template,
    published_names,
    relative_lengths,
    template_of,
)
from haustra.core.errors import HaustraError
from haustra.lab.evaluate.template_cross_validation import CANDIDATES, classify, k_fold, leave_one_out, tune_gamma
from haustra.path import PathParameters, location_index


def recording(name: str, lengths: list[float], speed: float = 1.0) -> AnnotatedRecording:
    """A withdrawal at even speed (or quadratic in time) through segments of the given relative lengths."""
    time_s = np.linspace(0, 100, 1001)
    index = (time_s / 100) ** speed
    q_t = 100 * np.concatenate([[0], np.cumsum(lengths)]) ** (1 / speed)
    q_t[6] = 100.0
    return AnnotatedRecording(name, time_s, index, q_t)


A, B = [0.1, 0.2, 0.2, 0.2, 0.2, 0.1], [0.05, 0.15, 0.3, 0.2, 0.2, 0.1]


def test_a_template_is_the_mean_of_relative_lengths_whatever_the_speed() -> None:
    template = template_of("two", [recording("a", A), recording("b", B, speed=2.0)])
    assert template.mean == pytest.approx((np.array(A) + B) / 2, abs=1e-3)
    assert template.mean.sum() == pytest.approx(1)
    assert template.covariance == pytest.approx(np.cov([A, B], rowvar=False), abs=1e-4)
    assert template.built_from == ("a", "b")
    assert template.boundaries[[0, 6]].tolist() == [0, 1]


def test_lengths_that_do_not_sum_to_one_are_scaled_by_w() -> None:
    template = build_template("half", np.array([A, B]) * 0.5, ["a", "b"])
    assert template.mean == pytest.approx((np.array(A) + B) / 2)


def test_a_template_needs_two_recordings() -> None:
    with pytest.raises(HaustraError, match="at least two"):
        template_of("one", [recording("a", A)])


def test_saved_templates_come_back(tmp_path: Path) -> None:
    template = template_of("two", [recording("a", A), recording("b", B)], note="mine")
    template.save(tmp_path / "t.json")
    again = load_template(tmp_path / "t.json")
    assert again.mean.tolist() == template.mean.tolist()
    assert again.covariance.tolist() == template.covariance.tolist()
    assert (again.name, again.built_from, again.note) == ("two", ("a", "b"), "mine")


def test_the_published_templates_are_there_with_the_spread_of_set_3() -> None:
    assert published_names() == [
        "cas-colon-time",
        "paper-set2",
        "paper-set2-time",
        "paper-set3",
        "paper-set3-scopeguide",
    ]
    for name in published_names():
        template = load_template(name)
        assert template.mean.sum() == pytest.approx(1)
        assert np.abs(template.covariance.sum(axis=0)).max() < 1e-12, "lengths that sum to 1"
    assert load_template("paper-set2").mean == pytest.approx([0.061, 0.146, 0.224, 0.223, 0.258, 0.088])
    assert load_template("paper-set3").std == pytest.approx([0.038, 0.061, 0.097, 0.088, 0.086, 0.057], abs=1e-6)
    assert "prints no spread" in load_template("paper-set2").note


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a colon template"),
        ({"mean": [0.5, 0.5]}, "'mean': expected 'array' of length >= 6"),
        ({"mean": [0.5, 0.5, 0.5, 0, 0, 0]}, "sum to 1"),
        ({"mean": [0.5, 0.5, "x", 0, 0, 0]}, "'mean\\[2\\]' is 'x': expected 'float'"),
        ({"covariance": (-np.eye(6)).tolist()}, "not a covariance"),
        ({"covariance": None}, "'covariance' is None: expected 'array'"),
    ],
)
def test_a_wrong_template_file_is_one_line(tmp_path: Path, change: dict[str, object], message: str) -> None:
    template_of("two", [recording("a", A), recording("b", B)]).save(tmp_path / "t.json")
    value = json.loads((tmp_path / "t.json").read_text()) | change
    (tmp_path / "t.json").write_text(json.dumps(value))
    with pytest.raises(HaustraError, match=message):
        load_template(tmp_path / "t.json")


def test_an_unknown_template_names_the_known_ones() -> None:
    with pytest.raises(HaustraError, match="paper-set2"):
        load_template("paper-set9")


def test_annotations_are_read_by_name_as_list_and_as_clock_times(tmp_path: Path) -> None:
    names = ("cecum", "ascending", "transverse", "descending", "sigmoid", "rectum", "stop")
    values = [0, 10, "0:20", 30, 40.5, 50, "1:00"]
    expected = [0, 10, 20, 30, 40.5, 50, 60]
    for value in (dict(zip(names, values, strict=True)), values, {"times_s": values}):
        (tmp_path / "a.json").write_text(json.dumps(value))
        assert read_annotations(tmp_path / "a.json").tolist() == expected
    q_t = np.array(expected)
    assert segments_at(q_t, np.array([0, 9.9, 10, 45, 60, 61, -1.0])).tolist() == [1, 1, 2, 5, 6, 0, 0]


@pytest.mark.parametrize("value", [[0, 1, 2], {"cecum": 0}, [0, 3, 2, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, None], 7])
def test_wrong_annotations_are_one_line(tmp_path: Path, value: object) -> None:
    (tmp_path / "a.json").write_text(json.dumps(value))
    with pytest.raises(HaustraError, match=r"a\.json"):
        read_annotations(tmp_path / "a.json")


def test_cross_validation_tests_each_recording_with_the_others() -> None:
    same = [recording(f"r{k}", A) for k in range(6)]
    assert all(result.accuracy > 0.99 for result in leave_one_out(same))
    # The odd one is judged by a template that has never seen it.
    results = k_fold([*same, recording("odd", [0.6, 0.1, 0.1, 0.1, 0.05, 0.05])], folds=5)
    assert len(results) == 7
    assert results[6].accuracy < 0.5


def test_each_recording_is_judged_by_the_template_of_all_others() -> None:
    rng = np.random.default_rng(3)
    several = [recording(f"r{k}", rng.dirichlet(np.full(6, 8.0))) for k in range(5)]
    for k, result in enumerate(leave_one_out(several)):
        others = template_of("others", [one for i, one in enumerate(several) if i != k])
        assert result.accuracy == classify(several[k], others).accuracy


@pytest.mark.parametrize(
    ("recordings", "folds", "fits"),
    [(2, 2, False), (3, 2, False), (4, 2, True), (3, 3, True), (4, 1, False), (3, 4, False)],
)
def test_two_recordings_are_left_for_every_template(recordings: int, folds: int, fits: bool) -> None:
    some = [recording(f"r{k}", A) for k in range(recordings)]
    if fits:
        assert len(k_fold(some, folds)) == recordings
    else:
        with pytest.raises(HaustraError, match="folds"):
            k_fold(some, folds)


def test_gamma_is_tuned_on_the_accuracy_of_segments() -> None:
    """Lateral waves in one segment: too little smoothing counts them as way."""
    wave = np.linspace(0, 1, 1001)
    side = np.where(wave < 0.3, 0.02 * np.sin(wave * 2 * np.pi / 0.03), 0.0)
    paths = [np.stack([wave, side * k, 0 * wave], axis=1) for k in (0.0, 2.0, 0.0, 3.0, 0.0, 2.5)]
    tuned = tune_gamma([recording(f"r{k}", A) for k in range(6)], paths, candidates=(0.005, 0.1))
    assert tuned.smoothing == 0.1
    assert tuned.accuracy[0.1] > tuned.accuracy[0.005]
    literal = replace(PathParameters().paper_index, smoothing=0.005)
    straight = [replace(recording("x", A), index=location_index(path, literal).index) for path in paths]
    assert tuned.accuracy[0.005] == np.mean([result.accuracy for result in k_fold(straight, 5)])


def test_candidates_of_gamma_lie_around_the_default() -> None:
    assert list(CANDIDATES) == sorted(CANDIDATES)
    assert CANDIDATES[0] < PathParameters().paper_index.smoothing < CANDIDATES[-1]
    assert np.all(np.diff(np.log(CANDIDATES)) < np.log(2.01)), "no step leaps over a good one"


def plain_template(recordings: list[AnnotatedRecording]) -> np.ndarray:
    """The equations of the paper's text on colon templates: q^rl of every recording, then w / N times their sum."""
    total = np.zeros(6)
    for one in recordings:
        q_s = [float(np.interp(t, one.time_s, one.index)) for t in one.q_t]
        q_s[0], q_s[6] = 0.0, 1.0
        for i in range(6):
            total[i] += (q_s[i + 1] - q_s[i]) / len(recordings)
    return total / total.sum()


def test_a_template_of_random_withdrawals_is_the_papers() -> None:
    rng = np.random.default_rng(0)
    made = []
    for k in range(5):
        time_s = np.sort(rng.uniform(0, 300, 80))
        index = np.sort(rng.random(80))
        made.append(AnnotatedRecording(f"r{k}", time_s, index, np.sort(rng.uniform(0, 300, 7))))
    template = template_of("five", made)
    np.testing.assert_allclose(template.mean, plain_template(made), atol=1e-12)
    lengths = [relative_lengths(boundary_indices(one.f_v, one.q_t)) for one in made]
    expected = np.zeros((6, 6))
    for one in lengths:
        expected += np.outer(one - template.mean, one - template.mean) / (len(made) - 1)
    np.testing.assert_allclose(template.covariance, expected, atol=1e-12)
    np.testing.assert_allclose(template.std, np.sqrt(np.diag(expected)), atol=1e-12)
    np.testing.assert_allclose(template.boundaries[1:6], np.cumsum(template.mean)[:5], atol=1e-12)


def test_spread_is_scaled_as_the_lengths_are() -> None:
    half, whole = (build_template("x", np.array([A, B]) * factor, ["a", "b"]) for factor in (0.5, 1.0))
    np.testing.assert_allclose(half.covariance, whole.covariance, atol=1e-15)
    np.testing.assert_allclose(half.std, whole.std, atol=1e-15)


def test_an_index_that_falls_makes_an_empty_segment_and_none_of_negative_length() -> None:
    q_s = boundary_indices(lambda t: np.array([0.3, 0.2, 0.5, 0.4, 1.2, 0.9, 0.8]) + 0 * t, np.arange(7.0))
    assert q_s.tolist() == [0.0, 0.2, 0.5, 0.5, 1.0, 1.0, 1.0]
    np.testing.assert_allclose(relative_lengths(q_s), [0.2, 0.3, 0, 0.5, 0, 0])


def test_unknown_places_are_bridged_when_a_time_is_looked_up() -> None:
    one = AnnotatedRecording("a", np.arange(4.0), np.array([0.0, np.nan, 0.4, 1.0]), np.zeros(7))
    assert one.f_v(np.array([1.0, 2.5, 9.0])) == pytest.approx([0.2, 0.7, 1.0])


def test_the_sum_of_a_template_may_be_off_by_a_millionth(tmp_path: Path) -> None:
    template = template_of("two", [recording("a", A), recording("b", B)])
    for off, fits in ((9e-7, True), (-9e-7, True), (2e-6, False), (-2e-6, False)):
        replace(template, mean=template.mean + np.array([off, 0, 0, 0, 0, 0])).save(tmp_path / "t.json")
        if fits:
            assert load_template(tmp_path / "t.json").mean.sum() == pytest.approx(1, abs=1e-6)
        else:
            with pytest.raises(HaustraError, match="sum to 1"):
                load_template(tmp_path / "t.json")


def test_a_length_of_zero_is_allowed_and_a_negative_one_is_not(tmp_path: Path) -> None:
    for first, fits in ((0.0, True), (-1e-3, False)):
        mean = np.array([first, 0.2 - first, 0.2, 0.2, 0.2, 0.2])
        Template("x", mean, np.zeros(6), np.zeros((6, 6)), ()).save(tmp_path / "t.json")
        if fits:
            assert load_template(tmp_path / "t.json").boundaries[1] == 0.0
        else:
            with pytest.raises(HaustraError, match=r"'mean\[0\]' is -0.001: expected 'float' >= 0"):
                load_template(tmp_path / "t.json")


def test_a_template_may_be_written_over_and_nothing_else(tmp_path: Path) -> None:
    template_of("two", [recording("a", A), recording("b", B)]).save(tmp_path / "t.json")
    for name, text in (("a.json", '{"format": "other"}'), ("b.json", "[1]"), ("c.json", "no json")):
        (tmp_path / name).write_text(text)
    wanted = {"t.json": True, "a.json": False, "b.json": False, "c.json": False, "none.json": False}
    assert {name: is_template(tmp_path / name) for name in wanted} == wanted


def test_annotated_segments_begin_at_their_time_and_the_last_ends_with_the_stop() -> None:
    q_t = np.array([10.0, 20, 30, 40, 50, 60, 70])
    assert segments_at(q_t, q_t).tolist() == [1, 2, 3, 4, 5, 6, 6]
    assert segments_at(q_t, np.nextafter(q_t, -np.inf)).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert segments_at(q_t, np.array([np.nextafter(70, 71)])).tolist() == [0]


@pytest.mark.parametrize(("times", "fits"), [([0, 0, 0, 0, 0, 0, 1], True), ([5] * 7, False), ([-1, *range(6)], False)])
def test_segments_may_be_empty_but_not_the_whole_withdrawal(tmp_path: Path, times: list[float], fits: bool) -> None:
    (tmp_path / "a.json").write_text(json.dumps(times))
    if fits:
        assert read_annotations(tmp_path / "a.json").tolist() == times
    else:
        with pytest.raises(HaustraError, match=r"a\.json"):
            read_annotations(tmp_path / "a.json")


@pytest.mark.parametrize("name", [name for name in published_names() if name.startswith("paper")])
def test_correlations_of_the_papers_templates_are_those_of_independent_lengths_over_their_sum(name: str) -> None:
    """The paper prints no correlations. To first order they are P D P^T with P = I - mean 1^T and a diagonal D."""
    template = load_template(name)
    P = np.eye(6) - np.outer(template.mean, np.ones(6))
    D, _ = nnls(P**2, template.std**2)
    np.testing.assert_allclose(template.covariance, P @ np.diag(D) @ P.T, atol=1e-15)
