"""A process that holds a student's code, from both sides: one JSON line asks, one JSON line answers.

    {"id": 7, ...}  ->          what is asked, by whoever plays or grades
                    <-  {"id": 7, ...}, or {"id": 7, "error": {"en": "...", ...}} where the student's code raised

The student's code can hang, crash, print and read what it likes: the pipes are not its standard input and output. An
answer that is late, unreadable or to another question ends the process.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hansu.core.errors import HansuError, PlayerFault
from hansu.core.message import Message, in_languages
from hansu.protocols.program import Program, printable

MOST_TEXT = 2_000  # characters of what a student's code says


class Worker:
    """Our side. Whatever goes wrong is a PlayerFault that names the student's file."""

    def __init__(self, module: str, name: str) -> None:
        self.name = name
        self._program = Program([sys.executable, "-m", module], name)
        self._asked = 0

    @property
    def alive(self) -> bool:
        return self._program.alive

    def ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to this very question; it may hold an `error`."""
        self._asked += 1
        self._program.send(json.dumps({**question, "id": self._asked}))
        try:
            answer = json.loads(self._program.read(seconds))
            if not isinstance(answer, dict) or answer.get("id") != self._asked:
                raise ValueError
        except (ValueError, RecursionError):
            self._program.kill()
            raise PlayerFault("{name} answered something unreadable", name=self.name) from None
        if "error" in answer:
            given = answer["error"]
            answer["error"] = shown(Message(dict(given)) if _in_languages(given) else given)
        return answer

    def kill(self) -> None:
        self._program.kill()


def shown(given: Any) -> str:
    """What a student's code says, fit to be shown."""
    if isinstance(given, Message):
        return Message({code: printable(text[:MOST_TEXT]) for code, text in in_languages(given).items()})
    return printable(str(given)[:MOST_TEXT])


def whole(error: HansuError) -> str:
    """What is wrong and what to do, in one text."""
    return Message("{what} ({hint})", what=error.what, hint=error.hint) if error.hint else error.what


def _in_languages(given: Any) -> bool:
    return isinstance(given, dict) and "en" in given and all(isinstance(text, str) for text in given.values())


def serve(answer_to: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """The student's side: answer until there are no more questions."""
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    for line in questions:
        question = json.loads(line)
        try:
            answer = json.dumps({**answer_to(question), "id": question["id"]})
        except Exception as error:
            trouble = {code: text[:MOST_TEXT] for code, text in in_languages(_trouble(error)).items()}
            answer = json.dumps({"error": trouble, "id": question["id"]})
        answers.write(answer + "\n")


def _trouble(error: Exception) -> str:
    if isinstance(error, HansuError):
        return whole(error)
    if isinstance(error, RecursionError):
        return Message("never comes to an end (RecursionError)")
    frames = traceback.extract_tb(error.__traceback__)
    place = Message("unknown place")
    if frames:
        place = Message("{file}, line {line}", file=Path(frames[-1].filename).name, line=frames[-1].lineno)
    what = str(error)[: MOST_TEXT // 2]
    return Message("raised {kind}: {what} ({place})", kind=type(error).__name__, what=what, place=place)
