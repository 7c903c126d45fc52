"""The process that a user's player runs in: one JSON line in, one JSON line out.

A player is a class with `decide(position)` or `decide(position, limit)` (such as a hansu `Player`), a callable object,
or a plain function of a position. It returns a move as text, an action, or a `Decision`. A game may also accept players
of another framework (`Game.framework`).
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hansu.arena.worker import MAX_TEXT, serve
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision
from hansu.core.position import Position
from hansu.core.registry import game as game_named
from hansu.core.registry import load

Choose = Callable[[Position, Limit], Any]
MAX_NAMES = 12  # of a file's classes and functions, in a message


class GuestSeat:
    """The user's player, after the first question has named it."""

    def __init__(self) -> None:
        self._game: Game | None = None
        self._agent: Any = None
        self._choose: Choose | None = None

    def answer_to(self, question: dict[str, Any]) -> dict[str, Any]:
        if "agent" in question:
            self._game = game_named(question["game"])
            self._agent, self._choose = find_agent(Path(question["agent"]), question["attribute"], self._game)
            return {"ready": True}
        if "new_game" in question:
            if hasattr(self._agent, "new_game"):
                self._agent.new_game()
            return {"ready": True}
        assert self._game is not None and self._choose is not None
        return decide(self._game, self._choose, question)


def find_agent(path: Path, attribute: str, game: Game) -> tuple[Any, Choose]:
    """The user's object, and the function that gets its choice."""
    module = load(path, game.framework.modules if game.framework else None)
    if attribute:
        member = getattr(module, attribute, None)
        if member is None:
            raise HansuError(
                "there is no {attribute} in {path}", naming_hint(path, module), attribute=attribute, path=path.name
            )
    else:
        callables = own_callables(module)
        if len(callables) != 1:
            adapted = game.framework.adapt(module, None) if game.framework is not None else None
            if adapted is not None:
                return adapted, lambda position, limit: adapted(position)
            raise HansuError(
                "{path} defines {count} classes and functions",
                naming_hint(path, module),
                path=path.name,
                count=len(callables),
            )
        (member,) = callables.values()
    if game.framework is not None:
        adapted = game.framework.adapt(module, member)
        if adapted is not None:
            return adapted, lambda position, limit: adapted(position)
    agent = member() if inspect.isclass(member) else member
    return agent, chooser(agent)


def own_callables(module: object) -> dict[str, Any]:
    """The classes and functions that a file itself defines, by name."""
    own = {name: v for name, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__}  # type: ignore[attr-defined]
    return {name: v for name, v in own.items() if callable(v) and not name.startswith("_")}


def naming_hint(path: Path, module: object) -> Message:
    """How to name the player, if the file name alone is ambiguous."""
    names = list(own_callables(module))
    if not names:
        return Message("`hansu new player NAME` writes a template")
    listed = ", ".join(names[:MAX_NAMES]) + (", ..." if len(names) > MAX_NAMES else "")
    return Message("write {path}:NAME, where NAME is one of {names}", path=path.name, names=listed)


def chooser(agent: Any) -> Choose:
    """The function that gets the choice of an agent, which is a class, an object or a function."""
    if inspect.isclass(agent):
        agent = agent()
    ask = getattr(agent, "decide", agent)
    if not callable(ask):
        raise HansuError("the agent has no decide(position) and cannot be called")
    takes = [p for p in inspect.signature(ask).parameters.values() if p.default is p.empty or p.name == "limit"]
    if len(takes) >= 2:
        return lambda position, limit: ask(position, limit)
    return lambda position, limit: ask(position)


def decide(game: Game, choose: Choose, question: dict[str, Any]) -> dict[str, Any]:
    """The answer to the question for a decision."""
    position = game.position(question["origin"])
    for move in question["moves"]:
        position = position.play_move(move)
    started = time.perf_counter()
    choice = choose(position, Limit.read(question["limit"]))
    answer: dict[str, Any] = {}
    if isinstance(choice, Decision):
        answer = {**choice.report.as_json(position), "why": str(choice.why)[:MAX_TEXT]}
        choice = choice.action
    answer["seconds"] = time.perf_counter() - started
    answer["move"] = move_of(position, choice)
    return answer


def move_of(position: Position, choice: Any) -> str:
    """A player's choice as the text of a move."""
    if isinstance(choice, str):
        return choice
    if choice in position.actions:
        return position.move_text(choice)
    legal = position.game.legal_text(position.state)
    raise HansuError("answered {move!r}, which is not legal", "legal: {legal}", move=choice, legal=legal)


if __name__ == "__main__":
    serve(GuestSeat().answer_to)
