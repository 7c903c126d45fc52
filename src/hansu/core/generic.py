"""The common words: functions such as `legal`, `play` and `over` that every game defines and every algorithm calls.

A game registers its own functions under these words (see `rules`). Called from plain Python, a word looks up the rules
of its first argument's class. In compiled code, `hansu.compile` replaces the word by the game's own function before
Numba sees it, so the call costs nothing.

    word                      meaning                                                     if a game leaves it out
    legal(s, a)               may action `a` be played in `s`?                            from the listed moves
    play(s, a)                the state after action `a`                                  required
    over(s)                   is the game finished?                                       required
    score(s)                  the result for player 0; defined only when over             required
    mover(s)                  whose turn it is: 0, 1, ... or CHANCE                       required
    next_action(s, after)     the first legal action above `after`, or -1                 scans ids with `legal`
    actions(s)                every legal action, in the game's order                     from `next_action`
    action_count(s)           all action ids are below this number                        needs `next_action`
    legal_mask(s, out)        write 1 for every legal action into an array, else 0        from `actions`
    may_end(s)                can some action end the game? Where not, searches do        True
                              not test every move for the end
    evaluate(s)               an estimate of `score` before the game is over              0
    score_for(s, i)           agent i's own result, where more than two agents each       score, others -score
                              play for themselves; agent 0's is `score`
    evaluate_for(s, i)        an estimate of `score_for` before the game is over          evaluate, others -evaluate
    key(s)                    a 63-bit hash for transposition tables; a state with a      hash of all fields
                              table's handle needs a `key` that leaves the handle out
    agents(s)                 the number of agents                                        2
    team(s)                   the mover's side: 0 maximises, 1 minimises                  agent 0 against all others
    probability(s, a)         the probability of action `a` at a chance node              uniform
    random_action(s, seed)    a random legal action                                       uniform
    symmetric(s, k)           the state under the board's k-th symmetry; k = 0: itself    itself
    symmetric_action(s, a, k) the action that `a` becomes under that symmetry             itself
    planes(s, out)            write a network's input into out[plane, row, column]        the bits of every field
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hansu.core.bits import flat, item, mix, pick
from hansu.core.errors import HansuError
from hansu.core.types import Action as Action
from hansu.core.types import Array, Function, Seed, Words
from hansu.core.types import State as State

CHANCE = -1
"""`mover` of a chance node: dice or a shuffle decide."""


@dataclass
class Rules:
    """The functions that one state class registers, by word."""

    state: type
    words: dict[str, Function] = field(default_factory=dict)


_registered: dict[type, Rules] = {}


def rules_of(state_class: type) -> Rules:
    """The rules registered for a class or for one of its bases."""
    registered = _registered.get(state_class)
    if registered is not None:
        return registered
    for base in state_class.__mro__[1:]:
        if base in _registered:
            return _registered[base]
    raise HansuError(
        "no rules are registered for {state}", "call hansu.rules({state}, ...) first", state=state_class.__name__
    )


def register(registered: Rules) -> None:
    """Register rules for their state class. They replace earlier ones."""
    _registered[registered.state] = registered


def legal(s: State, a: Action) -> bool:
    """May action `a` be played in `s`?

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> legal(s, 0), legal(s, 1)
    (False, True)
    """
    return rules_of(type(s)).words["legal"](s, a)  # type: ignore[no-any-return]


def play(s: State, a: Action) -> State:
    """The state after action `a`.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> over(play(s, 1))
    False
    """
    return rules_of(type(s)).words["play"](s, a)


def over(s: State) -> bool:
    """Is the game finished?

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 4 2 5 3").state
    >>> over(s)
    True
    """
    return rules_of(type(s)).words["over"](s)  # type: ignore[no-any-return]


def score(s: State) -> float:
    """The result from player 0's side. Defined only when the game is over.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 4 2 5 3").state
    >>> score(s)
    1
    """
    return rules_of(type(s)).words["score"](s)  # type: ignore[no-any-return]


def mover(s: State) -> int:
    """The agent whose turn it is: 0, 1, ... or CHANCE.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5 2").state
    >>> mover(s)
    1
    """
    return rules_of(type(s)).words["mover"](s)  # type: ignore[no-any-return]


def next_action(s: State, after: int) -> int:
    """The first legal action above `after`, or -1.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 2").state
    >>> next_action(s, -1), next_action(s, 8)
    (2, -1)
    """
    return rules_of(type(s)).words["next_action"](s, after)  # type: ignore[no-any-return]


def actions(s: State) -> Iterator[Action]:
    """Every legal action, in the game's order.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5 2").state
    >>> list(actions(s))
    [2, 3, 5, 6, 7, 8]
    """
    return rules_of(type(s)).words["actions"](s)  # type: ignore[no-any-return]


def has_action_count(s: State) -> bool:
    """Do the rules of this state number their actions?"""
    return "action_count" in rules_of(type(s)).words


def action_count(s: State) -> int:
    """All action ids are below this number.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> action_count(s)
    9
    """
    words = rules_of(type(s)).words
    if "action_count" not in words:
        raise HansuError("the rules of {state} lack action_count()", "pass it to rules()", state=type(s).__name__)
    return words["action_count"](s)  # type: ignore[no-any-return]


def legal_mask(s: State, out: Words) -> None:
    """Write 1 for every legal action into `out`[actions], 0 elsewhere.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> out = [0] * 9
    >>> legal_mask(s, out)
    >>> out
    [0, 1, 1, 1, 0, 1, 1, 1, 1]
    """
    rules_of(type(s)).words["legal_mask"](s, out)


def may_end(s: State) -> bool:
    """Can some action end the game? Where not, searches do not test every move for the end.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 4 2 5").state
    >>> may_end(s)
    True
    """
    return rules_of(type(s)).words["may_end"](s)  # type: ignore[no-any-return]


def evaluate(s: State) -> float:
    """An estimate of `score` before the game is over, in the same unit.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> evaluate(s)
    -0.01
    """
    return rules_of(type(s)).words["evaluate"](s)  # type: ignore[no-any-return]


def score_for(s: State, i: int) -> float:
    """Agent i's own result, where more than two agents each play for themselves. Agent 0's is `score`.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 4 2 5 3").state
    >>> score_for(s, 0), score_for(s, 1)
    (1.0, -1.0)
    """
    return rules_of(type(s)).words["score_for"](s, i)  # type: ignore[no-any-return]


def evaluate_for(s: State, i: int) -> float:
    """An estimate of `score_for` before the game is over.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> evaluate_for(s, 0), evaluate_for(s, 1)
    (-0.01, 0.01)
    """
    return rules_of(type(s)).words["evaluate_for"](s, i)  # type: ignore[no-any-return]


def key(s: State) -> int:
    """A 63-bit hash of the state, for transposition tables.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> key(s) == key(play(s, 1)), 0 <= key(s) < 1 << 63
    (False, True)
    """
    return rules_of(type(s)).words["key"](s)  # type: ignore[no-any-return]


def agents(s: State) -> int:
    """The number of agents.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("start").state
    >>> agents(s)
    2
    """
    return rules_of(type(s)).words["agents"](s)  # type: ignore[no-any-return]


def probability(s: State, a: Action) -> float:
    """The probability of action `a` at a chance node.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5 2 3 7").state
    >>> probability(s, 3)
    0.25
    """
    return rules_of(type(s)).words["probability"](s, a)  # type: ignore[no-any-return]


def team(s: State) -> int:
    """The mover's side: 0 maximises, 1 minimises.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1").state
    >>> team(s)
    1
    """
    return rules_of(type(s)).words["team"](s)  # type: ignore[no-any-return]


def random_action(s: State, seed: Seed) -> Action:
    """A random legal action. `seed` holds one word, which changes.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> seed = [1]
    >>> legal(s, random_action(s, seed)), seed == [1]
    (True, False)
    """
    return rules_of(type(s)).words["random_action"](s, seed)


def symmetric(s: State, k: int) -> State:
    """The state under the board's k-th symmetry. For k = 0 it is the state itself.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1").state
    >>> symmetric(s, 0) == s, symmetric(s, 1) == s
    (True, False)
    """
    return rules_of(type(s)).words["symmetric"](s, k)


def symmetric_action(s: State, a: Action, k: int) -> Action:
    """The action that `a` becomes under the board's k-th symmetry.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1").state
    >>> [symmetric_action(s, 0, k) for k in range(8)]
    [0, 2, 6, 8, 0, 6, 2, 8]
    """
    return rules_of(type(s)).words["symmetric_action"](s, a, k)


def planes(s: State, out: Array) -> None:
    """Write a network's input into `out`[plane, row, column].

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> import numpy
    >>> out = numpy.zeros((2, 3, 3))
    >>> planes(s, out)
    >>> out.sum()
    np.float64(2.0)
    """
    rules_of(type(s)).words["planes"](s, out)


WORDS = {
    word.__name__: word
    for word in (
        legal, play, over, score, mover, next_action, actions, action_count, legal_mask, may_end,
        evaluate, score_for, evaluate_for, key, agents, team, probability, random_action, symmetric, symmetric_action,
        planes,
    )
}  # fmt: skip


# Defaults for the words that a game leaves out: plain functions over the other words, compiled like a game's own.


def next_by_scan(s: State, after: int) -> int:
    a = after + 1
    while a < action_count(s):
        if legal(s, a):
            return a
        a += 1
    return -1


def actions_in_order(s: State) -> Iterator[Action]:
    a = next_action(s, -1)
    while a >= 0:
        yield a
        a = next_action(s, a)


def mask_of_actions(s: State, out: Words) -> None:
    for a in range(len(out)):
        out[a] = 0
    if not over(s):
        for a in actions(s):
            out[a] = 1


def true(s: State) -> bool:
    return True


def zero(s: State) -> float:
    return 0.0


def zero_sum_score(s: State, i: int) -> float:
    return float(score(s)) if i == 0 else 0.0 - float(score(s))


def zero_sum_evaluation(s: State, i: int) -> float:
    return float(evaluate(s)) if i == 0 else 0.0 - float(evaluate(s))


def two_agents(s: State) -> int:
    return 2


def agent_0_against_all(s: State) -> int:
    return min(mover(s), 1)  # CHANCE stays CHANCE


def uniform_probability(s: State, a: Action) -> float:
    count = 0
    for _ in actions(s):
        count += 1
    return 1.0 / count


def key_of_fields(s: State) -> int:
    return mix(s)


def random_by_counting(s: State, seed: Seed) -> Action:
    count = 0
    for _ in actions(s):
        count += 1
    skip = pick(seed, count)
    for a in actions(s):
        if skip == 0:
            return a
        skip -= 1
    return -1


def random_by_rejection(s: State, seed: Seed) -> Action:
    """Rejection sampling, for games without `next_action`: draw ids until one is legal.

    Counting would call `legal` for every id, twice. This calls it ids / moves times on average, and counts only after
    many misses.
    """
    count = action_count(s)
    for _ in range(count):
        a = pick(seed, count)
        if legal(s, a):
            return a
    return random_by_counting(s, seed)


def same_state(s: State, k: int) -> State:
    return s


def same_action(s: State, a: Action, k: int) -> Action:
    return a


def planes_of_bits(s: State, out: Array) -> None:
    """out[leaf, 0, bit]: the bits of every int of the state."""
    words = flat(s)
    for i in range(len(words)):
        for bit in range(63):
            out[i, 0, bit] = item(words, i) >> bit & 1


DEFAULTS: dict[str, Function] = {
    "next_action": next_by_scan,
    "actions": actions_in_order,
    "legal_mask": mask_of_actions,
    "may_end": true,
    "evaluate": zero,
    "score_for": zero_sum_score,
    "evaluate_for": zero_sum_evaluation,
    "agents": two_agents,
    "team": agent_0_against_all,
    "probability": uniform_probability,
    "key": key_of_fields,
    "random_action": random_by_counting,
    "symmetric": same_state,
    "symmetric_action": same_action,
    "planes": planes_of_bits,
}
