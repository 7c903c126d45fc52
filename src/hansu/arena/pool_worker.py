"""The process that plays a pool's games. JSON lines, a question and its answers:

    {"game": ..., "players": [{"name", "spec", "limit"}, ...], "adjudicate": ...}       first of all
    {"check": {"start": ..., "moves": [...]}}    make every player once and let it move there
        {"checked": true}
    {"task": 7, "a": 0, "b": 1, "start": ..., "moves": [...], "seed": ..., "seats": [0, 1]}
        {"task": 7, "seat": 0, "game": [...]}    for each game that is finished, as a store takes it (`Entry`)
        {...}                                    and its record, on a line of its own that nobody has to read on the way
        {"task": 7, "done": true}

An answer may be {"compiling": ...}, or {"error": ..., "hint": ...} where the event cannot go on. Players are made when
they are needed first and kept. When the other side closes the pipe, or is no more, this process ends at once, and the
programs that its players run end with it.
"""

from __future__ import annotations

import json
import os
import queue
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hansu.arena.adjudication import Adjudication
from hansu.arena.game_row import Entry
from hansu.arena.match import check, play_pair
from hansu.arena.openings import Opening
from hansu.arena.roster import player
from hansu.compile.native import first_time_notice
from hansu.core import registry
from hansu.core.errors import HansuError
from hansu.core.limit import Limit
from hansu.core.message import Message, in_languages
from hansu.core.player import Player

Say = Callable[..., None]


class Room:
    """The players of an event and the games they play."""

    def __init__(self, hello: dict[str, Any]) -> None:
        self._game = registry.game(hello["game"])
        self._names = [told["name"] for told in hello["players"]]
        self._specs = [told["spec"] for told in hello["players"]]
        self._limits = [Limit.read(told["limit"]) for told in hello["players"]]
        self._adjudication = Adjudication.read(hello["adjudicate"])
        self._made: dict[int, Player] = {}

    def answer(self, question: dict[str, Any], say: Say) -> None:
        if "check" in question:
            self.check(Opening(question["check"]["start"], tuple(question["check"]["moves"])))
            say(checked=True)
            return
        for seat, game in self.games(question):
            *counted, text = game
            say(task=question["task"], seat=seat, game=counted, line=text)
        say(task=question["task"], done=True)

    def _player(self, number: int) -> Player:
        if number not in self._made:
            self._made[number] = player(self._specs[number], self._game)
        return self._made[number]

    def check(self, opening: Opening) -> None:
        """Every player is made and moves once; raises HansuError where one cannot."""
        position = opening.position(self._game)
        for number, (name, limit) in enumerate(zip(self._names, self._limits, strict=True)):
            try:
                one = self._player(number)
            except HansuError as error:  # a guest's file that cannot be loaded
                if error.what.startswith(name):
                    raise
                raise HansuError("{name}: {what}", error.hint, name=name, what=error.what) from None
            check(one, position, limit, name)

    def games(self, task: dict[str, Any]) -> Iterator[tuple[int, Entry]]:
        """Play a task: its seats, and the game from each."""
        a, b = task["a"], task["b"]
        position = Opening(task["start"], tuple(task["moves"])).position(self._game)
        pair = play_pair(
            position, self._player(a), self._player(b), (self._limits[a], self._limits[b]), task["seed"],
            task["seats"], self._adjudication,
        )  # fmt: skip
        for seat, record in pair:
            names = (self._names[b], self._names[a]) if seat else (self._names[a], self._names[b])
            yield seat, Entry.of(replace(record, players=names).as_json())


def trouble(error: Exception) -> dict[str, Any]:
    """What the event cannot go on with, in every language."""
    if isinstance(error, HansuError):
        return {"error": in_languages(error.what), "hint": in_languages(error.hint)}
    frames = traceback.extract_tb(error.__traceback__)
    place = Message("unknown place")
    if frames:
        place = Message("{file}, line {line}", file=Path(frames[-1].filename).name, line=frames[-1].lineno)
    what = Message("{kind}: {what} ({place})", kind=type(error).__name__, what=error, place=place)
    hint = Message("the rules of the game need mending, or hansu does")
    return {"error": in_languages(what), "hint": in_languages(hint)}


def main() -> None:
    """Standard input and output are taken away from whatever the players and the rules print or read."""
    asked = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    questions: queue.Queue[dict[str, Any]] = queue.Queue()

    def say(line: str = "", **answer: Any) -> None:
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        answers.write(f"{text}\n{line}\n" if line else f"{text}\n")
        answers.flush()

    def listen() -> None:
        for line in asked:
            questions.put(json.loads(line))
        os._exit(0)  # nobody wants the games any more

    threading.Thread(target=listen, daemon=True).start()
    first_time_notice.append(lambda what: say(compiling=what))
    room: Room | None = None
    while True:
        question = questions.get()
        try:
            if room is None:
                room = Room(question)
            else:
                room.answer(question, say)
        except BrokenPipeError:
            os._exit(0)
        except Exception as error:
            say(**trouble(error))


if __name__ == "__main__":
    main()
