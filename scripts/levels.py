"""Measures the levels: in each game a ladder, `random` and `level:1` to `level:10`, each against the next one from both
seats of many openings, kept in a store, so that it can be stopped and gone on with. Elo by maximum likelihood with 95 %
intervals, `level:1` at 0. Pacman is played for points, and its seats are no equals: there each level plays Pacman
against `directional` ghosts, and the ghosts against `reflex`; what counts are the points.

    python scripts/levels.py levels.db                  all games
    python scripts/levels.py levels.db ataxx --games 20

What it finds goes into src/hansu/arena/levels.json, from which the terminal and the pages tell it, and as tables into
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
PACMAN_PLIES = 6  # of its openings
SMALL = 4  # times as many games where the game is small: they take no time


def measured(store: Store, game: Game, pairs: int, seed: int, workers: int) -> tuple[Standings, list[int]]:
    """The standings, and the players' numbers in them: `random`, then the levels."""
    texts = [f"random:seed={seed}", *(f"level:{level},seed={seed}" for level in range(1, LEVELS + 1))]
    who = read_contestants(texts, game)
    openings = RandomOpenings(game, None, seed)
    made_of = {"ladder": ladder(game)}  # another ladder is another event
    event = Tournament(store, game, who, Ladder(len(who), pairs), openings, seed, settings=made_of)
    results = Results()
    for played in event.new_games():
        results.add(played)
    with Pool(game, who, workers) as pool:
        for one in event.play(pool):
            if one is not None:
                results.add(one)
    return standings(results.counts, store.players(), anchor=event.ids[1]), event.ids


def table(game: Game, found: Standings, ids: list[int]) -> list[str]:
    """As docs/lab/levels.md shows it."""
    rows = {row.player: row for row in found.rows}
    better = found.ratings.likely_better
    lines = [
        f"### {game.name}", "", "| level | player | Elo | 95 % | against the level below | likely better |",
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


def points(game: Game, level: int, other: str, seat: int, games: int, seed: int) -> list[int]:
    """Pacman's points in each game of a level in a seat against another player."""
    openings = RandomOpenings(game, PACMAN_PLIES, seed)
    pair = [player(f"level:{level},seed={seed}", game), player(other, game)]
    if seat:
        pair.reverse()
    found = []
    for number in range(games):
        chance = random.Random(f"{seed} {number}")
        record = play_game(openings[number].position(game), pair[0], pair[1], Limit(), chance)
        found.append(record.last.state.points)
    return found


def table_of_points(game: Game, games: int, seed: int) -> tuple[list[str], list[int]]:
    """Pacman's own table, and each level's points."""
    lines = [
        f"### {game.name}", "", "| level | is | points | 95 % | won | as ghosts: points of `reflex` | 95 % | won |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    means = []
    for level in range(1, LEVELS + 1):
        cells = [str(level), f"`{ladder(game)[level - 1]}`"]
        for seat, other in enumerate((f"directional:seed={seed}", f"reflex:seed={seed}")):
            found = points(game, level, other, seat, games, seed)
            mean, half = statistics.mean(found), 1.96 * statistics.stdev(found) / len(found) ** 0.5
            won = sum((number > 0) is (seat == 0) for number in found)
            cells += [f"{mean:.0f}", f"{mean - half:.0f} to {mean + half:.0f}", f"{won / len(found):.0%}"]
            if not seat:
                means.append(round(mean))
        lines.append(f"| {' | '.join(cells)} |")
    return lines, means


def write(name: str, lines: list[str], unit: str, numbers: list[int]) -> None:
    """Into the package and the page; what else is there stays."""
    known = json.loads(MEASURED.read_text(encoding="utf-8"))
    told = sorted({**known, name: {unit: numbers}}.items())
    made = ",\n".join(f"  {json.dumps(game)}: {json.dumps(found)}" for game, found in told)
    MEASURED.write_text(f"{{\n{made}\n}}\n", encoding="utf-8")
    text, found = re.subn(
        rf"^### {name}\n\n(?:\|.*\n)*\n*",
        lambda _: "\n".join(lines) + "\n\n",
        PAGE.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    if not found:
        raise SystemExit(f"docs/lab/levels.md has no section {name}")
    PAGE.write_text(text.rstrip() + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("game", nargs="*", default=list(registry.names()))
    parser.add_argument("--games", type=int, default=100, help="of each pair of neighbours")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    with Store(given.store, make=True) as store:
        for name in given.game:
            game = registry.game(name)
            pairs = (given.games + 1) // 2 * (SMALL if game.small else 1)
            if name == "pacman":
                unit, (lines, numbers) = "points", table_of_points(game, given.games, given.seed)
            else:
                found, ids = measured(store, game, pairs, given.seed, given.workers)
                elo = {row.player: round(row.rating.value) for row in found.rows}
                unit, lines, numbers = "Elo", table(game, found, ids), [elo[id] for id in ids[1:]]
            print("\n".join(lines), flush=True)
            write(name, lines, unit, numbers)


if __name__ == "__main__":
    main()
