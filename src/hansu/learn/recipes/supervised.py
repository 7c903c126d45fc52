"""`supervised`: policy and value of a network from games that were played: PGN, SGF, `hansu match --save`, shards.

Games are split, never positions: all positions of a game are learnt from or all held back.
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
    about: ClassVar[str] = Message("a network from played games: --from FILES")
    network: str = option("tower", Message("its kind: tower, omok, sidus"))
    channels: int = option(0, Message("of its convolutions; 0: the network's own"), low=0)
    blocks: int = option(0, Message("residual blocks; 0: the network's own"), low=0)
    pooling: int = option(0, Message("every so many blocks one looks at the whole board"), low=0)
    extras: str = option("", Message("what else it learns to answer: left, score"))
    init: str = option("", Message("a network to go on from (.npz or .onnx)"), old="begin")
    epochs: int = option(10, Message("how often every position is seen"), low=1)
    batch: int = option(512, Message("positions of a step"), low=2)
    learning_rate: float = option(2e-3, Message("of learning, at its highest"), low=1e-7, old="rate")
    weight_decay: float = option(1e-4, Message("of weights"), low=0.0, old="decay")
    skip_plies: int = option(0, Message("plies of each game that are left out"), low=0, old="skip_first")
    holdout: float = option(0.1, Message("share of games to measure on"), low=0.01, high=0.9, old="held_back")
    search_value: float = option(
        0.0, Message("the search's share in the value, where samples have one"), low=0.0, high=1.0
    )
    symmetries: bool = option(True, Message("turn and mirror the board by chance"))
    device: str = option("auto", Message("where it runs"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Message("of the split and of the training"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return Path(f"{game.name}.onnx"), Path(f"{game.name}.npz")

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.learn.device import device_for

        return _train(self, game, job, job.some_files, device_for(self.device))


def _train(settings: Supervised, game: Game, job: Job, files: tuple[Path, ...], device: str) -> TrainingResult:
    import numpy as np

    from hansu.learn.champion import begin_with, how_to_play, notes_of, save_network
    from hansu.learn.cuda import number_kind
    from hansu.learn.curves import Curve
    from hansu.learn.encoding import Encoding
    from hansu.learn.game_files import ReadTally, read_files
    from hansu.learn.learner import Learner, LearningRateSchedule, TrainingBatch
    from hansu.learn.networks import Size, build, torch
    from hansu.learn.replay_buffer import Encoder
    from hansu.learn.samples import Board
    from hansu.learn.split import split

    # 1. The samples, split by game.
    output = job.target.with_suffix(".npz")
    board, view, tally = Board(game), Encoding(game), ReadTally(told=job.tell)
    samples = read_files(game, board, files, settings.skip_plies, tally)
    ours, theirs = split(samples.game, settings.holdout, settings.seed)
    if not len(ours) or not len(theirs):
        raise HansuError(f"{tally.games} game(s) are too few to hold some back", "give more files")
    job.tell(
        f"{tally.games:,} games, {len(samples):,} positions, {len(theirs):,} of them held back"
        + (f"; {tally.left_out:,} left out" if tally.left_out else "")
    )

    # 2. The network.
    torch.manual_seed(settings.seed)
    extras = tuple(part for part in settings.extras.split(",") if part)
    size = Size(settings.channels, settings.blocks, settings.pooling, extras)
    network = begin_with(Path(settings.init), view) if settings.init else build(settings.network, view.shape, size)
    half = number_kind(network, device, 128) != torch.float32
    learner = Learner(
        network, LearningRateSchedule(rate=settings.learning_rate, decay=settings.weight_decay), device, half
    )
    rows = min(settings.batch, len(ours))
    room = TrainingBatch.room(rows, view.shape, view.whole, device)
    if device != "cpu":
        learner.record(room, job.tell)
    threads = 4 if device == "cuda" else 1
    encoder = Encoder(game, board, settings.search_value, settings.symmetries, threads)
    plain = Encoder(game, board, settings.search_value, False, threads)

    # 3. Epochs.
    chance = np.random.default_rng(settings.seed)
    steps = max(1, len(ours) // rows)
    accuracy, value = Curve("policy", "epochs", "moves found"), Curve("value", "epochs", "squared error")
    seen = ours[: min(len(ours), 4096)]
    for epoch in range(settings.epochs):
        order = chance.permutation(ours)
        for step in range(steps):
            encoder.encode(samples.take(order[step * rows : (step + 1) * rows]), room, chance)
            learner.step(room, (epoch + step / steps) / settings.epochs)
            learner.lane.wait()  # the card has read the batch
        learner.losses()  # raises where they are no numbers
        here, there = (measured(learner, plain, samples.take(part), room, chance) for part in (seen, theirs))
        accuracy.add(epoch + 1, here["first"], there["first"])
        value.add(epoch + 1, here["value"], there["value"])
        job.tell(
            f"epoch {epoch + 1} of {settings.epochs}: {there['first']:.1%} of held-back moves found, "
            f"{there['five']:.1%} among five, value off by {there['value']:.3f}"
        )

    # 4. Files and tables.
    told = {"recipe": "supervised", "games": tally.games, "positions": len(samples), "epochs": settings.epochs}
    save_network(output, learner.average, notes_of(learner.average, board.identity, told))
    if left := how_to_play(output):
        job.tell(left)
    written = [path for path in (output.with_suffix(".onnx"), output) if path.is_file()]
    header = (
        Message("positions"), Message("moves found"), Message("among five"), Message("policy loss"),
        Message("value: squared error"), Message("result foretold"),
    )  # fmt: skip
    lines = [
        (name, f"{m['first']:.1%}", f"{m['five']:.1%}", f"{m['policy']:.4f}", f"{m['value']:.4f}", f"{m['result']:.1%}")
        for name, m in ((Message("learnt from"), here), (Message("held back"), there))
    ]
    return TrainingResult([ResultTable(header, tuple(lines))], [accuracy, value], written)


def measured(learner: Any, encoder: Any, samples: Any, room: Any, chance: Any) -> dict[str, float]:
    """How well the averaged weights know some samples: the share of moves found first and among five (one of the best
    where several are, of the samples that know any), the policy's loss, the squared error of P(win) - P(loss), the
    share of results that were the likeliest."""
    from hansu.learn.learner import ILLEGAL, policy_loss
    from hansu.learn.networks import torch

    sums: dict[str, float] = dict.fromkeys(("first", "five", "policy", "value", "result"), 0.0)
    rows, told = len(room), 0
    for start in range(0, len(samples), rows):
        part = samples.take(slice(start, start + rows))
        count = len(part)
        if count < rows:  # the last few: filled up by the first, which are not counted
            import numpy as np

            part = part.take(np.arange(rows) % count)
        encoder.encode(part, room, chance)
        batch = room.to(learner.device)
        with torch.no_grad():
            policy, value, *_ = learner.average(batch.planes.float())
        policy = policy.float().masked_fill(batch.legal == 0, ILLEGAL)[:count]
        known = type(room)(*(tensor[:count] for tensor in batch.tensors))
        most = known.policy.amax(1, keepdim=True)
        best = (known.policy == most) & (most > 0)
        told += int((most > 0).sum())
        top = policy.topk(min(5, policy.shape[1]), dim=1).indices
        chances = value.float().softmax(1)[:count]
        error = (chances[:, 0] - chances[:, 2]) - (known.value[:, 0] - known.value[:, 2])
        sums["first"] += float(best.gather(1, top[:, :1]).sum())
        sums["five"] += float(best.gather(1, top).any(1).sum())
        sums["policy"] += float(policy_loss(policy, known)) * count
        sums["value"] += float(error.square().sum())
        sums["result"] += float((chances.argmax(1) == known.value.argmax(1)).sum())
    counts = {"first": max(told, 1), "five": max(told, 1)}
    return {name: total / counts.get(name, len(samples)) for name, total in sums.items()}


RECIPES = (Supervised,)
