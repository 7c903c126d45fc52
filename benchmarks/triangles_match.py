"""Claim: `engine` at 0.2 s a move scores at least 90 % against `rule` and 75 % against `parity`, over 60 random boards
(20 each of 10, 15 and 20 points), both seats on each.

    python benchmarks/triangles_match.py                         all matches: about an hour
    python benchmarks/triangles_match.py rule 10 --boards 5      one opponent, one size, fewer boards

Board k of a size is `triangles:points=SIZE,seed=k`; games start from the empty board. The output includes CPU seconds,
because on a busy machine a move gets less CPU time than its limit.
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("opponent", nargs="?", default="rule,parity")
    parser.add_argument("sizes", nargs="?", default="10,15,20")
    parser.add_argument("--player", default="engine")
    parser.add_argument("--boards", type=int, default=20, help="boards of each size")
    parser.add_argument("--first", type=int, default=1, help="seed of the first board")
    parser.add_argument("--limit", default="time=0.2")
    arguments = parser.parse_args()
    for opponent in arguments.opponent.split(","):
        total = Tally()
        for size in map(int, arguments.sizes.split(",")):
            seeds = range(arguments.first, arguments.first + arguments.boards)
            played = both_seats(arguments.player, opponent, size, seeds, Limit.read(arguments.limit))
            total.wins += played.wins
            total.draws += played.draws
            total.losses += played.losses
            total.pairs += played.pairs
        print(f"{arguments.player} - {opponent}, all sizes: {result(total)}", flush=True)


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
        if not tally.games:  # compile or load before the clock starts
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
    elo = estimate(tally)
    return (
        f"+{tally.wins} ={tally.draws} -{tally.losses}, {elo.score:.1%} of the points "
        f"(95 %: {elo.low:.1%} to {elo.high:.1%}), {elo.elo_text}"
    )


if __name__ == "__main__":
    main()
