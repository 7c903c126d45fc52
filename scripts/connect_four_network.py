"""How good a Connect Four player is, measured against the truth.

    python scripts/connect_four_network.py positions truth.jsonl --count 6000 --seed 20261115
    python scripts/connect_four_network.py kept truth.jsonl policy puct:simulations=100 puct:simulations=400
    python scripts/connect_four_network.py games puct:simulations=800,symmetries=one --count 50
    python scripts/connect_four_network.py curve docs/training/connect_four.jsonl docs/pictures/connect_four_network.svg

`positions` draws positions in which some move gives value away, with the moves that do not. `kept` tells the share of
them in which a player keeps the value. `games`: the player begins against the solver, which plays its first 0, 1, 2 or
3 moves by chance so that no two games need be alike. `curve` draws what was kept over the time of a training.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

from hansu import games
from hansu.arena.roster import player
from hansu.core import Limit
from hansu.games.connect_four import truth

GAME = games.built_in("connect_four")
RANDOM_REPLIES = 4  # the solver's first moves that are drawn by chance: 0 to 3, by turns


def positions(path: Path, count: int, seed: int) -> None:
    print(f"{truth.write(path, truth.draw(GAME, count, seed)):,} positions in {path}")


def kept(path: Path, specs: list[str], most: int | None) -> None:
    rows = truth.read(path)[:most]
    for spec in specs:
        began = time.perf_counter()
        good = sum(truth.kept(player(spec, GAME), GAME, rows, Limit()))
        seconds = time.perf_counter() - began
        print(f"{spec}: {good:,} of {len(rows):,} kept, {good / len(rows):.2%}; {seconds:.0f} s", flush=True)


def play(spec: str, count: int, seed: int) -> None:
    first, second, chance = player(spec, GAME), player("solver:columns=false", GAME), random.Random(seed)
    results = {1.0: 0, 0.0: 0, -1.0: 0}
    seen = set()
    for number in range(count):
        position, replies = GAME.first, number % RANDOM_REPLIES
        for each in (first, second):
            each.new_game()
        while not position.over:
            if position.mover == 0:
                action = first.decide(position).action
            elif len(position.history) < 2 * replies:
                action = chance.choice(position.actions)
            else:
                action = second.decide(position).action
            position = position.play(action)
        results[position.score] += 1
        seen.add(position.history)
        print(f"{number + 1}: {''.join(position.moves)} {position.score:+.0f}", flush=True)
    won, drawn, lost = results.values()
    print(f"{spec} against the solver: {won} won, {drawn} drawn, {lost} lost of {count}; {len(seen)} different games")


def curve(log: Path, picture: Path) -> None:
    from matplotlib import pyplot

    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    ends = {row["run"]: row["seconds"] for row in rows}
    points = [(row["seconds"] + (ends[1] if row["run"] == 2 else 0.0), row["kept"]) for row in rows if "kept" in row]
    figure, panel = pyplot.subplots(figsize=(6, 3.6))
    for name, label in (("policy", "the network alone"), ("puct100", "100 simulations")):
        panel.plot([s / 60 for s, _ in points], [100 * told[name] for _, told in points], marker=".", label=label)
    panel.axvline(ends[1] / 60, color="grey", linewidth=0.8, linestyle=":")
    panel.set(xlabel="minutes of training", ylabel="value kept, %", title="Connect Four, moves that keep the value")
    panel.grid(alpha=0.3)
    panel.legend()
    figure.tight_layout()
    figure.savefig(picture)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawn = commands.add_parser("positions")
    drawn.add_argument("file", type=Path)
    drawn.add_argument("--count", type=int, default=6000)
    drawn.add_argument("--seed", type=int, default=1)
    asked = commands.add_parser("kept")
    asked.add_argument("file", type=Path)
    asked.add_argument("players", nargs="+")
    asked.add_argument("--most", type=int, help="only so many of the positions")
    played = commands.add_parser("games")
    played.add_argument("player")
    played.add_argument("--count", type=int, default=50)
    played.add_argument("--seed", type=int, default=1)
    drawing = commands.add_parser("curve")
    drawing.add_argument("log", type=Path)
    drawing.add_argument("picture", type=Path)
    given = parser.parse_args()
    if given.command == "positions":
        positions(given.file, given.count, given.seed)
    elif given.command == "kept":
        kept(given.file, given.players, given.most)
    elif given.command == "games":
        play(given.player, given.count, given.seed)
    else:
        curve(given.log, given.picture)


if __name__ == "__main__":
    main()
