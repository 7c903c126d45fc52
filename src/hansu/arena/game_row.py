"""A finished game as a store takes it: the record as JSON, and what is counted of it without reading that again."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """What a store counts of a game, and the whole of it as text.

    >>> game = {"opening": ["4"], "moves": ["4", "5"], "outcome": None, "seconds": [0.5, 0.25]}
    >>> Entry.of(game)[:5]
    (None, 'unfinished', 3, 0.5, 0.25)
    """

    outcome: int | None
    ended: str
    plies: int
    first_seconds: float
    second_seconds: float
    digest: int
    text: str

    @classmethod
    def of(cls, told: dict[str, Any]) -> Entry:
        """Of a record as `Record.as_json()` tells it."""
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        plies = len(told["opening"]) + len(told["moves"])
        return cls(told["outcome"], how_ended(told), plies, *seconds_of(told), moves_digest(told), text)


def how_ended(told: dict[str, Any]) -> str:
    """One word for how a game ended."""
    if told.get("fault"):
        return "fault"
    if told.get("adjudicated"):
        return str(told["adjudicated"])
    if told.get("resigned") is not None:
        return "resigned"
    return "unfinished" if told["outcome"] is None else "over"


def seconds_of(told: dict[str, Any]) -> tuple[float, float]:
    """What each seat has thought."""
    first, second = told.get("seconds") or (0.0, 0.0)
    return float(first), float(second)


def moves_digest(told: dict[str, Any]) -> int:
    """The same for games that are the same move by move."""
    return digest(" ".join([told.get("start") or "start", *told["opening"], *told["moves"]]))


def digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
