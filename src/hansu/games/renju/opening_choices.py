"""How the engine goes through the steps of an opening rule: it looks at the board after each choice with a short
search, and takes the colour that stands better, puts stones so that neither does where the other may choose, offers the
fifth moves that are best for black, and keeps the one that is worst for him."""

from __future__ import annotations

import time

from hansu.core import Action, Control, Decision, Limit, Message, Position, Report, play
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.openings import COUNT, COUNT_0, KEEP, KIND, OFFER, PLACE, THIRD_CHOICE
from hansu.games.renju.state import board, colour, mover, size_of, step_of

NODES = 3000  # of the search after each choice, at most
MOST_TRIED = 60  # placements that are looked at
OFFERED = 3  # fifth moves that white asks for: few enough for a swap to be no gain


class OpeningChoices:
    """`limit` is for all choices together; a choice that there is no time to look at is not made."""

    def __init__(self, searcher: RenjuSearcher, limit: Limit, control: Control) -> None:
        self._searcher, self._limit, self._control = searcher, limit, control

    def decide(self, position: Position) -> Decision:
        s = position.state
        kind = KIND[step_of(s)]
        actions = position.actions
        if kind == COUNT:
            action = size_of(s) ** 2 + COUNT_0 + OFFERED
            why = Message("asks for {count} fifth moves", count=OFFERED)
            return Decision(action=action, why=why, report=Report(line=(action,)))
        if kind in (PLACE, OFFER, KEEP):
            tried = self._nearest(position)[:MOST_TRIED]
        else:  # the third choice only hands the question back
            tried = [action for action in actions if action != size_of(s) ** 2 + THIRD_CHOICE]
        values = self._values(position, tried)
        following = play(s, tried[0])
        other_chooses = step_of(following) != 0 and KIND[step_of(following)] not in (PLACE, OFFER, KEEP)
        if kind == PLACE and (other_chooses or mover(following) == mover(s)):
            action = min(values, key=lambda a: abs(values[a]))
            why = Message("keeps the game even: the other may choose")
        else:
            action = max(values, key=lambda a: values[a])
            why = Message("stands better so")
        text = position.move_text(action)
        why = Message("{move}: {why}", move=text, why=why)
        return Decision(action=action, why=why, report=Report(line=(action,), nodes=self._control.nodes))

    @staticmethod
    def _nearest(position: Position) -> list[Action]:
        """The cells one may play, those near the middle first."""
        size = size_of(position.state)
        middle = (size - 1) / 2
        return sorted(position.actions, key=lambda c: max(abs(c // size - middle), abs(c % size - middle)))

    def _values(self, position: Position, tried: list[Action]) -> dict[Action, int]:
        limit = self._limit
        nodes = NODES if limit.nodes is None else min(NODES, max(limit.nodes // len(tried), 1))
        ends = None if limit.time is None else time.perf_counter() + limit.time
        values: dict[Action, int] = {}
        with self._control.deadline(limit.time):
            for action in tried:
                if values and (self._control.stopped or (ends is not None and time.perf_counter() > ends)):
                    break
                values[action] = self._value(position, action, Limit(limit.depth, nodes))
        return values

    def _value(self, position: Position, action: Action, limit: Limit) -> int:
        """The score of what follows, to the mover of now; an offer is judged as if it were kept."""
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
