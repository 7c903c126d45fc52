"""A game that was played: the position it led to, who played, and what was thought at each ply.

Whatever keeps or shows a game converts from here: saved matches, the browser's files, PGN and SGF, samples to learn
from. As JSON:

    game, start          the game with its settings, the position it was begun from
    first, second        who played
    opening, moves       in the game's notation; the opening is what neither of them chose
    outcome, score       +1, 0 or -1 for the first seat (null: unfinished); the game's own score where it was played out
    fault, resigned      why it ended otherwise: a player's crash or the like, the seat that gave up,
    adjudicated          or what decided it before it was over (proved, values, length)
    seconds              thought by each seat
    thoughts             for each of `moves` what its player said: a report with `why`, or null
    variations           other lines from the same start: what somebody called them, and all their moves
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.generic import Action
from hansu.core.message import Message, in_languages
from hansu.core.options import split_spec
from hansu.core.player import Decision
from hansu.core.position import Position
from hansu.core.report import Report
from hansu.core.variation import MOST_VARIATIONS, Variation


class Ply(NamedTuple):
    """One move of a game: where it was made, what was played, and what was thought (None: chance or a person moved)."""

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
    opening: int = 0  # plies that neither of them chose
    decisions: tuple[Decision | None, ...] = ()  # of the plies after the opening; None: chance or a person moved
    outcome: int | None = None
    fault: str = ""
    resigned: int | None = None  # the seat that gave up
    adjudicated: str = ""  # what decided it before it was over
    seconds: tuple[float, float] = (0.0, 0.0)
    variations: tuple[Variation, ...] = ()  # other lines from where it began

    def __iter__(self) -> Iterator[Ply]:
        """The game ply by ply."""
        thoughts = [None] * self.opening + list(self.decisions)
        thoughts += [None] * (len(self.last.history) - len(thoughts))
        return map(Ply, self.last.way, self.last.history, thoughts)

    @property
    def score(self) -> float | None:
        """For player 0; None where the game was not played to its end."""
        return self.last.score if self.last.over else None

    def as_json(self, moves: bool = False) -> dict[str, Any]:
        """For files and programs. `moves`: with the values of all root moves at every ply."""
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
    def from_json(cls, told: Any, game: Game) -> Record:
        """What `as_json` told, played through by the rules of `game`: a file names no code. Older lines, which have
        fewer fields, are read too. Raises HansuError where it is nothing of the kind, or no game of `game`."""
        try:
            at = game_of(_text(told["game"]), game).position(_text(told.get("start") or "start"))
            opening, moves = ([_text(move) for move in _list(told[part])] for part in ("opening", "moves"))
            for move in [*opening, *moves]:
                at = at.play_move(move)
            outcome, resigned = told["outcome"], told.get("resigned")
            if type(outcome) is bool or outcome not in (1, 0, -1, None) or resigned not in (0, 1, None):
                raise ValueError("no outcome")
            seconds = told.get("seconds") or (0.0, 0.0)
            decisions = tuple(
                None if each is None else _decision(before, after, each)
                for before, after, each in zip(
                    at.way[len(opening) :], [*at.way[len(opening) + 1 :], at], told.get("thoughts") or (), strict=False
                )
            )
            return cls(
                last=at, players=(_text(told["first"]), _text(told["second"])), opening=len(opening),
                decisions=decisions, outcome=outcome, fault=_text(told.get("fault") or ""), resigned=resigned,
                adjudicated=_text(told.get("adjudicated") or ""), seconds=(float(seconds[0]), float(seconds[1])),
                variations=tuple(
                    read_variation(at.origin, [_text(move) for move in _list(each["moves"])], _text(each["name"]))
                    for each in _list(told.get("variations") or [])[:MOST_VARIATIONS]
                ),
            )  # fmt: skip
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError, OverflowError):
            raise HansuError("not a record of a game") from None


def read_record(line: str, game: Game) -> Record:
    """The game of a line that `hansu match --save` wrote."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise HansuError("not a record of a game") from None
    return Record.from_json(told, game)


def read_variation(origin: Position, moves: Sequence[str], name: str = "") -> Variation:
    """A line by its moves from where a game began."""
    at = origin
    for move in moves:
        at = at.play_move(move)
    return Variation(at.history[len(origin.history) :], name)


def thought(at: Position, decision: Decision, moves: bool = True) -> dict[str, Any]:
    """What a player said of its move, as JSON: the report, and why in every language."""
    why: Any = decision.why
    if isinstance(why, Message):
        why = in_languages(why)
    return {"move": at.move_text(decision.action), "why": why, **decision.report.as_json(at, moves)}


def _decision(before: Position, after: Position, told: Any) -> Decision:
    why = told.get("why") or ""
    if isinstance(why, dict):
        why = Message({str(language): str(text) for language, text in why.items()})
    return Decision(action=after.last, why=why, report=Report.from_json(before, told))


def game_of(spec: str, game: Game) -> Game:
    """`game` with the settings that a file names, none of which may be the path of another one. Raises HansuError where
    the file speaks of another game: a file names no code."""
    name, settings = split_spec(spec)
    if not name or name not in (game.name, game.path):
        raise HansuError(f"a game of {name[:40]!r}, not of {game.name}")
    for option in game.options:
        if option.name in settings and option.kind is str and not option.choices and not option.plain:
            raise HansuError(f"a record may not set {option.name}, which can name a file")
    return game.with_settings(settings) if settings else game


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value
