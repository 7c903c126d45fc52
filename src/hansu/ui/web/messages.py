"""The messages between page and server; docs/internals/web_protocol.md describes them with examples.

Every message is one JSON object with a `type`. Messages from a page are validated strictly: no unknown fields, no
numbers in place of texts, every value within its limits.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from hansu.core.variation import MOST_VARIATIONS

MOST_MOVES = 5_000  # plies of one game
MOST_TEXT = 2_000  # characters of a game's or a player's spec and of a position
MOST_FILE = 120_000  # characters of a file as base64: 90 KB
LONGEST_MOVE = 40
LONGEST_LINE = 60  # plies of a previewed line
LONGEST_THINK = 60.0  # seconds for one move
LONGEST_NAME = 40  # of a variation
LONGEST_VARIATION = 1_000  # plies
LONGEST_PACE = 10.0  # seconds between two moves of machines

Spec = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
MoveText = Annotated[str, Field(min_length=1, max_length=LONGEST_MOVE)]
Ply = Annotated[int, Field(ge=0, le=MOST_MOVES)]
Pace = Annotated[float, Field(ge=0, le=LONGEST_PACE)]
Words = dict[str, str]
"""A text in every language, by language code; `en` is always present."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Limits(_Strict):
    """How long a machine may think. Without a limit the player uses its default."""

    time: Annotated[float, Field(ge=0.01, le=LONGEST_THINK)] | None = None
    depth: Annotated[int, Field(ge=1, le=10_000)] | None = None
    nodes: Annotated[int, Field(ge=1, le=1 << 40)] | None = None


# From the page to the server.


class Request(_Strict):
    id: Annotated[int, Field(ge=0, le=1 << 53)] | None = None  # comes back as `re`


class Open(Request):
    """Start a game, or continue one after a lost connection."""

    type: Literal["open"]
    game: Spec
    start: Annotated[str, Field(max_length=MOST_TEXT)] = "start"
    moves: Annotated[list[MoveText], Field(max_length=MOST_MOVES)] = []
    first: Spec = "human"
    second: Spec = "human"
    limit: Limits = Limits()
    auto: bool = True
    pace: Pace = 0.0
    resigned: Literal[0, 1] | None = None
    overtime: bool = False  # its time ran out


class Move(Request):
    """A person's move, by action or by text. `ply` guards against double clicks: it must be the shown ply."""

    type: Literal["move"]
    action: int | None = None
    move: MoveText | None = None
    ply: Ply | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Move:
        if (self.action is None) == (self.move is None):
            raise ValueError("give action or move")
        return self


class Undo(Request):
    type: Literal["undo"]


class Resign(Request):
    type: Literal["resign"]
    seat: Literal[0, 1] | None = None  # None: the person to move, or the only person
    overtime: bool = False  # the page's clock ran out


class Swap(Request):
    type: Literal["swap"]


class Players(Request):
    """Other players or another limit for the current game."""

    type: Literal["players"]
    first: Spec | None = None
    second: Spec | None = None
    limit: Limits | None = None


class Jump(Request):
    type: Literal["jump"]
    ply: Ply


class Auto(Request):
    """Whether machines move by themselves, and the pause between their moves."""

    type: Literal["auto"]
    on: bool
    pace: Pace | None = None


class Step(Request):
    """Let the machine to move make one move while `auto` is off."""

    type: Literal["step"]


class Stop(Request):
    """End the current search: a machine plays its best move so far, an analysis ends."""

    type: Literal["stop"]


class Hint(Request):
    type: Literal["hint"]
    player: Spec | None = None
    limit: Limits = Limits(time=1.0)


class Analyse(Request):
    """The value of every move at the shown position, deeper and deeper until `stop`, `seconds` or the end."""

    type: Literal["analyse"]
    player: Spec
    seconds: Annotated[float, Field(ge=0.1, le=300)] = 60.0
    depth: Annotated[int, Field(ge=1, le=10_000)] | None = None


class Review(Request):
    """An evaluation of every position from the last back to `since`, in at most `seconds`."""

    type: Literal["review"]
    player: Spec
    seconds: Annotated[float, Field(ge=0.1, le=300)] = 60.0
    since: Ply = 0


class Xray(Request):
    """The tree that a search of the shown position visits."""

    type: Literal["xray"]
    player: Spec
    most: Annotated[int, Field(ge=2, le=2_000)] = 400


class LineMessage(Request):
    """Pictures along a line of moves from the shown position, or from the position at a ply."""

    type: Literal["line"]
    moves: Annotated[list[MoveText], Field(min_length=1, max_length=LONGEST_LINE)]
    ply: Ply | None = None


class Picture(Request):
    """The shown position as a self-contained picture."""

    type: Literal["picture"]
    dark: bool = False


class Edit(Request):
    """The contents of each square of the shown position, for the position editor."""

    type: Literal["edit"]


class Arrange(Request):
    """The text of an edited position: a letter for each square, and the seat to move."""

    type: Literal["arrange"]
    letters: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
    mover: Literal[0, 1] = 0


class Load(Request):
    """A game from a file, sent as base64; `number` selects one of its games."""

    type: Literal["load"]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    data: Annotated[str, Field(max_length=MOST_FILE)]
    number: Annotated[int, Field(ge=0, le=10_000)] = 0


class Forbidden(Request):
    """Which rule forbids a point that looks free?"""

    type: Literal["barred"]
    x: Annotated[float, Field(ge=-100, le=1000)]
    y: Annotated[float, Field(ge=-100, le=1000)]


class VariationLine(_Strict):
    """Another line from the start of the game."""

    name: Annotated[str, Field(max_length=LONGEST_NAME)]
    moves: Annotated[list[MoveText], Field(max_length=LONGEST_VARIATION)]


class Export(Request):
    """The game as a file, with its variations if the format supports them."""

    type: Literal["export"]
    format: Annotated[str, Field(min_length=1, max_length=20)]
    variations: Annotated[list[VariationLine], Field(max_length=MOST_VARIATIONS)] = []


ClientMessage = Annotated[
    Open | Move | Undo | Resign | Swap | Players | Jump | Auto | Step | Stop | Hint | Analyse | Review | Xray |
    LineMessage | Picture | Edit | Arrange | Load | Forbidden | Export,
    Field(discriminator="type"),
]  # fmt: skip
client_messages: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)


def number_in(text: str | bytes) -> int | None:
    """The id of a message that is rejected, if it has one."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    number = message.get("id") if isinstance(message, dict) else None
    return number if type(number) is int and 0 <= number <= 1 << 53 else None


# From the server to the page.


class Reply(_Strict):
    re: int | None = None  # the id of the request


class Hello(Reply):
    type: Literal["hello"] = "hello"
    version: str
    most_moves: int = MOST_MOVES
    longest_think: float = LONGEST_THINK


class Choice(_Strict):
    """A legal action: its name, and the points that a person touches to play it (none: it is only in a list)."""

    action: int
    move: str
    touch: list[tuple[float, float]]
    key: Literal["left", "right", "up", "down", "stop"] | None = None  # plays the move at once, in games with steering


ReportJson = Annotated[dict[str, Any], Field(title="Report")]
"""A report of a search in the form of `Report.as_json`; a finished decision also has `move` and `why`. Missing fields
are unknown. Fields that are added there reach the page without a change here."""


class Note(_Strict):
    """The report behind a move: one for each ply, null for a person and for chance."""

    player: str
    found: ReportJson


class Seat(_Strict):
    name: Words
    tone: str  # of its pieces
    player: str  # a spec; `human` for a person
    label: str  # the player's name, with the options that differ from their defaults
    human: bool
    xray: str | None  # the spec of the player whose search tree can be shown


class Ending(_Strict):
    text: Words
    winner: Literal[0, 1] | None  # None: a draw
    score: float | None
    how: Literal["played", "resigned", "time", "too_long"]


class State(Reply):
    """The complete state of the game after any change. `moves` and `notes` begin at ply `since`: the page keeps its
    moves before that ply and replaces the rest."""

    type: Literal["state"] = "state"
    game: str  # spec
    start: str
    since: int
    moves: list[str]
    movers: list[int]  # the seat of each of `moves`, -1 for chance
    notes: list[Note | None]
    plies: int  # of the whole game
    ply: int  # the one shown
    svg: str
    width: float  # of the picture, in board units
    height: float
    position: str | None  # as text, if that is short enough to be opened again
    pieces: list[list[str]] | None  # the squares of each seat's pieces, for screen readers
    mover: int  # seat 0 or 1, -1: nobody (the game is over, or chance moves)
    agent: int  # which agent is to move: 0, 1, 2, ...
    choices: list[Choice]
    last: Choice | None  # the move that led here
    over: bool
    result: Ending | None
    seats: list[Seat]
    limit: Limits
    auto: bool
    pace: float
    searching: bool  # the server is searching: `progress` or another `state` will follow


class Thinking(Reply):
    """A search has started, or waits in the queue with `queued` searches ahead of it."""

    type: Literal["thinking"] = "thinking"
    task: Literal["move", "hint", "analysis", "review", "xray"]
    ply: int
    seat: int | None
    player: str
    queued: int = 0


class Progress(Reply):
    type: Literal["progress"] = "progress"
    task: Literal["move", "hint", "analysis", "review"]
    ply: int  # in a review: the evaluated position
    found: ReportJson


class Compiling(Reply):
    """Something is compiled for the first time; this does not count as thinking time."""

    type: Literal["compiling"] = "compiling"
    what: Words
    share: float | None = None  # the completed share, if known


class HintReply(Reply):
    type: Literal["hint"] = "hint"
    ply: int
    found: ReportJson


class AnalysisReply(Reply):
    """An analysis has ended."""

    type: Literal["analysis"] = "analysis"
    ply: int
    found: ReportJson
    ended: Literal["finished", "stopped", "time"]


class ReviewReply(Reply):
    """A review has ended; its results were sent position by position as `progress`."""

    type: Literal["review"] = "review"
    ended: Literal["finished", "stopped", "time"]


class XrayStep(_Strict):
    text: Words
    now: list[int]  # numbers (`born`) of the nodes to light up
    labels: list[tuple[int, str, str]] = []  # (number, value, note): labels of nodes from this step on


class XrayNode(_Strict):
    """One node of the tree; it appears at step `born`, its value at step `done`."""

    parent: int  # index of its parent in the list of nodes, -1 for the root
    born: int
    done: int
    move: str  # the move that leads here
    value: str
    note: str  # the window, or the mean of the playouts
    cut: bool  # pruned: never searched
    tone: str
    square: bool


class XrayReply(Reply):
    """A search tree whose nodes appear step by step; see docs/internals/web_protocol.md."""

    type: Literal["xray"] = "xray"
    ply: int
    kind: Literal["bounds", "visits"]
    tree: list[XrayNode]
    steps: list[XrayStep]
    summary: Words
    nodes: int
    cut: int
    remark: Words | None = None  # how the tree differs from the request


class Frame(_Strict):
    move: str
    mover: int
    svg: str


class LineReply(Reply):
    type: Literal["line"] = "line"
    ply: int
    frames: list[Frame]


class PictureReply(Reply):
    type: Literal["picture"] = "picture"
    name: str
    svg: str


class Piece(_Strict):
    letter: str
    tone: str


class Squares(Reply):
    """The board in the editor: its squares, in the order of the letters in `arrange`."""

    type: Literal["squares"] = "squares"
    ply: int
    squares: list[tuple[float, float]]
    letters: str
    pieces: list[Piece]  # the empty square comes first
    mover: int
    movers: bool  # can the position have either seat to move?


class ArrangeReply(Reply):
    type: Literal["arranged"] = "arranged"
    text: str


class LoadReply(Reply):
    """The contents of a file, ready to be opened."""

    type: Literal["loaded"] = "loaded"
    game: str
    start: str
    moves: list[str]
    games: int  # number of games in the file
    variations: list[VariationLine]


class ForbiddenReply(Reply):
    type: Literal["barred"] = "barred"
    why: Words | None


class File(Reply):
    type: Literal["file"] = "file"
    name: str
    mime: str
    text: str


class ErrorMessage(Reply):
    """A request failed; nothing has changed unless a `state` follows."""

    type: Literal["error"] = "error"
    code: Literal[
        "malformed", "refused", "illegal", "busy", "rate", "player", "replaced", "stopped", "too_large", "internal"
    ]  # fmt: skip
    text: Words
    hint: Words | None = None
    ply: int | None = None


ServerMessage = (
    Hello | State | Thinking | Progress | Compiling | HintReply | AnalysisReply | ReviewReply | XrayReply | LineReply
    | PictureReply | LoadReply | ForbiddenReply | File | Squares | ArrangeReply | ErrorMessage
)  # fmt: skip
server_messages: TypeAdapter[Any] = TypeAdapter(Annotated[ServerMessage, Field(discriminator="type")])
