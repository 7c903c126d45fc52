"""How long a player may think."""

from __future__ import annotations

from dataclasses import dataclass

from hansu.core.errors import HansuError
from hansu.core.options import Option, did_you_mean, split_spec

_OPTIONS = {
    "depth": Option("depth", int, None, "plies", low=1, high=10_000),
    "nodes": Option("nodes", int, None, "nodes", low=1),
    "time": Option("time", float, None, "seconds a move", low=0.001, high=86_400),
}


@dataclass(frozen=True)
class Limit:
    """At most this many plies, nodes and seconds for one decision; None leaves that to the player.

    >>> Limit(depth=4, time=0.5)
    Limit(depth=4, nodes=None, time=0.5)
    """

    depth: int | None = None
    nodes: int | None = None
    time: float | None = None

    @classmethod
    def read(cls, text: str) -> Limit:
        """`depth=4`, `nodes=100000`, `time=0.5`, or several with commas between.

        >>> str(Limit.read("depth=4,time=0.5"))
        'depth=4,time=0.5'
        """
        if not text.strip():
            return cls()
        _, settings = split_spec("limit:" + text)
        values = {}
        for key, value in settings.items():
            if key not in _OPTIONS:
                raise HansuError(f"unknown limit {key!r}", did_you_mean(key, _OPTIONS, "limits"))
            values[key] = _OPTIONS[key].read(value, "limit")
        return cls(**values)

    def __str__(self) -> str:
        parts = [f"{name}={value:g}" for name in _OPTIONS if (value := getattr(self, name)) is not None]
        return ",".join(parts) or "none"
