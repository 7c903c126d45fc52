"""Options and messages that the recipes of engines' networks share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.learn.curves import Curve

GAMES_ABOUT = Message("games of the engine with itself, to learn from")
WEIGHTS_ABOUT = Message("the engine's weights, fitted to its games; wants the files of engine_games")
MINUTES = Message("how long to play")
NODES = Message("nodes of each move's search")
PROCESSES = Message("how many play side by side")
CHANNELS = Message("of the teacher's convolutions; 0: no teacher")
BLOCKS = Message("of the teacher")
LESSONS = Message("how often the teacher sees every position")
TEACHER = Message("a network (.npz or .onnx) that knows already, in place of such a teacher")
ADAPT = Message("how often such a teacher sees every position first, if it learnt otherwise")
ADAPT_RATE = Message("of learning in that, at its highest")
BEYOND = Message("positions beyond each of the games' that the teacher judges, too")
MEMORY = Message("of the steps: the file has a mean of the weights, which forgets over so many")
SEED = Message("0 or more; the same seed, the same games")


def require_teacher(adapt: int, given: bool) -> None:
    if adapt and not given:
        raise HansuError(
            "adapt_epochs={count} is for a teacher that learns from games first",
            "give --teacher and files of engine_games, or leave --adapt-epochs out",
            count=adapt,
        )


@dataclass
class Course:
    """A training that writes its file after each epoch, which its curve has a point of."""

    curve: Curve
    stopped: bool = False

    def notes(self, path: Path, epochs: int) -> list[str]:
        """What is in the file, where that is less than was wanted."""
        done = len(self.curve.held_out)
        text = Message("{path} holds what was learnt by epoch {done} of {epochs}", path=path, done=done, epochs=epochs)
        return [text] if self.stopped else []


@contextmanager
def stoppable(curve: Curve) -> Iterator[Course]:
    """Ctrl-C ends what is done in here, and no more than that if there is a file already."""
    course = Course(curve)
    try:
        yield course
    except KeyboardInterrupt:
        if not curve.held_out:
            raise
        course.stopped = True
