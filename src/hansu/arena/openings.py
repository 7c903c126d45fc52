"""Openings of matches. Without them two deterministic players repeat the same game, and an opening that is won for one
side says nothing about strength.

    random     a few random plies; no two openings are equal or symmetric to each other
    a file     a position or the moves of an opening on each line, or games as `hansu match --save` writes them
    balanced   openings of either kind that a player evaluates as even

Every event plays each opening twice, with seats swapped.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Protocol

from hansu.arena.turn import ask
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.generic import key, symmetric
from hansu.core.limit import Limit
from hansu.core.player import Player
from hansu.core.position import Position
from hansu.core.reading import read_whole
from hansu.core.record import Record
from hansu.core.report import Value
from hansu.search.chance import step_chance
from hansu.search.object_state import needs_object_state

MAX_REPEATS = 300  # known openings in a row after which no new ones are expected


@dataclass(frozen=True)
class Opening:
    """A position, reached by moves from a start.

    >>> import hansu
    >>> Opening(moves=("4", "3", "5")).position(hansu.game("tictactoe")).mover
    1
    """

    start: str = "start"
    moves: tuple[str, ...] = ()
    value: float | None = None  # evaluation from player 0's side

    def position(self, game: Game) -> Position:
        """The position after the moves."""
        at = game.position(self.start)
        for move in self.moves:
            at = at.play_move(move)
        return at

    @classmethod
    def of(cls, position: Position, value: float | None = None) -> Opening:
        """The opening that leads to a position."""
        return cls(position.origin_text, position.moves, value)

    def line(self, game: Game) -> str:
        """As a line of a file: the moves, or the position if it does not start at the usual start."""
        text = " ".join(self.moves) or "start" if self.start == "start" else self.position(game).text
        return text if self.value is None else f"{text}  # {self.value:+.3f}"


class Openings(Protocol):
    """An endless sequence: when all openings have been used, they are repeated."""

    def __getitem__(self, number: int) -> Opening: ...

    def __iter__(self) -> Iterator[Opening]:
        """Each opening once."""

    @property
    def description(self) -> str:
        """A short text that identifies the openings."""

    def different(self, count: int) -> int:
        """The number of different openings among the first `count`."""


class RandomOpenings:
    """A few random plies from the start. The lengths differ, too, so that either side may be to move."""

    def __init__(self, game: Game, plies: int | None, seed: int, exact: bool = False) -> None:
        """`plies` plies or one less; with `exact`, exactly `plies`."""
        self.game = game
        self.plies = game.opening_plies if plies is None else plies
        self._required = plies is not None  # otherwise the start is a valid opening
        self.seed = seed
        self._min_plies = self.plies if exact else max(self.plies - 1, 0)
        self._random = random.Random(seed)
        self._known: list[Opening] = []
        self._keys: set[Hashable] = set()
        self._exhausted = False

    @property
    def description(self) -> str:
        return f"random {self.plies} plies, seed {self.seed}"

    def __getitem__(self, number: int) -> Opening:
        while not self._exhausted and len(self._known) <= number:
            self._find()
        return self._known[number % len(self._known)]

    def __iter__(self) -> Iterator[Opening]:
        """Each opening once."""
        for number in count():
            opening = self[number]
            if number >= len(self._known):
                return
            yield opening

    def different(self, count: int) -> int:
        if count > 0:
            self[count - 1]
        return min(count, len(self._known))

    def _find(self) -> None:
        for _ in range(MAX_REPEATS):
            plies = self._random.randint(self._min_plies, self.plies)
            position = random_opening(self.game, plies, self._random)
            if self._required and len(position.history) < plies:
                if plies == self._min_plies:
                    break
                continue
            key_ = symmetry_key(position)
            if key_ not in self._keys:
                self._keys.add(key_)
                self._known.append(Opening.of(position))
                return
        self._exhausted = True
        if not self._known:
            raise HansuError(
                "no opening of {plies} random plies was found, because games end earlier",
                "choose fewer plies",
                plies=self.plies,
            )


class ListedOpenings:
    """A list of openings, in its order."""

    def __init__(self, openings: Iterable[Opening], description: str) -> None:
        self._openings = tuple(openings)
        self.description = description

    def __getitem__(self, number: int) -> Opening:
        return self._openings[number % len(self._openings)]

    def __iter__(self) -> Iterator[Opening]:
        return iter(self._openings)

    def different(self, count: int) -> int:
        return min(count, len(self._openings))


def random_opening(game: Game, plies: int, chance: random.Random) -> Position:
    """A position after some random plies in which the game is not over; the start if none is found."""
    for _ in range(100):
        position = step_chance(game.first, chance)
        for _ in range(plies):
            actions = game.opening_actions(position.state) if game.opening_actions else position.actions
            position = step_chance(position.play(chance.choice(actions)), chance)
            if position.over:
                break
        else:
            return position
    return step_chance(game.first, chance)


def symmetry_key(position: Position) -> Hashable:
    """Equal for positions that are symmetric to each other."""
    if needs_object_state(position.state):
        return position.text
    return min(key(symmetric(position.state, k)) for k in range(position.game.symmetries))


def read_openings(path: Path, game: Game, plies: int | None = None) -> ListedOpenings:
    """The openings of a file without duplicates; at most `plies` plies of each line. A line is a position in any form
    that commands read, or a game as JSON. `#` begins a comment."""
    openings: dict[Hashable, Opening] = {}
    for number, line in enumerate(read_whole(path.expanduser()).splitlines(), 1):
        text = re.sub(r"(^|\s+)#.*$", "", line).strip()
        if not text:
            continue
        try:
            position = _position_of(text, game, plies)
        except HansuError as error:
            raise HansuError(
                "{path}, line {number}: {what}", error.hint, path=path, number=number, what=error.what
            ) from None
        if not position.over:
            openings.setdefault(symmetry_key(position), Opening.of(position))
    if not openings:
        raise HansuError(
            "{path} holds no opening of {game}",
            "each line is a position, or the moves of an opening",
            path=path,
            game=game.name,
        )
    digest = hashlib.sha256("\n".join(opening.line(game) for opening in openings.values()).encode()).hexdigest()[:12]
    return ListedOpenings(openings.values(), f"{path.name} ({len(openings)}, {digest})")


def _position_of(text: str, game: Game, plies: int | None) -> Position:
    if text.startswith("{"):
        position, is_game = _json_position(text, game)
        if plies is None and is_game:
            plies = game.opening_plies
    else:
        position = game.position(text)
    path = [*position.way, position]
    return path[min(plies, len(path) - 1)] if plies is not None else position


def _json_position(text: str, game: Game) -> tuple[Position, bool]:
    """The position of a JSON line, and whether the line is a whole game."""
    try:
        data = json.loads(text)
        if "game" not in data:  # as `hansu openings --json` writes it
            return Opening(str(data["start"]), tuple(map(str, data["moves"]))).position(game), False
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HansuError("neither an opening nor a game") from None
    return Record.from_json(data, game).last, True


def evaluate(openings: Iterable[Opening], game: Game, judge: Player, limit: Limit) -> Iterator[Opening]:
    """Each opening with its value, evaluated by a player."""
    for opening in openings:
        value = ask(judge, opening.position(game), limit).report.value
        if value is None:
            raise HansuError("{judge} does not evaluate positions", "choose another --judge", judge=judge.name)
        yield replace(opening, value=value)


def is_even(opening: Opening, game: Game, margin: float) -> bool:
    """Whether the value is within `margin` of the game's largest score. A proved value must be a draw."""
    value = opening.value
    if value is None:
        return False
    return abs(value) <= (0 if isinstance(value, Value) and value.proved else margin * game.score_range)
