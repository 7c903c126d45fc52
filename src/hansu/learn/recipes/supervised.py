"""`supervised`: a policy and value network from recorded games: PGN, SGF, `hansu match --save`, shards.

The split is by game: the positions of a game are all used for training, or all held out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.player import option
from hansu.learn.recipe import Job, Recipe, ResultTable, TrainingResult


@dataclass
class Supervised(Recipe):
    kind: ClassVar[str] = "supervised"
    about: ClassVar[str] = Message("a network from recorded games: --from FILES")
    network: str = option("tower", Message("network architecture: tower, omok or sidus"))
    channels: int = option(0, Message("channels of the network's convolutions (0: the architecture's default)"), low=0)
    blocks: int = option(0, Message("number of residual blocks (0: the architecture's default)"), low=0)
    pooling: int = option(0, Message("add global pooling to every n-th residual block (0: to none)"), low=0)
    extras: str = option("", Message("extra network outputs to train: left, score, or left,score"))
    init: str = option("", Message("a network (.npz or .onnx) to start from instead of random weights"), old="begin")
    epochs: int = option(10, Message("epochs of training"), low=1)
    batch: int = option(512, Message("positions per training step"), low=2)
    learning_rate: float = option(2e-3, Message("peak learning rate"), low=1e-7, old="rate")
    weight_decay: float = option(1e-4, Message("weight decay of the optimizer"), low=0.0, old="decay")
    skip_plies: int = option(0, Message("number of first plies of each game to leave out"), low=0, old="skip_first")
    holdout: float = option(
        0.1, Message("share of games to hold out for measurement"), low=0.01, high=0.9, old="held_back"
    )
    search_value: float = option(
        0.0, Message("weight of the search's value in the value target, if samples have one"), low=0.0, high=1.0
    )
    symmetries: bool = option(True, Message("augment training with random symmetries of the board"))
    device: str = option("auto", Message("device to train on"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Message("random seed of the split and of the training"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return Path(f"{game.name}.onnx"), Path(f"{game.name}.npz")

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.learn.device import device_for

        return _train(self, game, job, job.some_files, device_for(self.device))


def _train(settings: Supervised, game: Game, job: Job, files: tuple[Path, ...], device: str) -> TrainingResult:
    import numpy as np

    from hansu.learn.champion import export_hint, initial_network, notes_of, save_network
    from hansu.learn.cuda import fastest_dtype
    from hansu.learn.curves import Curve
    from hansu.learn.encoding import Encoding
    from hansu.learn.game_files import ReadTally, read_files
    from hansu.learn.learner import Learner, LearningRateSchedule, TrainingBatch
    from hansu.learn.networks import Size, build, torch
    from hansu.learn.replay_buffer import BatchEncoder
    from hansu.learn.samples import Board
    from hansu.learn.split import split

    # 1. The samples, split by game.
    output = job.target.with_suffix(".npz")
    board, view, tally = Board(game), Encoding(game), ReadTally(log=job.tell)
    samples = read_files(game, board, files, settings.skip_plies, tally)
    training, held_out = split(samples.game, settings.holdout, settings.seed)
    if not len(training) or not len(held_out):
        raise HansuError("{games} games are too few to hold some out", "give more files", games=tally.games)
    job.tell(
        f"{tally.games:,} games, {len(samples):,} positions, {len(held_out):,} of them held out"
        + (f"; {tally.left_out:,} left out" if tally.left_out else "")
    )

    # 2. The network.
    torch.manual_seed(settings.seed)
    extras = tuple(part for part in settings.extras.split(",") if part)
    size = Size(settings.channels, settings.blocks, settings.pooling, extras)
    network = initial_network(Path(settings.init), view) if settings.init else build(settings.network, view.shape, size)
    half = fastest_dtype(network, device, 128) != torch.float32
    learner = Learner(
        network, LearningRateSchedule(rate=settings.learning_rate, decay=settings.weight_decay), device, half
    )
    rows = min(settings.batch, len(training))
    batch = TrainingBatch.empty(rows, view.shape, view.whole, device)
    if device != "cpu":
        learner.capture(batch, job.tell)
    threads = 4 if device == "cuda" else 1
    encoder = BatchEncoder(game, board, settings.search_value, settings.symmetries, threads)
    plain = BatchEncoder(game, board, settings.search_value, False, threads)

    # 3. Epochs.
    chance = np.random.default_rng(settings.seed)
    steps = max(1, len(training) // rows)
    accuracy, value = Curve("policy", "epochs", "moves found"), Curve("value", "epochs", "squared error")
    measured_rows = training[: min(len(training), 4096)]
    for epoch in range(settings.epochs):
        order = chance.permutation(training)
        for step in range(steps):
            encoder.encode(samples.take(order[step * rows : (step + 1) * rows]), batch, chance)
            learner.step(batch, (epoch + step / steps) / settings.epochs)
            learner.stream.wait()  # the card has read the batch
        learner.losses()  # raises if they are infinite or NaN
        here, there = (
            measured(learner, plain, samples.take(part), batch, chance) for part in (measured_rows, held_out)
        )
        accuracy.add(epoch + 1, here["first"], there["first"])
        value.add(epoch + 1, here["value"], there["value"])
        job.tell(
            f"epoch {epoch + 1} of {settings.epochs}: {there['first']:.1%} of held-out moves found, "
            f"{there['five']:.1%} among the top five, value error {there['value']:.3f}"
        )

    # 4. Files and tables.
    facts = {"recipe": "supervised", "games": tally.games, "positions": len(samples), "epochs": settings.epochs}
    save_network(output, learner.average, notes_of(learner.average, board.identity, facts))
    if hint := export_hint(output):
        job.tell(hint)
    written = [path for path in (output.with_suffix(".onnx"), output) if path.is_file()]
    header = (
        Message("positions"), Message("moves found"), Message("among top five"), Message("policy loss"),
        Message("value: squared error"), Message("result predicted"),
    )  # fmt: skip
    lines = [
        (name, f"{m['first']:.1%}", f"{m['five']:.1%}", f"{m['policy']:.4f}", f"{m['value']:.4f}", f"{m['result']:.1%}")
        for name, m in ((Message("training"), here), (Message("held out"), there))
    ]
    return TrainingResult([ResultTable(header, tuple(lines))], [accuracy, value], written)


def measured(learner: Any, encoder: Any, samples: Any, batch: Any, chance: Any) -> dict[str, float]:
    """Measures of the averaged weights on some samples: the share of moves that are the first choice or among the top
    five (any of the best moves, in samples with a policy), the policy's loss, the squared error of P(win) - P(loss),
    and the share of results predicted correctly."""
    from hansu.learn.learner import ILLEGAL, policy_loss
    from hansu.learn.networks import torch

    sums: dict[str, float] = dict.fromkeys(("first", "five", "policy", "value", "result"), 0.0)
    rows, with_policy = len(batch), 0
    for start in range(0, len(samples), rows):
        part = samples.take(slice(start, start + rows))
        count = len(part)
        if count < rows:  # the last ones: filled up with the first, which are not counted
            import numpy as np

            part = part.take(np.arange(rows) % count)
        encoder.encode(part, batch, chance)
        on_device = batch.to(learner.device)
        with torch.no_grad():
            policy, value, *_ = learner.average(on_device.planes.float())
        policy = policy.float().masked_fill(on_device.legal == 0, ILLEGAL)[:count]
        known = type(batch)(*(tensor[:count] for tensor in on_device.tensors))
        most = known.policy.amax(1, keepdim=True)
        best = (known.policy == most) & (most > 0)
        with_policy += int((most > 0).sum())
        top = policy.topk(min(5, policy.shape[1]), dim=1).indices
        chances = value.float().softmax(1)[:count]
        error = (chances[:, 0] - chances[:, 2]) - (known.value[:, 0] - known.value[:, 2])
        sums["first"] += float(best.gather(1, top[:, :1]).sum())
        sums["five"] += float(best.gather(1, top).any(1).sum())
        sums["policy"] += float(policy_loss(policy, known)) * count
        sums["value"] += float(error.square().sum())
        sums["result"] += float((chances.argmax(1) == known.value.argmax(1)).sum())
    counts = {"first": max(with_policy, 1), "five": max(with_policy, 1)}
    return {name: total / counts.get(name, len(samples)) for name, total in sums.items()}


RECIPES = (Supervised,)
