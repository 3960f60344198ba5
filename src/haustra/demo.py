"""What `make demo` runs: the bundled recording through the stages that need no model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RECORDING = Path(__file__).parent / "simulate" / "data" / "demo"
OUT = Path("demo-out")


def main() -> None:
    """Describe the bundled recording and undistort it; say where to look."""
    video, camera = RECORDING / "video.mp4", RECORDING / "camera.json"
    _haustra("info", str(video))
    _haustra("undistort", str(video), "--camera", str(camera), "--output", str(OUT))
    print(f"contact sheet of the recording: {RECORDING / 'contact_sheet.png'}")
    print(f"undistorted pictures: {OUT}")


def _haustra(*arguments: str) -> None:
    print(f"$ haustra {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "haustra", *arguments], check=True)


if __name__ == "__main__":
    main()
