"""What a search knows of a position: told while it runs, kept with the decision, the same for every player.

    Value       what a position is worth, and how sure that is
    MoveValue   what is known of one move
    Report      value, line, moves, and what it took to find them

Whoever shows, sends or keeps what was thought converts from here: `as_json` and `from_json` walk over the fields, so a
new field shows up in `hansu analyze --json`, in saved games, in the browser and with students' players by being added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from hansu.core.errors import HansuError
from hansu.core.generic import Action

if TYPE_CHECKING:
    from hansu.core.position import Position

EXACT, AT_MOST, AT_LEAST = "", "<=", ">="
_OPPOSITE = {EXACT: EXACT, AT_MOST: AT_LEAST, AT_LEAST: AT_MOST}
LONGEST_LINE = 1_000  # plies, in a report from outside
MOST_MOVES = 10_000


class Value(float):
    """A number from player 0's side, in the unit of the game's score; a float wherever one is wanted.

    `proved`: exact, every line was followed to the end of the game. `plies`: how far away that end is, where it is
    known. `bound`: "" where the number is exact for the search, else "<=" or ">=" (alpha-beta often learns only that a
    move is no better).

    >>> loss = Value.seen_from(1, 1.0, proved=True, plies=3)     # the second player wins in three plies
    >>> loss, loss.to(1)
    (Value(-1, proved, 3 plies), 1.0)
    """

    __slots__ = ("bound", "plies", "proved")
    bound: str
    plies: int | None
    proved: bool

    def __new__(cls, number: float, *, proved: bool = False, plies: int | None = None, bound: str = EXACT) -> Value:
        made = super().__new__(cls, number)
        made.proved, made.plies, made.bound = proved, plies, bound
        return made

    @classmethod
    def seen_from(
        cls, team: int, number: float, *, proved: bool = False, plies: int | None = None, bound: str = EXACT
    ) -> Value:
        """What is `number` to a team."""
        if team:
            number, bound = 0.0 - number, _OPPOSITE[bound]  # not -number: there is no negative zero among values
        return cls(number, proved=proved, plies=plies, bound=bound)

    def to(self, team: int) -> float:
        """The number from the side of a team."""
        return 0.0 - self if team else float(self)

    def order(self, team: int) -> tuple[float, int]:
        """Greater is better for the team: the number first, then a near win and a far loss."""
        number, plies = self.to(team), self.plies or 0
        return number, -plies if number > 0 else plies

    def __str__(self) -> str:
        return float.__repr__(self)

    def __repr__(self) -> str:
        parts = [f"{self.bound}{float(self):g}"]
        if self.proved:
            parts.append("proved")
        if self.plies is not None:
            parts.append(f"{self.plies} plies")
        return f"Value({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _value, (float(self), self.proved, self.plies, self.bound)


def _value(number: float, proved: bool, plies: int | None, bound: str) -> Value:
    return Value(number, proved=proved, plies=plies, bound=bound)


@dataclass(frozen=True, kw_only=True)
class MoveValue:
    """What a search learnt of one root move.

    >>> import hansu
    >>> position = hansu.game("tree").first
    >>> found = hansu.player("minimax", position.game).decide(position).report.moves
    >>> [(position.move_text(each.action), float(each.value)) for each in found]
    [('a1', -50.0), ('a2', 1.0), ('a3', -5.0)]
    """

    action: Action
    value: Value | None = None
    visits: int | None = None  # simulations that went there
    prior: float | None = None  # what a network thought of it before any search, 0 to 1
    line: tuple[Action, ...] = ()  # the best play that is expected from it on (it is the first)


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a search found so far.

    >>> import hansu
    >>> position = hansu.game("tictactoe").position("1 4 2 7")
    >>> report = hansu.player("minimax", position.game).decide(position).report
    >>> report.value, position.line_text(report.line)
    (Value(1, proved), ['3'])
    """

    value: Value | None = None
    line: tuple[Action, ...] = ()  # the best play that it expects, from the root on
    moves: tuple[MoveValue, ...] = ()  # root moves, where it judged several
    chances: tuple[float, float, float] | None = None  # that player 0 wins, draws, loses
    shares: tuple[float, ...] = ()  # what it is worth to each agent, where everybody plays for the own good
    depth: int = 0  # plies that were looked at in full
    seldepth: int = 0  # the longest line that was looked at
    nodes: int = 0
    seconds: float = 0.0

    @property
    def proved(self) -> bool:
        """Is the value sure?"""
        return self.value is not None and self.value.proved

    @property
    def plies(self) -> int | None:
        """To the end of the game, where the value is known to come from there."""
        return None if self.value is None else self.value.plies

    @property
    def policy(self) -> dict[Action, float]:
        """Each root move's share of the visits, where the player counts visits; else what a network thought."""
        total = sum(move.visits or 0 for move in self.moves)
        if total:
            return {move.action: (move.visits or 0) / total for move in self.moves}
        return {move.action: move.prior for move in self.moves if move.prior is not None}

    def best_first(self, team: int) -> list[MoveValue]:
        """The moves in the order in which a player of this team would choose: by visits, then by value, then by what a
        network thought of them."""

        def order(move: MoveValue) -> tuple[float, tuple[float, int], bool, float]:
            value = (-math.inf, 0) if move.value is None else move.value.order(team)
            return move.visits or 0, value, move.value is not None and move.value.bound == EXACT, move.prior or 0.0

        return sorted(self.moves, key=order, reverse=True)

    def as_json(self, position: Position, moves: bool = True) -> dict[str, Any]:
        """For programs: moves in the game's notation, numbers from player 0's side. `moves=False` leaves the list of
        root moves out."""
        told: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "value":
                told.update({"value": None, "proved": False, **_value_told(value)})
            elif field.name == "line":
                told["line"] = position.line_text(value)
            elif field.name == "moves":
                if moves:
                    told["moves"] = [_move_told(move, position) for move in value]
            elif field.name == "chances":
                told["chances"] = None if value is None else [_number(chance) for chance in value]
            elif field.name == "shares":
                told.update({"shares": [_number(share) for share in value]} if value else {})
            else:
                told[field.name] = _number(value)
        return told

    @classmethod
    def from_json(cls, position: Position, told: Any) -> Report:
        """What `as_json` told. Raises HansuError where it is nothing of the kind."""
        try:
            line, moves = told.get("line") or [], told.get("moves") or []
            if len(line) > LONGEST_LINE or len(moves) > MOST_MOVES:
                raise ValueError("too long")
            known = {position.move_text(action): action for action in position.actions} if moves else {}
            chances = told.get("chances")
            plain: dict[str, Any] = {
                field.name: _count(told[field.name]) if field.name != "seconds" else _finite(told["seconds"])
                for field in fields(cls)
                if field.name not in ("value", "line", "moves", "chances", "shares")
                and told.get(field.name) is not None
            }
            return cls(
                value=_value_read(told),
                line=_line_read(position, line),
                moves=tuple(
                    MoveValue(
                        action=known[move["move"]],
                        value=_value_read(move),
                        visits=None if move.get("visits") is None else _count(move["visits"]),
                        prior=None if move.get("prior") is None else _finite(move["prior"]),
                        line=_line_read(position, (move.get("line") or [])[:LONGEST_LINE]),
                    )
                    for move in moves
                    if move["move"] in known
                ),
                chances=None if chances is None else tuple(_finite(x) for x in (chances[0], chances[1], chances[2])),  # type: ignore[arg-type]
                shares=tuple(map(_finite, (told.get("shares") or [])[:MOST_MOVES])),
                **plain,
            )
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
            raise HansuError("not a report of a search") from None


def _number(value: Any) -> Any:
    """A plain Python number of one that may be NumPy's."""
    return value.item() if hasattr(value, "item") else value


def _value_told(value: float | None) -> dict[str, Any]:
    """A value, with what is known of it where there is something to tell. (A student's may be a plain float.)"""
    if value is None or math.isnan(value):
        return {}
    told: dict[str, Any] = {"value": float(value)}
    if isinstance(value, Value):
        known = {"proved": value.proved or None, "plies": value.plies, "bound": value.bound or None}
        told.update({name: _number(what) for name, what in known.items() if what is not None})
    return told


def _move_told(move: MoveValue, position: Position) -> dict[str, Any]:
    told: dict[str, Any] = {"move": position.move_text(move.action)}
    if move.value is not None:
        told.update(_value_told(move.value))
    for name in ("visits", "prior"):
        if getattr(move, name) is not None:
            told[name] = _number(getattr(move, name))
    if move.line:
        told["line"] = position.line_text(move.line)
    return told


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("no number")
    return float(value)


def _count(value: Any) -> int:
    number = int(_finite(value))
    if not 0 <= number < 1 << 62:
        raise ValueError("no count")
    return number


def _value_read(told: Any) -> Value | None:
    if told.get("value") is None:
        return None
    bound = told.get("bound", EXACT)
    if bound not in _OPPOSITE:
        raise ValueError("no bound")
    plies = None if told.get("plies") is None else _count(told["plies"])
    return Value(_finite(told["value"]), proved=told.get("proved") is True, plies=plies, bound=bound)


def _line_read(position: Position, moves: Any) -> tuple[Action, ...]:
    """As far as it can be played."""
    line: list[Action] = []
    for move in moves:
        try:
            action = position.game.action(position.state, str(move))
            position = position.play(action)
        except HansuError:
            break
        line.append(action)
    return tuple(line)
