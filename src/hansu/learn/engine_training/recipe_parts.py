"""Options and messages that the recipes of engines' networks share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hansu.core.errors import HansuError
from hansu.core.message import Phrase
from hansu.learn.curves import Curve

GAMES_ABOUT = Phrase("games of the engine with itself, to learn from")
WEIGHTS_ABOUT = Phrase("the engine's weights, fitted to its games; wants the files of engine_games")
MINUTES = Phrase("how long to play")
NODES = Phrase("nodes of each move's search")
PROCESSES = Phrase("how many play side by side")
CHANNELS = Phrase("of the teacher's convolutions; 0: no teacher")
BLOCKS = Phrase("of the teacher")
LESSONS = Phrase("how often the teacher sees every position")
TEACHER = Phrase("a network (.npz or .onnx) that knows already, in place of such a teacher")
ADAPT = Phrase("how often such a teacher sees every position first, if it learnt otherwise")
ADAPT_RATE = Phrase("of learning in that, at its highest")
BEYOND = Phrase("positions beyond each of the games' that the teacher judges, too")
MEMORY = Phrase("of the steps: the file has a mean of the weights, which forgets over so many")
SEED = Phrase("0 or more; the same seed, the same games")


def require_teacher(adapt: int, given: bool) -> None:
    if adapt and not given:
        what = Phrase("adapt={count} is for a teacher that learns from games first", count=adapt)
        raise HansuError(what, Phrase("give --teacher and files of engine_games, or leave --adapt out"))


@dataclass
class Course:
    """A training that writes its file after each epoch, which its curve has a point of."""

    curve: Curve
    stopped: bool = False

    def notes(self, path: Path, epochs: int) -> list[str]:
        """What is in the file, where that is less than was wanted."""
        done = len(self.curve.held_back)
        text = Phrase("{path} holds what was learnt by epoch {done} of {epochs}", path=path, done=done, epochs=epochs)
        return [text] if self.stopped else []


@contextmanager
def stoppable(curve: Curve) -> Iterator[Course]:
    """Ctrl-C ends what is done in here, and no more than that if there is a file already."""
    course = Course(curve)
    try:
        yield course
    except KeyboardInterrupt:
        if not curve.held_back:
            raise
        course.stopped = True
