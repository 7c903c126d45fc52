"""`rules()` registers a game's functions for its state class."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from hansu.core.errors import HansuError
from hansu.core.generic import DEFAULTS, WORDS, Rules, actions, next_action, random_by_rejection, register
from hansu.core.message import Message, joined
from hansu.core.types import Action, Function, State

_REQUIRED = ("play", "over", "score", "mover")


def rules(state: type, *, action_count: int | Callable[[State], int] | None = None, **words: Function) -> Rules:
    """Register a game's functions under the common words, for interpreted and compiled code.

    Required: `play`, `over`, `score`, `mover`, and a way to list the moves. That is `next_action`, or `legal` with
    `action_count` (all ids are tried), or `actions` (interpreted only). Every other word (`evaluate`, `key`, ...)
    replaces a default. `hansu.core.generic` lists all words.

    >>> import hansu
    >>> from typing import NamedTuple
    >>> class Heap(NamedTuple):
    ...     left: int = 7
    ...     turn: int = 0
    >>> heap_rules = hansu.rules(
    ...     Heap, action_count=3, legal=lambda s, a: a < s.left, play=lambda s, a: Heap(s.left - a - 1, 1 - s.turn),
    ...     over=lambda s: s.left == 0, score=lambda s: 1 if s.turn else -1, mover=lambda s: s.turn)
    >>> game = hansu.Game(name="heap", title="Heap", about="take the last", state=Heap, start=Heap, small=True)
    >>> hansu.player("minimax:interpreted=true", game).decide(game.first).why
    '2 after looking to the end: first wins'
    """
    for word, function in words.items():
        if word not in WORDS:
            raise HansuError(
                "rules({state}): unknown word {word!r}", "known: {known}",
                state=state.__name__, word=word, known=", ".join(WORDS),
            )  # fmt: skip
        _check_arguments(state, word, function)
    functions: dict[str, Function] = dict(words)
    if action_count is not None:
        functions["action_count"] = action_count if callable(action_count) else _constant(action_count)
    missing: list[str] = [word for word in _REQUIRED if word not in functions]
    if not ({"actions", "next_action"} & functions.keys() or {"legal", "action_count"} <= functions.keys()):
        missing.append(Message("next_action (or legal with action_count)"))
    if missing:
        raise HansuError(
            "rules({state}) lacks {missing}", "every game needs play, over, score, mover and a way to list its moves",
            state=state.__name__, missing=joined(", ", missing),
        )  # fmt: skip
    if "legal" not in functions:
        functions["legal"] = _legal_from_actions if "actions" in functions else _legal_from_next
    if "next_action" not in functions and "actions" not in functions:
        functions.setdefault("random_action", random_by_rejection)
    registered = Rules(state, {**DEFAULTS, **functions})
    register(registered)
    return registered


def _check_arguments(state: type, word: str, function: Function) -> None:
    count = len(inspect.signature(WORDS[word]).parameters)
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        raise HansuError(
            "rules({state}): {word} must take {count} argument(s)", "like {signature}",
            state=state.__name__, word=word, count=count, signature=_signature(word),
        ) from None  # fmt: skip
    except ValueError:
        return  # a builtin without a signature: trust it


def _signature(word: str) -> str:
    """How a word is called.

    >>> _signature("play")
    'play(s, a)'
    """
    return f"{word}({', '.join(inspect.signature(WORDS[word]).parameters)})"


def _constant(number: int) -> Callable[[State], int]:
    def action_count(s: State) -> int:
        return number

    return action_count


def _legal_from_actions(s: State, a: Action) -> bool:
    for b in actions(s):
        if a == b:
            return True
    return False


def _legal_from_next(s: State, a: int) -> bool:
    return bool(a >= 0 and next_action(s, a - 1) == a)
