"""What a `Forest` does to its trees, as plain functions that are compiled for a game.

The words of a tree (`tree`) go on here with what it needs between two steps:

    seed      int64[1]
    root      int64[words], the root's state, packed
    states    int64[leaves, words], the states of the leaves that wait
    waiting   int32[leaves, 4], of each: the length of its path, its row in the batch, its symmetry, was it expanded?
    counts    int32[3]: simulations of this search that are done, how many are wanted, leaves that wait for an answer
    draws     float32[2]: of the simulations of this search, the sum of the chances of a draw, and their number
    answers   two words, the same for all trees: the addresses of the evaluator's policy and value

`step` is the whole search: it takes the answers for the leaves that wait, backs them up, and goes down every tree again
until the next leaves are found. Trees do not touch each other, so that threads can share them out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import cos, exp, log, pi, sqrt
from typing import Any

from hansu.compile.columns import double, fetch, real, set_real, set_whole, whole, word, words_at
from hansu.core.bits import in_parallel, pack, pick, prange, unpack
from hansu.core.generic import CHANCE, State, over, planes, play, symmetric, symmetric_action, team
from hansu.search.gumbel import GUMBEL, considered_child, draw, lagging_child
from hansu.search.mcts import simulated
from hansu.search.playout import playout
from hansu.search.puct_kernels import (
    ALPHA,
    FORCED,
    LEAVES,
    LOOK,
    LOSS,
    NOISE,
    PRUNE,
    ROWS,
    RULE,
    SYMMETRIES,
    TOLD,
    TURNED,
    UNIT,
    back_up,
    best_child,
    conclude,
    expand_evenly,
    finish,
    forced_child,
    known_child,
    prove,
    settle,
    spot_ends,
    uniform,
    visit,
)  # fmt: skip
from hansu.search.tree import (
    ACTION,
    BONUS,
    COUNT,
    FIRST,
    MEAN,
    PATH,
    PATH_LENGTH,
    PRIOR,
    SEEN,
    SIGN,
    USED,
    VALUE,
    VISITS,
    chance_child,
)  # fmt: skip
from hansu.search.watch import halted

SEED, ROOT, STATES, WAITING, COUNTS, DRAWS, ANSWERS, STATE_WORDS, ACTIONS, TREE_WORDS = range(GUMBEL + 1, GUMBEL + 11)
LENGTH, ROW, SYMMETRY, FRESH, LEAF = range(5)
DONE, WANTED, PENDING = range(3)
POLICY, CHANCES = range(2)
FORESEEN = 16  # slots of a path
NEW_SLOTS = 8
LARGEST = 3.4e38  # a logit beyond it is infinite
ONE, ALL = 1, 2  # TURNED: by one of the board's symmetries, drawn by chance, or by each of them; 0: not at all


def puct_step(like: State, trees: int, inputs: Any, lo: int, hi: int, again: bool) -> int:
    """A step of PUCT. (Numba leaves out what `None` rules out: Gumbel's part is not compiled unless it is wanted.)"""
    return step(like, trees, inputs, lo, hi, again, None)


def gumbel_step(like: State, trees: int, inputs: Any, lo: int, hi: int, again: bool) -> int:
    """A step of Gumbel's search."""
    return step(like, trees, inputs, lo, hi, again, True)


@cache
def shares_for(kind: Any, blank: State, gumbel: bool | None) -> Callable[..., None]:
    """A step of all trees, shared out among Numba's threads at `edges`. `blank` is any state of its kind: Numba hands
    its threads no tuple within a state, but a constant of this function they all have."""

    @in_parallel
    def shares(trees: int, inputs: Any, edges: Any, filled: Any, again: bool) -> None:
        for k in prange(len(filled)):
            filled[k] = step(blank, trees, inputs, int(edges[k]), int(edges[k + 1]), again, gumbel)

    return shares


def step(like: State, trees: int, inputs: Any, lo: int, hi: int, again: bool, gumbel: bool | None) -> int:
    """Take the answers for the leaves of trees lo..hi that wait, and (`again`) find the next ones. Their planes go into
    `inputs` from the first row on that belongs to these trees; gives how many rows were filled."""
    start = lo * int(double(trees, RULE, LEAVES) * double(trees, RULE, ROWS))
    row = start
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        if g + 2 < hi:
            foresee_tree(tree + 16 * TREE_WORDS)
        if g + 1 < hi:
            foresee_path(tree + 8 * TREE_WORDS)
        for i in range(whole(tree, COUNTS, PENDING)):
            take(like, tree, i, gumbel)
        set_whole(tree, COUNTS, PENDING, 0)
        if again:
            row = gather(like, tree, inputs, row, gumbel)
    return row - start


def foresee_tree(tree: int) -> None:
    """Ask for what is always needed of a tree; two trees ahead, since memory takes longer than a tree's step."""
    for column in (PATH, WAITING, COUNTS, DRAWS, ROOT, STATES, SEED, USED, FIRST, MEAN):
        fetch(tree, column, 0)


def foresee_path(tree: int) -> None:
    """Ask for the slots of a tree's last path, where the answer goes and the next path is likely to begin, and for
    those that the next children will take."""
    for i in range(1, min(whole(tree, WAITING, LENGTH), FORESEEN)):
        node = whole(tree, PATH, i)
        fetch(tree, FIRST, node)
        fetch(tree, MEAN, node)
    used = whole(tree, USED, 0)
    fetch(tree, MEAN, used)
    for i in range(0, NEW_SLOTS, 2):
        fetch(tree, FIRST, used + i)


def take(like: State, tree: int, i: int, gumbel: bool | None) -> None:
    """Back up the evaluator's answer for the i-th leaf that waits."""
    at = i * word(tree, PATH_LENGTH)
    length, row = whole(tree, WAITING, LEAF * i + LENGTH), whole(tree, WAITING, LEAF * i + ROW)
    node = whole(tree, PATH, at + length - 1)
    s = unpack(like, words_at(word(tree, STATES) + 8 * word(tree, STATE_WORDS) * i, word(tree, STATE_WORDS)))
    rows = int(double(tree, RULE, ROWS))

    # 1. The value, from player 0's side.
    value = draw = 0.0
    for k in range(row, row + rows):
        value += (real(word(tree, ANSWERS), CHANCES, 3 * k) - real(word(tree, ANSWERS), CHANCES, 3 * k + 2)) / rows
        draw += real(word(tree, ANSWERS), CHANCES, 3 * k + 1) / rows
    tally(tree, draw)
    if team(s) > 0:
        value = -value
    set_real(tree, VALUE, node, value)

    # 2. The priors; or the value is known, because of a move that is.
    known = False
    if whole(tree, WAITING, LEAF * i + FRESH):
        set_whole(tree, COUNT, node, -whole(tree, COUNT, node))
        turned = whole(tree, WAITING, LEAF * i + SYMMETRY)
        if double(tree, RULE, TOLD) > 0.0 and hear(s, node, tree, row, turned) and conclude(node, tree):
            known = True
            value = real(tree, SIGN, node) * real(tree, MEAN, node)
            set_real(tree, VALUE, node, value)
        else:
            answer_priors(s, node, tree, row, rows, turned)
        if not known and 0.0 < double(tree, RULE, PRUNE) < whole(tree, COUNT, node):
            prune(node, tree, int(double(tree, RULE, PRUNE)))
        if not known and node == 0:
            stir(tree, gumbel)
    else:
        set_whole(tree, COUNT, node, 0)

    # 3. Back up.
    if double(tree, RULE, LEAVES) > 1.0:
        settle(tree, at, length, value)
    else:
        back_up(tree, at, length, value)
    if known:
        prove(tree, at, length)
    if length > 1:
        set_whole(tree, COUNTS, DONE, whole(tree, COUNTS, DONE) + 1)


def hear(s: State, node: int, tree: int, row: int, turned: int) -> bool:
    """Take note of the moves that the answer knows to win or to lose. Was there one?"""
    start, at = whole(tree, FIRST, node), row * word(tree, ACTIONS)
    found = False
    for child in range(start, start + whole(tree, COUNT, node)):
        logit = real(word(tree, ANSWERS), POLICY, at + symmetric_action(s, whole(tree, ACTION, child), turned))
        if abs(logit) > LARGEST:
            known_child(child, tree, 1.0 if logit > 0.0 else -1.0)
            found = True
    return found


def answer_priors(s: State, node: int, tree: int, row: int, rows: int, turn: int) -> None:
    """The children's priors: softmax over the legal moves, the mean where several symmetries were asked."""
    start = whole(tree, FIRST, node)
    end = start + whole(tree, COUNT, node)
    for child in range(start, end):
        set_real(tree, PRIOR, child, 0.0)
    for k in range(rows):
        at = (row + k) * word(tree, ACTIONS)
        turned = k if rows > 1 else turn
        top = -1e300
        for child in range(start, end):
            logit = real(word(tree, ANSWERS), POLICY, at + symmetric_action(s, whole(tree, ACTION, child), turned))
            set_real(tree, BONUS, child, logit)
            top = max(top, logit)
        total = 1e-30  # all moves may be known to lose
        for child in range(start, end):
            weight = exp(real(tree, BONUS, child) - top)
            set_real(tree, BONUS, child, weight)
            total += weight
        for child in range(start, end):
            set_real(tree, PRIOR, child, real(tree, PRIOR, child) + real(tree, BONUS, child) / (total * rows))
    for child in range(start, end):
        set_real(tree, BONUS, child, real(tree, PRIOR, child) if whole(tree, FIRST, child) == 0 else 0.0)


def prune(node: int, tree: int, most: int) -> None:
    """Keep the most probable children, the best first. The room of the others is free again, if nothing lies behind."""
    start = whole(tree, FIRST, node)
    end = start + whole(tree, COUNT, node)
    part(tree, start, end, start + most)
    total = 0.0
    for place in range(start, start + most):
        best = place
        for child in range(place + 1, start + most):
            if real(tree, PRIOR, child) > real(tree, PRIOR, best):
                best = child
        exchange(tree, place, best)
        total += real(tree, PRIOR, place)
    for child in range(start, start + most):
        prior = real(tree, PRIOR, child) / total
        set_real(tree, PRIOR, child, prior)
        set_real(tree, BONUS, child, prior if whole(tree, FIRST, child) == 0 else 0.0)
    set_whole(tree, COUNT, node, most)
    if whole(tree, USED, 0) == end:
        set_whole(tree, USED, 0, start + most)


def part(tree: int, low: int, high: int, cut: int) -> None:
    """Order the slots low..high-1 so far that no prior before `cut` is smaller than one from there on (Hoare's
    quickselect)."""
    while high - low > 1:
        pivot = real(tree, PRIOR, (low + high) // 2)
        i, j = low, high - 1
        while i <= j:
            while real(tree, PRIOR, i) > pivot:
                i += 1
            while real(tree, PRIOR, j) < pivot:
                j -= 1
            if i <= j:
                exchange(tree, i, j)
                i += 1
                j -= 1
        if cut <= j:
            high = j + 1
        elif cut > i:
            low = i
        else:
            return


def exchange(tree: int, one: int, other: int) -> None:
    """Two children that were never visited change places."""
    action, first = whole(tree, ACTION, one), whole(tree, FIRST, one)
    prior, mean = real(tree, PRIOR, one), real(tree, MEAN, one)
    set_whole(tree, ACTION, one, whole(tree, ACTION, other))
    set_whole(tree, FIRST, one, whole(tree, FIRST, other))
    set_real(tree, PRIOR, one, real(tree, PRIOR, other))
    set_real(tree, MEAN, one, real(tree, MEAN, other))
    set_whole(tree, ACTION, other, action)
    set_whole(tree, FIRST, other, first)
    set_real(tree, PRIOR, other, prior)
    set_real(tree, MEAN, other, mean)


def stir(tree: int, gumbel: bool | None) -> None:
    """Noise for the root's moves: Gumbel's, or a share of Dirichlet's in the priors."""
    seed = words_at(word(tree, SEED), 1)
    share = double(tree, RULE, NOISE)
    if gumbel is not None:
        draw(tree, seed)
    elif share > 0.0:
        start, count = whole(tree, FIRST, 0), whole(tree, COUNT, 0)
        total = 1e-30
        for i in range(count):
            set_real(tree, GUMBEL, i, gamma(double(tree, RULE, ALPHA) / count, seed))
            total += real(tree, GUMBEL, i)
        seen = 0.0
        for i in range(count):
            child = start + i
            prior = (1.0 - share) * real(tree, PRIOR, child) + share * real(tree, GUMBEL, i) / total
            set_real(tree, PRIOR, child, prior)
            if whole(tree, FIRST, child) >= 0:
                set_real(tree, BONUS, child, prior / (1.0 + whole(tree, VISITS, child)))
            if whole(tree, VISITS, child) > 0:
                seen += prior
        set_real(tree, SEEN, 0, seen)


def gamma(shape: float, seed: Any) -> float:
    """A number with the gamma distribution (Marsaglia and Tsang, 2000); Dirichlet noise is such numbers by their
    sum."""
    lift = 1.0
    if shape < 1.0:
        lift = uniform(seed) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    while True:
        x = sqrt(-2.0 * log(uniform(seed))) * cos(2.0 * pi * uniform(seed))
        v = 1.0 + x / sqrt(9.0 * d)
        v = v * v * v
        if v > 0.0 and log(uniform(seed)) < 0.5 * x * x + d - d * v + d * log(v):
            return d * v * lift


def down(root: State, tree: int, at: int, turn: int, seed: Any, gumbel: bool | None) -> tuple[State, int, bool]:
    """From the root to a position without children, or one whose value is known, or one that waits; the path lies in
    the tree from `at` on. Gives the state there, the length of the path, and whether the game was found to be over."""
    set_whole(tree, PATH, at, 0)
    node = whole(tree, PATH, at)
    length = node + 1
    s = root
    ended = False
    while True:
        if whole(tree, FIRST, node) == 0 and whole(tree, COUNT, node) == 0:
            if over(s):
                finish(s, node, tree)
                ended = True
            elif team(s) != CHANCE or not expand_evenly(s, node, tree):
                break
        if whole(tree, FIRST, node) <= 0 or whole(tree, COUNT, node) < 0 or length == word(tree, PATH_LENGTH):
            break
        if team(s) == CHANCE:
            node = chance_child(s, node, tree, seed)
        elif gumbel is None:
            forced = forced_child(tree) if node == 0 and double(tree, RULE, FORCED) > 0.0 else -1
            node = best_child(node, tree) if forced < 0 else forced
        elif node == 0:
            node = considered_child(tree, whole(tree, COUNTS, WANTED), turn)
        else:
            node = lagging_child(node, tree)
        s = play(s, whole(tree, ACTION, node))
        set_whole(tree, PATH, at + length, node)
        length += 1
    return s, length, ended


def decided(s: State, node: int, tree: int) -> bool:
    """Is the value of a position known as soon as its moves are?"""
    return double(tree, RULE, LOOK) > 0.0 and spot_ends(s, node, tree) and conclude(node, tree)


def settled(tree: int, at: int, length: int, ended: bool) -> bool:
    """Back up at once what needs no evaluator: a known value, or the last word on a position too deep to go on."""
    node = whole(tree, PATH, at + length - 1)
    first = whole(tree, FIRST, node)
    if first == 0 or (first > 0 and whole(tree, COUNT, node) < 0):
        return False
    value = real(tree, SIGN, node) * real(tree, MEAN, node) if first < 0 else real(tree, VALUE, node)
    back_up(tree, at, length, value)
    if ended:
        prove(tree, at, length)
    tally(tree, 1.0 if first < 0 and value == 0.0 else 0.0)
    set_whole(tree, COUNTS, DONE, whole(tree, COUNTS, DONE) + 1)
    return True


def tally(tree: int, draw: float) -> None:
    """Count a simulation that ends in a draw with this probability."""
    set_real(tree, DRAWS, 0, real(tree, DRAWS, 0) + draw)
    set_real(tree, DRAWS, 1, real(tree, DRAWS, 1) + 1.0)


def wanting(tree: int, turn: int) -> bool:
    """Is there more to do in this tree?"""
    first = whole(tree, FIRST, 0)
    return first == 0 or (first > 0 and turn < whole(tree, COUNTS, WANTED))


def gather(like: State, tree: int, inputs: Any, row: int, gumbel: bool | None) -> int:
    """Go down a tree until its leaves are found, or its simulations are done; gives the next free row."""
    seed = words_at(word(tree, SEED), 1)
    root = unpack(like, words_at(word(tree, ROOT), word(tree, STATE_WORDS)))
    leaves = double(tree, RULE, LEAVES)
    found = 0
    while found < leaves and wanting(tree, whole(tree, COUNTS, DONE) + found):
        at = found * word(tree, PATH_LENGTH)
        s, length, ended = down(root, tree, at, whole(tree, COUNTS, DONE) + found, seed, gumbel)
        node = whole(tree, PATH, at + length - 1)
        if settled(tree, at, length, ended):
            continue
        if whole(tree, COUNT, node) < 0:  # it waits already: no more of this tree until it is answered
            break
        fresh = expand_evenly(s, node, tree)
        if fresh and decided(s, node, tree):
            settled(tree, at, length, True)
            continue
        set_whole(tree, COUNT, node, -whole(tree, COUNT, node) if fresh else -1)
        pack(s, words_at(word(tree, STATES) + 8 * word(tree, STATE_WORDS) * found, word(tree, STATE_WORDS)))
        turned = 0
        if double(tree, RULE, TURNED) == ALL:
            for k in range(int(double(tree, RULE, ROWS))):
                planes(symmetric(s, k), inputs[row + k])
        elif double(tree, RULE, TURNED) == ONE:
            turned = pick(seed, int(double(tree, RULE, SYMMETRIES)))
            planes(symmetric(s, turned), inputs[row])
        else:
            planes(s, inputs[row])
        set_whole(tree, WAITING, LEAF * found + LENGTH, length)
        set_whole(tree, WAITING, LEAF * found + ROW, row)
        set_whole(tree, WAITING, LEAF * found + SYMMETRY, turned)
        set_whole(tree, WAITING, LEAF * found + FRESH, fresh)
        if leaves > 1.0:
            for i in range(1, length):
                visit(tree, at, i, -LOSS)
        found += 1
        row += int(double(tree, RULE, ROWS))
    set_whole(tree, COUNTS, PENDING, found)
    return row


def grow(root: State, tree: int, most: int, seed: Any, watch: Any, gumbel: bool | None) -> None:
    """Simulations of one tree without a network: even priors; the value of a leaf is that of a random playout of `most`
    plies, which ends with the game's evaluation if the game goes on. The root's moves are known in any case."""
    while wanting(tree, whole(tree, COUNTS, DONE)) and (whole(tree, FIRST, 0) == 0 or not halted(watch)):
        s, length, ended = down(root, tree, 0, whole(tree, COUNTS, DONE), seed, gumbel)
        node = whole(tree, PATH, length - 1)
        if not settled(tree, 0, length, ended):
            fresh = expand_evenly(s, node, tree)
            if fresh and decided(s, node, tree):
                settled(tree, 0, length, True)
            else:
                value = playout(s, seed, most) / double(tree, RULE, UNIT)
                set_real(tree, VALUE, node, value)
                if fresh and node == 0:
                    stir(tree, gumbel)
                back_up(tree, 0, length, value)
                if length > 1:
                    set_whole(tree, COUNTS, DONE, whole(tree, COUNTS, DONE) + 1)
        simulated(watch, length)


def puct_grow(root: State, tree: int, most: int, seed: Any, watch: Any) -> None:
    grow(root, tree, most, seed, watch, None)


def gumbel_grow(root: State, tree: int, most: int, seed: Any, watch: Any) -> None:
    grow(root, tree, most, seed, watch, True)


def move(like: State, trees: int, actions: Any, lo: int, hi: int) -> None:
    """Play an action in every root."""
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        row = words_at(word(tree, ROOT), word(tree, STATE_WORDS))
        pack(play(unpack(like, row), int(actions[g])), row)
