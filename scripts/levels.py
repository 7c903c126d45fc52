"""Measures the levels: in each game a tournament of `random` and `level:1` to `level:10`, kept in a store, so that it
can be stopped and gone on with. Prints the table of docs/levels.md, Elo with 95 % intervals, `random` at 0.

    python scripts/levels.py levels.db --games 20 connect_four ataxx
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hansu import games
from hansu.arena.contestant import read_contestants
from hansu.arena.openings import RandomOpenings
from hansu.arena.pool import Pool
from hansu.arena.schedule import RoundRobin
from hansu.arena.standings import Results, standings
from hansu.arena.store import Store
from hansu.arena.tournament import Tournament
from hansu.core.game import Game
from hansu.ui.standings import elo_text

PLAYERS = ["random", *(f"level:{strength}" for strength in range(1, 11))]


def measured(store: Store, game: Game, pairs: int, workers: int) -> list[str]:
    """A cell for each player: its rating with the interval."""
    who = read_contestants(PLAYERS, game)
    event = Tournament(store, game, who, RoundRobin(len(who), pairs), RandomOpenings(game, None, 1), 1)
    results = Results()
    for played in event.known():
        results.add(played)
    with Pool(game, who, workers) as pool:
        for one in event.play(pool):
            if one is not None:
                results.add(one)
    found = {row.player: row for row in standings(results.counts, store.players(), anchor=event.ids[0]).rows}
    ratings = [found[id].rating for id in event.ids]
    return [f"{elo_text(r.value)} ({elo_text(r.low)} to {elo_text(r.high)})" for r in ratings]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("game", nargs="*", default=list(games.names()))
    parser.add_argument("--games", type=int, default=20, help="for each pair of players")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    columns = {}
    with Store(given.store, make=True) as store:
        for spec in given.game:
            columns[spec] = measured(store, games.game(spec), (given.games + 1) // 2, given.workers)
    print("| player | " + " | ".join(f"`{spec}`" for spec in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for number, name in enumerate(PLAYERS):
        print(f"| `{name}` | " + " | ".join(column[number] for column in columns.values()) + " |")


if __name__ == "__main__":
    main()
