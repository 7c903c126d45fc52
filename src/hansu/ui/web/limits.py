"""Limits of one server, one address and one page."""

from __future__ import annotations

import ipaddress
import os
import time
from collections import Counter
from dataclasses import dataclass, field

from hansu.core.machine import memory_bytes

MEGABYTE = 1 << 20
SPARE_FILES = 64  # descriptors for everything except connections: code cache, engine pipes, static files


def _connections() -> int:
    """Few enough that the process never runs out of file descriptors."""
    try:
        import resource

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    except (ImportError, OSError, ValueError):
        return 512
    return 1024 if files == resource.RLIM_INFINITY else min(max(files - SPARE_FILES, 16), 1024)


@dataclass(frozen=True)
class Bounds:
    """Every limit that protects the server, in one place."""

    sessions: int = 256
    sessions_of_an_address: int = 32  # no limit for this machine itself
    connections: int = field(default_factory=_connections)  # of any kind: HTTP requests, sockets, idle connections
    connections_of_an_address: int = 128  # no limit for this machine itself
    request_seconds: float = 10.0  # a connection without a request is closed after this time
    answer_seconds: float = 60.0  # a connection that does not take its response is closed after this time
    linger_seconds: float = 3.0  # a closed connection may still receive pending data for this time
    message_bytes: int = 128 * 1024
    messages_a_second: float = 60.0
    burst: int = 120
    dropped: int = 400  # messages above the rate until the socket is closed
    workers: int = field(default_factory=lambda: max(4, os.cpu_count() or 1))
    queue: int = 256  # waiting searches
    queue_seconds: float = 60.0  # maximum waiting time of a search
    share_seconds: float = 2.0  # while others wait, a search beyond its address's fair share is stopped after this time
    compile_seconds: float = 180.0  # in addition to the thinking time
    player_bytes: int = 256 * MEGABYTE  # tables of one player
    memory_bytes: int = field(default_factory=lambda: memory_bytes() // 2)  # tables of all players
    send_seconds: float = 10.0  # a page that takes no message for this time is disconnected
    outbox: int = 256  # messages waiting for a page
    outbox_bytes: int = 8 * MEGABYTE

    @property
    def long_searches(self) -> int:
        """Maximum number of concurrent long searches, so that a worker is left for moves."""
        return max(1, self.workers // 2)

    @property
    def frames_a_second(self) -> float:
        """Maximum rate of WebSocket frames: messages, fragments and pings."""
        return 2 * self.messages_a_second

    @property
    def frame_burst(self) -> int:
        return 2 * (self.burst + self.dropped)


class TokenBucket:
    """A rate limit with a burst: `take` returns whether `count` more events are allowed."""

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
    """A maximum in total and per address; this machine itself has only the total limit."""

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
        return True  # a test client or a Unix socket
