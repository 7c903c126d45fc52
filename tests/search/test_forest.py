"""PUCT and Gumbel search, checked against a plain Python implementation of the formulas."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.positions import some_positions

from hansu.core import Game, HansuError, actions, generic, over, play, registry, score, team
from hansu.search.chance import step_chance
from hansu.search.forest import Forest, TreeSettings, packed
from hansu.search.gumbel import visits_of_turn


def fake(s: Any, actions: int) -> tuple[list[float], list[float]]:
    """A fake evaluation that depends on the state only: logits, and probabilities of win, draw and loss."""
    draw = random.Random(generic.key(s))  # not `mix(s)`: handles differ between processes
    logits = [draw.uniform(-2, 2) for _ in range(actions)]
    chances = [draw.random() + 0.1 for _ in range(3)]
    total = sum(chances)
    return logits, [x / total for x in chances]


def evaluations(forest: Forest, transformed: bool = False) -> tuple[Any, Any]:
    """The fake evaluations of the pending batch."""
    leaves, states = forest.pending
    rows = len(leaves) * forest.rows
    policy, value = np.zeros((rows, forest.actions), np.float32), np.zeros((rows, 3), np.float32)
    for (_, row, turn), words in zip(leaves, states, strict=True):
        s = forest.state(words)
        for k in range(forest.rows):
            image = generic.symmetric(s, k if forest.rows > 1 else int(turn)) if transformed else s
            policy[row + k], value[row + k] = fake(image, forest.actions)
    return policy, value


def search(forest: Forest, transformed: bool = False) -> Forest:
    batch = forest.select()
    while batch is not None:
        policy, value = evaluations(forest, transformed)
        assert len(batch) == len(policy)
        batch = forest.step(policy, value)
    return forest


class Node:
    """A node of the oracle: PUCT with proved values, one object per node."""

    def __init__(self, s: Any, prior: float, chooser: int) -> None:
        self.s, self.prior, self.chooser = s, prior, chooser
        self.visits, self.total, self.proved = 0, 0.0, None
        self.children: dict[int, Node] = {}

    def mean(self, side: int) -> float:
        value = self.proved if self.proved is not None else self.total / self.visits
        return value if side == 0 else -value


def oracle_simulation(root: Node, c: float, growth: float, urgency: float, width: int, check_ends: bool) -> None:
    path = [root]
    while path[-1].children and path[-1].proved is None:
        node, side = path[-1], team(path[-1].s)
        visited = sum(child.prior for child in node.children.values() if child.visits)
        spread = (c + growth * math.log(1 + node.visits / 500)) * math.sqrt(node.visits)
        base = node.mean(side) - urgency * math.sqrt(visited)

        def bound(child: Node, side: int = side, spread: float = spread, base: float = base) -> float:
            bonus = 0.0 if child.proved is not None else spread * child.prior / (1 + child.visits)
            return (child.mean(side) if child.visits or child.proved is not None else base) + bonus

        path.append(max(node.children.values(), key=bound))
    leaf = path[-1]
    if leaf.proved is not None:
        value = leaf.proved
    elif over(leaf.s):
        value = leaf.proved = float(score(leaf.s))
    else:
        logits, chances = fake(leaf.s, width)
        value = (chances[0] - chances[2]) * (1 if team(leaf.s) == 0 else -1)
        moves = list(actions(leaf.s))
        weights = [math.exp(logits[a]) for a in moves]
        leaf.children = {
            a: Node(play(leaf.s, a), w / sum(weights), team(leaf.s)) for a, w in zip(moves, weights, strict=True)
        }
        if check_ends and mark_ends(leaf):
            assert leaf.proved is not None
            value = leaf.proved
    for node in path:
        node.visits += 1
        node.total += value
    for node in reversed(path[:-1]):
        conclude(node)


def conclude(node: Node) -> None:
    sign = 1 if team(node.s) == 0 else -1
    values = [sign * child.proved for child in node.children.values() if child.proved is not None]
    if node.proved is None and values and (max(values) >= 1 or len(values) == len(node.children)):
        node.proved = sign * max(values)


def mark_ends(node: Node) -> bool:
    """Mark moves that end the game as proved. Returns whether they prove the node."""
    for child in node.children.values():
        if over(child.s):
            child.proved = float(score(child.s))
    conclude(node)
    return node.proved is not None


def oracle(s: Any, simulations: int, width: int, check_ends: bool = True) -> Node:
    root = Node(s, 1.0, 0)
    for _ in range(simulations + 1):
        if root.proved is None:
            oracle_simulation(root, 1.2, 0.4, 0.2, width, check_ends)
    return root


@pytest.mark.parametrize("check_ends", [True, False])
@pytest.mark.parametrize(("name", "most"), [("tictactoe", 6), ("connect_four", 34)])
def test_visits_match_the_oracle(name: str, most: int, check_ends: bool) -> None:
    game = registry.game(name)
    positions = some_positions(game, 24, most)
    forest = Forest(game, len(positions), 60, TreeSettings(check_ends=check_ends))
    forest.plant(packed(p.state for p in positions))
    search(forest)
    visits, values = forest.visits(), forest.values()
    for g, position in enumerate(positions):
        root = oracle(position.state, 60, forest.actions, check_ends)
        assert [int(visits[g, a]) for a in position.actions] == [root.children[a].visits for a in position.actions]
        assert values[g] == pytest.approx(root.mean(0), abs=1e-5)
        assert bool(forest.proved()[g]) == (root.proved is not None)


def test_interpreted_equals_compiled() -> None:
    game = registry.game("connect_four")
    for settings in (
        TreeSettings(),
        TreeSettings(leaves=4),
        TreeSettings("gumbel"),
        TreeSettings(noise=0.25, forced=2.0),
    ):
        both = [search(Forest(game, 2, 24, settings, seed=5, interpreted=slow)) for slow in (False, True)]
        for name in both[0].slots:
            used = int(both[0].used[0, 0])
            assert np.array_equal(both[0].slots[name][0, :used], both[1].slots[name][0, :used]), (settings, name)
        assert both[0].best().tolist() == both[1].best().tolist()
        assert np.array_equal(both[0].policy(), both[1].policy())


def minimax(s: Any) -> float:
    if over(s):
        return float(score(s))
    values = [minimax(play(s, a)) for a in actions(s)]
    return max(values) if team(s) == 0 else min(values)


@pytest.mark.parametrize("algorithm", ["puct", "gumbel"])
def test_proved_values_are_exact(algorithm: str) -> None:
    game = registry.game("tictactoe")
    positions = some_positions(game, 60, 7)
    forest = Forest(game, len(positions), 3000, TreeSettings(algorithm, exploration=4.0))
    forest.plant(packed(p.state for p in positions))
    search(forest)
    proved, values, best = forest.proved(), forest.values(), forest.best()
    assert proved.mean() > 0.4
    for g, position in enumerate(positions):
        if proved[g]:
            assert values[g] == minimax(position.state)
            assert minimax(play(position.state, int(best[g]))) == minimax(position.state)


def test_pruned_nodes_prove_only_wins() -> None:
    game = registry.game("tictactoe")
    forest = Forest(game, 1, 2000, TreeSettings(prune=2))
    search(forest)
    assert (forest.visits() > 0).sum() == 2
    for branch in forest.branches():
        assert not branch.proved or abs(branch.value or 0) == 1


def test_pruning_keeps_the_most_probable_moves_and_reuses_slots() -> None:
    game, chance = registry.game("connect_four"), np.random.default_rng(3)

    def random_evaluations(rows: int) -> tuple[Any, Any]:
        return chance.normal(size=(rows, 7)).astype(np.float32), np.full((rows, 3), 1 / 3, np.float32)

    forest = Forest(game, 5, 40, TreeSettings(prune=3))
    batch = forest.select()
    policy, value = random_evaluations(len(batch))
    batch = forest.step(policy, value)
    for tree in range(5):
        kept = forest.branches(tree=tree)
        assert [branch.action for branch in kept] == np.argsort(-policy[tree])[:3].tolist()
        assert sum(branch.prior for branch in kept) == pytest.approx(1)
    while batch is not None:
        batch = forest.step(*random_evaluations(len(batch)))
    assert forest.done().tolist() == [40] * 5
    assert forest.max_nodes == 41 * 3 + 7 + 1 and int(forest.used.max()) <= forest.max_nodes


def test_symmetries_transform_planes_and_policy() -> None:
    """A symmetric network must yield the same priors under every symmetry."""
    game = registry.game("tictactoe")
    position = game.position("1 2 5")

    def corner_lover(planes: Any) -> tuple[Any, Any]:
        """A policy that prefers cells with few occupied neighbours, computed from the planes alone."""
        rows = len(planes)
        taken = planes.reshape(rows, 2, 9).sum(1)
        policy = np.zeros((rows, 9), np.float32)
        for cell in range(9):
            near = [n for n in range(9) if abs(n // 3 - cell // 3) <= 1 and abs(n % 3 - cell % 3) <= 1 and n != cell]
            policy[:, cell] = -taken[:, near].sum(1) + 0.3 * len(near)
        return policy, np.full((rows, 3), 1 / 3, np.float32)

    all_priors = []
    for symmetries in ("none", "one", "all"):
        for seed in range(6):
            forest = Forest(position, 1, 1, TreeSettings(symmetries=symmetries), seed=seed)
            batch = forest.select()
            assert len(batch) == (8 if symmetries == "all" else 1)
            forest.expand(*corner_lover(batch))
            all_priors.append(forest.priors()[0])
    for priors in all_priors:
        assert priors == pytest.approx(all_priors[0], abs=1e-6)
    assert all_priors[0].sum() == pytest.approx(1)


def test_symmetric_evaluations_are_averaged() -> None:
    game = registry.game("connect_four")
    forest = Forest(game.position("4 4 1"), 1, 0, TreeSettings(symmetries="all"))
    forest.select()
    forest.expand(*evaluations(forest, transformed=True))
    s = game.position("4 4 1").state
    plain, mirrored = fake(s, 7), fake(generic.symmetric(s, 1), 7)
    chances = [[math.exp(x) for x in logits] for logits in (plain[0], mirrored[0])]
    expected = [(chances[0][a] / sum(chances[0]) + chances[1][6 - a] / sum(chances[1])) / 2 for a in range(7)]
    assert forest.priors()[0] == pytest.approx(expected, abs=1e-6)
    value = sum(chance[0] - chance[2] for _, chance in (plain, mirrored)) / 2
    assert forest.values()[0] == pytest.approx(-value, abs=1e-6)  # the second player is to move


def dice_tree(tmp_path: Path) -> Game:
    """Roll or take 0.4: rolling gives 1 (a third), or a choice between 0.5 and 0.2 (two thirds)."""
    file = tmp_path / "dice.txt"
    file.write_text(
        "A max\n  take: 0.4\n  roll: B chance\n    six (0.333333): 1\n    other (0.666667): C max\n"
        "      good: 0.5\n      bad: 0.2\n",
        encoding="utf-8",
    )
    return registry.game(f"tree:file={file}")


def test_chance_nodes_are_sampled_and_proved(tmp_path: Path) -> None:
    game = dice_tree(tmp_path)
    forest = search(Forest(game, 1, 400, TreeSettings(outcome="score")))
    expected = 1 / 3 + 2 / 3 * 0.5
    assert forest.proved()[0] and forest.values()[0] * game.score_range == pytest.approx(expected, abs=1e-4)
    assert forest.best()[0] == 1
    forest = Forest(game, 300, 40, TreeSettings(outcome="score"))
    search(forest)
    roll = [forest.branches(forest.branches(0, g)[1].slot, g) for g in range(300)]
    sixes, others = (sum(branches[i].visits for branches in roll) for i in (0, 1))
    assert sixes / (sixes + others) == pytest.approx(1 / 3, abs=0.1)


def test_three_agents_by_teams(tmp_path: Path) -> None:
    """Agent 0 maximises, 1 and 2 minimise: two of the same side move after each other."""
    file = tmp_path / "three.txt"
    chance = random.Random(8)
    lines = ["A 0"]
    for i in range(3):
        lines.append(f"  a{i}: B{i} 1")
        for j in range(3):
            lines.append(f"    b{j}: C{i}{j} 2")
            lines += [f"      c{k}: {chance.randrange(-50, 50)}" for k in range(3)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    game = registry.game(f"tree:file={file}")
    position = game.first
    forest = search(Forest(position, 1, 2000, TreeSettings(outcome="score", exploration=20.0)))
    assert forest.proved()[0]
    assert forest.values()[0] * 50 == pytest.approx(minimax(position.state), abs=1e-4)
    assert minimax(play(position.state, int(forest.best()[0]))) == minimax(position.state)


def test_several_leaves_at_once_lose_no_visits() -> None:
    game = registry.game("connect_four")
    position = game.position("4 4 4 4 2 3 3")
    alone = search(Forest(position, 1, 400))
    for leaves in (2, 8):
        many = Forest(position, 1, 400, TreeSettings(leaves=leaves))
        batches = 0
        batch = many.select()
        while batch is not None:
            batches += 1
            batch = many.step(*evaluations(many))
        assert batches < 400 / leaves * 1.6
        assert many.visits().sum() == 400 == many.done()[0]
        assert many.visits()[0] == pytest.approx(alone.visits()[0], abs=80)
        for branch in many.branches():
            assert branch.value is None or abs(branch.value) <= 1


def test_proved_wins_are_played_and_losses_avoided() -> None:
    game = registry.game("connect_four")
    win = search(Forest(game.position("4 1 4 1 4 1"), 1, 500))
    assert win.best()[0] == 3 and win.proved()[0] and win.values()[0] == 1
    assert win.policy()[0, 3] == 1
    block = search(Forest(game.position("4 1 4 1 4"), 1, 300))
    assert block.best()[0] == 3


def test_threads_search_states_with_tuples() -> None:
    """Numba threads cannot receive a tuple inside a state."""
    game = registry.game("renju:size=5")
    visits = []
    for threads in (1, 3):
        forest = search(Forest(game, 12, 20, threads=threads))
        visits.append(forest.visits())
    assert np.array_equal(*visits) and visits[0].sum() > 0


def test_threads_change_nothing() -> None:
    game = registry.game("connect_four")
    positions = some_positions(game, 33, 36)
    results = []
    for threads in (1, 4):
        forest = Forest(game, len(positions), 80, TreeSettings(leaves=2), threads=threads)
        forest.plant(packed(p.state for p in positions))
        search(forest)
        results.append((forest.visits(), forest.policy(), forest.values(), forest.best()))
    for one, four in zip(*results, strict=True):
        assert np.array_equal(one, four)


def test_advance_keeps_the_subtree() -> None:
    game = registry.game("connect_four")
    forest = search(Forest(game, 20, 120, max_nodes=4000))
    moves = np.arange(20) % 7
    below = [forest.branches(forest.branches(0, g)[int(moves[g])].slot, g) for g in range(20)]
    forest.advance(moves)
    for g in range(20):
        kept = forest.branches(0, g)
        assert [(b.action, b.visits, b.prior, b.value) for b in kept] == [
            (b.action, b.visits, b.prior, b.value) for b in below[g]
        ]
        assert forest.state(forest.roots[g]) == play(game.first.state, int(moves[g]))
    before = forest.visits().sum(1)
    search(forest)
    assert (forest.visits().sum(1) == before + 120).all()
    assert (forest.done() == 120).all()


def test_kept_subtree_can_be_searched_on() -> None:
    """Its visits match those of the oracle's subtree."""
    game = registry.game("tictactoe")
    forest = search(Forest(game, 1, 300, max_nodes=8000))
    action = int(forest.best()[0])
    forest.advance([action])
    root = oracle(game.first.state, 300, 9).children[action]
    for _ in range(40):
        if root.proved is None:
            oracle_simulation(root, 1.2, 0.4, 0.2, 9, True)
    forest.request_more(40)
    search(forest)
    assert [int(v) for v in forest.visits()[0]] == [
        root.children[a].visits if a in root.children else 0 for a in range(9)
    ]


def test_noise_only_at_the_root_and_only_in_its_share() -> None:
    game = registry.game("connect_four")
    plain = search(Forest(game, 1, 30))
    noisy = search(Forest(game, 200, 30, TreeSettings(noise=0.25, alpha=10.0)))
    difference = noisy.priors() - 0.75 * plain.priors()
    assert difference.min() >= -1e-6
    assert difference.sum(1) == pytest.approx(np.full(200, 0.25), abs=1e-5)
    assert (difference / 0.25).mean(0) == pytest.approx(np.full(7, 1 / 7), abs=0.03)
    alpha = 10 / 7
    assert (difference / 0.25).var(0) == pytest.approx(np.full(7, (1 / 7) * (6 / 7) / (7 * alpha + 1)), rel=0.5)


def test_temperature_samples_by_visits() -> None:
    game = registry.game("connect_four")
    forest = search(Forest(game, 2000, 40))
    share = forest.visits()[0] / forest.visits()[0].sum()
    sampled = np.bincount(forest.best(1.0), minlength=7) / 2000
    assert sampled == pytest.approx(share, abs=0.05)
    sharp = share**2 / (share**2).sum()
    assert np.bincount(forest.best(0.5), minlength=7) / 2000 == pytest.approx(sharp, abs=0.05)
    assert set(forest.best(0.0)) == {int(share.argmax())}


def test_sequential_halving() -> None:
    def plan(considered: int, simulations: int) -> list[int]:
        """The visits of each move, the best first."""
        visits = [0] * considered
        for turn in range(simulations):
            target = visits_of_turn(considered, simulations, turn)
            visits[visits.index(target)] += 1  # the best move with that many visits
        return visits

    # 16 moves and 32 simulations: phases of 16 x 1, 8 x 1, 4 x 2 (figure 1 of the paper has the same halving).
    assert plan(16, 32) == [4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1]
    assert plan(4, 16) == [6, 6, 2, 2]
    assert plan(1, 5) == [5]
    for considered in (2, 3, 5, 7, 16):
        for simulations in (4, 16, 50, 128):
            visits = plan(considered, simulations)
            assert sum(visits) == simulations and visits == sorted(visits, reverse=True)


def test_gumbel_policy_follows_the_paper() -> None:
    game = registry.game("tictactoe")
    forest = search(Forest(game.position("5 1 9"), 1, 12, TreeSettings("gumbel", considered=4), seed=3))
    assert not forest.proved()[0]
    branches = forest.branches()
    visited = [b for b in branches if b.visits]
    assert len(visited) == 4 and sum(b.visits for b in visited) == 12
    sign = -1  # the second player moves
    total = sum(b.visits for b in visited)
    own = sign * float(forest.root_evaluations()[0])
    mass = sum(b.prior for b in visited)
    mixed = (own + total * sum(b.prior * sign * b.value for b in visited) / mass) / (1 + total)
    most = max(b.visits for b in branches)
    q = [(sign * b.value if b.visits else mixed) for b in branches]
    logits = [math.log(b.prior) + (50 + most) * (x + 1) / 2 for b, x in zip(branches, q, strict=True)]
    weights = [math.exp(x - max(logits)) for x in logits]
    expected = np.zeros(9)
    for b, weight in zip(branches, weights, strict=True):
        expected[b.action] = weight / sum(weights)
    assert forest.policy()[0] == pytest.approx(expected, abs=1e-5)
    noise = [x - math.log(b.prior) for b, x in zip(branches, forest.noisy_priors[0], strict=False)]
    best = max(
        (b for b in branches if b.visits == most),
        key=lambda b: noise[branches.index(b)] + logits[branches.index(b)],
    )
    assert forest.best()[0] == best.action


def test_gumbel_noise_samples_moves_by_priors() -> None:
    """With one considered move, the choice is a sample of the policy: the Gumbel-max trick."""
    game = registry.game("connect_four")
    forest = search(Forest(game, 4000, 1, TreeSettings("gumbel", considered=1)))
    share = np.bincount(forest.best(), minlength=7) / 4000
    assert share == pytest.approx(forest.priors()[0], abs=0.03)


def test_forced_playouts_are_removed_from_the_target() -> None:
    game = registry.game("connect_four")
    plain = search(Forest(game, 1, 300))
    forced = search(Forest(game, 1, 300, TreeSettings(forced=2.0)))
    visits, priors = forced.visits()[0], forced.priors()[0]
    for a in range(7):
        assert visits[a] == 0 or visits[a] + 1 >= math.sqrt(2 * priors[a] * visits.sum())
    target = forced.policy()[0]
    best = int(visits.argmax())
    assert target[best] > visits[best] / visits.sum()
    assert np.abs(target - plain.policy()[0]).max() < 0.2


def test_full_tree_is_searched_without_growing() -> None:
    game = registry.game("connect_four")
    forest = search(Forest(game, 1, 200, max_nodes=50))
    assert forest.used[0, 0] <= 50
    assert forest.visits().sum() == 200


def test_mistakes_are_rejected() -> None:
    game = registry.game("tictactoe")
    with pytest.raises(HansuError, match="algorithm"):
        TreeSettings("alphabeta")
    with pytest.raises(HansuError, match="symmetries"):
        TreeSettings(symmetries="some")
    forest = Forest(game, 2, 5)
    forest.select()
    with pytest.raises(HansuError, match="not been evaluated"):
        forest.select()
    with pytest.raises(HansuError, match="policy and value have the shapes"):
        forest.expand(np.zeros((2, 8)), np.zeros((2, 3)))


def test_every_game_can_be_searched(nim_path: Path) -> None:
    for name in (*registry.names(), f"{nim_path}:heap=2"):
        game = registry.game(name)
        chance = random.Random(1)
        positions = [step_chance(game.first, chance)]
        forest = Forest(positions[0], 3, 12, TreeSettings(outcome="score"))
        forest.plant(np.repeat(packed([positions[0].state]), 3, 0))
        search(forest)
        assert (forest.visits().sum(1) == 12).all() or forest.proved().all()
        assert forest.policy().sum(1) == pytest.approx(np.ones(3), abs=1e-5)
        assert all(int(a) in positions[0].actions for a in forest.best())
        assert positions[0].line_text(forest.line())
