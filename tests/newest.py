"""The built wheel where nothing else is installed: `python tests/newest.py PYTHON ...` (`make test-newest`).

For every interpreter: a fresh environment, `pip install` of the wheel with the newest versions and no extra, then the
bundled recording is located and compared with its truth, from another folder and with an empty home.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from release import check_wheel

ROOT = Path(__file__).parents[1]
DEMO = "haustra/data/demo"
# What an environment holds before anything is installed into it.
OWN = ("pip", "pip-*", "setuptools", "setuptools-*", "pkg_resources", "_distutils_hack", "distutils-precedence.pth")


def main(pythons: list[str]) -> int:
    shutil.rmtree(ROOT / "build", ignore_errors=True)  # what was built before would go into the wheel, too
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(ROOT)], check=True)
        (wheel,) = Path(folder).glob("haustra-*.whl")
        check_wheel(wheel)
        for python in pythons:
            check(python, wheel)
    return 0


def check(python: str, wheel: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, home = Path(name), Path(name) / "home"
        home.mkdir()
        subprocess.run([python, "-m", "venv", str(folder / "env")], check=True)
        inside = str(folder / "env" / "bin" / "python")
        subprocess.run([inside, "-m", "pip", "install", "-q", "--no-cache-dir", str(wheel)], check=True)
        site = next((folder / "env" / "lib").glob("python*/site-packages"))
        demo, out, begun_s = site / DEMO, folder / "out", time.monotonic()
        recording = [str(demo / "video.mp4"), "--camera", str(demo / "camera.json"), "--withdrawal-start", "0"]
        haustra(inside, home, "locate", *recording, "--quiet", "--out", str(out))
        figures = json.loads(haustra(inside, home, "compare", str(out), str(demo), "--json"))
        took_s = time.monotonic() - begun_s
        if left := list(home.rglob("*")):
            raise SystemExit(f"{python}: {left[0]} was written under the home folder")
        print(f"{version(inside)}: {installed_mb(site):.0f} MB installed, located in {took_s:.0f} s", flush=True)
        print(f"    {json.dumps(figures['segments'])}", flush=True)


def haustra(python: str, home: Path, *arguments: str) -> str:
    """What the installed command prints; the sources of this project are out of its sight."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"HOME": str(home)}
    command = [str(Path(python).with_name("haustra")), *arguments]
    return subprocess.run(
        command, cwd=home.parent, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def version(python: str) -> str:
    code = (
        "import sys; from importlib.metadata import version as v; names = ('av', 'numpy', 'onnxruntime',"
        " 'opencv-python-headless', 'polars', 'scipy'); print('Python', sys.version.split()[0] + ',',"
        " ', '.join(f'{n} {v(n)}' for n in names))"
    )
    return subprocess.run([python, "-c", code], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def installed_mb(site: Path) -> float:
    """Disk space of everything that the installation brought, byte code included, without pip itself."""
    own = {path for pattern in OWN for path in site.glob(pattern)}
    files = (path for top in site.iterdir() if top not in own for path in (top, *top.rglob("*")) if path.is_file())
    return sum(path.stat().st_blocks * 512 for path in files) / 2**20


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
