"""What a `Forest` does to its trees, as plain functions that are compiled for a game.

A tree's words (`tree`) go on here with what it needs between two steps:

    counts    int32[3]: simulations of this search that are done, how many are wanted, leaves that wait for an answer
    seed      int64[1]
    root      int64[words], the root's state, packed
    states    int64[leaves, words], the states of the leaves that wait
    waiting   int32[leaves, 4], of each: the length of its path, its row in the batch, its symmetry, was it given children?
    noise     float32[actions], Gumbel noise of the root's moves

`step` is the whole search: it takes the answers for the leaves that wait, backs them up, and goes down every tree again
until the next leaves are found. Trees do not touch each other, so that threads can share them out.
"""

from __future__ import annotations

from math import cos, exp, log, pi, sqrt
from typing import Any

from hansu.core.arrays import doubles, floats, ints, longs
from hansu.core.bits import pack, pick, unpack
from hansu.core.generic import CHANCE, State, over, planes, play, symmetric, symmetric_action, team
from hansu.search.guided import (
    ALPHA,
    FORCED,
    GUMBEL,
    LEAVES,
    NOISE,
    NUMBERS,
    PRUNE,
    ROWS,
    SYMMETRIES,
    TURNED,
    back_up,
    best_child,
    expand_evenly,
    finish,
    forced_child,
    prove,
    uniform,
    wait,
)
from hansu.search.gumbel import considered_child, draw, lagging_child
from hansu.search.tree import PATH_LENGTH, WORDS, chance_child, slots

COUNTS, SEED, ROOT, STATES, WAITING, NOISE_AT, STATE_WORDS, ACTIONS = range(WORDS, WORDS + 8)
TREE_WORDS = WORDS + 8
DONE, WANTED, PENDING = range(3)
LENGTH, ROW, SYMMETRY, FRESH = range(4)
ONE, ALL = 1, 2  # TURNED: by one of the board's symmetries, drawn by chance, or by each of them; 0: not at all


def step(
    like: State, trees: int, rule: int, inputs: Any, policy: int, value: int, lo: int, hi: int, again: bool
) -> int:
    """Take the answers for the leaves of trees lo..hi that wait, and (`again`) find the next ones. Their planes go into
    `inputs` from the first row on that belongs to these trees; gives how many rows were filled."""
    r = doubles(rule, NUMBERS)
    rows = int(r[LEAVES] * r[ROWS])  # a tree's in the batch
    row = lo * rows
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        take(like, tree, rule, policy, value)
        if again:
            row = gather(like, tree, rule, inputs, row)
    return row - lo * rows


def take(like: State, tree: int, rule: int, policy: int, value: int) -> None:
    """Back up the evaluator's answers for the leaves of a tree."""
    w = longs(tree, TREE_WORDS)
    t = slots(tree)
    r = doubles(rule, NUMBERS)
    counts = ints(w[COUNTS], 3)
    for i in range(counts[PENDING]):
        leaf = ints(w[WAITING] + 16 * i, 4)
        at = i * w[PATH_LENGTH]
        node = t.path[at + leaf[LENGTH] - 1]
        s = unpack(like, longs(w[STATES] + 8 * w[STATE_WORDS] * i, w[STATE_WORDS]))
        turns = int(r[ROWS])

        # 1. The value, from player 0's side.
        own = 0.0
        for k in range(turns):
            chances = floats(value + 12 * (leaf[ROW] + k), 3)
            own += (float(chances[0]) - float(chances[2])) / turns
        if team(s) > 0:
            own = -own
        t.value[node] = own

        # 2. The priors.
        t.count[node] = -t.count[node] if leaf[FRESH] else 0
        if leaf[FRESH]:
            answer_priors(s, node, tree, policy + 4 * w[ACTIONS] * leaf[ROW], turns, leaf[SYMMETRY])
            if 0.0 < r[PRUNE] < t.count[node]:
                prune(node, tree, int(r[PRUNE]))
            if node == 0:
                stir(tree, rule)

        # 3. Back up.
        back_up(tree, at, leaf[LENGTH], own, r[LEAVES] > 1.0)
        counts[DONE] += leaf[LENGTH] > 1
    counts[PENDING] = 0


def answer_priors(s: State, node: int, tree: int, policy: int, turns: int, turn: int) -> None:
    """The children's priors: softmax over the legal moves, the mean where several symmetries were asked."""
    t = slots(tree)
    actions = longs(tree, TREE_WORDS)[ACTIONS]
    start = t.first[node]
    end = start + t.count[node]
    for child in range(start, end):
        t.prior[child] = 0.0
    for k in range(turns):
        logits = floats(policy + 4 * actions * k, actions)
        turned = k if turns > 1 else turn
        top = -1e300
        for child in range(start, end):
            logit = float(logits[symmetric_action(s, int(t.action[child]), turned)])
            t.bonus[child] = logit
            top = max(top, logit)
        total = 0.0
        for child in range(start, end):
            weight = exp(float(t.bonus[child]) - top)
            t.bonus[child] = weight
            total += weight
        for child in range(start, end):
            t.prior[child] = float(t.prior[child]) + float(t.bonus[child]) / (total * turns)
    for child in range(start, end):
        t.bonus[child] = t.prior[child]


def prune(node: int, tree: int, most: int) -> None:
    """Keep the most probable children."""
    t = slots(tree)
    start = t.first[node]
    total = 0.0
    for place in range(start, start + most):
        best = place
        for child in range(place + 1, start + t.count[node]):
            if t.prior[child] > t.prior[best]:
                best = child
        action, prior = t.action[place], t.prior[place]
        t.action[place], t.prior[place] = t.action[best], t.prior[best]
        t.action[best], t.prior[best] = action, prior
        total += float(t.prior[place])
    for child in range(start, start + most):
        t.prior[child] = float(t.prior[child]) / total
        t.bonus[child] = t.prior[child]
    t.count[node] = most


def stir(tree: int, rule: int) -> None:
    """Noise for the root's moves: Gumbel's, or a share of Dirichlet's in the priors."""
    w = longs(tree, TREE_WORDS)
    t = slots(tree)
    r = doubles(rule, NUMBERS)
    seed = longs(w[SEED], 1)
    start, count = t.first[0], t.count[0]
    if r[GUMBEL] > 0.0:
        draw(0, tree, w[NOISE_AT], seed)
    elif r[NOISE] > 0.0:
        drawn = floats(w[NOISE_AT], count)
        total = 1e-30
        for i in range(count):
            drawn[i] = gamma(r[ALPHA] / count, seed)
            total += float(drawn[i])
        t.seen[0] = 0.0
        for i in range(count):
            child = start + i
            t.prior[child] = (1.0 - r[NOISE]) * float(t.prior[child]) + r[NOISE] * float(drawn[i]) / total
            if t.first[child] >= 0:
                t.bonus[child] = float(t.prior[child]) / (1.0 + t.visits[child])
            if t.visits[child] > 0:
                t.seen[0] = float(t.seen[0]) + float(t.prior[child])


def gamma(shape: float, seed: Any) -> float:
    """A number with the gamma distribution (Marsaglia and Tsang, 2000); Dirichlet noise is such numbers by their sum."""
    lift = 1.0
    if shape < 1.0:
        lift = uniform(seed) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    while True:
        x = sqrt(-2.0 * log(uniform(seed))) * cos(2.0 * pi * uniform(seed))
        v = (1.0 + x / sqrt(9.0 * d)) ** 3
        if v > 0.0 and log(uniform(seed)) < 0.5 * x * x + d - d * v + d * log(v):
            return d * v * lift


def gather(like: State, tree: int, rule: int, inputs: Any, row: int) -> int:
    """Go down a tree until its leaves are found, or its simulations are done; gives the next free row."""
    w = longs(tree, TREE_WORDS)
    t = slots(tree)
    r = doubles(rule, NUMBERS)
    counts = ints(w[COUNTS], 3)
    seed = longs(w[SEED], 1)
    room = w[PATH_LENGTH]
    root = unpack(like, longs(w[ROOT], w[STATE_WORDS]))
    found = 0
    while found < r[LEAVES] and t.first[0] >= 0:
        if t.first[0] > 0 and counts[DONE] + found >= counts[WANTED]:
            break

        # 1. Down to a position without children, or one whose value is known, or one that waits.
        at = found * room
        s = root
        node = 0
        length = 1
        ended = False
        t.path[at] = 0
        while True:
            if t.first[node] == 0 and t.count[node] == 0:
                if over(s):
                    finish(s, node, tree, rule)
                    ended = True
                elif team(s) != CHANCE or not expand_evenly(s, node, tree):
                    break
            if t.first[node] <= 0 or t.count[node] < 0 or length == room:
                break
            if team(s) == CHANCE:
                node = chance_child(s, node, tree, seed)
            elif r[GUMBEL] == 0.0:
                forced = forced_child(node, tree, rule) if node == 0 and r[FORCED] > 0.0 else -1
                node = best_child(node, tree, rule) if forced < 0 else forced
            elif node == 0:
                node = considered_child(tree, w[NOISE_AT], rule, counts[WANTED], counts[DONE] + found)
            else:
                node = lagging_child(node, tree, rule)
            s = play(s, int(t.action[node]))
            t.path[at + length] = node
            length += 1

        # 2. A known value is backed up at once; so is the last word on a position too deep to go on.
        if t.first[node] < 0 or (t.first[node] > 0 and t.count[node] > 0):
            value = float(t.sign[node]) * float(t.mean[node]) if t.first[node] < 0 else float(t.value[node])
            back_up(tree, at, length, value, False)
            if ended:
                prove(tree, at, length, rule)
            counts[DONE] += 1
            continue

        # 3. The leaf that was found is one that waits already: no more of this tree until it is answered.
        if t.count[node] < 0:
            break

        # 4. A new leaf: its moves, its planes.
        leaf = ints(w[WAITING] + 16 * found, 4)
        leaf[LENGTH] = length
        leaf[ROW] = row
        leaf[SYMMETRY] = 0
        leaf[FRESH] = 1 if expand_evenly(s, node, tree) else 0
        t.count[node] = -t.count[node] if leaf[FRESH] else -1
        pack(s, longs(w[STATES] + 8 * w[STATE_WORDS] * found, w[STATE_WORDS]))
        if r[TURNED] == ALL:
            for k in range(int(r[ROWS])):
                planes(symmetric(s, k), inputs[row + k])
        elif r[TURNED] == ONE:
            leaf[SYMMETRY] = pick(seed, int(r[SYMMETRIES]))
            planes(symmetric(s, int(leaf[SYMMETRY])), inputs[row])
        else:
            planes(s, inputs[row])
        if r[LEAVES] > 1.0:
            wait(tree, at, length)
        found += 1
        row += int(r[ROWS])
    counts[PENDING] = found
    return row


def move(like: State, trees: int, actions: Any, lo: int, hi: int) -> None:
    """Play an action in every root."""
    for g in range(lo, hi):
        w = longs(trees + 8 * TREE_WORDS * g, TREE_WORDS)
        row = longs(w[ROOT], w[STATE_WORDS])
        pack(play(unpack(like, row), int(actions[g])), row)
