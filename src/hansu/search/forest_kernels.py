"""The search of a `Forest`, as plain functions that are compiled for a game.

The words of a tree continue here with its state between two steps:

    seed         int64[1]
    root         int64[words], the packed state of the root
    states       int64[leaves, words], the packed states of the pending leaves
    leaf table   int32[leaves, 4], for each pending leaf: length of its path, row in the batch, symmetry, expanded?
    counts       int32[3]: simulations done in this search, simulations requested, pending leaves
    draws        float32[2]: over the simulations of this search, the sum of the draw probabilities, and their number
    evaluations  two words, the same for all trees: the addresses of the evaluator's policy and value

A leaf is pending until its evaluation arrives. `step` is the whole search: it backs up the evaluations of the pending
leaves and descends every tree again to select the next ones. Trees are independent, so threads can share them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import cos, exp, log, pi, sqrt
from typing import Any

from hansu.compile.columns import double, fetch, real, set_real, set_whole, whole, word, words_at
from hansu.core.bits import in_parallel, pack, pick, prange, unpack
from hansu.core.generic import CHANCE, State, over, planes, play, symmetric, symmetric_action, team
from hansu.search.gumbel import GUMBEL, considered_child, lagging_child, sample_noise
from hansu.search.mcts import simulated
from hansu.search.playout import playout
from hansu.search.puct_kernels import (
    ALPHA,
    CHECK_ENDS,
    FORCED_PLAYOUTS,
    LEAVES,
    NOISE,
    PROOFS,
    PRUNE,
    ROWS,
    SETTINGS,
    SYMMETRIES,
    SYMMETRY_MODE,
    UNIT,
    VIRTUAL_LOSS,
    add_visit,
    back_up,
    back_up_proof,
    best_child,
    expand_uniform,
    find_terminal_children,
    forced_child,
    replace_virtual_losses,
    set_proven,
    set_terminal,
    solve_node,
    uniform,
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
    SIGN,
    USED,
    VALUE,
    VISITED_POLICY,
    VISITS,
    chance_child,
)  # fmt: skip
from hansu.search.watch import halted

(
    SEED, ROOT, STATES, LEAF_TABLE, COUNTS, DRAWS, EVALUATIONS, STATE_WORDS, ACTIONS, TREE_WORDS,
) = range(GUMBEL + 1, GUMBEL + 11)  # fmt: skip
LENGTH, ROW, SYMMETRY, EXPANDED, LEAF_FIELDS = range(5)
DONE, REQUESTED, PENDING = range(3)
POLICY, VALUES = range(2)
PREFETCHED_SLOTS = 16  # of a path
NEW_SLOTS = 8
LARGEST_LOGIT = 3.4e38  # a larger logit is infinite
ONE, ALL = 1, 2  # SYMMETRY_MODE: one random symmetry for each evaluation, or the mean over all; 0: none


def puct_step(like: State, trees: int, inputs: Any, lo: int, hi: int, again: bool) -> int:
    """A step of PUCT. (With `None`, Numba does not compile the part of Gumbel's search.)"""
    return step(like, trees, inputs, lo, hi, again, None)


def gumbel_step(like: State, trees: int, inputs: Any, lo: int, hi: int, again: bool) -> int:
    """A step of Gumbel's search."""
    return step(like, trees, inputs, lo, hi, again, True)


@cache
def shares_for(kind: Any, blank: State, gumbel: bool | None) -> Callable[..., None]:
    """A step of all trees on several Numba threads; `edges` divides the trees among them.

    `blank` is any state of the class `kind`. Numba threads cannot receive a tuple inside a state as an argument, but
    they can use a constant of this function.
    """

    @in_parallel
    def shares(trees: int, inputs: Any, edges: Any, filled: Any, again: bool) -> None:
        for k in prange(len(filled)):
            filled[k] = step(blank, trees, inputs, int(edges[k]), int(edges[k + 1]), again, gumbel)

    return shares


def step(like: State, trees: int, inputs: Any, lo: int, hi: int, again: bool, gumbel: bool | None) -> int:
    """Back up the evaluations of the pending leaves of trees lo..hi and, if `again`, select the next ones.

    Their planes go into `inputs`, from the first row of these trees on. Returns the number of rows filled.
    """
    start = lo * int(double(trees, SETTINGS, LEAVES) * double(trees, SETTINGS, ROWS))
    row = start
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        if g + 2 < hi:
            prefetch_tree(tree + 16 * TREE_WORDS)
        if g + 1 < hi:
            prefetch_path(tree + 8 * TREE_WORDS)
        for i in range(whole(tree, COUNTS, PENDING)):
            back_up_evaluation(like, tree, i, gumbel)
        set_whole(tree, COUNTS, PENDING, 0)
        if again:
            row = select_leaves(like, tree, inputs, row, gumbel)
    return row - start


def prefetch_tree(tree: int) -> None:
    """Prefetch the fixed columns of a tree. The caller is two trees ahead: memory is slower than a tree's step."""
    for column in (PATH, LEAF_TABLE, COUNTS, DRAWS, ROOT, STATES, SEED, USED, FIRST, MEAN):
        fetch(tree, column, 0)


def prefetch_path(tree: int) -> None:
    """Prefetch the slots of the last path, which the backup and probably the next descent visit, and the slots of the
    next children."""
    for i in range(1, min(whole(tree, LEAF_TABLE, LENGTH), PREFETCHED_SLOTS)):
        node = whole(tree, PATH, i)
        fetch(tree, FIRST, node)
        fetch(tree, MEAN, node)
    used = whole(tree, USED, 0)
    fetch(tree, MEAN, used)
    for i in range(0, NEW_SLOTS, 2):
        fetch(tree, FIRST, used + i)


def back_up_evaluation(like: State, tree: int, i: int, gumbel: bool | None) -> None:
    """Back up the evaluation of the i-th pending leaf."""
    at = i * word(tree, PATH_LENGTH)
    length, row = whole(tree, LEAF_TABLE, LEAF_FIELDS * i + LENGTH), whole(tree, LEAF_TABLE, LEAF_FIELDS * i + ROW)
    node = whole(tree, PATH, at + length - 1)
    s = unpack(like, words_at(word(tree, STATES) + 8 * word(tree, STATE_WORDS) * i, word(tree, STATE_WORDS)))
    rows = int(double(tree, SETTINGS, ROWS))
    evaluations = word(tree, EVALUATIONS)

    # 1. The value, from player 0's side.
    value = draw = 0.0
    for k in range(row, row + rows):
        win, loss = real(evaluations, VALUES, 3 * k), real(evaluations, VALUES, 3 * k + 2)
        value += (win - loss) / rows
        draw += real(evaluations, VALUES, 3 * k + 1) / rows
    count_draw(tree, draw)
    if team(s) > 0:
        value = -value
    set_real(tree, VALUE, node, value)

    # 2. The priors; or a proved value, if the evaluation proves enough moves.
    proved = False
    if whole(tree, LEAF_TABLE, LEAF_FIELDS * i + EXPANDED):
        set_whole(tree, COUNT, node, -whole(tree, COUNT, node))
        turned = whole(tree, LEAF_TABLE, LEAF_FIELDS * i + SYMMETRY)
        if double(tree, SETTINGS, PROOFS) > 0.0 and read_proofs(s, node, tree, row, turned) and solve_node(node, tree):
            proved = True
            value = real(tree, SIGN, node) * real(tree, MEAN, node)
            set_real(tree, VALUE, node, value)
        else:
            set_priors(s, node, tree, row, rows, turned)
        if not proved and 0.0 < double(tree, SETTINGS, PRUNE) < whole(tree, COUNT, node):
            prune_children(node, tree, int(double(tree, SETTINGS, PRUNE)))
        if not proved and node == 0:
            add_root_noise(tree, gumbel)
    else:
        set_whole(tree, COUNT, node, 0)

    # 3. Backup.
    if double(tree, SETTINGS, LEAVES) > 1.0:
        replace_virtual_losses(tree, at, length, value)
    else:
        back_up(tree, at, length, value)
    if proved:
        back_up_proof(tree, at, length)
    if length > 1:
        set_whole(tree, COUNTS, DONE, whole(tree, COUNTS, DONE) + 1)


def read_proofs(s: State, node: int, tree: int, row: int, turned: int) -> bool:
    """Mark the moves with an infinite logit as proved wins (+inf) or losses (-inf). Returns whether there are any."""
    start, at = whole(tree, FIRST, node), row * word(tree, ACTIONS)
    any_proof = False
    for child in range(start, start + whole(tree, COUNT, node)):
        logit = real(word(tree, EVALUATIONS), POLICY, at + symmetric_action(s, whole(tree, ACTION, child), turned))
        if abs(logit) > LARGEST_LOGIT:
            set_proven(child, tree, 1.0 if logit > 0.0 else -1.0)
            any_proof = True
    return any_proof


def set_priors(s: State, node: int, tree: int, row: int, rows: int, symmetry: int) -> None:
    """Set the children's priors: a softmax over the legal moves, averaged if several symmetries were evaluated."""
    start = whole(tree, FIRST, node)
    end = start + whole(tree, COUNT, node)
    for child in range(start, end):
        set_real(tree, PRIOR, child, 0.0)
    for k in range(rows):
        at = (row + k) * word(tree, ACTIONS)
        turned = k if rows > 1 else symmetry
        top = -1e300
        for child in range(start, end):
            logit = real(word(tree, EVALUATIONS), POLICY, at + symmetric_action(s, whole(tree, ACTION, child), turned))
            set_real(tree, BONUS, child, logit)
            top = max(top, logit)
        total = 1e-30  # all moves may be proved losses
        for child in range(start, end):
            weight = exp(real(tree, BONUS, child) - top)
            set_real(tree, BONUS, child, weight)
            total += weight
        for child in range(start, end):
            set_real(tree, PRIOR, child, real(tree, PRIOR, child) + real(tree, BONUS, child) / (total * rows))
    for child in range(start, end):
        set_real(tree, BONUS, child, real(tree, PRIOR, child) if whole(tree, FIRST, child) == 0 else 0.0)


def prune_children(node: int, tree: int, kept: int) -> None:
    """Keep the `kept` most probable children, sorted by prior. The slots of the others are reused if they are the last
    ones of the tree."""
    start = whole(tree, FIRST, node)
    end = start + whole(tree, COUNT, node)
    partition(tree, start, end, start + kept)
    total = 0.0
    for place in range(start, start + kept):
        best = place
        for child in range(place + 1, start + kept):
            if real(tree, PRIOR, child) > real(tree, PRIOR, best):
                best = child
        swap_children(tree, place, best)
        total += real(tree, PRIOR, place)
    for child in range(start, start + kept):
        prior = real(tree, PRIOR, child) / total
        set_real(tree, PRIOR, child, prior)
        set_real(tree, BONUS, child, prior if whole(tree, FIRST, child) == 0 else 0.0)
    set_whole(tree, COUNT, node, kept)
    if whole(tree, USED, 0) == end:
        set_whole(tree, USED, 0, start + kept)


def partition(tree: int, low: int, high: int, cut: int) -> None:
    """Partially sort the slots low..high-1: no prior before `cut` is less than one after (Hoare's quickselect)."""
    while high - low > 1:
        pivot = real(tree, PRIOR, (low + high) // 2)
        i, j = low, high - 1
        while i <= j:
            while real(tree, PRIOR, i) > pivot:
                i += 1
            while real(tree, PRIOR, j) < pivot:
                j -= 1
            if i <= j:
                swap_children(tree, i, j)
                i += 1
                j -= 1
        if cut <= j:
            high = j + 1
        elif cut > i:
            low = i
        else:
            return


def swap_children(tree: int, one: int, other: int) -> None:
    """Swap two children without visits."""
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


def add_root_noise(tree: int, gumbel: bool | None) -> None:
    """Add noise for the root's moves: Gumbel noise, or Dirichlet noise mixed into the priors."""
    seed = words_at(word(tree, SEED), 1)
    share = double(tree, SETTINGS, NOISE)
    if gumbel is not None:
        sample_noise(tree, seed)
    elif share > 0.0:
        start, count = whole(tree, FIRST, 0), whole(tree, COUNT, 0)
        total = 1e-30
        for i in range(count):
            set_real(tree, GUMBEL, i, gamma_sample(double(tree, SETTINGS, ALPHA) / count, seed))
            total += real(tree, GUMBEL, i)
        visited = 0.0
        for i in range(count):
            child = start + i
            prior = (1.0 - share) * real(tree, PRIOR, child) + share * real(tree, GUMBEL, i) / total
            set_real(tree, PRIOR, child, prior)
            if whole(tree, FIRST, child) >= 0:
                set_real(tree, BONUS, child, prior / (1.0 + whole(tree, VISITS, child)))
            if whole(tree, VISITS, child) > 0:
                visited += prior
        set_real(tree, VISITED_POLICY, 0, visited)


def gamma_sample(shape: float, seed: Any) -> float:
    """A sample of the gamma distribution (Marsaglia and Tsang, 2000). Dirichlet noise is such samples divided by their
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


def descend(root: State, tree: int, at: int, turn: int, seed: Any, gumbel: bool | None) -> tuple[State, int, bool]:
    """Descend from the root to a node that is not expanded, proved or pending. The path is stored from `at` on.

    Returns the state there, the length of the path, and whether the game turned out to be over.
    """
    set_whole(tree, PATH, at, 0)
    node = whole(tree, PATH, at)
    length = node + 1
    s = root
    ended = False
    while True:
        if whole(tree, FIRST, node) == 0 and whole(tree, COUNT, node) == 0:
            if over(s):
                set_terminal(s, node, tree)
                ended = True
            elif team(s) != CHANCE or not expand_uniform(s, node, tree):
                break
        if whole(tree, FIRST, node) <= 0 or whole(tree, COUNT, node) < 0 or length == word(tree, PATH_LENGTH):
            break
        if team(s) == CHANCE:
            node = chance_child(s, node, tree, seed)
        elif gumbel is None:
            forced = forced_child(tree) if node == 0 and double(tree, SETTINGS, FORCED_PLAYOUTS) > 0.0 else -1
            node = best_child(node, tree) if forced < 0 else forced
        elif node == 0:
            node = considered_child(tree, whole(tree, COUNTS, REQUESTED), turn)
        else:
            node = lagging_child(node, tree)
        s = play(s, whole(tree, ACTION, node))
        set_whole(tree, PATH, at + length, node)
        length += 1
    return s, length, ended


def proved_by_ends(s: State, node: int, tree: int) -> bool:
    """Mark moves that end the game. Returns whether they prove the value of the node."""
    return double(tree, SETTINGS, CHECK_ENDS) > 0.0 and find_terminal_children(s, node, tree) and solve_node(node, tree)


def back_up_known(tree: int, at: int, length: int, ended: bool) -> bool:
    """Back up a leaf that needs no evaluation: its value is proved, or it is at the maximum depth and has a value.

    Returns False if the leaf needs an evaluation.
    """
    node = whole(tree, PATH, at + length - 1)
    first = whole(tree, FIRST, node)
    if first == 0 or (first > 0 and whole(tree, COUNT, node) < 0):
        return False
    value = real(tree, SIGN, node) * real(tree, MEAN, node) if first < 0 else real(tree, VALUE, node)
    back_up(tree, at, length, value)
    if ended:
        back_up_proof(tree, at, length)
    count_draw(tree, 1.0 if first < 0 and value == 0.0 else 0.0)
    set_whole(tree, COUNTS, DONE, whole(tree, COUNTS, DONE) + 1)
    return True


def count_draw(tree: int, draw: float) -> None:
    """Count a simulation that ends in a draw with probability `draw`."""
    set_real(tree, DRAWS, 0, real(tree, DRAWS, 0) + draw)
    set_real(tree, DRAWS, 1, real(tree, DRAWS, 1) + 1.0)


def unfinished(tree: int, turn: int) -> bool:
    """Whether the tree needs more simulations. `turn` is the number of those done or pending."""
    first = whole(tree, FIRST, 0)
    return first == 0 or (first > 0 and turn < whole(tree, COUNTS, REQUESTED))


def select_leaves(like: State, tree: int, inputs: Any, row: int, gumbel: bool | None) -> int:
    """Select up to LEAVES leaves of a tree and write their planes. Returns the next free row of the batch."""
    seed = words_at(word(tree, SEED), 1)
    root = unpack(like, words_at(word(tree, ROOT), word(tree, STATE_WORDS)))
    leaves = double(tree, SETTINGS, LEAVES)
    selected = 0
    while selected < leaves and unfinished(tree, whole(tree, COUNTS, DONE) + selected):
        at = selected * word(tree, PATH_LENGTH)
        s, length, ended = descend(root, tree, at, whole(tree, COUNTS, DONE) + selected, seed, gumbel)
        node = whole(tree, PATH, at + length - 1)
        if back_up_known(tree, at, length, ended):
            continue
        if whole(tree, COUNT, node) < 0:  # the leaf is pending already: wait for its evaluation
            break
        expanded = expand_uniform(s, node, tree)
        if expanded and proved_by_ends(s, node, tree):
            back_up_known(tree, at, length, True)
            continue
        set_whole(tree, COUNT, node, -whole(tree, COUNT, node) if expanded else -1)
        pack(s, words_at(word(tree, STATES) + 8 * word(tree, STATE_WORDS) * selected, word(tree, STATE_WORDS)))
        turned = 0
        if double(tree, SETTINGS, SYMMETRY_MODE) == ALL:
            for k in range(int(double(tree, SETTINGS, ROWS))):
                planes(symmetric(s, k), inputs[row + k])
        elif double(tree, SETTINGS, SYMMETRY_MODE) == ONE:
            turned = pick(seed, int(double(tree, SETTINGS, SYMMETRIES)))
            planes(symmetric(s, turned), inputs[row])
        else:
            planes(s, inputs[row])
        set_whole(tree, LEAF_TABLE, LEAF_FIELDS * selected + LENGTH, length)
        set_whole(tree, LEAF_TABLE, LEAF_FIELDS * selected + ROW, row)
        set_whole(tree, LEAF_TABLE, LEAF_FIELDS * selected + SYMMETRY, turned)
        set_whole(tree, LEAF_TABLE, LEAF_FIELDS * selected + EXPANDED, expanded)
        if leaves > 1.0:
            for i in range(1, length):
                add_visit(tree, at, i, -VIRTUAL_LOSS)
        selected += 1
        row += int(double(tree, SETTINGS, ROWS))
    set_whole(tree, COUNTS, PENDING, selected)
    return row


def grow(root: State, tree: int, max_plies: int, seed: Any, watch: Any, gumbel: bool | None) -> None:
    """Search one tree without a network: equal priors, and the result of a random playout as the value of a leaf.

    A playout that reaches `max_plies` plies returns the game's evaluation there. The root always gets its children.
    """
    while unfinished(tree, whole(tree, COUNTS, DONE)) and (whole(tree, FIRST, 0) == 0 or not halted(watch)):
        s, length, ended = descend(root, tree, 0, whole(tree, COUNTS, DONE), seed, gumbel)
        node = whole(tree, PATH, length - 1)
        if not back_up_known(tree, 0, length, ended):
            expanded = expand_uniform(s, node, tree)
            if expanded and proved_by_ends(s, node, tree):
                back_up_known(tree, 0, length, True)
            else:
                value = playout(s, seed, max_plies) / double(tree, SETTINGS, UNIT)
                set_real(tree, VALUE, node, value)
                if expanded and node == 0:
                    add_root_noise(tree, gumbel)
                back_up(tree, 0, length, value)
                if length > 1:
                    set_whole(tree, COUNTS, DONE, whole(tree, COUNTS, DONE) + 1)
        simulated(watch, length)


def puct_grow(root: State, tree: int, max_plies: int, seed: Any, watch: Any) -> None:
    """`grow` with PUCT."""
    grow(root, tree, max_plies, seed, watch, None)


def gumbel_grow(root: State, tree: int, max_plies: int, seed: Any, watch: Any) -> None:
    """`grow` with Gumbel's search."""
    grow(root, tree, max_plies, seed, watch, True)


def play_at_roots(like: State, trees: int, actions: Any, lo: int, hi: int) -> None:
    """Play an action, int64[trees], at the root of each tree."""
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        row = words_at(word(tree, ROOT), word(tree, STATE_WORDS))
        pack(play(unpack(like, row), int(actions[g])), row)
