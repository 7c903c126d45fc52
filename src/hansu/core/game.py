"""A game: its state class, start, notation, picture, players and files."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hansu.core.errors import IllegalMove, shortened
from hansu.core.game_extensions import Commands, Controls, Files, Framework, Lesson, Tactics
from hansu.core.generic import actions
from hansu.core.message import Message, MessageField
from hansu.core.options import Option, read_settings
from hansu.core.repetition import Repetition
from hansu.core.types import Action, State
from hansu.scene import Scene

if TYPE_CHECKING:
    from hansu.core.player import Player
    from hansu.core.position import Position

RANDOM_TRIES = 100  # random games that may end too early
FEW = 12  # an error message lists at most this many legal moves
NEAR = 6  # otherwise it lists the ones most similar to the text ...
CLOSE = 0.6  # ... by difflib's ratio


def number_text(s: State, a: Action) -> str:
    """The default notation: the action's number."""
    return str(a)


@dataclass(frozen=True, kw_only=True)
class Game:
    """Everything that hansu needs to know about a game. A file with a module-level `GAME` is a game.

    `start(**options)` returns the first state. If the board has tables, it returns the pair (state, tables), and the
    game keeps the tables alive.

    >>> import hansu
    >>> game = hansu.game("tictactoe")
    >>> game.seats, game.small
    (('X', 'O'), True)
    >>> game.result_text(game.position("1 4 2 5 3").state)
    'X wins'
    """

    # The rules and their name.
    name: str
    title: MessageField = MessageField()  # a string, or one per language: {"en": "Nim", "ko": "님"}
    about: MessageField = MessageField()
    state: type
    start: Callable[..., Any]  # a state, or (state, tables)
    options: tuple[Option, ...] = ()
    adapt: Callable[[Game], Game] | None = None  # sets fields that depend on the settings, such as `plane_shape`
    repetition: Repetition | None = None  # when a repeated position ends the game
    # Moves and positions as text.
    move_text: Callable[[State, Action], str] = number_text
    read_move: Callable[[State, str], Action | None] | None = None  # None: compare with the text of every legal move
    read_position: Callable[[Game, str], State | None] | None = None  # the game's own format (FEN, rows)
    position_text: Callable[[State], str] | None = None  # the inverse of read_position
    split_moves: Callable[[str], list[str]] | None = None  # None: at spaces and commas
    # Seats and results.
    seats: tuple[str, ...] = (Message("first"), Message("second"))
    colours: tuple[str, str] | None = None  # names of the seats where pieces are shown in colour
    score_text: Callable[[State], str] | None = None  # the result in words
    count_text: Callable[[State], str] | None = None  # the count after the winner: "31 to 18"
    score_range: float = 1.0  # the largest |score|
    unit: str = Message("pts")  # unit of the score, in games that are not only won or lost
    # The picture and the controls.
    look: Callable[[Position], Scene] | None = None
    tones: tuple[str, str] = ("first", "second")  # colours of the seats' pieces in scenes
    touch: Callable[[State, Action], tuple[tuple[float, float], ...]] | None = None  # scene points of a move, in order
    controls: Controls = Controls()
    lessons: tuple[Lesson, ...] = ()  # the rules for newcomers
    sample: str = ""  # a typical position for a picture; empty: a few random moves
    # Search and learning.
    small: bool = False  # the whole game tree can be searched
    default_depth: int = 4  # plies without a limit, unless the game is small
    opening_plies: int = 0  # random plies at the start of a match's games
    opening_actions: Callable[[State], Sequence[Action]] | None = (
        None  # the actions they are sampled from; None: all legal ones
    )
    symmetries: int = 1  # number of symmetries of `symmetric`, including the identity
    plane_shape: tuple[int, ...] | None = None  # (planes, rows, columns) of `planes`; None: one row of bits per field
    tactics: Tactics = Tactics()
    perft: Callable[[State, int], int] | None = None  # faster than the general one: state, depth -> leaves
    # Players, commands, files, training.
    players: Callable[[], Mapping[str, type[Player]]] = dict  # its own players, imported when needed
    levels: tuple[
        str, ...
    ] = ()  # specs of `level:1` to `level:10`, such as `engine@nodes=1000`; empty: the general ladder
    opponent: str = "level:3"  # the default opponent
    commands: Callable[[Commands], None] | None = None  # adds its own commands to the command line
    files: Files = Files()
    training: Callable[[], Sequence[type[Any]]] = tuple  # its own recipes (`hansu.learn.recipe.Recipe`)
    networks: Callable[[], Mapping[str, Callable[[Any, Any], Any]]] = dict  # its own architectures: name -> build
    framework: Framework | None = None  # adapter for players written for an older framework
    # Set by hansu.
    path: str = ""  # the file of a user's game
    settings: Mapping[str, Any] = field(default_factory=dict)

    def with_settings(self, settings: Mapping[str, str]) -> Game:
        """A copy of this game with some options set from text."""
        return self.with_values(read_settings(self.options, settings, self.name))

    def with_values(self, values: Mapping[str, Any]) -> Game:
        """A copy of this game with some options set."""
        game = replace(self, settings={**self.settings, **values})
        return game if self.adapt is None else self.adapt(game)

    def __reduce__(self) -> Any:
        """Pickle by name or path with the settings: a game's functions are not importable one by one."""
        from hansu.core import registry

        if registry.is_registered(self):
            return registry.restored, (self.path or self.name, dict(self.settings))
        return object.__reduce_ex__(self, 2)  # a game defined in a notebook

    @property
    def spec(self) -> str:
        """The text that names this game with its settings; `hansu.game` reads it."""
        name = self.path or self.name
        if not self.settings:
            return name
        return f"{name}:{','.join(f'{key}={value}' for key, value in self.settings.items())}"

    def option(self, name: str) -> Any:
        """The value of an option: its setting or its default."""
        if name in self.settings:
            return self.settings[name]
        return next(option.default for option in self.options if option.name == name)

    @property
    def first(self) -> Position:
        """The start position."""
        from hansu.core.position import Position

        values = {option.name: self.option(option.name) for option in self.options}
        started = self.start(**values)
        state, tables = started if type(started) is tuple else (started, None)
        return Position(self, state, tables)

    def position(self, text: str) -> Position:
        """The position of a text: `start`, moves from the start, or the game's own format."""
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
        """The position after this many random plies. The game is not over there, unless 100 tries find none such.

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
        """The legal action that a text names. Raises IllegalMove, with legal moves as the hint."""
        text = text.strip()
        if self.read_move is not None:
            action = self.read_move(s, text)
            if action is not None:
                return action
        for a in actions(s):
            if self.move_text(s, a).lower() == text.lower():
                return a
        raise self._unknown_move(s, text)

    def _unknown_move(self, s: State, text: str) -> IllegalMove:
        """The error for a text that is no legal move.

        With few legal moves the hint lists all. Otherwise it lists similar ones, or shows the notation, or, if the text
        follows the notation (the cell is taken), lists some legal moves.
        """
        moves = [self.move_text(s, a) for a in actions(s)]
        if len(moves) <= FEW:
            return illegal(text, self.legal_text(s))
        alike = difflib.get_close_matches(text.lower(), [move.lower() for move in moves], n=NEAR, cutoff=CLOSE)
        what = Message("{move} is not a legal move here", move=shortened(text))
        if alike:
            similar = ", ".join(move for move in moves if move.lower() in alike)
            return IllegalMove(what, Message("similar legal moves: {moves}", moves=similar))
        if _shape(text) in map(_shape, moves):
            return IllegalMove(what, Message("legal moves: {moves}", moves=self.legal_text(s, NEAR)))
        return IllegalMove(what, Message("moves are written like {move}", move=moves[0]))

    def legal_text(self, s: State, most: int = 40) -> str:
        """The legal moves as text, at most `most` of them."""
        moves = [self.move_text(s, a) for a in actions(s)]
        shown = ", ".join(moves[:most])
        return f"{shown}, ... ({len(moves)} in all)" if len(moves) > most else shown or "none"

    def result_text(self, s: State) -> str:
        """The result of a finished game in words."""
        from hansu.core.generic import score

        if self.score_text is not None:
            return self.score_text(s)
        result = self.outcome_text(score(s))
        if self.count_text is None:
            return result
        return Message("{result}, {count}", result=result, count=self.count_text(s))

    def outcome_text(self, score: float) -> str:
        """The winner for this score, in words."""
        winner = self.seats[0] if score > 0 else self.seats[1]
        return Message("a draw") if score == 0 else Message("{winner} wins", winner=winner)


def _shape(move: str) -> str:
    """The pattern of a move's notation: `h8` and `i9` have the same.

    >>> _shape("h8") == _shape("i9")
    True
    """
    return re.sub(r"[^\W\d]", "a", re.sub(r"\d", "0", move))


def illegal(move: object, legal: str) -> IllegalMove:
    """The error for an illegal move; `legal` lists the legal ones."""
    return IllegalMove("{move} is not a legal move here", "legal: {legal}", move=shortened(move), legal=legal)
