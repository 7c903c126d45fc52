"""Matches during a run: the gate that a network must pass to become champion, and Elo against fixed players.

sprt    games until a sequential probability ratio test (Wald 1945) decides: is the new network at least GAIN Elo
        stronger, or not stronger at all?
5of7    five wins in seven games
none    the newest network is the champion
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hansu.core.game import Game
from hansu.learn.alphazero.background_thread import BackgroundThread
from hansu.learn.alphazero.batch_players import BatchPlayer, NetworkPlayer, PlayerAdapter, play_games
from hansu.learn.cuda import Stream

GAIN = 40.0  # Elo
BOUND = math.log(0.95 / 0.05)  # of the log-likelihood ratio: one decision in twenty is wrong
MAX_GATE_GAMES = 400
GATE_GAMES = 40  # at once


def expected_score(elo: float) -> float:
    """The expected share of points for a difference in Elo."""
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


def elo_of(share: float) -> float:
    return -400.0 * math.log10(1.0 / share - 1.0)


def log_likelihood_ratio(outcomes: Sequence[int]) -> float:
    """Of GAIN Elo against 0 Elo, given the outcomes (normal approximation)."""
    n = len(outcomes)
    shares = [(outcome + 1) / 2 for outcome in outcomes]
    mean = sum(shares) / n
    variance = sum((share - mean) ** 2 for share in shares) / n + 1e-3  # equal outcomes would decide at once
    low, high = expected_score(0.0), expected_score(GAIN)
    return n * (high - low) * (2 * mean - low - high) / (2 * variance)


def gate_match(gate: str, play: Callable[[int], list[int]]) -> tuple[bool, list[int]]:
    """Does the challenger pass the gate? Also returns the outcomes. `play(count)` plays more games and returns their
    outcomes for the challenger: 1, 0 or -1."""
    if gate == "5of7":
        outcomes = play(7)
        return outcomes.count(1) >= 5, outcomes
    outcomes = []
    while len(outcomes) < MAX_GATE_GAMES:
        more = play(GATE_GAMES)
        if not more:  # stopped
            return False, []
        outcomes += more
        ratio = log_likelihood_ratio(outcomes)
        if abs(ratio) > BOUND:
            return ratio > 0, outcomes
    return log_likelihood_ratio(outcomes) > 0, outcomes


def rating(outcomes: Sequence[int]) -> dict[str, Any]:
    """A score as Elo with a 95 % interval. Half a point is added for each side, so that the Elo is always finite."""
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
    """Plays the matches of a run in a background thread.

    `newest` returns a copy of the averaged weights, or None if they have not changed. `log` receives results,
    `promoted` a new champion.
    """

    def __init__(self, game: Game, seed: int, max_plies: int, challenger: NetworkPlayer, champion: NetworkPlayer,
                 rating_opponents: Mapping[str, Any], newest: Callable[[], Any], log: Callable[[dict[str, Any]], None],
                 promoted: Callable[[Any], None], *, gate: str, gate_seconds: float, rating_games: int,
                 rating_seconds: float) -> None:  # fmt: skip
        self._game, self._max_plies = game, max_plies
        self._chance = random.Random(seed)
        self._challenger, self._champion = challenger, champion
        self._opponents = {name: PlayerAdapter(player) for name, player in rating_opponents.items()}
        self._newest, self._log, self._promoted = newest, log, promoted
        self._gate, self._gate_seconds = gate, gate_seconds
        self._rating_games, self._rating_seconds = rating_games, rating_seconds
        self._gate_at = self._rating_at = time.monotonic()
        self._final = False
        self._stream = Stream(challenger.playing.device)  # idle: the copies it publishes are complete
        self.thread = BackgroundThread("gate", self._work)

    @property
    def needed(self) -> bool:
        return bool(self._opponents) or self._gate != "none"

    def _work(self) -> bool:
        now = time.monotonic()
        gate_due = self._gate != "none" and now >= self._gate_at
        rating_due = bool(self._opponents) and now >= self._rating_at
        network = self._newest() if gate_due or rating_due else None
        if network is None:
            return False
        self._set_challenger(network)
        if gate_due:
            self._play_gate(network)
            self._gate_at = time.monotonic() + self._gate_seconds
        if rating_due:
            self._rate()
            self._rating_at = time.monotonic() + self._rating_seconds
        return True

    def rate_final_network(self, network: Any) -> None:
        """The last matches of a run, after the other threads have stopped."""
        self._final = True
        self._set_challenger(network)
        if self._gate != "none":
            self._play_gate(network)
        self._rate()

    def _set_challenger(self, network: Any) -> None:
        self._challenger.playing.publish(network, self._stream)

    def _play_gate(self, network: Any) -> None:
        """A match against the champion; a challenger that passes becomes champion."""
        passed, outcomes = gate_match(self._gate, lambda count: self._match(self._champion, count))
        if outcomes:
            self._log({"kind": "gate", "gate": self._gate, "passed": passed, **rating(outcomes)})
        if passed:
            self._champion.playing.publish(network, self._stream)
            self._promoted(network)

    def _rate(self) -> None:
        for name, opponent in self._opponents.items():
            if outcomes := self._match(opponent, self._rating_games):
                self._log({"kind": "rating", "against": name, **rating(outcomes)})

    def _match(self, opponent: BatchPlayer, count: int) -> list[int]:
        return play_games(self._game, self._challenger, opponent, count, self._chance, self._max_plies,
                          lambda: self.thread.stopping and not self._final)  # fmt: skip
