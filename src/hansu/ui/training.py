"""How a training goes, in the terminal: what is worth saying line by line, the numbers of a long run in place."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 24  # of a little curve


class Display:
    """Listens to a recipe. Where nobody watches (no terminal), every row of numbers is a line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._curves: dict[str, list[float]] = {}
        self._ratings: dict[str, Mapping[str, Any]] = {}
        self._last: Mapping[str, Any] = {}

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def tell(self, text: str) -> None:
        self._console.print(text, style="dim", markup=False)

    def show(self, row: Mapping[str, Any]) -> None:
        """A row of the log."""
        if row.get("kind") == "rating":
            self._ratings[row["against"]] = row
            self._curves.setdefault(row["against"], []).append(row["elo"])
        elif row.get("kind") == "progress":
            self._last = row
            for name in ("policy_loss", "value_loss"):
                if name in row:
                    self._curves.setdefault(name, []).append(row[name])
        if not self._console.is_terminal:
            self._console.print(_line(row), style="dim", markup=False)
            return
        if self._live is None:
            from rich.live import Live

            self._live = Live(console=self._console, refresh_per_second=4)
            self._live.start()
        self._live.update(self._picture())

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        row = self._last
        table = Table.grid(padding=(0, 2))
        for label, text, curve in self._lines(row):
            table.add_row(f"[dim]{label}[/dim]", text, f"[cyan]{curve}[/cyan]")
        bar = ProgressBar(total=row.get("whole", 1.0), completed=row.get("seconds", 0.0), width=48)
        return Group(bar, table)

    def _lines(self, row: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        lines = [
            ("time", f"{row.get('seconds', 0) / 60:.1f} of {row.get('whole', 0) / 60:g} minutes", ""),
            ("games", f"{row.get('games', 0):,}, {row.get('positions', 0):,} positions", ""),
            ("search", f"{row.get('simulations_a_second', 0):,.0f} simulations/s, {row.get('simulations', 0)} a move, "
                       f"{row.get('waiting', 0):.0%} waiting for the network", ""),
            ("learner", f"{row.get('steps', 0):,} steps, {row.get('learner_waiting', 0):.0%} waiting for games", ""),
        ]  # fmt: skip
        if "actors" in row:
            text = f"{row['actors']:,} actors on {row['nodes']:,} machines, {row['lost_actors']:,} lost"
            lines.append(("cluster", text, ""))
        for name in ("policy_loss", "value_loss"):
            if name in row:
                lines.append((name.replace("_", " "), f"{row[name]:.3f}", _curve(self._curves[name])))
        for name, rating in self._ratings.items():
            text = f"{rating['elo']:+.0f} Elo, {rating['score']:.0%} of {rating['games']} games"
            lines.append((f"against {name}", text, _curve(self._curves[name])))
        return lines


def _curve(values: list[float]) -> str:
    """The last values as little bars."""
    values = values[-WIDTH:]
    low, high = min(values), max(values)
    if high == low:
        return BARS[0] * len(values)
    return "".join(BARS[int((value - low) / (high - low) * (len(BARS) - 1))] for value in values)


def _line(row: Mapping[str, Any]) -> str:
    """`games 1,200  steps 40  policy_loss 1.83`"""
    return "  ".join(f"{name} {_shown(value)}" for name, value in row.items() if name not in ("kind", "time"))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
