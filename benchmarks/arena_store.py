"""Claim: the standings of a store with 100,000 games of ten players are there in under a second: counted, rated with
intervals, and who is likely better than the next. The peer counts the same games by reading them one by one."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
import zlib
from pathlib import Path

from hansu.arena.contestant import Contestant
from hansu.arena.openings import Opening
from hansu.arena.standings import Results, standings
from hansu.arena.store import Store

GAMES, PLAYERS, MOST_SECONDS = 100_000, 10, 1.0
RECORD = json.dumps({"game": "connect_four", "moves": ["4"] * 30, "thoughts": [{"move": "4", "value": 0.125}] * 30})


def filled(path: Path) -> None:
    """As many rows as so many games make; made in one go, because here only reading is measured."""
    chance = random.Random(1)
    with Store(path, make=True) as store:
        event = store.event("connect_four", "round robin", {})
        ids = [store.player(Contestant(f"player {n}", "random")) for n in range(PLAYERS)]
        openings = [store.opening("connect_four", Opening(moves=(str(n),))) for n in range(200)]
        run, packed = store.run, zlib.compress(RECORD.encode())
        rows = []
        for number in range(GAMES):
            i, j = chance.sample(range(PLAYERS), 2)
            share = 1 / (1 + 10 ** ((j - i) / 4))
            outcome = chance.choices((1, 0, -1), (share * 0.8, 0.2, (1 - share) * 0.8))[0]
            row = (event, number, ids[i], ids[j], chance.choice(openings), run, outcome, "over", 30, 0.1, 0.1)
            rows.append((*row, 1.0, number))
        store._db.execute("BEGIN")
        store._db.executemany(
            "INSERT INTO games (event, slot, first, second, opening, run, outcome, ended, plies, first_seconds,"
            " second_seconds, finished, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        store._db.executemany("INSERT INTO records VALUES (?, ?)", ((n, packed) for n in range(1, GAMES + 1)))
        store._db.execute("COMMIT")


def counted(path: Path) -> float:
    began = time.process_time()
    with Store(path, read_only=True) as store:
        table = standings(store.results(), store.players(), store.faults())
    assert table.games == GAMES
    return time.process_time() - began


def one_by_one(path: Path) -> float:
    began = time.process_time()
    with Store(path, read_only=True) as store:
        results = Results()
        for played in store.games():
            results.add(played)
        table = standings(results.counts, store.players(), results.faults)
    assert table.games == GAMES
    return time.process_time() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games"
        filled(path)
        best, peer = (min(way(path) for _ in range(5)) for way in (counted, one_by_one))
        ok = best < MOST_SECONDS
        print(
            f"standings of {GAMES:,} games ({path.stat().st_size >> 20} MB): {best:.2f} s of CPU against {peer:.2f} s "
            f"game by game: {peer / best:.1f}x; wanted under {MOST_SECONDS:g} s: {'ok' if ok else 'ABOVE'}"
        )
        sys.exit(not ok)


if __name__ == "__main__":
    main()
