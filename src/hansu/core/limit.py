"""The limits of one decision: depth, nodes, time."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

from hansu.core.errors import HansuError, shortened
from hansu.core.options import MOST, Option, did_you_mean, split_spec, unreadable

MOST_SECONDS = 86_400.0 * 366

_OPTIONS = {
    "depth": Option("depth", int, None, "plies", low=1, high=10_000),
    "nodes": Option("nodes", int, None, "nodes", low=1),
    "time": Option("time", float, None, "seconds per move", low=0.001, high=86_400),
}


@dataclass(frozen=True)
class Limit:
    """Upper bounds of one decision: plies, nodes, seconds. None leaves a bound to the player.

    >>> Limit(depth=4, time=0.5)
    Limit(depth=4, nodes=None, time=0.5)
    """

    depth: int | None = None
    nodes: int | None = None
    time: float | None = None

    def __post_init__(self) -> None:
        for name in ("depth", "nodes"):
            count = getattr(self, name)
            if count is not None and (not isinstance(count, Integral) or not 1 <= int(count) <= MOST):
                raise HansuError(
                    "invalid limit {name}={value}", "an integer of 1 or more", name=name, value=shortened(count)
                )
        if self.time is not None and (not isinstance(self.time, Real) or not 0 <= self.time <= MOST_SECONDS):
            raise HansuError(
                "invalid limit {name}={value}", "seconds, at most {most:,.0f}",
                name="time", value=shortened(self.time), most=MOST_SECONDS,
            )  # fmt: skip

    @classmethod
    def read(cls, text: str) -> Limit:
        """A limit written as `depth=4`, `nodes=100000` or `time=0.5`, or several of them separated by commas.

        >>> str(Limit.read("depth=4,time=0.5"))
        'depth=4,time=0.5'
        """
        if not text.strip():
            return cls()
        _, settings = split_spec("limit:" + text)
        values = {}
        for key, value in settings.items():
            if not key:
                raise unreadable(f"limit:{value}", value)
            if key not in _OPTIONS:
                raise HansuError("unknown limit {key!r}", did_you_mean(key, _OPTIONS, "limits"), key=key)
            values[key] = _OPTIONS[key].read(value, "limit")
        return cls(**values)

    def __str__(self) -> str:
        parts = [f"{name}={value:g}" for name in _OPTIONS if (value := getattr(self, name)) is not None]
        return ",".join(parts) or "none"
