"""What the benchmarks share: CPU time of this process, best of several runs, and a line with the ratio."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any


def seconds(work: Callable[[], Any], times: int = 5) -> float:
    """The least CPU time of several runs; other people's load disturbs that least."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def claim(what: str, ours: float, theirs: float, peer: str, wanted: float, unit: str = "/s") -> None:
    """Print how many times ours is theirs, and whether that is what we say. Exits with 1 if not."""
    ratio = ours / theirs
    verdict = "ok" if ratio >= wanted else "BELOW"
    print(
        f"{what}: {ours:,.4g}{unit} against {theirs:,.4g}{unit} ({peer}): {ratio:,.3g}x, wanted {wanted:g}x: {verdict}"
    )
    if ratio < wanted:
        sys.exit(1)


def spiel() -> Any:
    """OpenSpiel, the peer; it is installed for benchmarks only."""
    try:
        import pyspiel
    except ImportError:
        sys.exit("this benchmark needs its peer: .venv/bin/pip install open_spiel")
    return pyspiel
