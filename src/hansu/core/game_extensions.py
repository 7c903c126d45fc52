"""What a game may bring besides its rules: each is a field of `Game` that a simple game leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hansu.core.generic import Action, State
from hansu.core.variation import Variation

if TYPE_CHECKING:
    from hansu.core.control import Control
    from hansu.core.game import Game
    from hansu.core.player import Decision
    from hansu.core.position import Position
    from hansu.core.record import Record


class Lesson(NamedTuple):
    """A rule in one or two sentences, with a position that shows it: a start and the moves played from there."""

    text: str
    start: str = "start"
    moves: str = ""
    settings: Mapping[str, str] = {}


@dataclass(frozen=True)
class Editor:
    """Setting up a position by hand."""

    squares: Callable[[State], Sequence[tuple[float, float, str]]]  # each square's centre in the scene, and its letter
    pieces: Mapping[str, str]  # letter -> tone; the first one is an empty square
    text: Callable[[str, int], str]  # the letters of all squares in that order and the seat to move -> the position
    movers: bool = True  # can either seat be to move? (False: the pieces decide)


@dataclass(frozen=True)
class Controls:
    """How people play with mouse, touch and keyboard, beyond `Game.touch`."""

    whole_columns: bool = False  # a touch anywhere in a column counts
    forbidden: Callable[[State, float, float], str | None] | None = None  # why a free-looking point is illegal
    keys: Mapping[str, str] = field(default_factory=dict)  # left, right, up, down, stop -> a move
    editor: Editor | None = None


class ForcedMove(NamedTuple):
    """A move that needs no search, the reason, and whether it wins."""

    action: Action
    why: str
    wins: bool = False


WINS, LOSES, LASTS = 1, -1, -2
"""Marks of moves. LASTS: every move loses, and this one loses last."""


class TacticalSolver(Protocol):
    """Proves wins and losses of new tree nodes, beyond what the rules say at once."""

    def precompile(self) -> None:
        """Compile before a clock starts."""

    def marks(self, states: Any, actions: int) -> Any:
        """int8[states, actions] for states int64[states, words]: WINS, LOSES or LASTS for proven moves, else 0. A state
        never has both winning and losing marks."""

    def win(self, position: Position, control: Control) -> Decision | None:
        """A forced win of the position on the board, which is worth a longer search."""


@dataclass(frozen=True)
class Tactics:
    """What the game proves without a general search."""

    forced_move: Callable[[], Callable[[Position], ForcedMove | None]] | None = None  # builds a finder of forced moves
    solver: Callable[[Position], TacticalSolver] | None = None  # builds a solver for boards like this position's


class Played(NamedTuple):
    """A game from a file: where it began, what was played, and +1, 0 or -1 for the first seat (None: unknown)."""

    first: State
    actions: tuple[Action, ...]
    outcome: int | None
    where: str  # in the file: `line 12`
    variations: tuple[Variation, ...] = ()


Writer = Callable[["Record"], str]
"""A finished game as the text of a file."""

Reader = Callable[["Game", Path, Callable[[str], None]], Iterator[Played]]
"""Yields a file's games that are games of this one; the last argument receives a line for each game it skips."""


@dataclass(frozen=True)
class Files:
    """The game's own file formats, by the ending of the file's name."""

    writers: Mapping[str, Writer] = field(default_factory=dict)
    readers: Mapping[str, Reader] = field(default_factory=dict)


@dataclass(frozen=True)
class Framework:
    """Lets players run that were written for an older framework."""

    adapt: Callable[[Any, Any], Callable[[Position], Action] | None]  # module, object -> the move it chooses
    modules: Mapping[str, str] = field(default_factory=dict)  # modules such players import: name -> our module


class Commands(Protocol):
    """The command line, as a game's `commands` hook sees it."""

    def add(self, name: str, function: Callable[..., Any]) -> None:
        """Adds a command: `puzzle`, or one of a group that games share, as in `solve my_game`."""
