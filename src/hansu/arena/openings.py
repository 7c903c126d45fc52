"""Where games begin. Two deterministic players play one game again and again unless the beginnings differ, and a
beginning that is won for one side tells nothing of who is better.

    random     a few plies by chance, no two alike (positions that the board's symmetries turn into each other are)
    a file     a position or the moves of an opening on each line; or games as `hansu match --save` writes them
    balanced   those of either kind that a player judges to be even

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
from hansu.search.object_state import is_foreign

DRAWS = 300  # openings in a row that are known already, until there are taken to be no more


@dataclass(frozen=True)
class Opening:
    """A position that moves lead to.

    >>> import hansu
    >>> Opening(moves=("4", "3", "5")).position(hansu.game("tictactoe")).mover
    1
    """

    start: str = "start"
    moves: tuple[str, ...] = ()
    value: float | None = None  # what was thought of it, from player 0's side

    def position(self, game: Game) -> Position:
        at = game.position(self.start)
        for move in self.moves:
            at = at.play_move(move)
        return at

    @classmethod
    def of(cls, position: Position, value: float | None = None) -> Opening:
        return cls(position.origin_text, position.moves, value)

    def line(self, game: Game) -> str:
        """For a file: the moves, or the position where they do not begin at the usual start."""
        text = " ".join(self.moves) or "start" if self.start == "start" else self.position(game).text
        return text if self.value is None else f"{text}  # {self.value:+.3f}"


class Openings(Protocol):
    """A sequence without an end: what has been seen comes again when there are no more."""

    def __getitem__(self, number: int) -> Opening: ...

    def __iter__(self) -> Iterator[Opening]:
        """Each once."""

    @property
    def description(self) -> str:
        """What they are, in a few words that name the same openings again."""

    def different(self, wanted: int) -> int:
        """How many of the first so many differ."""


class RandomOpenings:
    """A few plies by chance from the start. They differ in length too, so that either side may be the one to move."""

    def __init__(self, game: Game, plies: int | None, seed: int, exact: bool = False) -> None:
        """`plies` or one less; with `exact`, just as many."""
        self.game = game
        self.plies = game.opening_plies if plies is None else plies
        self._required = plies is not None  # else the start will do
        self.seed = seed
        self._least = self.plies if exact else max(self.plies - 1, 0)
        self._chance = random.Random(seed)
        self._known: list[Opening] = []
        self._seen: set[Hashable] = set()
        self._dry = False

    @property
    def description(self) -> str:
        return f"random {self.plies} plies, seed {self.seed}"

    def __getitem__(self, number: int) -> Opening:
        while not self._dry and len(self._known) <= number:
            self._find()
        return self._known[number % len(self._known)]

    def __iter__(self) -> Iterator[Opening]:
        """Each once."""
        for number in count():
            opening = self[number]
            if number >= len(self._known):
                return
            yield opening

    def different(self, wanted: int) -> int:
        if wanted > 0:
            self[wanted - 1]
        return min(wanted, len(self._known))

    def _find(self) -> None:
        for _ in range(DRAWS):
            plies = self._chance.randint(self._least, self.plies)
            position = random_opening(self.game, plies, self._chance)
            if self._required and len(position.history) < plies:
                if plies == self._least:
                    break
                continue
            alike = likeness(position)
            if alike not in self._seen:
                self._seen.add(alike)
                self._known.append(Opening.of(position))
                return
        self._dry = True
        if not self._known:
            raise HansuError(
                "no opening of {plies} random plies was found: games end before that",
                "ask for fewer plies",
                plies=self.plies,
            )


class ListedOpenings:
    """Openings that are known beforehand, in their order."""

    def __init__(self, openings: Iterable[Opening], description: str) -> None:
        self._openings = tuple(openings)
        self.description = description

    def __getitem__(self, number: int) -> Opening:
        return self._openings[number % len(self._openings)]

    def __iter__(self) -> Iterator[Opening]:
        return iter(self._openings)

    def different(self, wanted: int) -> int:
        return min(wanted, len(self._openings))


def random_opening(game: Game, plies: int, chance: random.Random) -> Position:
    """A few random plies from the start that do not end the game; the start where none are found."""
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


def likeness(position: Position) -> Hashable:
    """The same for positions that are one another's mirror images or the like."""
    if is_foreign(position.state):
        return position.text
    return min(key(symmetric(position.state, k)) for k in range(position.game.symmetries))


def read_openings(path: Path, game: Game, plies: int | None = None) -> ListedOpenings:
    """The openings of a file, each once; of games that are longer than `plies`, as many plies. A line is a position in
    any form that commands read, or a game as JSON. What follows a `#` is for people."""
    found: dict[Hashable, Opening] = {}
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
            found.setdefault(likeness(position), Opening.of(position))
    if not found:
        raise HansuError(
            "{path} holds no opening of {game}",
            "a position or the moves of one on each line",
            path=path,
            game=game.name,
        )
    same = hashlib.sha256("\n".join(opening.line(game) for opening in found.values()).encode()).hexdigest()[:12]
    return ListedOpenings(found.values(), f"{path.name} ({len(found)}, {same})")


def _position_of(text: str, game: Game, plies: int | None) -> Position:
    if text.startswith("{"):
        position, of_a_game = _told_position(text, game)
        if plies is None and of_a_game:
            plies = game.opening_plies
    else:
        position = game.position(text)
    way = [*position.way, position]
    return way[min(plies, len(way) - 1)] if plies is not None else position


def _told_position(text: str, game: Game) -> tuple[Position, bool]:
    """What a JSON line leads to, and whether it is that of a whole game."""
    try:
        told = json.loads(text)
        if "game" not in told:  # as `hansu openings --json` writes it
            return Opening(str(told["start"]), tuple(map(str, told["moves"]))).position(game), False
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HansuError("neither an opening nor a game") from None
    return Record.from_json(told, game).last, True


def judged(openings: Iterable[Opening], game: Game, judge: Player, limit: Limit) -> Iterator[Opening]:
    """Each with what a player thinks it is worth."""
    for opening in openings:
        value = ask(judge, opening.position(game), limit).report.value
        if value is None:
            raise HansuError(
                "{judge} does not say what a position is worth", "choose another --judge", judge=judge.name
            )
        yield replace(opening, value=value)


def is_even(opening: Opening, game: Game, margin: float) -> bool:
    """Is its value within `margin` of the game's largest score? What is proved must be a proved draw."""
    value = opening.value
    if value is None:
        return False
    return abs(value) <= (0 if isinstance(value, Value) and value.proved else margin * game.score_range)
