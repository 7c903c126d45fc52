"""`whole_numbers`: a network that is there already, in whole numbers, which play faster (`hansu.learn.quantization`).

How large numbers become inside is seen on positions of games in files, else of games that the network's first thoughts
play with each other. Half of the games are for that, on the others the two networks are compared. Torch is not needed.
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
from hansu.learn.quantization import TOGETHER, in_whole_numbers, is_whole
from hansu.learn.recipe import Job, Recipe, ResultTable, TrainingResult
from hansu.learn.run import save
from hansu.learn.samples import Board
from hansu.learn.split import split
from hansu.search.chance import step_chance
from hansu.search.network import Network, game_network, plane_shape
from hansu.search.players.policy import Policy

RANDOM_PLIES = 6  # at most, before the network's own: so that games differ from the first move on
MOST_PLIES = 500  # of a game
LEAVES = 8  # positions that a search asks about at a time
ROUNDS, TIMES = 8, 12  # of measuring time: the best of so many rounds


@dataclass
class Quantize(Recipe):
    kind: ClassVar[str] = "quantize"
    old_kinds: ClassVar[tuple[str, ...]] = ("whole_numbers",)
    about: ClassVar[str] = Message("a network's file in whole numbers, which plays faster: NETWORK.onnx")
    games: int = option(40, Message("that it plays with itself where no files of games are given"), low=2)
    positions: int = option(512, Message("to look at, and as many others to compare on"), low=1)
    seed: int = option(1, Message("of its games and of the split"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        network = next((path.stem for path in job.files if path.suffix == ".onnx"), "NETWORK")
        return (Path(f"{network}_whole.onnx"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        require("onnx")  # said before games are played
        path, files = network_among(job.files)
        board = Board(game)
        before = game_network(path, board.first)
        if is_whole(before.notes):
            raise HansuError("{path} is in whole numbers already", "give the file that it was made of", path=path)
        shown, held_out = self._positions(game, board, path, files, job)
        output = job.target
        save(output, in_whole_numbers(path.read_bytes(), shown.planes))
        after = game_network(output, board.first)
        rows = [
            row_of(*both, held_out.planes) for both in ((Message("floats"), before), (Message("whole numbers"), after))
        ]
        speed = Message("ms a position ({leaves} at a time, processor time)", leaves=LEAVES)
        sizes = ResultTable((Message("numbers"), Message("bytes"), speed), tuple(rows))
        found = agreement(before, after, held_out)
        told = (f"{len(held_out.planes):,}", f"{found.same:.1%}", f"{found.divergence:.5f}", f"{found.value:.4f}")
        header = (
            Message("positions held back"), Message("same best move"), Message("divergence of policies"),
            Message("value: mean difference"),
        )  # fmt: skip
        return TrainingResult([sizes, ResultTable(header, (told,))], [], [output])

    def _positions(self, game: Game, board: Board, path: Path, files: tuple[Path, ...], job: Job) -> tuple[Seen, Seen]:
        """What is looked at, and what is held back, of other games."""
        state: Callable[[int], State]
        if files:
            samples, like = read_files(game, board, files, 0, ReadTally(told=job.tell)), board.first.state
            numbers, state = samples.game, lambda i: unpack(like, samples.state[i].tolist())
        else:
            job.tell(Message("{games} games of the network with itself", games=self.games))
            numbers, states = own_games(board, path, self.games, self.seed)
            state = states.__getitem__
        ours, theirs = split(numbers, 0.5, self.seed)
        if not len(ours) or not len(theirs):
            raise HansuError("one game is too few to hold some back", "give more files")
        first, second = ([state(i) for i in rows[: self.positions]] for rows in (ours, theirs))
        return seen(game, first), seen(game, second)


def network_among(files: tuple[Path, ...]) -> tuple[Path, tuple[Path, ...]]:
    """The one network of some files, and the others."""
    networks = [path for path in files if path.suffix == ".onnx"]
    arrays = [path for path in files if path.suffix == ".npz"]
    if arrays and not networks:
        raise HansuError(
            "{path} is not the network's .onnx file, which is wanted",
            "hansu train GAME --export {path} writes that beside it",
            path=arrays[0],
        )
    if len(networks) != 1:
        count = len(networks)
        what = Message("{count} networks were given", count=count) if networks else Message("no network was given")
        raise HansuError(what, Message("name one: hansu train GAME quantize NETWORK.onnx -o FILE.onnx"))
    return networks[0], tuple(path for path in files if path.suffix != ".onnx")


def own_games(board: Board, path: Path, count: int, seed: int) -> tuple[Any, list[State]]:
    """Positions of games that a network's policy plays with itself, drawing by its chances: the game of each, and its
    state."""
    chance = random.Random(seed)
    player = Policy(network=str(path), temperature=1.0, seed=seed)
    states: list[State] = []
    numbers: list[int] = []
    for number in range(count):
        position: Position = step_chance(board.first, chance)
        by_chance = chance.randint(0, RANDOM_PLIES)
        for ply in range(MOST_PLIES):
            if position.over:
                break
            numbers.append(number)
            states.append(position.state)
            action = chance.choice(position.actions) if ply < by_chance else player.decide(position).action
            position = step_chance(position.play(action), chance)
    return np.array(numbers), states


class Seen(NamedTuple):
    """Some positions as a network sees them, and which of its actions are legal there."""

    planes: Any
    legal: Any


def seen(game: Game, states: list[State]) -> Seen:
    shown = np.zeros((len(states), *plane_shape(game, states[0])), np.float32)
    legal = np.zeros((len(states), int(action_count(states[0]))), bool)
    for i, s in enumerate(states):
        planes(s, shown[i])
        legal[i, list(actions(s))] = True
    return Seen(shown, legal)


class Agreement(NamedTuple):
    """Of two networks: the share of positions with the same best move, how far the second policy is from the first
    (Kullback and Leibler's divergence, in nats), and by how much P(win) - P(loss) differs, on average."""

    same: float
    divergence: float
    value: float


def agreement(first: Network, second: Network, held_out: Seen) -> Agreement:
    (shares, values), (others, other_values) = (thoughts(network, held_out) for network in (first, second))
    logs = np.log(np.maximum(shares, 1e-12)) - np.log(np.maximum(others, 1e-12))
    return Agreement(
        float((shares.argmax(1) == others.argmax(1)).mean()),
        float((shares * logs).sum(1).mean()),
        float(abs(values - other_values).mean()),
    )


def thoughts(network: Network, held_out: Seen) -> tuple[Any, Any]:
    """The policy over legal moves, and P(win) - P(loss)."""
    batches = [held_out.planes[start : start + TOGETHER] for start in range(0, len(held_out.planes), TOGETHER)]
    policies, chances = (np.concatenate(parts).astype(float) for parts in zip(*map(network, batches), strict=True))
    logits = np.where(held_out.legal, policies, -np.inf)
    shares = np.exp(logits - logits.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True), chances[:, 0] - chances[:, 2]


def row_of(name: str, network: Network, shown: Any) -> tuple[str, ...]:
    return name, f"{network.path.stat().st_size:,}", f"{1000 * seconds_a_position(network, shown):.3f}"


def seconds_a_position(network: Network, shown: Any) -> float:
    """Processor time; other work on the machine disturbs the least of several rounds the least."""
    batch = shown[:LEAVES]
    least = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(TIMES):
            network(batch)
        least = min(least, time.process_time() - began)
    return least / (TIMES * len(batch))


RECIPES = (Quantize,)
