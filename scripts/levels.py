"""Measure the strength of the levels. Each game is a ladder event: `random` and `level:1` to `level:10`, each against
the next one, from both seats of many openings. Games are kept in a store, so a run can be interrupted and resumed. The
result is maximum-likelihood Elo with 95 % intervals; `level:1` has 0. Pacman is different, because it is played for
points and its seats are not equal: each level plays Pacman against `directional` ghosts, and the ghosts against
`reflex`, and the mean points are reported.

    python scripts/levels.py levels.db                  all games
    python scripts/levels.py levels.db ataxx --games 20

The numbers are written to src/hansu/arena/levels.json, which the terminal and the web page show, and the tables to
docs/lab/levels.md.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
from pathlib import Path

from hansu.arena.contestant import read_contestants
from hansu.arena.levels import MEASURED
from hansu.arena.match import play_game
from hansu.arena.openings import RandomOpenings
from hansu.arena.pool import Pool
from hansu.arena.roster import player
from hansu.arena.schedule import Ladder
from hansu.arena.standings import Results, Standings, standings
from hansu.arena.store import Store
from hansu.arena.tournament import Tournament
from hansu.core import registry
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.search.players.level import LEVELS, ladder
from hansu.ui.standings import elo_text, percent

PAGE = Path(__file__).parents[1] / "docs" / "lab" / "levels.md"
PACMAN_PLIES = 6  # per opening
SMALL = 4  # factor on the number of games of a small game, which are fast


def measure(store: Store, game: Game, pairs: int, seed: int, workers: int) -> tuple[Standings, list[int]]:
    """The standings, and the ids of the players: `random`, then the levels."""
    texts = [f"random:seed={seed}", *(f"level:{level},seed={seed}" for level in range(1, LEVELS + 1))]
    who = read_contestants(texts, game)
    openings = RandomOpenings(game, None, seed)
    settings = {"ladder": ladder(game)}  # a changed ladder is a new event
    event = Tournament(store, game, who, Ladder(len(who), pairs), openings, seed, settings=settings)
    results = Results()
    for stored in event.new_games():
        results.add(stored)
    with Pool(game, who, workers) as pool:
        for played in event.play(pool):
            if played is not None:
                results.add(played)
    return standings(results.counts, store.players(), anchor=event.ids[1]), event.ids


def table(game: Game, ratings: Standings, ids: list[int]) -> list[str]:
    """The lines of a table in docs/lab/levels.md."""
    rows = {row.player: row for row in ratings.rows}
    better = ratings.ratings.likely_better
    lines = [
        f"### {game.name}", "", "| level | player | Elo | 95 % | against the level below | likely better |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for level, (id, below) in enumerate(zip(ids[1:], ids, strict=False), 1):
        rating, (won, drawn, lost) = rows[id].rating, ratings.between(id, below)
        interval = "" if level == 1 else f"{elo_text(rating.low)} to {elo_text(rating.high)}"
        against = f"{'`random`: ' if level == 1 else ''}+{won} ={drawn} -{lost}"
        spec = ladder(game)[level - 1]
        lines.append(
            f"| {level} | `{spec}` | {rating.value:+.0f} | {interval} | {against} | {percent(better(id, below))} |"
        )
    return lines


def points(game: Game, level: int, other: str, seat: int, games: int, seed: int) -> list[int]:
    """Pacman's points in each game of a level, in a seat, against another player."""
    openings = RandomOpenings(game, PACMAN_PLIES, seed)
    pair = [player(f"level:{level},seed={seed}", game), player(other, game)]
    if seat:
        pair.reverse()
    result = []
    for number in range(games):
        chance = random.Random(f"{seed} {number}")
        record = play_game(openings[number].position(game), pair[0], pair[1], Limit(), chance)
        result.append(record.last.state.points)
    return result


def table_of_points(game: Game, games: int, seed: int) -> tuple[list[str], list[int]]:
    """The table of Pacman, and the points of each level."""
    lines = [
        f"### {game.name}", "", "| level | is | points | 95 % | won | as ghosts: points of `reflex` | 95 % | won |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    means = []
    for level in range(1, LEVELS + 1):
        cells = [str(level), f"`{ladder(game)[level - 1]}`"]
        for seat, other in enumerate((f"directional:seed={seed}", f"reflex:seed={seed}")):
            scores = points(game, level, other, seat, games, seed)
            mean, half = statistics.mean(scores), 1.96 * statistics.stdev(scores) / len(scores) ** 0.5
            won = sum((number > 0) is (seat == 0) for number in scores)
            cells += [f"{mean:.0f}", f"{mean - half:.0f} to {mean + half:.0f}", f"{won / len(scores):.0%}"]
            if not seat:
                means.append(round(mean))
        lines.append(f"| {' | '.join(cells)} |")
    return lines, means


def write(name: str, lines: list[str], unit: str, numbers: list[int]) -> None:
    """Update one game in levels.json and in the page."""
    known = json.loads(MEASURED.read_text(encoding="utf-8"))
    rows = sorted({**known, name: {unit: numbers}}.items())
    text = ",\n".join(f"  {json.dumps(game)}: {json.dumps(numbers)}" for game, numbers in rows)
    MEASURED.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    text, count = re.subn(
        rf"^### {name}\n\n(?:\|.*\n)*\n*",
        lambda _: "\n".join(lines) + "\n\n",
        PAGE.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    if not count:
        raise SystemExit(f"docs/lab/levels.md has no section {name}")
    PAGE.write_text(text.rstrip() + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("game", nargs="*", default=list(registry.names()))
    parser.add_argument("--games", type=int, default=100, help="games for each pair of neighbours")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    with Store(args.store, make=True) as store:
        for name in args.game:
            game = registry.game(name)
            pairs = (args.games + 1) // 2 * (SMALL if game.small else 1)
            if name == "pacman":
                unit, (lines, numbers) = "points", table_of_points(game, args.games, args.seed)
            else:
                ratings, ids = measure(store, game, pairs, args.seed, args.workers)
                elo = {row.player: round(row.rating.value) for row in ratings.rows}
                unit, lines, numbers = "Elo", table(game, ratings, ids), [elo[id] for id in ids[1:]]
            print("\n".join(lines), flush=True)
            write(name, lines, unit, numbers)


if __name__ == "__main__":
    main()
