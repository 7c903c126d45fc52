"""`rules()`: tells hansu what the common words mean for a state class."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.generic import DEFAULTS, WORDS, Rules, actions, next_action, random_by_trying, register

_REQUIRED = ("play", "over", "score", "mover")


def rules(state: type, *, action_count: int | Callable[..., int] | None = None, **words: Callable[..., Any]) -> Rules:
    """Register a game's functions under the common words, for interpreted and for compiled use.

    Give `play`, `over`, `score`, `mover` and a way to find the moves: `next_action`, or `legal` with an
    `action_count` (ids are tried in turn), or `actions` (foreign classes). What else you give (`evaluate`, `key`, ...)
    replaces a default; `hansu.core.generic` lists every word.

    >>> import hansu
    >>> from typing import NamedTuple
    >>> class Heap(NamedTuple):
    ...     left: int = 7
    ...     turn: int = 0
    >>> made = hansu.rules(
    ...     Heap, action_count=3, legal=lambda s, a: a < s.left, play=lambda s, a: Heap(s.left - a - 1, 1 - s.turn),
    ...     over=lambda s: s.left == 0, score=lambda s: 1 if s.turn else -1, mover=lambda s: s.turn)
    >>> game = hansu.Game(name="heap", title="Heap", about="take the last", state=Heap, start=Heap, small=True)
    >>> hansu.player("minimax:interpreted=true", game).decide(game.first).why
    '2 after looking to the end: first wins'
    """
    for word, function in words.items():
        if word not in WORDS:
            raise HansuError(f"rules({state.__name__}): unknown word {word!r}", f"known: {', '.join(WORDS)}")
        _check_arguments(state, word, function)
    given: dict[str, Any] = dict(words)
    if action_count is not None:
        given["action_count"] = action_count if callable(action_count) else _constant(action_count)
    missing = [word for word in _REQUIRED if word not in given]
    if "actions" not in given and "next_action" not in given and not ("legal" in given and "action_count" in given):
        missing.append("next_action (or legal with action_count)")
    if missing:
        raise HansuError(f"rules({state.__name__}) lacks {', '.join(missing)}")
    if "legal" not in given:
        given["legal"] = _legal_from_actions if "actions" in given else _legal_from_next
    if "next_action" not in given and "actions" not in given:
        given.setdefault("random_action", random_by_trying)
    made = Rules(state, {**DEFAULTS, **given})
    register(made)
    return made


def _check_arguments(state: type, word: str, function: Callable[..., Any]) -> None:
    wanted = len(inspect.signature(WORDS[word]).parameters)
    try:
        inspect.signature(function).bind(*range(wanted))
    except TypeError:
        raise HansuError(f"rules({state.__name__}): {word} must take {wanted} argument(s)") from None
    except ValueError:
        return  # a builtin without a signature: trust it


def _constant(number: int) -> Callable[[Any], int]:
    def action_count(s: Any) -> int:
        return number

    return action_count


def _legal_from_actions(s: Any, a: Any) -> bool:
    for b in actions(s):
        if a == b:
            return True
    return False


def _legal_from_next(s: Any, a: Any) -> bool:
    return bool(a >= 0 and next_action(s, a - 1) == a)
