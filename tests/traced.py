"""What a command asks of the system, by strace: which addresses it speaks to, and which files it makes or changes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

NETWORK = "socket,connect,bind,sendto,sendmsg,sendmmsg"
FILES = (
    "open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,"
    "unlink,unlinkat,rmdir,chmod,fchmodat"
)
WRITES = re.compile(
    r"^(\d+ +)?(open(at2?)?\(.*O_(WRONLY|RDWR|CREAT)|creat|mkdir|rename|link|symlink|truncate|unlink|rmdir|f?chmod)"
)
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
LOOPBACK = re.compile(r'inet_addr\("127\.0\.0\.1"\)')


def strace(log: Path) -> list[str]:
    """Words before a command that write its calls, and those of all that it starts, to a file. Skips where it cannot.

    The command stays a child of the test (-D), which can end it.
    """
    found = shutil.which("strace")
    if found is None or subprocess.run([found, "-f", "true"], capture_output=True).returncode:
        pytest.skip("strace is not installed or not allowed here")
    return [found, "-D", "-f", "--seccomp-bpf", "-qq", "-e", f"trace={NETWORK},{FILES}", "-o", str(log)]


def without_network() -> list[str]:
    """Words before a command that leave it no network at all; none where that is not allowed."""
    found = shutil.which("unshare")
    return [found, "-n"] if found and not subprocess.run([found, "-n", "true"], capture_output=True).returncode else []


def own_home(folder: Path) -> dict[str, str]:
    """An environment with `folder/home` as the home and `folder/tmp` for temporary files; both are made."""
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ORT_", "CI"))}
    return kept | {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}


def addresses(log: Path) -> list[str]:
    """Calls that speak to another address than this machine's own."""
    inet = [line for line in _lines(log) if "AF_INET" in line and "socket(" not in line]
    return [line for line in inet if not LOOPBACK.search(line)]


def sockets(log: Path) -> list[str]:
    """Calls that open a socket of the internet, or use one."""
    return [line for line in _lines(log) if "AF_INET" in line]


def written(log: Path) -> set[str]:
    """Paths that were made, changed or removed, as the calls name them; what a new link points to is not touched."""
    found = ((line, QUOTED.findall(line)) for line in _lines(log) if WRITES.match(line))
    return {path for line, paths in found for path in (paths[-1:] if "symlink" in line else paths)}


def outside(log: Path, *folders: Path) -> set[str]:
    """What was written elsewhere; devices and what the kernel shows of a process are no files."""
    allowed = (*(f"{folder}/" for folder in folders), "/dev/", "/proc/")
    elsewhere = {path for path in written(log) if path.startswith("/") and not f"{path}/".startswith(allowed)}
    return elsewhere | {path for path in written(log) if ".." in path.split("/")}


def _lines(log: Path) -> list[str]:
    return log.read_text(errors="replace").splitlines()
