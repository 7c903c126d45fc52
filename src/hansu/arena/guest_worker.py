"""The process that a student's player runs in: one JSON line in, one JSON line out.

What counts as a player: a class with `decide(position)` or `decide(position, limit)` (a hansu `Player` too), an object
that can be called, or a plain function of a position. It answers with a move as text, an action, or a `Decision`. A
game may accept players of an older framework, too (`Game.framework`).
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hansu.arena.worker import MOST_TEXT, serve
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision
from hansu.core.position import Position
from hansu.core.registry import game as game_named
from hansu.core.registry import load

Choose = Callable[[Position, Limit], Any]
MOST_NAMES = 12  # of what a file defines, that are told


class GuestSeat:
    """The student's player, once it is named."""

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
    """The student's object and how to ask it."""
    module = load(path, game.framework.modules if game.framework else None)
    if attribute:
        found = getattr(module, attribute, None)
        if found is None:
            raise HansuError(
                "there is no {attribute} in {path}", which(path, module), attribute=attribute, path=path.name
            )
    else:
        callables = own_callables(module)
        if len(callables) != 1:
            adapted = game.framework.adapt(module, None) if game.framework is not None else None
            if adapted is not None:
                return adapted, lambda position, limit: adapted(position)
            raise HansuError(
                "{path} defines {count} classes and functions",
                which(path, module),
                path=path.name,
                count=len(callables),
            )
        (found,) = callables.values()
    if game.framework is not None:
        adapted = game.framework.adapt(module, found)
        if adapted is not None:
            return adapted, lambda position, limit: adapted(position)
    agent = found() if inspect.isclass(found) else found
    return agent, asker(agent)


def own_callables(module: object) -> dict[str, Any]:
    """What a file itself defines that could be a player, by name."""
    own = {name: v for name, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__}  # type: ignore[attr-defined]
    return {name: v for name, v in own.items() if callable(v) and not name.startswith("_")}


def which(path: Path, module: object) -> Message:
    """What to name instead, where a file's name alone does not say who plays."""
    names = list(own_callables(module))
    if not names:
        return Message("`hansu new player NAME` writes a file to start from")
    shown = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
    return Message("say which: {path}:NAME, with {names} for NAME", path=path.name, names=shown)


def asker(agent: Any) -> Choose:
    """How to ask an agent, given as a class, an object or a function, for its choice."""
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
    position = game.position(question["origin"])
    for move in question["moves"]:
        position = position.play_move(move)
    started = time.perf_counter()
    chosen = choose(position, Limit.read(question["limit"]))
    answer: dict[str, Any] = {}
    if isinstance(chosen, Decision):
        answer = {**chosen.report.as_json(position), "why": str(chosen.why)[:MOST_TEXT]}
        chosen = chosen.action
    answer["seconds"] = time.perf_counter() - started
    answer["move"] = move_of(position, chosen)
    return answer


def move_of(position: Position, chosen: Any) -> str:
    """What a student's player chose, as text."""
    if isinstance(chosen, str):
        return chosen
    if chosen in position.actions:
        return position.move_text(chosen)
    legal = position.game.legal_text(position.state)
    raise HansuError("answered {move!r}, which is not legal", "legal: {legal}", move=chosen, legal=legal)


if __name__ == "__main__":
    serve(GuestSeat().answer_to)
