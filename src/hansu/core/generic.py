"""The words that every game and every algorithm share.

A game says what these words mean for its own state class (see `rules`); an algorithm only ever says
the words. Called from plain Python, a word looks up the class of its first argument. Compiled, the word is
replaced by the game's own function before Numba sees the code (see `compiled`), so it costs nothing.

    word                     meaning                                                      needed
    legal(s, a)              may action `a` be played in `s`?                             yes
    play(s, a)               the state after `a`                                          yes
    over(s)                  is the game finished?                                        yes
    score(s)                 the result, from player 0's side (only asked when over)      yes
    mover(s)                 whose turn: 0, 1, ... or CHANCE                              yes
    next_action(s, after)    the first legal action above `after`, or -1                  or `action_count`
    actions(s)               every legal action, in the game's order                      derived
    action_count(s)          action ids are below this number                             or `next_action`
    legal_mask(s, out)       write 1 for every legal action into an array, 0 elsewhere    derived
    may_end(s)               can some action end the game? Where not, no search looks     no: it can
                             at every move for the end
    evaluate(s)              a guess at `score` while the game goes on, in the same unit  no: 0
    score_for(s, i)          agent i's own result, where more than two play each for      no: score,
                             the own good; agent 0's is `score`                           all others' -score
    evaluate_for(s, i)       a guess at `score_for` while the game goes on                no: evaluate, -evaluate
    key(s)                   63 bits that tell states apart (transposition tables); a     derived
                             state with a table's handle brings its own, without it
    agents(s)                how many players take turns                                  no: 2
    team(s)                  the side the mover plays for: 0 maximises, 1 minimises       no: agent 0 alone
    probability(s, a)        of action `a` at a chance node                               no: all equal
    random_action(s, seed)   a legal action drawn by chance                               derived
    symmetric(s, k)          the state under the board's k-th symmetry, 0: itself         no: itself
    symmetric_action(s, a, k) the action that `a` becomes there                           no: itself
    planes(s, out)           write a network's input into out[plane, row, column]         every field's bits
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hansu.core.bits import flat, item, mix, pick
from hansu.core.errors import HansuError

State: TypeAlias = Any
"""A NamedTuple of ints and tuples of ints; or any class at all, for interpreted use."""

Action: TypeAlias = Any
"""An int; a foreign class (interpreted only) may use any hashable value."""

CHANCE = -1


@dataclass
class Rules:
    """What one state class means by each word."""

    state: type
    words: dict[str, Any] = field(default_factory=dict)


_known: dict[type, Rules] = {}


def rules_of(state_class: type) -> Rules:
    """The rules registered for a class or for one of its bases."""
    found = _known.get(state_class)
    if found is not None:
        return found
    for base in state_class.__mro__[1:]:
        if base in _known:
            return _known[base]
    raise HansuError(f"no rules are registered for {state_class.__name__}", "call hansu.core.rules() for it first")


def register(found: Rules) -> None:
    _known[found.state] = found


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
    """The result, from player 0's side; only asked when the game is over.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 4 2 5 3").state
    >>> score(s)
    1
    """
    return rules_of(type(s)).words["score"](s)  # type: ignore[no-any-return]


def mover(s: State) -> int:
    """Whose turn it is: 0, 1, ... or CHANCE.

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
    return "action_count" in rules_of(type(s)).words


def action_count(s: State) -> int:
    """Action ids are below this number.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> action_count(s)
    9
    """
    words = rules_of(type(s)).words
    if "action_count" not in words:
        raise HansuError(f"the rules of {type(s).__name__} do not say action_count()", "give it to rules()")
    return words["action_count"](s)  # type: ignore[no-any-return]


def legal_mask(s: State, out: Any) -> None:
    """Write 1 for every legal action into an array, 0 elsewhere.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> out = [0] * 9
    >>> legal_mask(s, out)
    >>> out
    [0, 1, 1, 1, 0, 1, 1, 1, 1]
    """
    rules_of(type(s)).words["legal_mask"](s, out)


def may_end(s: State) -> bool:
    """Can some action end the game? Where not, no search looks at every move for the end.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 4 2 5").state
    >>> may_end(s)
    True
    """
    return rules_of(type(s)).words["may_end"](s)  # type: ignore[no-any-return]


def evaluate(s: State) -> float:
    """A guess at `score` while the game goes on, in the same unit.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> evaluate(s)
    -0.01
    """
    return rules_of(type(s)).words["evaluate"](s)  # type: ignore[no-any-return]


def score_for(s: State, i: int) -> float:
    """Agent i's own result, where more than two play each for the own good; agent 0's is `score`.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 4 2 5 3").state
    >>> score_for(s, 0), score_for(s, 1)
    (1.0, -1.0)
    """
    return rules_of(type(s)).words["score_for"](s, i)  # type: ignore[no-any-return]


def evaluate_for(s: State, i: int) -> float:
    """A guess at `score_for` while the game goes on.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> evaluate_for(s, 0), evaluate_for(s, 1)
    (-0.01, 0.01)
    """
    return rules_of(type(s)).words["evaluate_for"](s, i)  # type: ignore[no-any-return]


def key(s: State) -> int:
    """63 bits that tell states apart, for tables of positions.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> key(s) == key(play(s, 1)), 0 <= key(s) < 1 << 63
    (False, True)
    """
    return rules_of(type(s)).words["key"](s)  # type: ignore[no-any-return]


def agents(s: State) -> int:
    """How many players take turns.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("start").state
    >>> agents(s)
    2
    """
    return rules_of(type(s)).words["agents"](s)  # type: ignore[no-any-return]


def probability(s: State, a: Action) -> float:
    """Of action `a` at a chance node.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5 2 3 7").state
    >>> probability(s, 3)
    0.25
    """
    return rules_of(type(s)).words["probability"](s, a)  # type: ignore[no-any-return]


def team(s: State) -> int:
    """The side that the mover plays for: 0 maximises, 1 minimises.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1").state
    >>> team(s)
    1
    """
    return rules_of(type(s)).words["team"](s)  # type: ignore[no-any-return]


def random_action(s: State, seed: Any) -> Action:
    """A legal action drawn by chance; `seed` holds one word, and moves on.

    >>> import hansu
    >>> s = hansu.game("tictactoe").position("1 5").state
    >>> seed = [1]
    >>> legal(s, random_action(s, seed)), seed == [1]
    (True, False)
    """
    return rules_of(type(s)).words["random_action"](s, seed)


def symmetric(s: State, k: int) -> State:
    """The state under the board's k-th symmetry; 0: itself.

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


def planes(s: State, out: Any) -> None:
    """Write a network's input into out[plane, row, column].

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


# What a word means where a game does not say: plain functions over the other words, compiled like a game's own.


def next_by_trying(s: State, after: int) -> int:
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


def mask_of_actions(s: State, out: Any) -> None:
    for a in range(len(out)):
        out[a] = 0
    if not over(s):
        for a in actions(s):
            out[a] = 1


def it_may(s: State) -> bool:
    return True


def no_opinion(s: State) -> float:
    return 0.0


def score_or_its_opposite(s: State, i: int) -> float:
    return float(score(s)) if i == 0 else 0.0 - float(score(s))


def evaluation_or_its_opposite(s: State, i: int) -> float:
    return float(evaluate(s)) if i == 0 else 0.0 - float(evaluate(s))


def two_agents(s: State) -> int:
    return 2


def first_against_all(s: State) -> int:
    return min(mover(s), 1)  # CHANCE stays CHANCE


def all_equal(s: State, a: Action) -> float:
    count = 0
    for _ in actions(s):
        count += 1
    return 1.0 / count


def key_of_fields(s: State) -> int:
    return mix(s)


def random_by_counting(s: State, seed: Any) -> Action:
    count = 0
    for _ in actions(s):
        count += 1
    skip = pick(seed, count)
    for a in actions(s):
        if skip == 0:
            return a
        skip -= 1
    return -1


def random_by_trying(s: State, seed: Any) -> Action:
    """Where every id has to be tried anyway: ids are drawn until one is legal, which draws each legal one alike.
    Counting asks `legal` of all ids, and then again; this asks ids / moves times, and counts only after many misses."""
    count = action_count(s)
    for _ in range(count):
        a = pick(seed, count)
        if legal(s, a):
            return a
    return random_by_counting(s, seed)


def itself(s: State, k: int) -> State:
    return s


def action_itself(s: State, a: Action, k: int) -> Action:
    return a


def planes_of_bits(s: State, out: Any) -> None:
    """out[leaf, 0, bit]: the bits of every int of the state."""
    words = flat(s)
    for i in range(len(words)):
        for bit in range(63):
            out[i, 0, bit] = item(words, i) >> bit & 1


DEFAULTS = {
    "next_action": next_by_trying,
    "actions": actions_in_order,
    "legal_mask": mask_of_actions,
    "may_end": it_may,
    "evaluate": no_opinion,
    "score_for": score_or_its_opposite,
    "evaluate_for": evaluation_or_its_opposite,
    "agents": two_agents,
    "team": first_against_all,
    "probability": all_equal,
    "key": key_of_fields,
    "random_action": random_by_counting,
    "symmetric": itself,
    "symmetric_action": action_itself,
    "planes": planes_of_bits,
}
