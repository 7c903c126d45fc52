"""A played game: its last position, the players, and the report of every move.

Saved matches, the browser's files, PGN, SGF and training samples are all converted from a `Record`. As JSON:

    game, start          the game with its settings, the start position
    first, second        the players
    opening, moves       in the game's notation; the opening is the part that the players did not choose
    outcome, score       +1, 0 or -1 for the first seat (null: unfinished); the game's own score if it was played out
    fault, resigned      why it ended early: a player's failure, the seat that resigned,
    adjudicated          or the reason for an adjudication (proved, values, length)
    seconds              time used by each seat
    thoughts             the report of each of `moves` with its `why`, or null
    variations           other lines from the start position: name and moves
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message, in_languages
from hansu.core.options import split_spec
from hansu.core.player import Decision
from hansu.core.position import Position
from hansu.core.report import Report
from hansu.core.types import Action
from hansu.core.variation import MOST_VARIATIONS, Variation


class Ply(NamedTuple):
    """One move of a game: the position before it, the action, and the decision (None: chance or a person moved)."""

    position: Position
    action: Action
    decision: Decision | None

    @property
    def move(self) -> str:
        """The action in the game's notation."""
        return self.position.move_text(self.action)


@dataclass(frozen=True, kw_only=True)
class Record:
    """One game, finished or not.

    >>> import random, hansu
    >>> from hansu.arena.match import play_game
    >>> game = hansu.game("tictactoe")
    >>> perfect = hansu.player("minimax", game)
    >>> record = play_game(game.first, perfect, perfect, hansu.Limit(), random.Random(1))
    >>> record.outcome, record.last.moves, record.decisions[0].report.value
    (0, ('1', '5', '2', '3', '7', '4', '6', '8', '9'), Value(0, proved))
    >>> [ply.move for ply in record if ply.position.mover == 1]
    ['5', '3', '4', '8']
    >>> Record.from_json(record.as_json(), game).last == record.last
    True
    """

    last: Position
    players: tuple[str, str] = ("", "")
    opening: int = 0  # plies that the players did not choose
    decisions: tuple[Decision | None, ...] = ()  # for the plies after the opening; None: chance or a person moved
    outcome: int | None = None
    fault: str = ""
    resigned: int | None = None  # the seat that resigned
    adjudicated: str = ""  # the reason for an adjudication
    seconds: tuple[float, float] = (0.0, 0.0)
    variations: tuple[Variation, ...] = ()  # other lines from the start position

    def __iter__(self) -> Iterator[Ply]:
        """The game ply by ply."""
        decisions = [None] * self.opening + list(self.decisions)
        decisions += [None] * (len(self.last.history) - len(decisions))
        return map(Ply, self.last.way, self.last.history, decisions)

    @property
    def score(self) -> float | None:
        """The score for player 0, or None if the game was not played to its end."""
        return self.last.score if self.last.over else None

    def as_json(self, moves: bool = False) -> dict[str, Any]:
        """The record as JSON. `moves=True` includes all root moves of every report."""
        texts = list(self.last.moves)
        return {
            "game": self.last.game.spec,
            "start": self.last.origin_text,
            "first": self.players[0],
            "second": self.players[1],
            "opening": texts[: self.opening],
            "moves": texts[self.opening :],
            "outcome": self.outcome,
            "score": self.score,
            "fault": self.fault,
            "resigned": self.resigned,
            "adjudicated": self.adjudicated,
            "seconds": list(self.seconds),
            "thoughts": [
                None if decision is None else thought(at, decision, moves)
                for at, decision in zip(self.last.way[self.opening :], self.decisions, strict=False)
            ],
            "variations": [
                {"name": name, "moves": self.last.origin.line_text(actions)} for actions, name in self.variations
            ],
        }

    @classmethod
    def from_json(cls, data: Any, game: Game) -> Record:
        """The record of `as_json`, replayed by the rules of `game`.

        The data never choose the code to run: `game` must be the game they name. Older records with fewer fields are
        accepted. Raises HansuError for anything else.
        """
        try:
            at = game_of(_text(data["game"]), game).position(_text(data.get("start") or "start"))
            opening, moves = ([_text(move) for move in _list(data[part])] for part in ("opening", "moves"))
            for move in [*opening, *moves]:
                at = at.play_move(move)
            outcome, resigned = data["outcome"], data.get("resigned")
            if type(outcome) is bool or outcome not in (1, 0, -1, None) or resigned not in (0, 1, None):
                raise ValueError("not an outcome")
            seconds = data.get("seconds") or (0.0, 0.0)
            decisions = tuple(
                None if thoughts is None else _decision(before, after, thoughts)
                for before, after, thoughts in zip(
                    at.way[len(opening) :], [*at.way[len(opening) + 1 :], at], data.get("thoughts") or (), strict=False
                )
            )
            return cls(
                last=at, players=(_text(data["first"]), _text(data["second"])), opening=len(opening),
                decisions=decisions, outcome=outcome, fault=_text(data.get("fault") or ""), resigned=resigned,
                adjudicated=_text(data.get("adjudicated") or ""), seconds=(float(seconds[0]), float(seconds[1])),
                variations=tuple(
                    read_variation(at.origin, [_text(move) for move in _list(line["moves"])], _text(line["name"]))
                    for line in _list(data.get("variations") or [])[:MOST_VARIATIONS]
                ),
            )  # fmt: skip
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError, OverflowError):
            raise _not_a_record() from None


def read_record(line: str, game: Game) -> Record:
    """The record in one line of a file that `hansu match --save` wrote."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise _not_a_record() from None
    return Record.from_json(data, game)


def _not_a_record() -> HansuError:
    return HansuError("the text is not a game record", "expected a line that `hansu match --save` wrote")


def read_variation(origin: Position, moves: Sequence[str], name: str = "") -> Variation:
    """A variation from its moves in the game's notation."""
    at = origin
    for move in moves:
        at = at.play_move(move)
    return Variation(at.history[len(origin.history) :], name)


def thought(at: Position, decision: Decision, moves: bool = True) -> dict[str, Any]:
    """A decision as JSON: the report, and `why` in every language."""
    why = in_languages(decision.why) if isinstance(decision.why, Message) else decision.why
    return {"move": at.move_text(decision.action), "why": why, **decision.report.as_json(at, moves)}


def _decision(before: Position, after: Position, data: Any) -> Decision:
    why = data.get("why") or ""
    if isinstance(why, dict):
        why = Message({str(language): str(text) for language, text in why.items()})
    return Decision(action=after.last, why=why, report=Report.from_json(before, data))


def game_of(spec: str, game: Game) -> Game:
    """`game` with the settings of a record's spec. Raises HansuError if the spec names another game.

    A record is untrusted data: it must not choose code to run, and no setting may name a file.
    """
    name, settings = split_spec(spec)
    if not name or name not in (game.name, game.path):
        raise HansuError(
            "the record is a game of {name!r}, not of {game}",
            "choose the record's game",
            name=name[:40],
            game=game.name,
        )
    for option in game.options:
        if option.name in settings and option.kind is str and not option.choices and not option.plain:
            raise HansuError(
                "a record may not set {option}, which can name a file",
                "remove {option} from its game",
                option=option.name,
            )
    return game.with_settings(settings) if settings else game


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value
