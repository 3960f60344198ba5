import pytest

from haustra.core import progress


def test_lines_tell_rate_and_time_left_of_what_was_done_now(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    with progress.progress_bar("work", 1000, unit="steps") as report:
        report(500)  # resumed: five hundred were there before
        clock[0] = 20.0
        report(600, "loss 1")
    assert capsys.readouterr().err == "work: 600/1000 steps, 5.0/s, 01:20 left loss 1\n"


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.progress_bar("work", 3, quiet=True) as report:
        report(3)
    assert capsys.readouterr().err == ""


def test_a_notebooks_bar_stays_at_the_last_report(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    class Shown:
        def update(self, data: dict[str, str], **_: bool) -> None:
            texts.append(data["text/plain"])

    monkeypatch.setattr("haustra.core.progress.in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda *_, **__: Shown())
    with progress.progress_bar("frames", 60, unit="s") as report:
        report(30)
        report(59.9)
    assert texts[-1].startswith("frames: 59.9/60 s")
