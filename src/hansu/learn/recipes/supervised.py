"""`supervised`: policy and value of a network from games that were played: PGN, SGF, `hansu match --save`, shards.

Games are split, never positions: all positions of a game are learnt from or all held back.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.player import option
from hansu.core.said import said
from hansu.learn.recipe import Job, Outcome, Recipe, Table


@dataclass
class Supervised(Recipe):
    kind: ClassVar[str] = "supervised"
    about: ClassVar[str] = said("a network from played games: --from FILES", "둔 판들로 배우는 신경망: --from FILES")
    network: str = option("tower", said("its kind: tower, omok, sidus", "신경망 종류: tower, omok, sidus"))
    channels: int = option(0, said("of its convolutions; 0: the network's own", "합성곱 채널 수, 0이면 기본"), low=0)
    blocks: int = option(0, said("residual blocks; 0: the network's own", "잔차 블록 수, 0이면 기본"), low=0)
    pooling: int = option(
        0, said("every so many blocks one looks at the whole board", "몇 블록마다 판 전체를 볼지"), low=0
    )
    extras: str = option("", said("what else it learns to answer: left, score", "더 배울 답: left, score"))
    begin: str = option("", said("a network to go on from (.npz)", "이어서 배울 신경망 (.npz)"))
    epochs: int = option(10, said("how often every position is seen", "모든 국면을 몇 번 볼지"), low=1)
    batch: int = option(512, said("positions of a step", "한 단계의 국면 수"), low=2)
    rate: float = option(2e-3, said("of learning, at its highest", "가장 높을 때의 학습률"), low=1e-7)
    decay: float = option(1e-4, said("of weights", "가중치 감쇠"), low=0.0)
    skip_first: int = option(0, said("plies of each game that are left out", "판마다 빼는 처음 수의 개수"), low=0)
    held_back: float = option(0.1, said("share of games to measure on", "재는 데 쓰는 판의 비율"), low=0.01, high=0.9)
    search_value: float = option(0.0, said("the search's share in the value, where samples have one",
                                           "배울 값에서 탐색값의 비율"), low=0.0, high=1.0)  # fmt: skip
    symmetries: bool = option(True, said("turn and mirror the board by chance", "판을 무작위로 돌리고 뒤집음"))
    device: str = option("auto", said("where it runs", "돌릴 곳"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, said("of the split and of the training", "나누기와 학습의 난수 씨앗"), low=0)

    def train(self, game: Game, job: Job) -> Outcome:
        from hansu.learn.device import device_for

        if not job.files:
            what = said("no files to learn from were given", "학습할 파일이 없습니다")
            raise HansuError(what, "hansu train GAME supervised --from games.jsonl")
        return _train(self, game, job, device_for(self.device))


def _train(settings: Supervised, game: Game, job: Job, device: str) -> Outcome:
    import numpy as np

    from hansu.learn.card import number_kind
    from hansu.learn.champion import begin_with, notes_of, save_network
    from hansu.learn.curves import Curve
    from hansu.learn.learner import Batch, Learner, Schedule
    from hansu.learn.networks import Size, build, torch
    from hansu.learn.records import Tally, read_files
    from hansu.learn.replay import Encoder
    from hansu.learn.samples import Board
    from hansu.learn.split import split
    from hansu.learn.view import View

    # 1. The samples, split by game.
    board, view, tally = Board(game), View(game), Tally(told=job.tell)
    samples = read_files(game, board, job.files, settings.skip_first, tally)
    ours, theirs = split(samples.game, settings.held_back, settings.seed)
    if not len(ours) or not len(theirs):
        raise HansuError(f"{tally.games} game(s) are too few to hold some back", "give more files")
    job.tell(f"{tally.games:,} games, {len(samples):,} positions, {len(theirs):,} of them held back"
             + (f"; {tally.left_out:,} left out" if tally.left_out else ""))  # fmt: skip

    # 2. The network.
    torch.manual_seed(settings.seed)
    extras = tuple(part for part in settings.extras.split(",") if part)
    size = Size(settings.channels, settings.blocks, settings.pooling, extras)
    network = begin_with(Path(settings.begin), view.shape) if settings.begin else build(
        settings.network, view.shape, size
    )  # fmt: skip
    half = number_kind(network, device, 128) != torch.float32
    learner = Learner(network, Schedule(rate=settings.rate, decay=settings.decay), device, half)
    rows = min(settings.batch, len(ours))
    room = Batch.room(rows, view.shape, view.whole, device)
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
        job.tell(f"epoch {epoch + 1} of {settings.epochs}: {there['first']:.1%} of held-back moves found, "
                 f"{there['five']:.1%} among five, value off by {there['value']:.3f}")  # fmt: skip

    # 4. Files and tables.
    output = (job.output or Path(f"{game.name}.onnx")).with_suffix(".npz")
    told = {"recipe": "supervised", "games": tally.games, "positions": len(samples), "epochs": settings.epochs}
    save_network(output, learner.average, notes_of(learner.average, board.identity, told))
    files = [path for path in (output.with_suffix(".onnx"), output) if path.is_file()]
    header = ("positions", "moves found", "among five", "policy loss", "value: squared error", "result foretold")
    lines = [
        (name, f"{m['first']:.1%}", f"{m['five']:.1%}", f"{m['policy']:.4f}", f"{m['value']:.4f}", f"{m['result']:.1%}")
        for name, m in (("learnt from", here), ("held back", there))
    ]
    return Outcome([Table(header, tuple(lines))], [accuracy, value], files)


def measured(learner: Any, encoder: Any, samples: Any, room: Any, chance: Any) -> dict[str, float]:
    """How well the averaged weights know some samples: the share of moves found first and among five, the policy's
    loss, the squared error of P(win) - P(loss), the share of results that were the likeliest."""
    from hansu.learn.learner import ILLEGAL, policy_loss
    from hansu.learn.networks import torch

    sums: dict[str, float] = dict.fromkeys(("first", "five", "policy", "value", "result"), 0.0)
    rows = len(room)
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
        best = known.policy.argmax(1, keepdim=True)
        top = policy.topk(min(5, policy.shape[1]), dim=1).indices
        chances = value.float().softmax(1)[:count]
        error = (chances[:, 0] - chances[:, 2]) - (known.value[:, 0] - known.value[:, 2])
        sums["first"] += float((top[:, :1] == best).sum())
        sums["five"] += float((top == best).any(1).sum())
        sums["policy"] += float(policy_loss(policy, known)) * count
        sums["value"] += float(error.square().sum())
        sums["result"] += float((chances.argmax(1) == known.value.argmax(1)).sum())
    return {name: total / len(samples) for name, total in sums.items()}


RECIPES = (Supervised,)
