"""`quantize`: an int8 version of a network, which plays faster (`hansu.learn.quantization`).

Activations are calibrated on positions of recorded games, or of games that the network's policy plays against itself.
Half of the games are used for that; on the other half the two networks are compared. Torch is not needed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hansu.core.bits import unpack
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.generic import State, action_count, actions, planes
from hansu.core.message import Message
from hansu.core.optional_imports import require
from hansu.core.player import option
from hansu.core.position import Position
from hansu.learn.game_files import ReadTally, read_files
from hansu.learn.quantization import CALIBRATION_BATCH, is_quantized, quantize
from hansu.learn.recipe import Job, Recipe, ResultTable, TrainingResult
from hansu.learn.run import save
from hansu.learn.samples import Board
from hansu.learn.split import split
from hansu.search.chance import step_chance
from hansu.search.network import Network, game_network, plane_shape
from hansu.search.players.policy import Policy

RANDOM_PLIES = 6  # most random plies at the start of a game
MAX_PLIES = 500
LEAVES = 8  # positions that a search evaluates at a time
ROUNDS, RUNS = 8, 12  # of the time measurement; the fastest round counts


@dataclass
class Quantize(Recipe):
    kind: ClassVar[str] = "quantize"
    old_kinds: ClassVar[tuple[str, ...]] = ("whole_numbers",)
    about: ClassVar[str] = Message("an int8 version of a network, which plays faster: NETWORK.onnx")
    games: int = option(40, Message("games of the network against itself, if no game files are given"), low=2)
    positions: int = option(512, Message("positions to calibrate on, and as many others to compare on"), low=1)
    seed: int = option(1, Message("random seed of the games and of the split"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        network = next((path.stem for path in job.files if path.suffix == ".onnx"), "NETWORK")
        return (Path(f"{network}_whole.onnx"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        require("onnx")  # fails before games are played
        path, files = network_among(job.files)
        board = Board(game)
        before = game_network(path, board.first)
        if is_quantized(before.notes):
            raise HansuError("{path} is already quantized", "give the original file", path=path)
        calibration, held_out = self._positions(game, board, path, files, job)
        output = job.target
        save(output, quantize(path.read_bytes(), calibration.planes))
        after = game_network(output, board.first)
        rows = [row_of(*both, held_out.planes) for both in (("float32", before), ("int8", after))]
        speed = Message("ms per position ({leaves} at a time, processor time)", leaves=LEAVES)
        sizes = ResultTable((Message("weights"), Message("bytes"), speed), tuple(rows))
        result = agreement(before, after, held_out)
        row = (f"{len(held_out.planes):,}", f"{result.same:.1%}", f"{result.divergence:.5f}", f"{result.value:.4f}")
        header = (
            Message("held-out positions"), Message("same best move"), Message("divergence of policies"),
            Message("value: mean difference"),
        )  # fmt: skip
        return TrainingResult([sizes, ResultTable(header, (row,))], [], [output])

    def _positions(
        self, game: Game, board: Board, path: Path, files: tuple[Path, ...], job: Job
    ) -> tuple[Positions, Positions]:
        """Positions to calibrate on, and held-out positions of other games."""
        state: Callable[[int], State]
        if files:
            samples, like = read_files(game, board, files, 0, ReadTally(log=job.tell)), board.first.state
            numbers, state = samples.game, lambda i: unpack(like, samples.state[i].tolist())
        else:
            job.tell(Message("playing {games} games of the network against itself", games=self.games))
            numbers, states = self_play_positions(board, path, self.games, self.seed)
            state = states.__getitem__
        parts = split(numbers, 0.5, self.seed)
        if not all(map(len, parts)):
            raise HansuError("one game cannot be split into two parts", "give more files")
        first, second = ([state(i) for i in rows[: self.positions]] for rows in parts)
        return positions_of(game, first), positions_of(game, second)


def network_among(files: tuple[Path, ...]) -> tuple[Path, tuple[Path, ...]]:
    """The only network among some files, and the other files."""
    networks = [path for path in files if path.suffix == ".onnx"]
    arrays = [path for path in files if path.suffix == ".npz"]
    if arrays and not networks:
        raise HansuError(
            "expected a network's .onnx file, not {path}",
            "hansu train GAME --export {path} writes it next to this file",
            path=arrays[0],
        )
    if len(networks) != 1:
        count = len(networks)
        what = Message("{count} networks were given", count=count) if networks else Message("no network was given")
        raise HansuError(what, Message("name one: hansu train GAME quantize NETWORK.onnx -o FILE.onnx"))
    return networks[0], tuple(path for path in files if path.suffix != ".onnx")


def self_play_positions(board: Board, path: Path, count: int, seed: int) -> tuple[Any, list[State]]:
    """Positions of games that a network's policy plays against itself, with sampled moves: the game of each, int64[n],
    and its state."""
    chance = random.Random(seed)
    player = Policy(network=str(path), temperature=1.0, seed=seed)
    states: list[State] = []
    numbers: list[int] = []
    for number in range(count):
        position: Position = step_chance(board.first, chance)
        random_plies = chance.randint(0, RANDOM_PLIES)
        for ply in range(MAX_PLIES):
            if position.over:
                break
            numbers.append(number)
            states.append(position.state)
            action = chance.choice(position.actions) if ply < random_plies else player.decide(position).action
            position = step_chance(position.play(action), chance)
    return np.array(numbers), states


class Positions(NamedTuple):
    """Encoded positions, and which actions are legal in them."""

    planes: Any  # float32[n, planes, height, width]
    legal: Any  # bool[n, actions]


def positions_of(game: Game, states: list[State]) -> Positions:
    encoded = np.zeros((len(states), *plane_shape(game, states[0])), np.float32)
    legal = np.zeros((len(states), int(action_count(states[0]))), bool)
    for i, s in enumerate(states):
        planes(s, encoded[i])
        legal[i, list(actions(s))] = True
    return Positions(encoded, legal)


class Agreement(NamedTuple):
    """Of two networks, averages over positions: the same best move, the Kullback-Leibler divergence of the second
    policy from the first in nats, and the difference of P(win) - P(loss)."""

    same: float
    divergence: float
    value: float


def agreement(first: Network, second: Network, held_out: Positions) -> Agreement:
    (shares, values), (others, other_values) = (predictions(network, held_out) for network in (first, second))
    logs = np.log(np.maximum(shares, 1e-12)) - np.log(np.maximum(others, 1e-12))
    return Agreement(
        float((shares.argmax(1) == others.argmax(1)).mean()),
        float((shares * logs).sum(1).mean()),
        float(abs(values - other_values).mean()),
    )


def predictions(network: Network, held_out: Positions) -> tuple[Any, Any]:
    """The policy over legal moves, and P(win) - P(loss)."""
    batches = [
        held_out.planes[start : start + CALIBRATION_BATCH]
        for start in range(0, len(held_out.planes), CALIBRATION_BATCH)
    ]
    policies, chances = (np.concatenate(parts).astype(float) for parts in zip(*map(network, batches), strict=True))
    logits = np.where(held_out.legal, policies, -np.inf)
    shares = np.exp(logits - logits.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True), chances[:, 0] - chances[:, 2]


def row_of(name: str, network: Network, planes: Any) -> tuple[str, ...]:
    return name, f"{network.path.stat().st_size:,}", f"{1000 * seconds_per_position(network, planes):.3f}"


def seconds_per_position(network: Network, planes: Any) -> float:
    """Processor time of the fastest of several rounds, which other work on the machine disturbs least."""
    batch = planes[:LEAVES]
    least = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(RUNS):
            network(batch)
        least = min(least, time.process_time() - began)
    return least / (RUNS * len(batch))


RECIPES = (Quantize,)
