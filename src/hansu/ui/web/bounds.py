"""How much one server, one address and one page may take."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field

MEGABYTE = 1 << 20


def _half_of_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return 2 << 30


@dataclass(frozen=True)
class Bounds:
    """Every number that keeps the server alive, in one place."""

    sessions: int = 256
    sessions_of_an_address: int = 32  # except this machine itself
    message_bytes: int = 128 * 1024
    messages_a_second: float = 60.0
    burst: int = 120
    dropped: int = 400  # messages over the rate until the socket is closed
    workers: int = field(default_factory=lambda: max(4, os.cpu_count() or 1))
    queue: int = 256  # searches that wait
    queue_seconds: float = 60.0  # how long one may wait
    compile_seconds: float = 180.0  # beside the time to think
    player_bytes: int = 256 * MEGABYTE  # tables of one player
    memory_bytes: int = field(default_factory=_half_of_memory)  # tables of all players
    send_seconds: float = 10.0  # a page that takes no message for so long is given up
    outbox: int = 256  # messages that wait for it

    @property
    def long_searches(self) -> int:
        """Analyses that may run at once, so that moves find a worker."""
        return max(1, self.workers // 2)


class TokenBucket:
    """A rate with a burst: `take` says whether one more is within it."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, float(burst)
        self._tokens, self._at = float(burst), time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
