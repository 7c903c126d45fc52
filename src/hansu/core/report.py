"""The result of a search, for every player: progress while it runs, and the final report of a decision.

    Value       a position's value, and how certain it is
    MoveValue   the result for one root move
    Report      value, line, root moves, and the effort spent

`as_json` and `from_json` iterate over the fields. A new field appears in `hansu analyze --json`, in saved games and in
the browser without further code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from hansu.core.errors import HansuError
from hansu.core.types import Action

if TYPE_CHECKING:
    from hansu.core.position import Position

EXACT, AT_MOST, AT_LEAST = "", "<=", ">="
_OPPOSITE = {EXACT: EXACT, AT_MOST: AT_LEAST, AT_LEAST: AT_MOST}
LONGEST_LINE = 1_000  # plies, in a report read from JSON
MOST_MOVES = 10_000


class Value(float):
    """A float from player 0's side, in the unit of the game's score.

    `proved`: the value is certain; every line was searched to the end of the game. `plies`: the distance to that end,
    if known. `bound`: "" if the search's value is exact, else "<=" or ">=" (alpha-beta often learns only that a move
    is no better).

    >>> loss = Value.seen_from(1, 1.0, proved=True, plies=3)     # the second player wins in three plies
    >>> loss, loss.to(1)
    (Value(-1, proved, 3 plies), 1.0)
    """

    __slots__ = ("bound", "plies", "proved")
    bound: str
    plies: int | None
    proved: bool

    def __new__(cls, number: float, *, proved: bool = False, plies: int | None = None, bound: str = EXACT) -> Value:
        value = super().__new__(cls, number)
        value.proved, value.plies, value.bound = proved, plies, bound
        return value

    @classmethod
    def seen_from(
        cls, team: int, number: float, *, proved: bool = False, plies: int | None = None, bound: str = EXACT
    ) -> Value:
        """The value that is `number` from the side of a team."""
        if team:
            number, bound = 0.0 - number, _OPPOSITE[bound]  # not -number, which would be a negative zero
        return cls(number, proved=proved, plies=plies, bound=bound)

    def to(self, team: int) -> float:
        """This value from the side of a team."""
        return 0.0 - self if team else float(self)

    def order(self, team: int) -> tuple[float, int]:
        """A sort key, greater is better for the team: by number, then the nearer win or the farther loss."""
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
    """A search's result for one root move.

    >>> import hansu
    >>> position = hansu.game("tree").first
    >>> moves = hansu.player("minimax", position.game).decide(position).report.moves
    >>> [(position.move_text(move.action), float(move.value)) for move in moves]
    [('a1', -50.0), ('a2', 1.0), ('a3', -5.0)]
    """

    action: Action
    value: Value | None = None
    visits: int | None = None  # simulations through this move
    prior: float | None = None  # the network's probability before the search, 0 to 1
    line: tuple[Action, ...] = ()  # the expected best line, starting with this move


@dataclass(frozen=True, kw_only=True)
class Report:
    """The result of a search, or its progress so far.

    >>> import hansu
    >>> position = hansu.game("tictactoe").position("1 4 2 7")
    >>> report = hansu.player("minimax", position.game).decide(position).report
    >>> report.value, position.line_text(report.line)
    (Value(1, proved), ['3'])
    """

    value: Value | None = None
    line: tuple[Action, ...] = ()  # the principal variation from the root
    moves: tuple[MoveValue, ...] = ()  # root moves, if several were evaluated
    chances: tuple[float, float, float] | None = None  # probabilities that player 0 wins, draws, loses
    shares: tuple[float, ...] = ()  # the value for each agent, where every agent plays for itself
    depth: int = 0  # plies searched completely
    seldepth: int = 0  # the longest line searched, in plies
    nodes: int = 0
    seconds: float = 0.0

    @property
    def proved(self) -> bool:
        """Is the value certain?"""
        return self.value is not None and self.value.proved

    @property
    def plies(self) -> int | None:
        """The distance to the end of the game, if the value comes from there."""
        return None if self.value is None else self.value.plies

    @property
    def policy(self) -> dict[Action, float]:
        """Each root move's share of the visits; the network's prior if the player does not count visits."""
        total = sum(move.visits or 0 for move in self.moves)
        if total:
            return {move.action: (move.visits or 0) / total for move in self.moves}
        return {move.action: move.prior for move in self.moves if move.prior is not None}

    def best_first(self, team: int) -> list[MoveValue]:
        """The root moves, best first for this team: by visits, then by value, then by prior."""

        def order(move: MoveValue) -> tuple[float, tuple[float, int], bool, float]:
            value = (-math.inf, 0) if move.value is None else move.value.order(team)
            return move.visits or 0, value, move.value is not None and move.value.bound == EXACT, move.prior or 0.0

        return sorted(self.moves, key=order, reverse=True)

    def as_json(self, position: Position, moves: bool = True) -> dict[str, Any]:
        """The report as JSON: moves in the game's notation, values from player 0's side.

        `moves=False` leaves out the list of root moves.
        """
        data: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "value":
                data.update({"value": None, "proved": False, **_value_as_json(value)})
            elif field.name == "line":
                data["line"] = position.line_text(value)
            elif field.name == "moves":
                if moves:
                    data["moves"] = [_move_as_json(move, position) for move in value]
            elif field.name == "chances":
                data["chances"] = None if value is None else [_number(chance) for chance in value]
            elif field.name == "shares":
                data.update({"shares": [_number(share) for share in value]} if value else {})
            else:
                data[field.name] = _number(value)
        return data

    @classmethod
    def from_json(cls, position: Position, data: Any) -> Report:
        """The report of `as_json`. Raises HansuError for anything else."""
        try:
            line, moves = data.get("line") or [], data.get("moves") or []
            if len(line) > LONGEST_LINE or len(moves) > MOST_MOVES:
                raise ValueError("too long")
            known = {position.move_text(action): action for action in position.actions} if moves else {}
            chances = data.get("chances")
            plain: dict[str, Any] = {
                field.name: _count(data[field.name]) if field.name != "seconds" else _finite(data["seconds"])
                for field in fields(cls)
                if field.name not in ("value", "line", "moves", "chances", "shares")
                and data.get(field.name) is not None
            }
            return cls(
                value=_read_value(data),
                line=_read_line(position, line),
                moves=tuple(
                    MoveValue(
                        action=known[move["move"]],
                        value=_read_value(move),
                        visits=None if move.get("visits") is None else _count(move["visits"]),
                        prior=None if move.get("prior") is None else _finite(move["prior"]),
                        line=_read_line(position, (move.get("line") or [])[:LONGEST_LINE]),
                    )
                    for move in moves
                    if move["move"] in known
                ),
                chances=None if chances is None else tuple(_finite(x) for x in (chances[0], chances[1], chances[2])),  # type: ignore[arg-type]
                shares=tuple(map(_finite, (data.get("shares") or [])[:MOST_MOVES])),
                **plain,
            )
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
            raise HansuError("the data is not a search report", "expected the JSON of Report.as_json") from None


def _number(value: Any) -> Any:
    """A number as Python's own type; it may be NumPy's."""
    return value.item() if hasattr(value, "item") else value


def _value_as_json(value: float | None) -> dict[str, Any]:
    """A value with its known attributes. (A student's player may return a plain float.)"""
    if value is None or math.isnan(value):
        return {}
    data: dict[str, Any] = {"value": float(value)}
    if isinstance(value, Value):
        known = {"proved": value.proved or None, "plies": value.plies, "bound": value.bound or None}
        data.update({name: _number(attribute) for name, attribute in known.items() if attribute is not None})
    return data


def _move_as_json(move: MoveValue, position: Position) -> dict[str, Any]:
    data: dict[str, Any] = {"move": position.move_text(move.action)}
    if move.value is not None:
        data.update(_value_as_json(move.value))
    for name in ("visits", "prior"):
        if getattr(move, name) is not None:
            data[name] = _number(getattr(move, name))
    if move.line:
        data["line"] = position.line_text(move.line)
    return data


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("not a number")
    return float(value)


def _count(value: Any) -> int:
    number = int(_finite(value))
    if not 0 <= number < 1 << 62:
        raise ValueError("not a count")
    return number


def _read_value(data: Any) -> Value | None:
    if data.get("value") is None:
        return None
    bound = data.get("bound", EXACT)
    if bound not in _OPPOSITE:
        raise ValueError("not a bound")
    plies = None if data.get("plies") is None else _count(data["plies"])
    return Value(_finite(data["value"]), proved=data.get("proved") is True, plies=plies, bound=bound)


def _read_line(position: Position, moves: Any) -> tuple[Action, ...]:
    """The line as far as its moves are legal."""
    line: list[Action] = []
    for move in moves:
        try:
            action = position.game.action(position.state, str(move))
            position = position.play(action)
        except HansuError:
            break
        line.append(action)
    return tuple(line)
