"""Claim: `engine` at 0.2 s a move scores at least 90 % against `rule` and 75 % against `parity`, over 60 random boards
(20 each of 10, 15 and 20 points), both seats on each.

    python benchmarks/triangles_match.py                         everything: about an hour
    python benchmarks/triangles_match.py rule 10 --boards 5      one opponent, one size, fewer boards

Board k of a size is `triangles:points=SIZE,seed=k`; a game begins with the empty board. CPU seconds are printed beside
the result, since on a busy machine a move gets less than its time.
"""

from __future__ import annotations

import argparse
import random
import time

from hansu.arena.elo import estimate
from hansu.arena.match import Tally, play_game
from hansu.arena.roster import player
from hansu.core import Limit, Position, registry


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("opponent", nargs="?", default="rule,parity")
    options.add_argument("sizes", nargs="?", default="10,15,20")
    options.add_argument("--player", default="engine")
    options.add_argument("--boards", type=int, default=20, help="boards of each size")
    options.add_argument("--first", type=int, default=1, help="seed of the first board")
    options.add_argument("--limit", default="time=0.2")
    asked = options.parse_args()
    for opponent in asked.opponent.split(","):
        total = Tally()
        for size in map(int, asked.sizes.split(",")):
            seeds = range(asked.first, asked.first + asked.boards)
            played = both_seats(asked.player, opponent, size, seeds, Limit.read(asked.limit))
            total.wins += played.wins
            total.draws += played.draws
            total.losses += played.losses
            total.pairs += played.pairs
        print(f"{asked.player} - {opponent}, all sizes: {result(total)}", flush=True)


def both_seats(spec: str, opponent: str, size: int, seeds: range, limit: Limit) -> Tally:
    """Every board twice, with seats swapped."""
    tally = Tally()
    moves = [0]

    def count(position: Position) -> None:
        moves[0] += 1

    cpu = 0.0
    for seed in seeds:
        game = registry.game(f"triangles:points={size},seed={seed}")
        own, other = player(spec, game), player(opponent, game)
        if not tally.games:  # compile or load before anything is timed
            own.decide(game.first, limit)
            other.decide(game.first, limit)
        pair = 0.0
        for swapped in (False, True):
            began = time.process_time()
            seats = (other, own) if swapped else (own, other)
            record = play_game(game.first, *seats, limit, random.Random(1), count)
            cpu += time.process_time() - began
            if record.fault:
                print(f"board {seed}: {record.fault}", flush=True)
            outcome = -record.outcome if swapped else record.outcome
            tally.add(outcome)
            pair += (outcome + 1) / 2
        tally.pairs.append(pair)
    print(
        f"{spec} - {opponent}, {size} points: {result(tally)}; {2 * cpu / moves[0]:.3f} CPU s a move of {spec}",
        flush=True,
    )
    return tally


def result(tally: Tally) -> str:
    found = estimate(tally)
    return (
        f"+{tally.wins} ={tally.draws} -{tally.losses}, {found.score:.1%} of the points "
        f"(95 %: {found.low:.1%} to {found.high:.1%}), {found.elo_text}"
    )


if __name__ == "__main__":
    main()
