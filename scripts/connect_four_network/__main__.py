"""Measure Connect Four players and networks against the solver.

    python scripts/connect_four_network positions truth.jsonl --count 6000 --seed 20261115
    python scripts/connect_four_network kept truth.jsonl policy puct:simulations=100 puct:simulations=400
    python scripts/connect_four_network games puct:simulations=800,symmetries=one --count 50
    python scripts/connect_four_network curve docs/lab/training/connect_four.jsonl
    docs/pictures/connect_four_network.svg
    python scripts/connect_four_network card truth.jsonl policy puct:simulations=400 --networks champion.npz
    python scripts/connect_four_network taught taught.shard --apart truth.jsonl --threads 15 --megabytes 8192

positions   sample positions in which some move loses value, with the moves that keep it
kept        the share of these positions in which a player keeps the value
games       games of a player, who moves first, against the solver. The solver's first 0 to 3 moves are random, so that
            games differ
curve       plot the share of positions kept over the time of a training
card        `kept` for networks in training (.npz), alone and with `puct`'s search, all positions at once: seconds on a
            graphics card
taught      samples for `hansu train connect_four supervised --from`, labelled by the solver: the exact value, and equal
            shares for the moves that keep it
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import known_positions
from known_positions import KnownPosition

from hansu.arena.roster import player
from hansu.core import HansuError, Limit, Player, Position, registry
from hansu.core.machine import cores
from hansu.search.forest import Forest, packed
from hansu.search.players import Policy, Puct
from hansu.search.players.puct import DEFAULT_SIMULATIONS
from hansu.search.trees import TreeSettings

if TYPE_CHECKING:
    from hansu.learn.alphazero.evaluator import PlayingNetwork

GAME = registry.built_in("connect_four")
RANDOM_REPLIES = 4  # the number of the solver's random first moves cycles through 0 to 3
LOG_SECONDS = 10.0


def position_of(row: KnownPosition) -> Position:
    return GAME.position(" ".join(row.moves) or "start")


def positions(path: Path, count: int, seed: int) -> None:
    rows = known_positions.sample(GAME, count, seed)
    print(f"{known_positions.write(path, rows):,} positions in {path}")


def share_text(correct: int, count: int) -> str:
    return f"{correct:,} of {count:,} kept, {correct / count:.2%}"


def kept(path: Path, specs: list[str], most: int | None) -> None:
    rows = known_positions.read(path)[:most]
    for spec in specs:
        began = time.perf_counter()
        correct = sum(known_positions.keeps_value(player(spec, GAME), GAME, rows, Limit()))
        seconds = time.perf_counter() - began
        print(f"{spec}: {share_text(correct, len(rows))}; {seconds:.0f} s", flush=True)


def card(path: Path, networks: list[Path], specs: list[str], device: str) -> None:
    """`kept` for networks in training, all positions at once."""
    from hansu.learn.alphazero.evaluator import PlayingNetwork
    from hansu.learn.champion import load_network
    from hansu.learn.cuda import fastest_dtype
    from hansu.learn.device import device_for

    device = device_for(device)
    rows = known_positions.read(path)
    for file in networks:
        network, _ = load_network(file)
        playing = PlayingNetwork(network, device, fastest_dtype(network, device, 128))
        for spec in specs:
            began = time.perf_counter()
            moves = moves_of(player(spec, GAME), playing, [position_of(row).state for row in rows])
            correct = sum(int(action) in row.keep for action, row in zip(moves, rows, strict=True))
            seconds = time.perf_counter() - began
            print(f"{file} {spec}: {share_text(correct, len(rows))}; {seconds:.1f} s", flush=True)


def moves_of(policy_or_puct: Player, playing: PlayingNetwork, states: list[Any]) -> Any:
    """The moves of `policy` or `puct` with a network, int64[n]."""
    from hansu.learn.alphazero.evaluator import Evaluator
    from hansu.learn.alphazero.self_play import search

    if isinstance(policy_or_puct, Policy):
        settings, simulations = TreeSettings(check_ends=False, symmetries=policy_or_puct.symmetries), 0  # only the root
    elif isinstance(policy_or_puct, Puct):
        settings = policy_or_puct.tree_settings()
        simulations = policy_or_puct.simulations or DEFAULT_SIMULATIONS
    else:
        raise HansuError(f"{policy_or_puct.kind} does not use a network", "give policy or puct")
    rows = settings.leaves * (GAME.symmetries if settings.symmetries == "all" else 1)
    evaluator = Evaluator(playing, rows * len(states), True)
    forest = Forest(GAME, len(states), simulations, settings, threads=cores(), inputs=evaluator.inputs)
    search(forest, evaluator, packed(states), simulations)
    return forest.best() if simulations else forest.priors().argmax(1)


def taught(path: Path, apart: list[Path], options: argparse.Namespace) -> None:
    """Samples labelled by the solver."""
    import numpy as np
    from solver_teacher import VALUE_BITS, SolverTeacher

    from hansu.games.connect_four.rules import STANDARD
    from hansu.games.connect_four.solver.standard_board import key_of, stones_of
    from hansu.learn.samples import Board, Samples, block

    excluded = [position_of(row).state for file in apart for row in known_positions.read(file)]
    began = logged = time.monotonic()

    def log(count: int) -> None:
        nonlocal logged
        if time.monotonic() > logged + LOG_SECONDS:
            logged = time.monotonic()
            print(f"{count:,} positions after {logged - began:.0f} s", flush=True)

    keys = (key_of(*stones_of(state)) for state in excluded)
    teacher = SolverTeacher(options.threads, options.megabytes, keys, options.seed)
    rows = teacher.labelled(options.count, options.seconds, log)
    count, keep, value = len(rows.mine), rows.label >> VALUE_BITS, (rows.label & (1 << VALUE_BITS) - 1) - 1
    ply = np.array([mask.bit_count() for mask in rows.mask.tolist()])
    good = (keep[:, None] >> np.arange(7) & 1) * (value[:, None] >= 0)  # a lost position has no policy to learn
    result = np.where(ply % 2 == 0, value, -value)
    state = np.tile(np.array(STANDARD, np.int64), (count, 1))
    state[:, 0], state[:, 1] = rows.mine, rows.mine ^ rows.mask
    samples = Samples(
        state, np.tile(np.arange(7), (count, 1)), good / np.maximum(good.sum(1, keepdims=True), 1), result, result,
        np.full(count, np.nan), ply, 42 - ply, ply % 2, rows.game,
    )  # fmt: skip
    path.write_bytes(block(samples, Board(GAME)))
    stones = np.bincount(ply, minlength=42)
    print(f"{count:,} positions in {path}, {time.monotonic() - began:.0f} s; by stones: {stones.tolist()}", flush=True)
    results = (("won", 1), ("drawn", 0), ("lost", -1))
    shares = ", ".join(f"{name} {(value == number).mean():.1%}" for name, number in results)
    print(f"for the mover: {shares}", flush=True)


def play(spec: str, count: int, seed: int) -> None:
    first, solver, chance = player(spec, GAME), player("solver:all_columns=false", GAME), random.Random(seed)
    results = {1.0: 0, 0.0: 0, -1.0: 0}
    histories = set()
    for number in range(count):
        position, replies = GAME.first, number % RANDOM_REPLIES
        for each in (first, solver):
            each.new_game()
        while not position.over:
            if position.mover == 0:
                action = first.decide(position).action
            elif len(position.history) < 2 * replies:
                action = chance.choice(position.actions)
            else:
                action = solver.decide(position).action
            position = position.play(action)
        results[position.score] += 1
        histories.add(position.history)
        print(f"{number + 1}: {''.join(position.moves)} {position.score:+.0f}", flush=True)
    won, drawn, lost = results.values()
    different = len(histories)
    print(f"{spec} against the solver: {won} won, {drawn} drawn, {lost} lost of {count}; {different} different games")


def curve(log: Path, picture: Path) -> None:
    from matplotlib import pyplot

    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    ends = {row["run"]: row["seconds"] for row in rows}
    begins = {run: sum(seconds for earlier, seconds in ends.items() if earlier < run) for run in ends}
    points = [(row["seconds"] + begins[row["run"]], row["kept"]) for row in rows if "kept" in row]
    figure, panel = pyplot.subplots(figsize=(6, 3.6))
    for name, label in (("policy", "the network alone"), ("puct100", "100 simulations")):
        panel.plot([s / 60 for s, _ in points], [100 * shares[name] for _, shares in points], marker=".", label=label)
    for begin in list(begins.values())[1:]:
        panel.axvline(begin / 60, color="grey", linewidth=0.8, linestyle=":")
    panel.set(xlabel="minutes of training", ylabel="value kept, %", title="Connect Four, moves that keep the value")
    panel.grid(alpha=0.3)
    panel.legend()
    figure.tight_layout()
    figure.savefig(picture)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="connect_four_network", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("positions")
    command.add_argument("file", type=Path)
    command.add_argument("--count", type=int, default=6000)
    command.add_argument("--seed", type=int, default=1)
    command = commands.add_parser("kept")
    command.add_argument("file", type=Path)
    command.add_argument("players", nargs="+")
    command.add_argument("--most", type=int, help="use only the first so many positions")
    command = commands.add_parser("games")
    command.add_argument("player")
    command.add_argument("--count", type=int, default=50)
    command.add_argument("--seed", type=int, default=1)
    command = commands.add_parser("curve")
    command.add_argument("log", type=Path)
    command.add_argument("picture", type=Path)
    command = commands.add_parser("card")
    command.add_argument("file", type=Path)
    command.add_argument("players", nargs="+", help="policy, or puct with settings")
    command.add_argument("--networks", type=Path, nargs="+", required=True, help="networks of a training (.npz)")
    command.add_argument("--device", default="auto")
    command = commands.add_parser("taught")
    command.add_argument("file", type=Path)
    command.add_argument("--apart", type=Path, nargs="*", default=[], help="files of positions to leave out")
    command.add_argument("--count", type=int, default=1_000_000)
    command.add_argument("--seconds", type=float, default=180.0)
    command.add_argument("--threads", type=int, default=1)
    command.add_argument("--megabytes", type=int, default=512)
    command.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "positions":
        positions(options.file, options.count, options.seed)
    elif options.command == "kept":
        kept(options.file, options.players, options.most)
    elif options.command == "games":
        play(options.player, options.count, options.seed)
    elif options.command == "card":
        card(options.file, options.networks, options.players, options.device)
    elif options.command == "taught":
        taught(options.file, options.apart, options)
    else:
        curve(options.log, options.picture)


if __name__ == "__main__":
    main()
