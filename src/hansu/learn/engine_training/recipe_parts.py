"""Options, messages and steps that the recipes of engines' networks share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.core.player import option
from hansu.learn.curves import Curve
from hansu.learn.recipe import Recipe

if TYPE_CHECKING:
    from hansu.learn.engine_training.distillation import DistillationSettings

GAMES_ABOUT = Message("games of the engine against itself, as training data")
MINUTES = Message("minutes to play")
NODES = Message("search nodes per move")
PROCESSES = Message("number of worker processes")
GAMES_SEED = Message("random seed; the same seed gives the same games")
EPOCHS = Message("epochs of training the engine's network")
BATCH = Message("positions per training step")
CHANNELS = Message("channels of the teacher network's convolutions (0: train without a teacher)")
EXTRA_POSITIONS = Message("extra positions near each game position that the teacher evaluates")


@dataclass
class DistillationRecipe(Recipe):
    """`engine_network`: an engine's network, distilled from a teacher. A game adds what its network needs."""

    kind: ClassVar[str] = "engine_network"
    epochs: int = option(6, EPOCHS, low=1)
    channels: int = option(96, CHANNELS, low=0)
    blocks: int = option(6, Message("residual blocks of the teacher network"), low=1)
    teacher_epochs: int = option(4, Message("epochs of training a new teacher on the game files"), low=1, old="lessons")
    teacher: str = option("", Message("a trained network (.npz or .onnx) to use as the teacher"))
    adapt_epochs: int = option(
        0, Message("epochs a trained teacher is fine-tuned on the game files before distillation"), low=0, old="adapt"
    )
    adapt_rate: float = option(3e-4, Message("peak learning rate of the trained teacher's fine-tuning"), low=1e-7)
    extra_positions: int = option(3, EXTRA_POSITIONS, low=0, old="beyond")
    batch: int = option(4096, BATCH, low=1)
    device: str = option("auto", Message("device to train on"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Message("random seed of the training"), low=0)

    def distillation(self, device: str, **more: Any) -> DistillationSettings:
        """The settings of the training; `more` are those that only some games have."""
        from hansu.learn.engine_training.distillation import TEACHER_RATE, DistillationSettings

        teacher_epochs, teacher_rate = (
            (self.adapt_epochs, self.adapt_rate) if self.teacher else (self.teacher_epochs, TEACHER_RATE)
        )
        return DistillationSettings(
            self.epochs, self.batch, self.channels, self.blocks, teacher_epochs, self.extra_positions, self.seed,
            device, teacher_rate=teacher_rate, **more,
        )  # fmt: skip

    def check_adaptation(self, possible: bool) -> None:
        """Reject `adapt_epochs` without a trained teacher or without files to adapt it to."""
        if self.adapt_epochs and not possible:
            raise HansuError(
                "adapt_epochs={count} needs a trained teacher and game files",
                "give --teacher and files of engine_games, or leave --adapt-epochs out",
                count=self.adapt_epochs,
            )


@dataclass
class Training:
    """A training that writes its file after each epoch; its curve has a point for each of them."""

    curve: Curve
    stopped: bool = False

    def notes(self, path: Path, epochs: int) -> list[str]:
        """How far an interrupted training has come."""
        done = len(self.curve.held_out)
        text = Message("{path} holds the network after epoch {done} of {epochs}", path=path, done=done, epochs=epochs)
        return [text] if self.stopped else []


@contextmanager
def stoppable(curve: Curve) -> Iterator[Training]:
    """Let Ctrl-C end the training early; before the first file it ends the program."""
    training = Training(curve)
    try:
        yield training
    except KeyboardInterrupt:
        if not curve.held_out:
            raise
        training.stopped = True
