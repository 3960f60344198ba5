"""Linux, macOS and Windows: what only POSIX has is asked for before it is used, and tests of it say so."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import haustra

SOURCE, TESTS = Path(haustra.__file__).parent, Path(__file__).parent
POSIX_MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios"}
POSIX_NAMES = {
    "os": {
        *(
            "O_DIRECTORY",
            "O_NOFOLLOW",
            "O_NONBLOCK",
            "chown",
            "fork",
            "geteuid",
            "getpgid",
            "getuid",
            "killpg",
            "mkfifo",
        ),
        *("nice", "pread", "sched_getaffinity", "setsid", "sysconf", "uname", "wait"),
    },
    "signal": {"SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGXFSZ", "alarm", "pause"},
}
IN_TESTS = re.compile(
    r"SIGHUP|SIGALRM|SIGXFSZ|signal\.SIGKILL|send_signal\(|symlink_to\(|mkfifo|geteuid|0o[67]\d\d\b|setrlimit|/dev/null"
)
SAID = re.compile(r"mark\.posix|sys\.platform|os\.name|hasattr\(os")


def _imports(tree: ast.AST, inside_try: bool = False) -> Iterator[tuple[str, bool]]:
    """Modules that are imported, and whether a failure is caught."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], inside_try) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0], inside_try
        yield from _imports(node, inside_try or isinstance(node, ast.Try))


def test_modules_of_posix_alone_are_imported_where_their_absence_is_caught() -> None:
    found = [
        (path.name, name)
        for path in SOURCE.rglob("*.py")
        for name, caught in _imports(ast.parse(path.read_text(encoding="utf-8")))
        if name in POSIX_MODULES and not caught
    ]
    assert found == []


def test_names_of_posix_alone_are_asked_for_first() -> None:
    unasked = []
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                module = node.value.id
                if node.attr in POSIX_NAMES.get(module, ()) and f"hasattr({module}, " not in text:
                    unasked.append((path.name, f"{module}.{node.attr}"))
    assert unasked == []


def test_tests_that_need_posix_say_so() -> None:
    silent = []
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if path == Path(__file__) or re.search(r"^pytestmark = .*posix", text, re.MULTILINE):
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                source = "\n".join(text.splitlines()[first - 1 : node.end_lineno])
                if IN_TESTS.search(source) and not SAID.search(source):
                    silent.append(f"{path.name}::{node.name}")
    assert silent == []


def test_output_in_the_code_page_of_a_country_is_no_fault(tmp_path: Path) -> None:
    """As on Windows where the output goes to a file: a name may have letters that the code page lacks."""
    folder = tmp_path / "結腸 ≥ 1"
    folder.mkdir()
    (folder / "report.html").write_text("")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "BROWSER": "true"}
    command = [sys.executable, "-m", "haustra", "open", str(folder)]
    ended = subprocess.run(command, env=environment, capture_output=True)
    assert ended.returncode == 0, ended.stderr
    assert rb"\u7d50\u8178 \u2265 1" in ended.stdout


def test_the_workflow_tests_and_installs_on_all_three() -> None:
    text = (TESTS.parent / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    jobs = dict(re.findall(r"^  (\w+):\n((?:    .*\n|\n)+)", text, re.MULTILINE))
    for job in ("test", "wheel"):
        assert {"ubuntu-latest", "macos-latest", "windows-latest"} <= set(re.findall(r"\w+-latest", jobs[job])), job
    assert "make test" in jobs["test"]
    assert "pipx run --spec" in jobs["wheel"]
