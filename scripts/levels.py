"""Measures the levels: in each game a ladder, `random` and `level:1` to `level:10`, each against the next one from both
seats of many openings, kept in a store, so that it can be stopped and gone on with. Elo by maximum likelihood with 95 %
intervals, `level:1` at 0.

    python scripts/levels.py levels.db                  all games
    python scripts/levels.py levels.db ataxx --games 20

The Elo goes into src/hansu/arena/levels.json, from which players and pages tell it; the tables into docs/levels.md.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from hansu import games
from hansu.arena.contestant import read_contestants
from hansu.arena.levels import MEASURED
from hansu.arena.openings import RandomOpenings
from hansu.arena.pool import Pool
from hansu.arena.schedule import Ladder
from hansu.arena.standings import Results, Standings, standings
from hansu.arena.store import Store
from hansu.arena.tournament import Tournament
from hansu.core.game import Game
from hansu.search.players.level import LEVELS, ladder
from hansu.ui.standings import elo_text, percent

PAGE = Path(__file__).parents[1] / "docs" / "levels.md"
PLIES = {"pacman": 6, "tree": 0}  # of openings, where the game's own are too few
SMALL = 4  # times as many games where the game is small: they take no time


def measured(store: Store, game: Game, pairs: int, seed: int, workers: int) -> tuple[Standings, list[int]]:
    """The standings, and the players' numbers in them: `random`, then the levels."""
    texts = [f"random:seed={seed}", *(f"level:{level},seed={seed}" for level in range(1, LEVELS + 1))]
    who = read_contestants(texts, game)
    openings = RandomOpenings(game, PLIES.get(game.name), seed)
    made_of = {"ladder": ladder(game)}  # another ladder is another event
    event = Tournament(store, game, who, Ladder(len(who), pairs), openings, seed, settings=made_of)
    results = Results()
    for played in event.known():
        results.add(played)
    with Pool(game, who, workers) as pool:
        for one in event.play(pool):
            if one is not None:
                results.add(one)
    return standings(results.counts, store.players(), anchor=event.ids[1]), event.ids


def table(game: Game, found: Standings, ids: list[int]) -> list[str]:
    """As docs/levels.md shows it."""
    rows = {row.player: row for row in found.rows}
    better = found.ratings.likely_better
    lines = [
        f"### {game.name}", "", "| level | is | Elo | 95 % | against the one below | likely better |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for level, (id, below) in enumerate(zip(ids[1:], ids, strict=False), 1):
        rating, (won, drawn, lost) = rows[id].rating, found.between(id, below)
        interval = "" if level == 1 else f"{elo_text(rating.low)} to {elo_text(rating.high)}"
        against = f"{'`random`: ' if level == 1 else ''}+{won} ={drawn} -{lost}"
        spec = ladder(game)[level - 1]
        lines.append(
            f"| {level} | `{spec}` | {rating.value:+.0f} | {interval} | {against} | {percent(better(id, below))} |"
        )
    return lines


def write(tables: dict[str, list[str]], elo: dict[str, list[int]]) -> None:
    """Into the package and the page; what was not measured now stays."""
    known = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    lines = [f' "{name}": {json.dumps(numbers)}' for name, numbers in sorted({**known, **elo}.items())]
    MEASURED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    for name, made in tables.items():
        whole = "\n".join(made) + "\n"
        section = re.compile(rf"^### {name}\n(?:(?!^#).*\n?)*?(?:^\|.*\n)+", re.MULTILINE)
        if section.search(text) is None:
            text = f"{text.rstrip()}\n\n{whole}"
        else:
            text = section.sub(lambda _, whole=whole: whole, text)  # type: ignore[misc]
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("game", nargs="*", default=list(games.names()))
    parser.add_argument("--games", type=int, default=100, help="of each pair of neighbours")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    with Store(given.store, make=True) as store:
        for name in given.game:
            game = games.game(name)
            pairs = (given.games + 1) // 2 * (SMALL if game.small else 1)
            found, ids = measured(store, game, pairs, given.seed, given.workers)
            lines = table(game, found, ids)
            print("\n".join(lines), flush=True)
            value = {row.player: round(row.rating.value) for row in found.rows}
            write({name: lines}, {name: [value[id] for id in ids[1:]]})


if __name__ == "__main__":
    main()
