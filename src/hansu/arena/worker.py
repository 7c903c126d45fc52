"""Both sides of a process that runs a student's code: each question and each answer is one JSON line.

    {"id": 7, ...}  ->          a question of a match or of the grader
                    <-  {"id": 7, ...}, or {"id": 7, "error": {"en": "...", ...}} if the student's code raised

The student's code may hang, crash, print and read, because the pipes are not its standard input and output. A late,
unreadable or mismatched answer ends the process.
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

MAX_TEXT = 2_000  # characters of a text from a student's code


class Worker:
    """hansu's side. Failures raise PlayerFault with the name of the student's file."""

    def __init__(self, module: str, name: str) -> None:
        self.name = name
        self._program = Program([sys.executable, "-m", module], name)
        self._number = 0

    @property
    def alive(self) -> bool:
        return self._program.alive

    def ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a question. It may have an `error`."""
        self._number += 1
        self._program.send(json.dumps({**question, "id": self._number}))
        try:
            answer = json.loads(self._program.read(seconds))
            if not isinstance(answer, dict) or answer.get("id") != self._number:
                raise ValueError
        except (ValueError, RecursionError):
            self._program.kill()
            raise PlayerFault("{name} sent an unreadable answer", name=self.name) from None
        if "error" in answer:
            text = answer["error"]
            answer["error"] = printable_text(Message(dict(text)) if _is_translated(text) else text)
        return answer

    def kill(self) -> None:
        self._program.kill()


def printable_text(text: Any) -> str:
    """A text from a student's code, shortened and without control characters."""
    if isinstance(text, Message):
        return Message({code: printable(part[:MAX_TEXT]) for code, part in in_languages(text).items()})
    return printable(str(text)[:MAX_TEXT])


def with_hint(error: HansuError) -> str:
    """The message of an error with its hint, in one text."""
    return Message("{what} ({hint})", what=error.what, hint=error.hint) if error.hint else error.what


def _is_translated(text: Any) -> bool:
    return isinstance(text, dict) and "en" in text and all(isinstance(part, str) for part in text.values())


def serve(answer_to: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """The student's side: answer questions until the pipe is closed."""
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
            message = {code: text[:MAX_TEXT] for code, text in in_languages(_error_text(error)).items()}
            answer = json.dumps({"error": message, "id": question["id"]})
        answers.write(answer + "\n")


def _error_text(error: Exception) -> str:
    if isinstance(error, HansuError):
        return with_hint(error)
    if isinstance(error, RecursionError):
        return Message("exceeded the recursion limit (RecursionError)")
    frames = traceback.extract_tb(error.__traceback__)
    place = Message("unknown place")
    if frames:
        place = Message("{file}, line {line}", file=Path(frames[-1].filename).name, line=frames[-1].lineno)
    what = str(error)[: MAX_TEXT // 2]
    return Message("raised {kind}: {what} ({place})", kind=type(error).__name__, what=what, place=place)
