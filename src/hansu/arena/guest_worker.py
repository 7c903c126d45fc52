"""The process that a student's player runs in: one JSON line in, one JSON line out.

What counts as a player: a class with `decide(position)` or `decide(position, limit)` (a hansu `Player` too), an object
that can be called, or a plain function of a position. It answers with a move as text, an action, or a `Decision`. A
game may understand more (Pacman's `getAction`, the triangle course's MACHINE) through `Game.adapt_agent`.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.player import Decision
from hansu.core.position import Position
from hansu.games import game as game_named
from hansu.games import load

Choose = Callable[[Position, Limit], Any]


def main() -> None:
    """Answer until the input ends. Standard output is ours alone: what the student prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    choose: Choose | None = None
    game: Game | None = None
    agent: Any = None
    for line in sys.stdin:
        question = json.loads(line)
        try:
            if "agent" in question:
                game = game_named(question["game"])
                agent, choose = find_agent(Path(question["agent"]), question["attribute"], game)
                answer: dict[str, Any] = {"ready": True}
            elif "new_game" in question:
                if hasattr(agent, "new_game"):
                    agent.new_game()
                answer = {"ready": True}
            else:
                assert game is not None and choose is not None
                answer = decide(game, choose, question)
        except HansuError as error:
            answer = {"error": str(error)}
        except Exception as error:
            answer = {"error": f"raised {type(error).__name__}: {error} ({place_of(error)})"}
        answers.write(json.dumps(answer) + "\n")


def place_of(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else "unknown place"


def find_agent(path: Path, attribute: str, game: Game) -> tuple[Any, Choose]:
    """The student's object and how to ask it."""
    module = load(path, game.shims)
    if attribute:
        found = getattr(module, attribute, None)
        if found is None:
            raise HansuError(f"there is no {attribute} in {path.name}")
    else:
        own = [v for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__]  # type: ignore[attr-defined]
        callables = [v for v in own if callable(v) and not getattr(v, "__name__", "_").startswith("_")]
        if len(callables) != 1:
            adapted = game.adapt_agent(module, None) if game.adapt_agent is not None else None
            if adapted is not None:
                return adapted, lambda position, limit: adapted(position)
            raise HansuError(
                f"{path.name} defines {len(callables)} classes and functions", f"say which: {path.name}:Name"
            )
        found = callables[0]
    if game.adapt_agent is not None:
        adapted = game.adapt_agent(module, found)
        if adapted is not None:
            return adapted, lambda position, limit: adapted(position)
    agent = found() if inspect.isclass(found) else found
    return agent, asker(agent)


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
        answer = {**chosen.report.as_json(position), "why": str(chosen.why)}
        chosen = chosen.action
    answer["seconds"] = time.perf_counter() - started
    if isinstance(chosen, str):
        answer["move"] = chosen
    elif chosen in position.actions:
        answer["move"] = position.move_text(chosen)
    else:
        raise HansuError(f"answered {chosen!r}, which is not legal", f"legal: {game.legal_text(position.state)}")
    return answer


if __name__ == "__main__":
    main()
