"""A position: a game's state with its history. Immutable; illegal moves raise IllegalMove."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any

from hansu.core.errors import HansuError, IllegalMove
from hansu.core.game import Game, illegal
from hansu.core.generic import (
    CHANCE,
    action_count,
    actions,
    has_action_count,
    legal,
    mover,
    over,
    play,
    probability,
    score,
    symmetric,
    team,
)
from hansu.core.message import Message
from hansu.core.tables import Table, Tables
from hansu.core.types import Action, State
from hansu.scene import Cell, Scene, Text


class Position:
    """Created by `game.first` and `game.position(text)`; `play` returns the next position.

    >>> import hansu
    >>> position = hansu.game("tictactoe").position("1 5")
    >>> position.moves, position.mover, position.over
    (('1', '5'), 0, False)
    """

    def __init__(self, game: Game, state: State, tables: Tables = None, previous: Position | None = None,
                 last: Action = None) -> None:  # fmt: skip
        self.game = game
        self.state = state
        self.tables = tables  # keeps the handles in the state valid
        self.previous = previous
        self.last = last

    def play(self, action: Action) -> Position:
        """The position after a legal action. Raises IllegalMove for any other action.

        >>> import hansu
        >>> hansu.game("tictactoe").first.play(4).text
        '.../.X./...'
        """
        if self.over:
            raise IllegalMove("the game is over", "take a move back or start a new game")
        if not self._allows(action):
            raise illegal(action, self.game.legal_text(self.state))
        return Position(self.game, play(self.state, action), self.tables, self, action)

    def _allows(self, action: Action) -> bool:
        """Is an action, which may be any object, legal? Calls `legal` if actions are numbered: listing all is slow."""
        if "actions" in vars(self) or type(action) is not int or not has_action_count(self.state):
            return action in self.actions
        return 0 <= action < action_count(self.state) and bool(legal(self.state, action))

    def play_move(self, move: str) -> Position:
        """The position after a move in the game's notation.

        >>> import hansu
        >>> hansu.game("tictactoe").first.play_move("4").play_move("5").history
        (3, 4)
        """
        if self.over:
            raise IllegalMove("{move!r}: the game is already over", "take a move back or start a new game", move=move)
        return self.play(self.game.action(self.state, move))

    def play_random(self, chance: random.Random) -> Position:
        """The position after a random legal move. At a chance node, actions are drawn by their probabilities.

        >>> import random, hansu
        >>> position, chance = hansu.game("tictactoe").first, random.Random(1)
        >>> while not position.over:
        ...     position = position.play_random(chance)
        >>> position.moves, position.score
        (('2', '8', '7', '3', '5', '4', '6', '9', '1'), 0.0)
        """
        weights = None
        if not self.over and self.mover == CHANCE:
            weights = [probability(self.state, action) for action in self.actions]
        return self.play(chance.choices(self.actions or (None,), weights)[0])

    def back(self, plies: int = 1) -> Position:
        """The position this many plies earlier. Raises IllegalMove if there are fewer.

        >>> import hansu
        >>> hansu.game("tictactoe").position("1 5 9").back(2).moves
        ('1',)
        """
        at: Position | None = self
        for _ in range(plies):
            at = None if at is None else at.previous
        if at is None:
            raise IllegalMove("there is nothing to take back", "this is the start position")
        return at

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """Every legal action in the game's order; empty when the game is over.

        >>> import hansu
        >>> hansu.game("tictactoe").position("1 2 3 4 5 6").actions
        (6, 7, 8)
        """
        if self.over:
            return ()
        legal_actions = tuple(actions(self.state))
        if not legal_actions:
            raise HansuError(
                "{game}: the game is not over, but no move is legal: {state}",
                "over() must return True here, or passing must be an action",
                game=self.game.name, state=self.state,
            )  # fmt: skip
        return legal_actions

    def legal(self, action: Action) -> bool:
        """Is this action legal?"""
        return not self.over and legal(self.state, action)

    @cached_property
    def over(self) -> bool:
        """Is the game finished?"""
        return bool(over(self.state)) or self.repeated is not None

    @cached_property
    def repeated(self) -> float | None:
        """The score of a game that ends by repetition (`Game.repetition`), or None if it does not."""
        repetition = self.game.repetition
        if repetition is None or self.previous is None or over(self.state):  # an end by the rules has their score
            return None
        result = repetition.ends([at.repetition_key for at in (*self.way, self)])
        return None if result is None else float(result)

    @cached_property
    def repetition_key(self) -> Hashable:
        """The key that identifies this position for `Game.repetition`."""
        return None if self.game.repetition is None else self.game.repetition.key(self.state)

    @property
    def score(self) -> float:
        """The result of a finished game, from player 0's side.

        >>> import hansu
        >>> hansu.game("tictactoe").position("1 4 2 5 3").score
        1.0
        """
        if not self.over:
            raise IllegalMove("the game is not over, so it has no score yet", "check `over` first")
        return float(score(self.state)) if self.repeated is None else self.repeated

    @property
    def result_text(self) -> str:
        """The outcome of a finished game in words.

        >>> import hansu
        >>> hansu.game("tictactoe").position("1 4 2 5 3").result_text
        'X wins'
        """
        if self.repeated is None:
            return self.game.result_text(self.state)
        return Message("{result}, by repetition", result=self.game.outcome_text(self.repeated))

    @property
    def mover(self) -> int:
        """Whose turn it is: 0, 1, ... or CHANCE."""
        return int(mover(self.state))

    @property
    def team(self) -> int:
        """The mover's side: 0 maximises, 1 minimises; or CHANCE."""
        return int(team(self.state))

    def symmetric(self, k: int) -> Position:
        """This position under the board's k-th symmetry, without its history."""
        return Position(self.game, symmetric(self.state, k), self.tables)

    @cached_property
    def history(self) -> tuple[Action, ...]:
        """The actions from the first position to this one.

        >>> import hansu
        >>> hansu.game("tictactoe").position("1 5").history
        (0, 4)
        """
        return tuple(after.last for after in [*self.way, self][1:])

    @property
    def way(self) -> list[Position]:
        """Every earlier position, the first one first: where the actions of `history` were played.

        >>> import hansu
        >>> position = hansu.game("tictactoe").position("1 5 9")
        >>> [at.move_text(action) for at, action in zip(position.way, position.history)]
        ['1', '5', '9']
        """
        way, at = [], self  # a loop: games can be longer than Python's stack
        while at.previous is not None:
            at = at.previous
            way.append(at)
        return way[::-1]

    @property
    def origin(self) -> Position:
        """The position this game started from."""
        at = self
        while at.previous is not None:
            at = at.previous
        return at

    @property
    def origin_text(self) -> str:
        """The position this game started from, as text; `start` for the usual one."""
        origin = self.origin
        return "start" if origin.state == self.game.first.state else origin.text

    @cached_property
    def moves(self) -> tuple[str, ...]:
        """The history in the game's notation."""
        return tuple(at.move_text(action) for at, action in zip(self.way, self.history, strict=True))

    def move_text(self, action: Action) -> str:
        """An action in the game's notation.

        >>> import hansu
        >>> hansu.game("tictactoe").first.move_text(4)
        '5'
        """
        return self.game.move_text(self.state, action)

    def line_text(self, line: tuple[Action, ...]) -> list[str]:
        """A line of actions from here in the game's notation, up to the first illegal one."""
        position, texts = self, []
        for action in line:
            if not position.legal(action):
                break
            texts.append(position.move_text(action))
            position = position.play(action)
        return texts

    @property
    def text(self) -> str:
        """A text that `game.position` reads: the game's own format, or the moves."""
        if self.game.position_text is not None:
            return self.game.position_text(self.state)
        return " ".join(self.moves) or "start"

    @property
    def scene(self) -> Scene:
        """The picture of this position. Notebooks show it automatically."""
        if self.game.look is not None:
            return self.game.look(self)
        return _plain_scene(self)

    def _repr_svg_(self) -> str:
        from hansu.scene.svg import svg

        return svg(self.scene)

    def __str__(self) -> str:
        from hansu.scene.ansi import ansi

        return ansi(self.scene, color=False)

    def __repr__(self) -> str:
        return f"<Position {self.game.spec} {self.text!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game.spec == other.game.spec and bool(self.state == other.state)

    def __hash__(self) -> int:
        try:
            return hash((self.game.spec, self.state))
        except TypeError:  # the state is not hashable
            return hash(self.game.spec)

    def __copy__(self) -> Position:
        return self  # immutable

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the first state and the actions. A handle is an address of this process, so its table is pickled."""
        origin = self.origin
        tables = _tables_in(origin.tables)
        first = _replaced(origin.state, {table.handle: table for table in tables}) if tables else origin.state
        return _replayed, (self.game, first, origin.tables, self.history)


def _replayed(game: Game, first: State, tables: Tables, history: tuple[Action, ...]) -> Position:
    handles = {table: table.handle for table in _tables_in(tables)}
    position = Position(game, _replaced(first, handles) if handles else first, tables)
    for action in history:
        position = Position(game, play(position.state, action), tables, position, action)
    return position


def _tables_in(tables: Tables) -> list[Table]:
    """The tables of a board: one, or several in a tuple or list."""
    if isinstance(tables, tuple | list):
        return [table for part in tables for table in _tables_in(part)]
    return [tables] if isinstance(tables, Table) else []


def _replaced(value: Any, replacements: Mapping[Any, Any]) -> Any:
    """A state (a tuple of ints and tuples) with some of its leaves replaced."""
    if isinstance(value, tuple):
        parts = [_replaced(part, replacements) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return replacements.get(value, value) if isinstance(value, int | Table) else value


def _plain_scene(position: Position) -> Scene:
    """The picture for a game without its own: the fields of its state, one per line."""
    state = position.state
    fields = state._asdict() if hasattr(state, "_asdict") else {"state": state}
    lines = [f"{name}: {value}" for name, value in fields.items()]
    width = max(6.0, 0.25 * max(len(line) for line in lines) + 1)
    shapes = [Text(0.4, 0.5 + 0.5 * i, line, anchor="start") for i, line in enumerate(lines)]
    height = 0.5 * len(lines) + 0.5
    return Scene(width, height, (Cell(0, 0, "board", width, height), *shapes), position.game.name)
