"""Who is better: the gate that a network must pass to become champion, and Elo against fixed players as a run goes on.

sprt    games until a sequential test knows (Wald 1945): is the new network at least GAIN Elo stronger, or no better?
5of7    five wins in seven games
none    the newest is the champion
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hansu.core.game import Game
from hansu.learn.alphazero.background_thread import Beside
from hansu.learn.alphazero.seats import Asking, Searching, Side, play_games
from hansu.learn.cuda import Lane

GAIN = 40.0  # Elo
SURE = math.log(0.95 / 0.05)  # of the test's logarithm: wrong one time in twenty
MOST_GATE_GAMES = 400
GATE_GAMES = 40  # at once


def expected(elo: float) -> float:
    """The share of points that a difference of Elo stands for."""
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


def elo_of(share: float) -> float:
    return -400.0 * math.log10(1.0 / share - 1.0)


def evidence(outcomes: Sequence[int]) -> float:
    """How much the games speak for GAIN Elo against for none: the logarithm of the likelihoods' ratio (normal
    approximation)."""
    n = len(outcomes)
    shares = [(outcome + 1) / 2 for outcome in outcomes]
    mean = sum(shares) / n
    spread = sum((share - mean) ** 2 for share in shares) / n + 1e-3  # all alike would be sure at once
    low, high = expected(0.0), expected(GAIN)
    return n * (high - low) * (2 * mean - low - high) / (2 * spread)


def passes(gate: str, play: Callable[[int], list[int]]) -> tuple[bool, list[int]]:
    """Has the challenger shown enough? `play(count)` gives the outcomes of so many more games, +1 for its wins."""
    if gate == "5of7":
        outcomes = play(7)
        return outcomes.count(1) >= 5, outcomes
    outcomes = []
    while len(outcomes) < MOST_GATE_GAMES:
        more = play(GATE_GAMES)
        if not more:  # stopped
            return False, []
        outcomes += more
        told = evidence(outcomes)
        if abs(told) > SURE:
            return told > 0, outcomes
    return evidence(outcomes) > 0, outcomes


def rating(outcomes: Sequence[int]) -> dict[str, Any]:
    """A score as Elo, half a point given to each side so that it is always a number, with a 95 % interval."""
    n = len(outcomes)
    points = sum((outcome + 1) / 2 for outcome in outcomes)
    share = (points + 0.5) / (n + 1)
    half = 1.96 * math.sqrt(share * (1 - share) / n)
    low, high = max(share - half, 0.5 / (n + 1)), min(share + half, (n + 0.5) / (n + 1))
    return {
        "games": n, "score": points / n, "elo": round(elo_of(share)), "elo_low": round(elo_of(low)),
        "elo_high": round(elo_of(high)), "wins": outcomes.count(1), "draws": outcomes.count(0),
    }  # fmt: skip


class Gate:
    """Plays the matches of a run beside it. `newest` gives the averaged weights as a network of its own (or None if
    nothing new has been learnt), `log` hears of results, `crowned` of a new champion."""

    def __init__(self, game: Game, seed: int, longest: int, challenger: Searching, champion: Searching,
                 references: Mapping[str, Any], newest: Callable[[], Any], log: Callable[[dict[str, Any]], None],
                 crowned: Callable[[Any], None], *, gate: str, gate_seconds: float, rating_games: int,
                 rating_seconds: float) -> None:  # fmt: skip
        self._game, self._longest = game, longest
        self._chance = random.Random(seed)
        self._challenger, self._champion = challenger, champion
        self._references: dict[str, Side] = {name: Asking(player) for name, player in references.items()}
        self._newest, self._log, self._crowned = newest, log, crowned
        self._gate, self._gate_seconds = gate, gate_seconds
        self._rating_games, self._rating_seconds = rating_games, rating_seconds
        self._gate_at = self._rating_at = time.monotonic()
        self._final = False
        self._idle = Lane(challenger.playing.device)  # nothing is at work where the newest weights come from
        self.beside = Beside("judge", self._work)

    @property
    def needed(self) -> bool:
        return bool(self._references) or self._gate != "none"

    def _work(self) -> bool:
        now = time.monotonic()
        wants_gate = self._gate != "none" and now >= self._gate_at
        wants_rating = bool(self._references) and now >= self._rating_at
        network = self._newest() if wants_gate or wants_rating else None
        if network is None:
            return False
        self._seat(network)
        if wants_gate:
            self._match_for_the_crown(network)
            self._gate_at = time.monotonic() + self._gate_seconds
        if wants_rating:
            self._rate()
            self._rating_at = time.monotonic() + self._rating_seconds
        return True

    def last_word(self, network: Any) -> None:
        """On the network that a run ends with, when nothing else is at work."""
        self._final = True
        self._seat(network)
        if self._gate != "none":
            self._match_for_the_crown(network)
        self._rate()

    def _seat(self, network: Any) -> None:
        self._challenger.playing.offer(network, self._idle)

    def _match_for_the_crown(self, network: Any) -> None:
        """A match against the champion; the challenger that passes takes its place."""
        passed, outcomes = passes(self._gate, lambda count: self._match(self._champion, count))
        if outcomes:
            self._log({"kind": "gate", "gate": self._gate, "passed": passed, **rating(outcomes)})
        if passed:
            self._champion.playing.offer(network, self._idle)
            self._crowned(network)

    def _rate(self) -> None:
        for name, side in self._references.items():
            if outcomes := self._match(side, self._rating_games):
                self._log({"kind": "rating", "against": name, **rating(outcomes)})

    def _match(self, opponent: Side, count: int) -> list[int]:
        return play_games(self._game, self._challenger, opponent, count, self._chance, self._longest,
                          lambda: self.beside.stopping and not self._final)  # fmt: skip
