"""How much one server, one address and one page may take."""

from __future__ import annotations

import ipaddress
import os
import time
from collections import Counter
from dataclasses import dataclass, field

from hansu.core.machine import memory_bytes

MEGABYTE = 1 << 20
SPARE_FILES = 64  # descriptors for everything but connections: the code cache, guests' pipes, files that are served


def _connections() -> int:
    """So many that descriptors never run out."""
    try:
        import resource

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    except (ImportError, OSError, ValueError):
        return 512
    return 1024 if files == resource.RLIM_INFINITY else min(max(files - SPARE_FILES, 16), 1024)


@dataclass(frozen=True)
class Bounds:
    """Every number that keeps the server alive, in one place."""

    sessions: int = 256
    sessions_of_an_address: int = 32  # except this machine itself
    connections: int = field(default_factory=_connections)  # of any kind: pages that load, sockets, whoever only knocks
    connections_of_an_address: int = 128  # except this machine itself
    request_seconds: float = 10.0  # a connection that has asked for nothing by then is closed
    answer_seconds: float = 60.0  # so is one that has not taken the answer by then
    linger_seconds: float = 3.0  # what is closed may still take what waits for it for so long
    message_bytes: int = 128 * 1024
    messages_a_second: float = 60.0
    burst: int = 120
    dropped: int = 400  # messages over the rate until the socket is closed
    workers: int = field(default_factory=lambda: max(4, os.cpu_count() or 1))
    queue: int = 256  # searches that wait
    queue_seconds: float = 60.0  # how long one may wait
    share_seconds: float = 2.0  # where others wait, whoever has more than a fair share of the workers has it so long
    compile_seconds: float = 180.0  # beside the time to think
    player_bytes: int = 256 * MEGABYTE  # tables of one player
    memory_bytes: int = field(default_factory=lambda: memory_bytes() // 2)  # tables of all players
    send_seconds: float = 10.0  # a page that takes no message for so long is given up
    outbox: int = 256  # messages that wait for it
    outbox_bytes: int = 8 * MEGABYTE

    @property
    def long_searches(self) -> int:
        """Analyses that may run at once, so that moves find a worker."""
        return max(1, self.workers // 2)

    @property
    def frames_a_second(self) -> float:
        """Of a socket, whatever they are: messages, parts of messages, pings."""
        return 2 * self.messages_a_second

    @property
    def frame_burst(self) -> int:
        return 2 * (self.burst + self.dropped)


class TokenBucket:
    """A rate with a burst: `take` says whether so many more are within it."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, float(burst)
        self._tokens, self._at = float(burst), time.monotonic()

    def take(self, count: int = 1) -> bool:
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens < count:
            return False
        self._tokens -= count
        return True


class Quota:
    """At most so many in all and so many of one address; this machine itself may have them all."""

    def __init__(self, most: int, most_of_an_address: int) -> None:
        self._most, self._most_of_an_address = most, most_of_an_address
        self._of: Counter[str] = Counter()

    @property
    def total(self) -> int:
        return self._of.total()

    def enter(self, address: str) -> bool:
        most = self._most if _is_here(address) else self._most_of_an_address
        if self.total >= self._most or self._of[address] >= most:
            return False
        self._of[address] += 1
        return True

    def leave(self, address: str) -> None:
        self._of[address] -= 1
        if not self._of[address]:
            del self._of[address]


def _is_here(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return True  # a test client, or a socket of the file system
