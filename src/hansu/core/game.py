"""A game: its rules' state class, how it starts, how its moves are written, what it looks like, who can play it."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hansu.core.errors import IllegalMove, shortened
from hansu.core.game_extensions import Commands, Controls, Files, Framework, Lesson, Tactics
from hansu.core.generic import Action, State, actions
from hansu.core.message import Message, MessageField
from hansu.core.options import Option, read_settings
from hansu.core.repetition import Repetition
from hansu.scene import Scene

if TYPE_CHECKING:
    from hansu.core.player import Player
    from hansu.core.position import Position

RANDOM_TRIES = 100  # random games that may end too early
FEW = 12  # legal moves that are all listed where a text is none of them
NEAR = 6  # of more than that, the ones most like it ...
CLOSE = 0.6  # ... as difflib measures it: of two letters both are the same


def number_text(s: State, a: Action) -> str:
    return str(a)


@dataclass(frozen=True, kw_only=True)
class Game:
    """Everything hansu needs to know of a game. One module-level `GAME` makes a file a game.

    `start(**options)` gives the first state. Where a board has tables of its own, `start` returns the pair
    (state, tables) and the game keeps the tables alive.

    >>> import hansu
    >>> game = hansu.game("tictactoe")
    >>> game.seats, game.small
    (('X', 'O'), True)
    >>> game.result_text(game.position("1 4 2 5 3").state)
    'X wins'
    """

    # The rules, and what they are called.
    name: str
    title: MessageField = MessageField()  # a text, or one per language: {"en": "Nim", "ko": "님"}
    about: MessageField = MessageField()
    state: type
    start: Callable[..., Any]
    options: tuple[Option, ...] = ()
    adapt: Callable[[Game], Game] | None = None  # other fields that depend on the settings, such as `plane_shape`
    repetition: Repetition | None = None  # when a repeated position ends the game
    # Moves and positions as text.
    move_text: Callable[[State, Action], str] = number_text
    read_move: Callable[[State, str], Action | None] | None = None  # None: compare with every legal move's text
    read_position: Callable[[Game, str], State | None] | None = None  # the game's own format (FEN, rows)
    position_text: Callable[[State], str] | None = None  # the inverse of read_position
    split_moves: Callable[[str], list[str]] | None = None  # None: at spaces and commas
    # Seats and results.
    seats: tuple[str, ...] = (Message("first"), Message("second"))
    colours: tuple[str, str] | None = None  # names of the seats where their pieces are seen in colours
    score_text: Callable[[State], str] | None = None  # the result in words
    count_text: Callable[[State], str] | None = None  # what decided it, shown after the winner: "31 to 18"
    score_range: float = 1.0  # the largest |score|
    unit: str = Message("pts")  # what the score counts, in games that are not only won or lost
    # The picture, and playing with mouse, touch and keys.
    look: Callable[[Position], Scene] | None = None
    tones: tuple[str, str] = ("first", "second")  # of the two seats' pieces, as scenes name colours
    touch: Callable[[State, Action], tuple[tuple[float, float], ...]] | None = None  # scene points of a move, in order
    controls: Controls = Controls()
    lessons: tuple[Lesson, ...] = ()  # the rules for newcomers
    sample: str = ""  # a realistic position for a picture; empty: a few random moves
    # Search and learning.
    small: bool = False  # the whole tree can be searched
    default_depth: int = 4  # plies, when there is no limit and the game is not small
    opening_plies: int = 0  # random plies at the start of a match's games
    opening_actions: Callable[[State], Sequence[Action]] | None = None  # what they are drawn from; None: all legal ones
    symmetries: int = 1  # how many the word `symmetric` knows, including the identity
    plane_shape: tuple[int, ...] | None = None  # (planes, rows, columns) of `planes`; None: one row of bits per field
    tactics: Tactics = Tactics()
    perft: Callable[[State, int], int] | None = None  # a faster count than the general one
    # What the game brings.
    players: Callable[[], Mapping[str, type[Player]]] = dict  # its own players, imported when needed
    levels: tuple[str, ...] = ()  # what `level:1` to `level:10` are, as `engine@nodes=1000`; empty: the general ladder
    opponent: str = "level:3"  # a newcomer's opponent
    commands: Callable[[Commands], None] | None = None  # adds its own commands to the command line
    files: Files = Files()
    training: Callable[[], Sequence[type[Any]]] = tuple  # its own recipes (`hansu.learn.recipe.Recipe`)
    networks: Callable[[], Mapping[str, Callable[[Any, Any], Any]]] = dict  # its own architectures: name -> build
    framework: Framework | None = None  # players that were written for an older framework
    # Set by hansu.
    path: str = ""  # the file of a game that is not part of the package
    settings: Mapping[str, Any] = field(default_factory=dict)

    def with_settings(self, given: Mapping[str, str]) -> Game:
        """This game with some options set from text."""
        return self.with_values(read_settings(self.options, given, self.name))

    def with_values(self, values: Mapping[str, Any]) -> Game:
        """This game with some options set."""
        made = replace(self, settings={**self.settings, **values})
        return made if self.adapt is None else self.adapt(made)

    def __reduce__(self) -> Any:
        """A game is pickled by its name or path with its settings: its functions are not importable one by one."""
        from hansu.core import registry

        if registry.is_registered(self):
            return registry.restored, (self.path or self.name, dict(self.settings))
        return object.__reduce_ex__(self, 2)  # a notebook's own game

    @property
    def spec(self) -> str:
        """The text that names this game with its settings."""
        name = self.path or self.name
        if not self.settings:
            return name
        return f"{name}:{','.join(f'{key}={value}' for key, value in self.settings.items())}"

    def option(self, name: str) -> Any:
        """A setting, or its default."""
        if name in self.settings:
            return self.settings[name]
        return next(option.default for option in self.options if option.name == name)

    @property
    def first(self) -> Position:
        """The position the game starts from."""
        from hansu.core.position import Position

        values = {option.name: self.option(option.name) for option in self.options}
        made = self.start(**values)
        state, tables = made if type(made) is tuple else (made, None)
        return Position(self, state, tables)

    def position(self, text: str) -> Position:
        """`start`; or moves from the start in the game's notation; or the game's own format."""
        text = text.strip()
        if text in ("", "start"):
            return self.first
        if self.read_position is not None:
            state = self.read_position(self, text)
            if state is not None:
                from hansu.core.position import Position

                state, tables = state if type(state) is tuple else (state, None)
                return Position(self, state, tables)
        position = self.first
        moves = (self.split_moves(text) if self.split_moves else re.split(r"[\s,]+", text)) or [text]
        for number, move in enumerate(moves, 1):
            try:
                position = position.play_move(move)
            except IllegalMove as error:
                if len(moves) == 1:
                    raise
                raise IllegalMove("move {number}: {what}", error.hint, number=number, what=error.what) from None
        return position

    def random_position(self, plies: int, seed: int = 1) -> Position:
        """A position that many random plies from the start; the game is not over there, unless there is none such.

        >>> import hansu
        >>> hansu.game("tictactoe").random_position(3, seed=7).moves
        ('3', '2', '7')
        """
        chance = random.Random(seed)
        for _ in range(RANDOM_TRIES):
            position = self.first
            while len(position.history) < plies and not position.over:
                position = position.play_random(chance)
            if not position.over:
                break
        return position

    def action(self, s: State, text: str) -> Action:
        """The legal action that a text names; raises IllegalMove with what is legal."""
        text = text.strip()
        if self.read_move is not None:
            found = self.read_move(s, text)
            if found is not None:
                return found
        for a in actions(s):
            if self.move_text(s, a).lower() == text.lower():
                return a
        raise self._not_read(s, text)

    def _not_read(self, s: State, text: str) -> IllegalMove:
        """Where many moves are legal, those are told that look like what was typed; else how moves are written, or
        where it is written so (the place is taken), some that are free."""
        moves = [self.move_text(s, a) for a in actions(s)]
        if len(moves) <= FEW:
            return illegal(text, self.legal_text(s))
        alike = difflib.get_close_matches(text.lower(), [move.lower() for move in moves], n=NEAR, cutoff=CLOSE)
        what = Message("{given} is not a legal move here", given=shortened(text))
        if alike:
            near = [move for move in moves if move.lower() in alike]
            return IllegalMove(what, Message("near it: {near}", near=", ".join(near)))
        if _shape(text) in map(_shape, moves):
            return IllegalMove(what, Message("moves that are legal now: {moves}", moves=self.legal_text(s, NEAR)))
        return IllegalMove(what, Message("moves here are written like {move}", move=moves[0]))

    def legal_text(self, s: State, most: int = 40) -> str:
        """The legal moves in words, shortened where they are many."""
        moves = [self.move_text(s, a) for a in actions(s)]
        shown = ", ".join(moves[:most])
        return f"{shown}, ... ({len(moves)} in all)" if len(moves) > most else shown or "none"

    def result_text(self, s: State) -> str:
        """The outcome of a finished game in words."""
        from hansu.core.generic import score

        if self.score_text is not None:
            return self.score_text(s)
        result = self.outcome_text(score(s))
        if self.count_text is None:
            return result
        return Message("{result}, {count}", result=result, count=self.count_text(s))

    def outcome_text(self, score: float) -> str:
        """Who has won with this score, in words."""
        winner = self.seats[0] if score > 0 else self.seats[1]
        return Message("a draw") if score == 0 else Message("{winner} wins", winner=winner)


def _shape(move: str) -> str:
    """How a move is written: `h8` as `i9` is."""
    return re.sub(r"[^\W\d]", "a", re.sub(r"\d", "0", move))


def illegal(move: object, legal: str) -> IllegalMove:
    given = shortened(move)
    what = Message("{given} is not a legal move here", given=given)
    return IllegalMove(what, Message("legal: {legal}", legal=legal))
