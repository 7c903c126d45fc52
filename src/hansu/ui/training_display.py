"""Training progress in the terminal: messages line by line, the numbers of a long run in a live table."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hansu.core.message import Message
from hansu.core.terminal_language import localize
from hansu.ui.console import beside

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 24  # characters of a curve


class Display:
    """Shows the progress of a recipe. Without a terminal each row of the log becomes a short line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._goes_on = True
        self._curves: dict[str, list[float]] = {}
        self._ratings: dict[str, Mapping[str, Any]] = {}
        self._last: Mapping[str, Any] = {}
        self._updated = time.monotonic()

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._goes_on = False
            self._live.stop()

    def tell(self, text: str) -> None:
        """Print a message."""
        beside(localize(text), "dim", self._console)

    def show(self, row: Mapping[str, Any]) -> None:
        """Show a row of the log."""
        if row.get("kind") == "rating":
            self._curves.setdefault(row["against"], []).append(row["elo"])
            self._ratings[row["against"]] = row
        elif row.get("kind") == "progress":
            for name in ("policy_loss", "value_loss"):
                if name in row:
                    self._curves.setdefault(name, []).append(row[name])
            self._last, self._updated = row, time.monotonic()  # another thread draws the table
        if not self._console.is_terminal:
            beside(_line(row), "dim", self._console)
            return
        if self._live is None:
            from rich.live import Live

            self._live = Live(console=self._console, refresh_per_second=4, get_renderable=self._picture)
            self._live.start()
        self._live.refresh()

    def _picture(self) -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        row = self._last
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        table.add_column(style="cyan", no_wrap=True)
        if "whole" in row:
            bar = ProgressBar(total=row["whole"], completed=self._seconds, width=WIDTH)
            table.add_row(localize(Message("time")), Text(self._time()), bar)
        for label, text, curve in self._lines(row):
            table.add_row(Text(label), Text(text), Text(curve))
        return table

    @property
    def _seconds(self) -> float:
        """Seconds of training so far."""
        row = self._last
        now = row.get("seconds", 0.0) + (time.monotonic() - self._updated if self._goes_on and row else 0.0)
        return float(min(now, max(row.get("whole", now), row.get("seconds", 0.0))))

    def _time(self) -> str:
        row = self._last
        left = max(round(row["whole"] - self._seconds), 0)
        text = Message(
            "{done:.1f} of {whole:g} minutes, {left} left",
            done=self._seconds / 60, whole=row["whole"] / 60, left=f"{left // 60}:{left % 60:02}",
        )  # fmt: skip
        return localize(text)

    def _lines(self, row: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        lines = []
        if "games" in row:
            lines.append((localize(Message("games")), f"{row['games']:,}", ""))
        if "positions" in row:
            lines.append((localize(Message("positions")), f"{row['positions']:,}", ""))
        if "simulations_a_second" in row:
            text = Message(
                "{speed:,.0f} simulations/s, {simulations} a move, {waiting:.0%} waiting for the network",
                speed=row["simulations_a_second"], simulations=row["simulations"], waiting=row["waiting"],
            )  # fmt: skip
            lines.append((localize(Message("search")), localize(text), ""))
        if "steps" in row:
            text = Message(
                "{steps:,} steps, {waiting:.0%} waiting for games", steps=row["steps"], waiting=row["learner_waiting"]
            )
            lines.append((localize(Message("learner")), localize(text), ""))
        if "actors" in row:
            lines.append((localize(Message("cluster")), localize(_actors(row)), ""))
        for name in ("policy_loss", "value_loss"):
            if name in row:
                lines.append((name.replace("_", " "), f"{row[name]:.3f}", _curve(self._curves[name])))
        for name, rating in list(self._ratings.items()):
            lines.append((f"against {name}", _rated(rating), _curve(self._curves[name])))
        return lines


def _curve(values: list[float]) -> str:
    """The last values as small bars."""
    values = values[-WIDTH:]
    low, high = min(values), max(values)
    if high == low:
        return BARS[0] * len(values)
    return "".join(BARS[int((value - low) / (high - low) * (len(BARS) - 1))] for value in values)


def _line(row: Mapping[str, Any]) -> str:
    """One line: `0.5 of 10 minutes: 1,200 games, 31,000 positions, 40 steps, policy loss 1.830`."""
    if row.get("kind") == "rating":
        return f"against {row['against']}: {_rated(row)}"
    if row.get("kind") != "progress":
        return "  ".join(f"{name} {_shown(value)}" for name, value in row.items() if name not in ("kind", "time"))
    parts = [f"{row[name]:,} {name}" for name in ("games", "positions", "steps") if name in row]
    parts += [f"{name.replace('_', ' ')} {row[name]:.3f}" for name in ("policy_loss", "value_loss") if name in row]
    parts += [_actors(row)] if "actors" in row else []
    return f"{row.get('seconds', 0) / 60:.1f} of {row.get('whole', 0) / 60:g} minutes: {', '.join(parts)}"


def _rated(row: Mapping[str, Any]) -> str:
    return f"{row['elo']:+.0f} Elo, {row['score']:.0%} of {row['games']} games"


def _actors(row: Mapping[str, Any]) -> Message:
    return Message(
        "{actors:,} actors on {machines:,} machines, {lost:,} lost",
        actors=row["actors"], machines=row["nodes"], lost=row["lost_actors"],
    )  # fmt: skip


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
