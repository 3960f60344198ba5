"""`make demo`: the whole pipeline on the bundled recording, compared with its truth."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parent / "data" / "demo"
OUT = Path("demo-out")


def main() -> None:
    """Locate the bundled recording, compare the result with its truth, say where the report is."""
    video, camera = DEMO / "video.mp4", DEMO / "camera.json"
    whole = ("--withdrawal-start", "0", "--from", "0", "--to", "1")
    _haustra("locate", str(video), "--camera", str(camera), *whole, "--out", str(OUT))
    _haustra("compare", str(OUT), str(DEMO))
    print(f"\nopen the report in a browser: {(OUT / 'report.html').resolve()}")


def _haustra(*arguments: str) -> None:
    print(f"$ haustra {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "haustra", *arguments], check=True)


if __name__ == "__main__":
    main()
