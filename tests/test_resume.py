from pathlib import Path

import numpy as np

from haustra.resume import Journal, fingerprint


def test_a_second_run_finds_finished_chunks(tmp_path: Path) -> None:
    first = Journal(tmp_path / "j", {"option": 1})
    assert not first.resumed
    first.save(3, {"a": np.arange(4), "b": np.zeros((0, 6), np.float32)})
    again = Journal(tmp_path / "j", {"option": 1})
    assert again.resumed
    found = again.load(3)
    assert found is not None
    np.testing.assert_array_equal(found["a"], np.arange(4))
    assert found["b"].shape == (0, 6)
    assert again.load(4) is None


def test_other_options_start_anew_and_say_so(tmp_path: Path) -> None:
    Journal(tmp_path / "j", {"option": 1}).save(0, {"a": np.arange(4)})
    other = Journal(tmp_path / "j", {"option": 2})
    assert other.replaced
    assert other.load(0) is None


def test_a_damaged_chunk_counts_as_not_done(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", {})
    journal.save(0, {"a": np.arange(1000)})
    file = tmp_path / "j" / "chunk-000000.npz"
    file.write_bytes(file.read_bytes()[:100])
    assert journal.load(0) is None
    file.write_bytes(b"")
    assert journal.load(0) is None


def test_fingerprint_follows_content_not_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 3_000_000)
    (tmp_path / "b").write_bytes(b"x" * 3_000_000)
    (tmp_path / "c").write_bytes(b"x" * 2_999_999 + b"y")
    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b") != fingerprint(tmp_path / "c")
