"""Optional parts of a game: each is the value of a field of `Game` that simple games leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hansu.core.types import Action, Function, Int8Array, Int64Array, State
from hansu.core.variation import Variation

if TYPE_CHECKING:
    from hansu.core.control import Control
    from hansu.core.game import Game
    from hansu.core.player import Decision
    from hansu.core.position import Position
    from hansu.core.record import Record


class Lesson(NamedTuple):
    """A rule in one or two sentences, with a position that shows it: a start position and moves from there."""

    text: str
    start: str = "start"
    moves: str = ""
    settings: Mapping[str, str] = {}


@dataclass(frozen=True)
class Editor:
    """Setting up a position by hand."""

    squares: Callable[[State], Sequence[tuple[float, float, str]]]  # (x, y, letter) per square: its centre in the scene
    pieces: Mapping[str, str]  # letter -> tone; the first letter is the empty square
    text: Callable[[str, int], str]  # letters of all squares in order, seat to move -> position text
    movers: bool = True  # can the user choose the seat to move? (False: the pieces decide)


@dataclass(frozen=True)
class Controls:
    """Mouse, touch and keyboard controls, beyond `Game.touch`."""

    whole_columns: bool = False  # a click anywhere in a column selects it
    forbidden: Callable[[State, float, float], str | None] | None = None  # state, x, y -> why an empty point is illegal
    keys: Mapping[str, str] = field(default_factory=dict)  # left, right, up, down, stop -> a move
    editor: Editor | None = None


class ForcedMove(NamedTuple):
    """A move that needs no search, the reason, and whether it wins."""

    action: Action
    why: str
    wins: bool = False


WINS, LOSES, LASTS = 1, -1, -2
"""Marks of moves. LASTS: every move loses, and this one loses latest."""


class TacticalSolver(Protocol):
    """Proves wins and losses of new nodes of a search tree by tactics."""

    def precompile(self) -> None:
        """Compile before the clock starts."""

    def marks(self, states: Int64Array, actions: int) -> Int8Array:
        """int8[states, actions] for states int64[states, words]: WINS, LOSES or LASTS for proven moves, else 0.

        A state never has both winning and losing marks.
        """

    def win(self, position: Position, control: Control) -> Decision | None:
        """A forced win at the root, where a longer search pays off; None if there is none."""


@dataclass(frozen=True)
class Tactics:
    """Tactics that the game proves without a general search."""

    forced_move: Callable[[], Callable[[Position], ForcedMove | None]] | None = (
        None  # returns a function that finds forced moves
    )
    solver: Callable[[Position], TacticalSolver] | None = None  # returns a solver for boards like this position's


class Played(NamedTuple):
    """A game from a file: first state, actions, and the outcome for the first seat: +1, 0, -1 or None (unknown)."""

    first: State
    actions: tuple[Action, ...]
    outcome: int | None
    where: str  # the place in the file: `line 12`
    variations: tuple[Variation, ...] = ()


Writer = Callable[["Record"], str]
"""Converts a finished game to the text of a file."""

Reader = Callable[["Game", Path, Callable[[str], None]], Iterator[Played]]
"""Yields the games of a file that belong to this game, and passes the last argument a line for each game it skips."""


@dataclass(frozen=True)
class Files:
    """The game's own file formats, by file name extension."""

    writers: Mapping[str, Writer] = field(default_factory=dict)
    readers: Mapping[str, Reader] = field(default_factory=dict)


@dataclass(frozen=True)
class Framework:
    """An adapter for players that were written for an older framework."""

    adapt: Callable[[Any, Any], Callable[[Position], Action] | None]  # module, object -> function that chooses a move
    modules: Mapping[str, str] = field(default_factory=dict)  # modules that such players import: name -> replacement


class Commands(Protocol):
    """The command line, as passed to a game's `commands` hook."""

    def add(self, name: str, function: Function) -> None:
        """Add a command such as `puzzle`, or one of a group that games share, as in `solve my_game`."""
