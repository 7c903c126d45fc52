"""How good a Connect Four player is, measured against the truth.

    python scripts/connect_four_network.py positions truth.jsonl --count 6000 --seed 20261115
    python scripts/connect_four_network.py kept truth.jsonl policy puct:simulations=100 puct:simulations=400
    python scripts/connect_four_network.py games puct:simulations=800,symmetries=one --count 50
    python scripts/connect_four_network.py curve docs/lab/training/connect_four.jsonl
    docs/pictures/connect_four_network.svg
    python scripts/connect_four_network.py card truth.jsonl policy puct:simulations=400 --networks champion.npz
    python scripts/connect_four_network.py taught taught.shard --apart truth.jsonl --threads 15 --megabytes 8192

`positions` draws positions in which some move gives value away, with the moves that do not. `kept` tells the share of
them in which a player keeps the value. `games`: the player begins against the solver, which plays its first 0, 1, 2 or
3 moves by chance so that no two games need be alike. `curve` draws what was kept over the time of a training.

`card` is `kept` for networks as a training leaves them (.npz), alone and with `puct`'s own search, all positions side
by side: seconds on a graphics card. `taught` writes samples for `hansu train connect_four supervised --from` whose
values and policies are the solver's: the value, and the moves that keep it in equal shares.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hansu.arena.roster import player
from hansu.core import HansuError, Limit, Player, Position, registry
from hansu.core.machine import cores
from hansu.games.connect_four import truth
from hansu.search.forest import Forest, TreeSettings, packed
from hansu.search.players import Policy, Puct
from hansu.search.players.puct import DEFAULT_SIMULATIONS

if TYPE_CHECKING:
    from hansu.learn.alphazero.evaluator import Playing

GAME = registry.built_in("connect_four")
RANDOM_REPLIES = 4  # the solver's first moves that are drawn by chance: 0 to 3, by turns


def position_of(row: truth.Known) -> Position:
    return GAME.position(" ".join(row.moves) or "start")


def positions(path: Path, count: int, seed: int) -> None:
    print(f"{truth.write(path, truth.draw(GAME, count, seed)):,} positions in {path}")


def kept(path: Path, specs: list[str], most: int | None) -> None:
    rows = truth.read(path)[:most]
    for spec in specs:
        began = time.perf_counter()
        good = sum(truth.kept(player(spec, GAME), GAME, rows, Limit()))
        seconds = time.perf_counter() - began
        print(f"{spec}: {good:,} of {len(rows):,} kept, {good / len(rows):.2%}; {seconds:.0f} s", flush=True)


def card(path: Path, networks: list[Path], specs: list[str], device: str) -> None:
    """`kept` for networks as a training leaves them, all positions side by side."""
    from hansu.learn.alphazero.evaluator import Playing
    from hansu.learn.champion import load_network
    from hansu.learn.cuda import number_kind
    from hansu.learn.device import device_for

    device = device_for(device)
    rows = truth.read(path)
    for file in networks:
        network, _ = load_network(file)
        playing = Playing(network, device, number_kind(network, device, 128))
        for spec in specs:
            began = time.perf_counter()
            chosen = moves_of(player(spec, GAME), playing, [position_of(row).state for row in rows])
            good = sum(int(action) in row.keep for action, row in zip(chosen, rows, strict=True))
            seconds = time.perf_counter() - began
            told = f"{good:,} of {len(rows):,} kept, {good / len(rows):.2%}; {seconds:.1f} s"
            print(f"{file} {spec}: {told}", flush=True)


def moves_of(who: Player, playing: Playing, states: list[Any]) -> Any:
    """What `policy` or `puct` would play with a network in each position."""
    from hansu.learn.alphazero.evaluator import Answerer
    from hansu.learn.alphazero.self_play import search

    if isinstance(who, Policy):
        settings, simulations = TreeSettings(check_ends=False, symmetries=who.symmetries), 0  # a root alone
    elif isinstance(who, Puct):
        settings, simulations = who.tree_settings(), who.simulations or DEFAULT_SIMULATIONS
    else:
        raise HansuError(f"{who.kind} asks no network", "policy or puct")
    rows = settings.leaves * (GAME.symmetries if settings.symmetries == "all" else 1)
    answerer = Answerer(playing, rows * len(states), True)
    forest = Forest(GAME, len(states), simulations, settings, threads=cores(), inputs=answerer.inputs)
    search(forest, answerer, packed(states), simulations)
    return forest.best() if simulations else forest.priors().argmax(1)


def taught(path: Path, apart: list[Path], given: argparse.Namespace) -> None:
    """Samples by the solver."""
    import numpy as np

    from hansu.games.connect_four.rules import STANDARD
    from hansu.games.connect_four.solver.standard_board import key_of, stones_of
    from hansu.games.connect_four.teacher import VALUE_BITS, SolverTeacher
    from hansu.learn.samples import Board, Samples, block

    known = [position_of(row).state for file in apart for row in truth.read(file)]
    began = told = time.monotonic()

    def tell(count: int) -> None:
        nonlocal told
        if time.monotonic() > told + 10:
            told = time.monotonic()
            print(f"{count:,} positions after {told - began:.0f} s", flush=True)

    teacher = SolverTeacher(given.threads, given.megabytes, (key_of(*stones_of(state)) for state in known), given.seed)
    rows = teacher.lessons(given.count, given.seconds, tell)
    count, keep, worth = len(rows.mine), rows.told >> VALUE_BITS, (rows.told & (1 << VALUE_BITS) - 1) - 1
    ply = np.array([mask.bit_count() for mask in rows.mask.tolist()])
    good = (keep[:, None] >> np.arange(7) & 1) * (worth[:, None] >= 0)  # of a lost position no policy is learnt
    result = np.where(ply % 2 == 0, worth, -worth)
    state = np.tile(np.array(STANDARD, np.int64), (count, 1))
    state[:, 0], state[:, 1] = rows.mine, rows.mine ^ rows.mask
    samples = Samples(
        state, np.tile(np.arange(7), (count, 1)), good / np.maximum(good.sum(1, keepdims=True), 1), result, result,
        np.full(count, np.nan), ply, 42 - ply, ply % 2, rows.game,
    )  # fmt: skip
    path.write_bytes(block(samples, Board(GAME)))
    stones = np.bincount(ply, minlength=42)
    print(f"{count:,} positions in {path}, {time.monotonic() - began:.0f} s; by stones: {stones.tolist()}", flush=True)
    shares = ", ".join(
        f"{name} {(worth == value).mean():.1%}" for name, value in (("won", 1), ("drawn", 0), ("lost", -1))
    )
    print(f"for the mover: {shares}", flush=True)


def play(spec: str, count: int, seed: int) -> None:
    first, second, chance = player(spec, GAME), player("solver:all_columns=false", GAME), random.Random(seed)
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
    begins = {run: sum(seconds for earlier, seconds in ends.items() if earlier < run) for run in ends}
    points = [(row["seconds"] + begins[row["run"]], row["kept"]) for row in rows if "kept" in row]
    figure, panel = pyplot.subplots(figsize=(6, 3.6))
    for name, label in (("policy", "the network alone"), ("puct100", "100 simulations")):
        panel.plot([s / 60 for s, _ in points], [100 * told[name] for _, told in points], marker=".", label=label)
    for begin in list(begins.values())[1:]:
        panel.axvline(begin / 60, color="grey", linewidth=0.8, linestyle=":")
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
    carded = commands.add_parser("card")
    carded.add_argument("file", type=Path)
    carded.add_argument("players", nargs="+", help="policy, or puct with settings")
    carded.add_argument("--networks", type=Path, nargs="+", required=True, help=".npz, as a training leaves them")
    carded.add_argument("--device", default="auto")
    teaching = commands.add_parser("taught")
    teaching.add_argument("file", type=Path)
    teaching.add_argument("--apart", type=Path, nargs="*", default=[], help="files of positions that are left out")
    teaching.add_argument("--count", type=int, default=1_000_000)
    teaching.add_argument("--seconds", type=float, default=180.0)
    teaching.add_argument("--threads", type=int, default=1)
    teaching.add_argument("--megabytes", type=int, default=512)
    teaching.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.command == "positions":
        positions(given.file, given.count, given.seed)
    elif given.command == "kept":
        kept(given.file, given.players, given.most)
    elif given.command == "games":
        play(given.player, given.count, given.seed)
    elif given.command == "card":
        card(given.file, given.networks, given.players, given.device)
    elif given.command == "taught":
        taught(given.file, given.apart, given)
    else:
        curve(given.log, given.picture)


if __name__ == "__main__":
    main()
