"""How the engine plays the steps of an opening rule: a short search evaluates the position after each choice.

The engine chooses the better colour, places stones for an even position if the opponent may choose next, offers black's
best fifth moves, and as white keeps the worst of them.
"""

from __future__ import annotations

import time

from hansu.core import Action, Control, Decision, Limit, Message, Position, Report, play
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.openings import COUNT, COUNT_0, KEEP, KIND, OFFER, PLACE, THIRD_CHOICE
from hansu.games.renju.state import board, colour, mover, size_of, step_of

NODES = 3000  # maximum for the search after each choice
MOST_PLACEMENTS = 60  # placements that are searched
FIFTH_MOVES = 3  # the number that white chooses: few enough that black gains nothing from a swap


class OpeningChoices:
    """Decides the steps of an opening rule. `limit` covers all choices together; choices that are not searched in time
    are not considered."""

    def __init__(self, searcher: RenjuSearcher, limit: Limit, control: Control) -> None:
        self._searcher, self._limit, self._control = searcher, limit, control

    def decide(self, position: Position) -> Decision:
        """The choice in a position whose next action is a step of an opening rule."""
        s = position.state
        kind = KIND[step_of(s)]
        actions = position.actions
        if kind == COUNT:
            action = size_of(s) ** 2 + COUNT_0 + FIFTH_MOVES
            why = Message("requests {count} fifth moves", count=FIFTH_MOVES)
            return Decision(action=action, why=why, report=Report(line=(action,)))
        if kind in (PLACE, OFFER, KEEP):
            choices = self._nearest(position)[:MOST_PLACEMENTS]
        else:  # the third choice only postpones the decision
            choices = [action for action in actions if action != size_of(s) ** 2 + THIRD_CHOICE]
        values = self._values(position, choices)
        following = play(s, choices[0])
        other_chooses = step_of(following) != 0 and KIND[step_of(following)] not in (PLACE, OFFER, KEEP)
        if kind == PLACE and (other_chooses or mover(following) == mover(s)):
            action = min(values, key=lambda a: abs(values[a]))
            why = Message("keeps the position even, because the opponent may choose next")
        else:
            action = max(values, key=lambda a: values[a])
            why = Message("the best evaluation of all choices")
        text = position.move_text(action)
        why = Message("{move}: {why}", move=text, why=why)
        return Decision(action=action, why=why, report=Report(line=(action,), nodes=self._control.nodes))

    @staticmethod
    def _nearest(position: Position) -> list[Action]:
        """The legal cells, those nearest to the centre first."""
        size = size_of(position.state)
        middle = (size - 1) / 2
        return sorted(position.actions, key=lambda c: max(abs(c // size - middle), abs(c % size - middle)))

    def _values(self, position: Position, choices: list[Action]) -> dict[Action, int]:
        """The scores of the choices that are searched in time, at least one."""
        limit = self._limit
        nodes = NODES if limit.nodes is None else min(NODES, max(limit.nodes // len(choices), 1))
        ends = None if limit.time is None else time.perf_counter() + limit.time
        values: dict[Action, int] = {}
        with self._control.deadline(limit.time):
            for action in choices:
                if values and (self._control.stopped or (ends is not None and time.perf_counter() > ends)):
                    break
                values[action] = self._value(position, action, Limit(limit.depth, nodes))
        return values

    def _value(self, position: Position, action: Action, limit: Limit) -> int:
        """The score after an action, from the side of the current mover. An offered move is evaluated as if played."""
        s = position.state
        after = play(s, action)
        flat = board(after)
        stones = [(cell, int(flat[cell]) - 1) for cell in range(len(flat)) if flat[cell]]
        side = colour(after)
        if KIND[step_of(s)] == OFFER:
            stones, side = [*stones, (action, colour(s))], 1 - colour(s)
            return -self._score(stones, side, limit)
        score = self._score(stones, side, limit)
        return score if mover(after) == mover(s) else -score

    def _score(self, stones: list[tuple[int, int]], side: int, limit: Limit) -> int:
        if not stones:
            return 0
        return self._searcher.score_of(self._searcher.search(stones, side, limit, self._control))
