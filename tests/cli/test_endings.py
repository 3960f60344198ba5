"""Every way a command can end: one line, the right code, whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

INTERRUPTED = "haustra: interrupted: run the same command again to resume"
PATIENCE_S = 300.0  # the machine may be busy; less than a command sleeps
CODE = """
import sys, time
from haustra.cli.endings import run_command
from haustra.core.errors import HaustraError
def command():
    print("started", flush=True)
    {body}
run_command(command)
"""


def start(body: str, **environment: str) -> subprocess.Popen[str]:
    code = CODE.format(body=body)
    variables = {**os.environ, **environment}
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables
    )


@pytest.mark.posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_is_one_line_and_its_own_code(name: str) -> None:
    number = signal.Signals[name]
    process = start("time.sleep(600)")
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + number
    assert errors == f"{INTERRUPTED}\n"


@pytest.mark.posix
@pytest.mark.parametrize("error", ["ImportError('initialization failed')", "HaustraError('the extra is missing')"])
def test_an_error_that_a_signal_became_is_the_signal(error: str) -> None:
    """Python's own import of a native module makes one an ImportError, and we say what is missing."""
    process = start(
        f"""
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        raise {error}
""".strip()
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (143, f"{INTERRUPTED}\n")


@pytest.mark.posix
def test_many_signals_let_the_command_clean_up(tmp_path: Path) -> None:
    target = str(tmp_path / "cleaned")
    body = f"""
    try:
        print("inside", flush=True)
        time.sleep(600)
    finally:
        time.sleep(0.6)
        open({target!r}, "w").close()
"""
    process = start(body.strip())
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["started\n", "inside\n"]
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert len(errors.splitlines()) == 1
    assert (tmp_path / "cleaned").exists()


def test_a_signal_that_python_swallows_in_a_finalizer_is_not_lost() -> None:
    body = """
    import os, signal
    class Finalized:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
    Finalized()
    time.sleep(600)
"""
    _, errors = (process := start(body.strip())).communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors.splitlines()) == (
        130,
        ["haustra: interrupted: run the same command again to resume"],
    )


@pytest.mark.posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_commands_are_imported_and_more_while_it_ends(number: signal.Signals) -> None:
    """The moment is found by what Python says of its imports."""
    command = [sys.executable, "-v", "-c", "from haustra.cli import main; main()"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "import 'typer" not in process.stderr.readline():
        pass
    for _ in range(6):
        process.send_signal(number)
    ended = [line for line in process.stderr.read().splitlines() if line.startswith(("haustra:", "Traceback"))]
    assert (process.wait(PATIENCE_S), ended) == (128 + number, [INTERRUPTED])


def test_what_the_user_can_put_right_is_one_line() -> None:
    _, errors = (process := start("raise HaustraError('no such file: x')")).communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (2, "haustra: no such file: x\n")


def test_a_fault_of_ours_is_one_line_and_no_traceback_unless_asked_for() -> None:
    body = "raise ValueError('first\\nsecond')"
    _, errors = (process := start(body)).communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert errors.startswith("haustra: internal error, please report it (ValueError: first second)")
    assert len(errors.splitlines()) == 1
    _, errors = start(body, HAUSTRA_TRACEBACK="1").communicate(timeout=PATIENCE_S)
    assert "Traceback" in errors
