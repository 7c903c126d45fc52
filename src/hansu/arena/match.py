"""Games between two players: both seats, varied openings, nobody's crash spoils it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
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

CHECK_SECONDS, CHECK_NODES = 1.0, 1_000  # for the move that shows that a player can move, at most


def check(player: Player, position: Position, limit: Limit, name: str = "") -> None:
    """Let a player move once, before it counts: one that is missing, broken or silent is told with a HansuError, and so
    is one that cannot keep to its limit. What has to be compiled is compiled."""
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
        named = error.what.startswith(name.partition("@")[0])  # a player does not know of its limit
        what = error.what if named else Message("{name}: {what}", name=name, what=error.what)
        hint = error.hint or Message("every player must be able to move before anything is played")
        raise HansuError(what, hint) from None


def play_game(
    position: Position, first: Player, second: Player, limits: Limit | tuple[Limit, Limit], chance: random.Random,
    on_move: Callable[[Position], None] | None = None, adjudication: Adjudication = Adjudication(),
) -> Record:  # fmt: skip
    """One game from a position. `first` moves for team 0, `second` for team 1. `limits`: one for both, or each
    seat's.

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
    spoken: list[tuple[int, Value | None]] = []
    fault, adjudicated, outcome = "", "", 0
    for seat, player in enumerate(players):
        try:
            begin(player)
        except PlayerFault as error:
            fault, outcome = error.what, 1 if seat else -1
            break
    position, plies = _after_chance(position, plies, chance)
    while not fault and not position.over:
        verdict = adjudication.verdict(spoken, plies, position.game.score_range)
        if verdict is not None:
            outcome, adjudicated = verdict
            break
        decisions += [None] * (plies - opening - len(decisions))  # what chance has moved
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
        if adjudication.listens:
            value = decision.report.value
            if value is not None and players[seat].acting(position.game).averages:
                value = Value(value)  # an exact mean is no proof of a result
            spoken.append((seat, value))
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
    """The position after chance has moved wherever it is to, and the plies that led there."""
    after = step_chance(position, chance)
    at = after
    while at is not position and at.previous is not None:
        at, plies = at.previous, plies + 1
    return after, plies


@dataclass
class Tally:
    """Results from the side of player A."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: list[str] = field(default_factory=list)
    pairs: list[float] = field(default_factory=list)  # points of each pair of games with swapped seats, 0 to 2

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    def add(self, outcome_for_a: int) -> None:
        self.wins += outcome_for_a > 0
        self.draws += outcome_for_a == 0
        self.losses += outcome_for_a < 0


def play_pair(
    position: Position, a: Player, b: Player, limits: tuple[Limit, Limit], seed: str, seats: Sequence[int] = (0, 1),
    adjudication: Adjudication = Adjudication(),
) -> Iterator[tuple[int, Record]]:  # fmt: skip
    """The same opening from both seats: 0 with `a` first, 1 with `b` first. `limits` are those of `a` and of `b`;
    `seed` is what chance in the games is drawn from, wherever and in whatever order pairs are played."""
    for seat in seats:
        players, bounds = ((b, a), limits[::-1]) if seat else ((a, b), limits)
        chance = random.Random(f"{seed} {seat}")
        yield seat, play_game(position, *players, bounds, chance, adjudication=adjudication)


@dataclass(frozen=True)
class Match:
    """What `play_match` played: the records, in the order in which they were played, and the tally of the first player.

    >>> import hansu
    >>> played = hansu.match("tictactoe", "minimax", "random:seed=1", games=4)
    >>> print(played)
    minimax against random:seed=1: 4 wins, 0 draws, 0 losses
    >>> played.tally.points, [len(record.last.history) for record in played]
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
    """Two players, given as such or by name, from varied openings (`plies` random plies) and both seats.

    >>> import hansu
    >>> print(hansu.match("tictactoe", "alphabeta", "random:seed=2", games=2))
    alphabeta against random:seed=2: 1 wins, 1 draws, 0 losses
    """
    from hansu.arena.roster import player
    from hansu.core import registry

    found = game if isinstance(game, Game) else registry.game(game)
    bound = limit if isinstance(limit, Limit) else Limit.read(limit)
    seated = [who if isinstance(who, Player) else player(who, found) for who in (a, b)]
    try:
        played = list(match(found, seated[0], seated[1], games, bound, seed, plies))
    finally:
        for given, who in zip((a, b), seated, strict=True):
            if given is not who:
                who.close()
    records = tuple(record for record, _ in played)
    return Match((seated[0].name, seated[1].name), records, played[-1][1] if played else Tally())


def match(
    game: Game, a: Player, b: Player, games: int, limits: Limit | tuple[Limit, Limit], seed: int,
    plies: int | None = None,
) -> Iterator[tuple[Record, Tally]]:  # fmt: skip
    """Play `games` games in this process: each opening twice, with seats swapped. Yields after each game, so an
    interrupted match has its partial result. `limits`: one for both, or that of `a` and that of `b`."""
    openings = RandomOpenings(game, plies, seed)
    bounds = (limits, limits) if isinstance(limits, Limit) else limits
    tally = Tally()
    for number in range((games + 1) // 2):
        pair = 0.0
        seats = (0, 1) if 2 * number + 1 < games else (0,)
        for seat, record in play_pair(openings[number].position(game), a, b, bounds, f"{seed} {number}", seats):
            outcome = record.outcome or 0
            points_for_a = -outcome if seat else outcome
            tally.add(points_for_a)
            if record.fault:
                tally.faults.append(record.fault)
            pair += (points_for_a + 1) / 2
            if seat:
                tally.pairs.append(pair)
            yield record, tally
