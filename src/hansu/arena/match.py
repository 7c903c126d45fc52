"""Games between two players, from both seats and varied openings. A player that crashes loses only the current game."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from hansu.arena.adjudication import Adjudication
from hansu.arena.openings import RandomOpenings
from hansu.arena.turn import ask, begin
from hansu.core.errors import HansuError, PlayerFault
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision, Player
from hansu.core.position import Position
from hansu.core.record import Record
from hansu.core.report import Value
from hansu.search.chance import step_chance

CHECK_SECONDS, CHECK_NODES = 1.0, 1_000  # upper bounds for the move that checks a player


def check(player: Player, position: Position, limit: Limit, name: str = "") -> None:
    """Let a player make a move that does not count. Raises HansuError if the player is missing, crashes, does not
    answer or does not support its limit. Also compiles what the player needs."""
    name = name or player.name
    brief = replace(
        limit,
        time=None if limit.time is None else min(limit.time, CHECK_SECONDS),
        nodes=None if limit.nodes is None else min(limit.nodes, CHECK_NODES),
    )
    try:
        begin(player)
        ask(player, position, brief)
    except HansuError as error:
        has_name = error.what.startswith(name.partition("@")[0])  # a player does not know its limit
        what = error.what if has_name else Message("{name}: {what}", name=name, what=error.what)
        hint = error.hint or Message("every player must be able to move before the first game")
        raise HansuError(what, hint) from None


def play_game(
    position: Position, first: Player, second: Player, limits: Limit | tuple[Limit, Limit], chance: random.Random,
    on_move: Callable[[Position], None] | None = None, adjudication: Adjudication = Adjudication(),
) -> Record:  # fmt: skip
    """Play one game from a position. `first` moves for team 0, `second` for team 1. `limits`: one for both seats, or
    one for each. `chance` samples the chance nodes; `on_move` is called with the position after each move.

    >>> import hansu, random
    >>> game = hansu.game("tictactoe")
    >>> both = [hansu.player(spec, game) for spec in ("minimax", "alphabeta")]
    >>> record = hansu.play_game(game.first, *both, hansu.Limit(), random.Random(1))
    >>> record.outcome, len(list(record))
    (0, 9)
    """
    opening = plies = len(position.history)
    players, limits = (first, second), (limits, limits) if isinstance(limits, Limit) else limits
    seconds = [0.0, 0.0]
    decisions: list[Decision | None] = []
    values: list[tuple[int, Value | None]] = []
    fault, adjudicated, outcome = "", "", 0
    for seat, player in enumerate(players):
        try:
            begin(player)
        except PlayerFault as error:
            fault, outcome = error.what, 1 if seat else -1
            break
    position, plies = _after_chance(position, plies, chance)
    while not fault and not position.over:
        verdict = adjudication.verdict(values, plies, position.game.score_range)
        if verdict is not None:
            outcome, adjudicated = verdict
            break
        decisions += [None] * (plies - opening - len(decisions))  # chance moved at these plies
        seat = position.team
        started = time.perf_counter()
        try:
            decision = ask(players[seat], position, limits[seat])
        except PlayerFault as error:
            fault, outcome = error.what, 1 if seat else -1
        seconds[seat] += time.perf_counter() - started
        if fault:
            break
        decisions.append(decision)
        if adjudication.uses_values:
            value = decision.report.value
            if value is not None and players[seat].acting(position.game).averages:
                value = Value(value)  # an exact mean does not prove a result
            values.append((seat, value))
        position, plies = _after_chance(position.play(decision.action), plies + 1, chance)
        if on_move is not None:
            on_move(position)
    if position.over and not fault:
        outcome = (position.score > 0) - (position.score < 0)
    return Record(
        last=position, players=(first.name, second.name), opening=opening, decisions=tuple(decisions),
        outcome=outcome, fault=fault, adjudicated=adjudicated, seconds=(seconds[0], seconds[1]),
    )  # fmt: skip


def _after_chance(position: Position, plies: int, chance: random.Random) -> tuple[Position, int]:
    """The next position in which a player is to move, and its number of plies."""
    after = step_chance(position, chance)
    at = after
    while at is not position and at.previous is not None:
        at, plies = at.previous, plies + 1
    return after, plies


@dataclass
class Tally:
    """Results from player A's side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: list[str] = field(default_factory=list)
    pairs: list[float] = field(default_factory=list)  # points of each pair of games with swapped seats, 0 to 2
    _last: float = field(default=0.0, repr=False, compare=False)  # points of the last game

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    def add(self, outcome_for_a: int) -> None:
        """Count a single game."""
        self.wins += outcome_for_a > 0
        self.draws += outcome_for_a == 0
        self.losses += outcome_for_a < 0

    def add_record(self, seat: int, record: Record) -> None:
        """Count a game of a pair: `seat` 0 if A moved first. The game from seat 1 completes the pair that the last game
        began."""
        outcome = record.outcome or 0
        outcome_for_a = -outcome if seat else outcome
        self.add(outcome_for_a)
        if record.fault:
            self.faults.append(record.fault)
        points = (outcome_for_a + 1) / 2
        if seat:
            self.pairs.append(self._last + points)
        self._last = points


@dataclass(frozen=True)
class Match:
    """The records of a match, in the order in which they were played, and the tally of the first player.

    >>> import hansu
    >>> match = hansu.match("tictactoe", "minimax", "random:seed=1", games=4)
    >>> print(match)
    minimax against random:seed=1: 4 wins, 0 draws, 0 losses
    >>> match.tally.points, [len(record.last.history) for record in match]
    (4.0, [5, 8, 7, 6])
    """

    players: tuple[str, str]
    records: tuple[Record, ...]
    tally: Tally

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __str__(self) -> str:
        a, b = self.players
        return f"{a} against {b}: {self.tally.wins} wins, {self.tally.draws} draws, {self.tally.losses} losses"


def play_match(
    game: Game | str, a: Player | str, b: Player | str, games: int = 10, limit: Limit | str = "", seed: int = 1,
    plies: int | None = None,
) -> Match:  # fmt: skip
    """Play a match in this process, from varied openings of `plies` random plies and from both seats. Players are
    objects or names, as for `hansu.player`.

    >>> import hansu
    >>> print(hansu.match("tictactoe", "alphabeta", "random:seed=2", games=2))
    alphabeta against random:seed=2: 1 wins, 1 draws, 0 losses
    """
    from hansu.arena.roster import player
    from hansu.core import registry

    game = game if isinstance(game, Game) else registry.game(game)
    limit = limit if isinstance(limit, Limit) else Limit.read(limit)
    players = [who if isinstance(who, Player) else player(who, game) for who in (a, b)]
    try:
        results = list(match(game, players[0], players[1], games, limit, seed, plies))
    finally:
        for name, built in zip((a, b), players, strict=True):
            if name is not built:
                built.close()
    records = tuple(record for record, _ in results)
    return Match((players[0].name, players[1].name), records, results[-1][1] if results else Tally())


def match(
    game: Game, a: Player, b: Player, games: int, limits: Limit | tuple[Limit, Limit], seed: int,
    plies: int | None = None,
) -> Iterator[tuple[Record, Tally]]:  # fmt: skip
    """Play `games` games in this process: each opening twice, with seats swapped. Yields after each game, so an
    interrupted match has its partial result. `limits`: one for both players, or one for each."""
    from hansu.arena.contestant import Contestant
    from hansu.arena.runner import PairTask, PlayerSet
    from hansu.arena.schedule import Duel

    limits = (limits, limits) if isinstance(limits, Limit) else limits
    contestants = [Contestant(who.name, who.name, bound, player=who) for who, bound in zip((a, b), limits, strict=True)]
    players, openings, tally = PlayerSet(game, contestants), RandomOpenings(game, plies, seed), Tally()
    for pairing in Duel(games).pairings():
        task = PairTask(pairing.slot, 0, 1, openings[pairing.slot], f"{seed} {pairing.slot}", pairing.seats)
        for seat, record in players.play(task):
            tally.add_record(seat, record)
            yield record, tally
