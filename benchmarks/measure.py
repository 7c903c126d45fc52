"""What the benchmarks share: CPU time of this process, best of several runs, a line with the ratio; for protocols, how
long the answers of a program took."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

from hansu.protocols.program import Program


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


class Timed:
    """A program, and how many seconds each of its moves took; one that takes more than `most` is late. Lines that begin
    with `chatter` are no answers."""

    def __init__(self, command: list[str], name: str, most: float, chatter: str = "") -> None:
        self.program = Program(command, name)
        self.most = most
        self.chatter = chatter
        self.spent: list[float] = []

    def ask(self, *lines: str, wanted: str = "") -> str:
        """The first answer that begins as wanted and is no chatter."""
        for line in lines:
            self.program.send(line)
        while True:
            answer = self.program.read(120)
            if answer.startswith(wanted) and not (self.chatter and answer.startswith(self.chatter)):
                return answer

    def move(self, *lines: str, wanted: str = "") -> str:
        began = time.perf_counter()
        answer = self.ask(*lines, wanted=wanted)
        self.spent.append(time.perf_counter() - began)
        return answer

    @property
    def late(self) -> int:
        return sum(seconds > self.most for seconds in self.spent)

    def told(self) -> str:
        spent = sorted(1000 * seconds for seconds in self.spent)
        middle, rare = spent[len(spent) // 2], spent[int(0.99 * len(spent))]
        return (
            f"{self.late} of {len(spent):,} moves late (median {middle:.1f} ms, 99 % within {rare:.1f} ms, "
            f"slowest {spent[-1]:.1f} ms)"
        )


def clock_watcher(seconds: float, answer: str) -> list[str]:
    """The command of a program that answers every line after looking at the clock for so long: the peer."""
    code = f"""
import sys, time
for line in sys.stdin:
    end = time.perf_counter() + {seconds}
    while time.perf_counter() < end:
        pass
    print({answer!r}, flush=True)
"""
    return [sys.executable, "-c", code]


def as_punctual(what: str, engine: Timed, peer: Timed) -> None:
    """End both and say whether the engine was late no more often than the peer, within chance. Exits with 1 if not."""
    engine.program.kill()
    peer.program.kill()
    chance_alone = 3 * math.sqrt(engine.late + peer.late)  # three standard deviations of the difference
    verdict = "ok" if engine.late - peer.late <= chance_alone else "BELOW"
    print(f"{what}: {engine.told()} against {peer.told()} of a clock watcher: {verdict}")
    if verdict != "ok":
        sys.exit(1)
