"""Cost benchmarks: `python -m benchmarks [name ...]` runs benchmarks/bench_<name>.py.

Each module has `run() -> dict[str, float]`. A value above its limit in the module's `LIMITS` is marked, and the exit
code is then `LIMIT_BROKEN`, which no crash returns.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

LIMIT_BROKEN = 3
LONG = "_long"  # run only by name


def main(names: list[str]) -> int:
    found = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    if unknown := set(names) - set(found):
        print(f"no benchmark {', '.join(sorted(unknown))}: there are {', '.join(found)}", file=sys.stderr)
        return 2
    broken = 0
    for name in names or [name for name in found if not name.endswith(LONG)]:
        module = importlib.import_module(f"benchmarks.bench_{name}")
        limits = getattr(module, "LIMITS", {})
        for key, value in module.run().items():
            limit = limits.get(key)
            over = limit is not None and value > limit
            broken += over
            print(f"    {name:<12} {key:<44} {value:>12.4g}  {_verdict(limit, over)}".rstrip(), flush=True)
    return LIMIT_BROKEN if broken else 0


def _verdict(limit: float | None, over: bool) -> str:
    return "" if limit is None else f"limit {limit:g}: {'BROKEN' if over else 'holds'}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
