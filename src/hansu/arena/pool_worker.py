"""The worker process of a pool. It reads questions and writes answers, each a JSON line:

    {"game": ..., "players": [{"name", "spec", "limit"}, ...], "adjudicate": ...}       the event, once
    {"check": {"start": ..., "moves": [...]}}    build every player and let it move in this position
        {"checked": true}
    {"task": 7, "a": 0, "b": 1, "start": ..., "moves": [...], "seed": ..., "seats": [0, 1]}
        {"task": 7, "seat": 0, "game": [...]}    for each finished game, as a store takes it (`GameRow`)
        {...}                                    its record, on a line of its own so that the pool need not parse it
        {"task": 7, "done": true}

An answer can also be {"compiling": ...}, or {"error": ..., "hint": ...} if the event cannot continue. When the pool
closes the pipe or dies, the worker exits at once, and the programs that its players run end with it.
"""

from __future__ import annotations

import json
import os
import queue
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hansu.arena.adjudication import Adjudication
from hansu.arena.contestant import Contestant
from hansu.arena.game_row import GameRow
from hansu.arena.openings import Opening
from hansu.arena.runner import PairTask, PlayerSet
from hansu.compile.native import first_time_notice
from hansu.core import registry
from hansu.core.errors import HansuError
from hansu.core.limit import Limit
from hansu.core.message import Message, in_languages

Send = Callable[..., None]


def player_set(event: dict[str, Any]) -> PlayerSet:
    """The players of an event message."""
    contestants = [Contestant(one["name"], one["spec"], Limit.read(one["limit"])) for one in event["players"]]
    return PlayerSet(registry.game(event["game"]), contestants, Adjudication.read(event["adjudicate"]))


def check_players(players: PlayerSet, start: str, moves: list[str] | tuple[str, ...]) -> None:
    """Let every player move once in the position after `moves`."""
    players.check(Opening(start, tuple(moves)).position(players.game))


def play_games(players: PlayerSet, task: dict[str, Any]) -> Iterator[tuple[int, GameRow]]:
    """Play a task message: its seats, and the game from each."""
    opening = Opening(task["start"], tuple(task["moves"]))
    pair = PairTask(task["task"], task["a"], task["b"], opening, task["seed"], task["seats"])
    for seat, record in players.play(pair):
        yield seat, GameRow.of(record.as_json())


def error_message(error: Exception) -> dict[str, Any]:
    """Why the event cannot continue, in every language."""
    if isinstance(error, HansuError):
        return {"error": in_languages(error.what), "hint": in_languages(error.hint)}
    frames = traceback.extract_tb(error.__traceback__)
    place = Message("unknown place")
    if frames:
        place = Message("{file}, line {line}", file=Path(frames[-1].filename).name, line=frames[-1].lineno)
    what = Message("{kind}: {what} ({place})", kind=type(error).__name__, what=error, place=place)
    hint = Message("this is a bug in the rules of the game or in hansu")
    return {"error": in_languages(what), "hint": in_languages(hint)}


def _answer(players: PlayerSet, question: dict[str, Any], send: Send) -> None:
    if "check" in question:
        check_players(players, question["check"]["start"], question["check"]["moves"])
        send(checked=True)
        return
    for seat, game in play_games(players, question):
        *columns, text = game
        send(task=question["task"], seat=seat, game=columns, line=text)
    send(task=question["task"], done=True)


def main() -> None:
    """Standard input and output are detached, so that players and rules can print and read without harm."""
    questions_in = os.fdopen(os.dup(0), encoding="utf-8")
    answers_out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    questions: queue.Queue[dict[str, Any]] = queue.Queue()

    def send(line: str = "", **answer: Any) -> None:
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        answers_out.write(f"{text}\n{line}\n" if line else f"{text}\n")
        answers_out.flush()

    def read_questions() -> None:
        for line in questions_in:
            questions.put(json.loads(line))
        os._exit(0)  # the pool needs no more games

    threading.Thread(target=read_questions, daemon=True).start()
    first_time_notice.append(lambda what: send(compiling=what))
    players: PlayerSet | None = None
    while True:
        question = questions.get()
        try:
            if players is None:
                players = player_set(question)
            else:
                _answer(players, question, send)
        except BrokenPipeError:
            os._exit(0)
        except Exception as error:
            send(**error_message(error))


if __name__ == "__main__":
    main()
