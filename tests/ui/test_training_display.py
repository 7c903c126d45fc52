"""How a training goes, on a console: the live table, and lines where nobody watches."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console
from rich.live import Live

from hansu.ui.console import beside
from hansu.ui.training_display import Display

PROGRESS: dict[str, Any] = {
    "kind": "progress", "seconds": 6.0, "whole": 7.2, "games": 1234, "positions": 56789, "steps": 123,
    "simulations_a_second": 12345, "simulations": 32, "waiting": 0.25, "learner_waiting": 0.1, "policy_loss": 1.83,
    "value_loss": 0.61, "simulations_in_all": 1, "searching": 0.5, "moving": 0.25, "steps_a_second": 3.1, "window": 5,
    "rate": 0.001, "processor_seconds": 9.5,
}  # fmt: skip
RATING = {"kind": "rating", "against": "minimax", "elo": 12.0, "score": 0.52, "games": 40, "low": -40.0, "high": 60.0}


def console(width: int, terminal: bool) -> Console:
    """As `ui.console.err` makes it."""
    return Console(
        file=io.StringIO(), width=width, force_terminal=terminal, soft_wrap=True, highlight=False, color_system=None,
        legacy_windows=False,
    )  # fmt: skip


def shown(width: int, terminal: bool) -> list[str]:
    made = console(width, terminal)
    with Display(made) as display:
        display.show(PROGRESS)
        display.tell("played [to] the end")
        display.show(RATING)
    assert isinstance(made.file, io.StringIO)
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", made.file.getvalue().replace("\r", "\n")).splitlines()


@pytest.mark.parametrize("width", [80, 60])
def test_the_live_table(width: int) -> None:
    lines = shown(width, terminal=True)
    text = "\n".join(lines)
    assert "played [to] the end" in text and "[dim]" not in text and "[/" not in text
    assert max(map(len, lines)) <= width
    times = [line for line in lines if "time" in line]
    assert times
    for time in times:
        assert "━" not in time.partition("time")[0] and "0.1 of" in time.partition("━")[0]
    words = " ".join(text.split())
    assert "minimax" in words and "+12 Elo, 52% of" in words


def test_nothing_of_the_live_table_is_cut_off_at_eighty_columns() -> None:
    words = " ".join(" ".join(shown(80, terminal=True)).split())
    for text in ("0.1 of 0.12 minutes", "1,234", "56,789", "25% waiting for the network", "1.830", "40 games"):
        assert text in words, text


def test_lines_where_nobody_watches_are_short_and_in_words() -> None:
    lines = [line for line in shown(80, terminal=False) if line]
    assert lines == [
        "0.1 of 0.12 minutes: 1,234 games, 56,789 positions, 123 steps, policy loss 1.830, value loss 0.610",
        "played [to] the end",
        "against minimax: +12 Elo, 52% of 40 games",
    ]


def test_what_is_told_beside_a_live_picture_leaves_its_markup_alone() -> None:
    made = console(80, terminal=True)
    with Live("[bold]table[/bold]", console=made, auto_refresh=False) as live:
        beside("a fault in [brackets]", "yellow", made)
        live.refresh()
    assert isinstance(made.file, io.StringIO)
    assert "a fault in [brackets]" in made.file.getvalue() and "[bold]" not in made.file.getvalue()
