"""A finished game as a row of a store: the columns that are counted, and the record as JSON text."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple


class GameRow(NamedTuple):
    """The columns that a store counts, and the whole record as text.

    >>> record = {"opening": ["4"], "moves": ["4", "5"], "outcome": None, "seconds": [0.5, 0.25]}
    >>> GameRow.of(record)[:5]
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
    def of(cls, record: dict[str, Any]) -> GameRow:
        """From a record as `Record.as_json()` returns it."""
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        plies = len(record["opening"]) + len(record["moves"])
        return cls(record["outcome"], how_ended(record), plies, *seconds_of(record), moves_digest(record), text)


def how_ended(record: dict[str, Any]) -> str:
    """One word for how a game ended."""
    if record.get("fault"):
        return "fault"
    if record.get("adjudicated"):
        return str(record["adjudicated"])
    if record.get("resigned") is not None:
        return "resigned"
    return "unfinished" if record["outcome"] is None else "over"


def seconds_of(record: dict[str, Any]) -> tuple[float, float]:
    """Thinking time of each seat."""
    first, second = record.get("seconds") or (0.0, 0.0)
    return float(first), float(second)


def moves_digest(record: dict[str, Any]) -> int:
    """Equal for games with the same start and moves."""
    return digest(" ".join([record.get("start") or "start", *record["opening"], *record["moves"]]))


def digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
