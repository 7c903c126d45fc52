"""`solver`: perfect play, from the opening book and then by exact search."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from hansu.core import Control, Decision, Limit, Message, MoveValue, Position, Report, Value, option, popcount
from hansu.core.control import NODES
from hansu.core.player import LIMITS
from hansu.games.connect_four.rules import four
from hansu.games.connect_four.solver.book import SHIPPED, OpeningBook
from hansu.games.connect_four.solver.engine import DEFAULT_MEGABYTES, SolverSearcher, new_table
from hansu.games.connect_four.solver.search import safe_moves, wins
from hansu.games.connect_four.solver.standard_board import CELLS, CENTRE_FIRST, drop, stones_of, wins_now
from hansu.search.engine import SearcherPlayer
from hansu.search.players.explanations import value_text

POLL = 0.002  # seconds between two checks of the stop flag and the node count


@dataclass
class SolverPlayer(SearcherPlayer[SolverSearcher]):
    """Plays by the exact score of every column."""

    kind: ClassVar[str] = "solver"
    title: ClassVar[str] = Message("Solver (perfect)")
    about: ClassVar[str] = Message("perfect play: opening book, then exact search (ignores depth limits)")
    all_columns: bool = option(
        True,
        Message("compute the scores of all columns; false: find only one best column"),
        title=Message("scores of all columns"),
        old="columns",
    )
    heeds: ClassVar[frozenset[str]] = LIMITS - {"depth"}
    book: bool = option(True, Message("use the opening book"), title=Message("opening book"))
    hash: int = option(
        DEFAULT_MEGABYTES,
        Message("transposition table size in MB"),
        title=Message("memory (MB)"),
        low=1,
        high=1 << 16,
        bytes_each=1 << 20,
        old="megabytes",
    )

    def new_searcher(self, position: Position) -> SolverSearcher:
        self._book = OpeningBook() if self.book and SHIPPED.exists() else None
        return SolverSearcher(new_table(self.hash))

    def close(self) -> None:
        super().close()
        self._book = None

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        mine, mask = stones_of(position.state)
        searcher = self.searcher(position)
        searcher.nodes = 0
        searcher.go_on()
        started = time.perf_counter()
        with control.deadline(limit.time), _watching(searcher, control, limit.nodes):
            allowed = set(position.actions)
            from_book = self._from_book(mine, mask, allowed)
            if from_book is not None:
                scores = from_book
            elif self.all_columns:
                scores = {
                    a: self._score_after(mine, mask, a) for a in CENTRE_FIRST if a in allowed and not searcher.stopped
                }
            else:
                score = searcher.score(mine, mask)
                scores = {searcher.best_column(mine, mask, score): score}
            if searcher.stopped:
                return _unfinished(position, mine, mask, searcher.nodes, time.perf_counter() - started)
            best = max(scores.values())
            action = min(a for a, score in scores.items() if score == best)
            nodes = searcher.nodes  # before the search for the line, whose node count depends on time
            line = (action, *self._line(mine ^ mask, mask | drop(mask, action), -best, from_book is not None))
        played, team = popcount(mask), position.team
        moves = tuple(MoveValue(action=a, value=exact(team, scores[a], played)) for a in sorted(scores))
        source = Message("the opening book") if from_book is not None else Message("exact search")
        move, value = position.move_text(action), exact(team, best, played)
        why = Message("{move}: {value} ({source})", move=move, value=value_text(position, value), source=source)
        report = Report(
            value=value, line=line, moves=moves, depth=CELLS - played, nodes=nodes,
            seconds=time.perf_counter() - started,
        )  # fmt: skip
        return Decision(action=action, why=why, report=report)

    def _from_book(self, mine: int, mask: int, allowed: set[int]) -> dict[int, int] | None:
        """Scores from the book: of every column, or of one best column if the children are not in the book."""
        entry = self._look(mine, mask)
        if entry is None:
            return None
        scores = {a: self._child(mine, mask, a) for a in allowed}
        if None not in scores.values():
            return {a: score for a, score in scores.items() if score is not None}
        return {entry[1]: entry[0]} if entry[1] in allowed and not self.all_columns else None

    def _look(self, mine: int, mask: int) -> tuple[int, int] | None:
        return None if self._book is None else self._book.look(mine, mask)

    def _child(self, mine: int, mask: int, column: int) -> int | None:
        """The mover's score after a column if it needs no search, else None."""
        cell = drop(mask, column)
        if four(mine | cell, 6):
            return (CELLS + 1 - popcount(mask)) // 2
        entry = self._look(mine ^ mask, mask | cell)
        return None if entry is None else -entry[0]

    def _score_after(self, mine: int, mask: int, column: int) -> int:
        known = self._child(mine, mask, column)
        if known is not None:
            return known
        assert self._searcher is not None
        return -self._searcher.score(mine ^ mask, mask | drop(mask, column))

    def _line(self, mine: int, mask: int, score: int, only_book: bool) -> Iterator[int]:
        """Best play from here to the end, for at most half a second. A decision from the book does not wait for a
        search."""
        assert self._searcher is not None
        until = time.perf_counter() + 0.5
        while not four(mine ^ mask, 6) and popcount(mask) < CELLS and time.perf_counter() < until:
            entry = self._look(mine, mask)
            if entry is None and only_book:
                return
            column = entry[1] if entry is not None else self._searcher.best_column(mine, mask, score)
            if self._searcher.stopped:
                return
            yield column
            mine, mask, score = mine ^ mask, mask | drop(mask, column), -score


def exact(team: int, score: int, played: int) -> Value:
    """The exact value of a mover's score (22 minus the winner's stones at the end) with `played` stones on the
    board."""
    stones = 22 - abs(score)
    plies = CELLS - played
    if score > 0:
        plies = 2 * (stones - played // 2) - 1
    elif score < 0:
        plies = 2 * (stones - (played + 1) // 2)
    return Value.seen_from(team, float(score), proved=True, plies=plies)


@contextmanager
def _watching(searcher: SolverSearcher, control: Control, most_nodes: int | None) -> Iterator[None]:
    """Stops the searcher when the control is stopped or the nodes are used up, and copies its node count to the
    control. (The kernel sees only its own memory.)"""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(POLL):
            control.words[NODES] = searcher.nodes
            if control.stopped or (most_nodes is not None and searcher.nodes >= most_nodes):
                searcher.stop()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        control.words[NODES] = searcher.nodes


def _unfinished(position: Position, mine: int, mask: int, nodes: int, seconds: float) -> Decision:
    """The decision without a proof: a column that does not lose at once."""
    safe = wins_now(mine, mask) or safe_moves(mask, wins(mine ^ mask))
    columns = [a for a in CENTRE_FIRST if a in position.actions]
    action = next((a for a in columns if drop(mask, a) & safe), columns[0])
    move = position.move_text(action)
    why = Message("{move} does not lose at once (no time for a proof)", move=move)
    if not drop(mask, action) & safe:
        why = Message("{move}: every column loses at once", move=move)
    return Decision(action=action, why=why, report=Report(line=(action,), nodes=nodes, seconds=seconds))
