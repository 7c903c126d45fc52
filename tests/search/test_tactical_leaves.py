"""Tactical solvers: how a forest uses their proofs, and Renju's threats against oracles."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.positions import some_positions
from support.renju_boards import both_sides, crowd
from support.small_network import write_network
from support.vcf_oracle import Board

from hansu.arena.roster import player
from hansu.core import Control, Game, actions, over, play, registry, score, team
from hansu.core.game_extensions import LASTS, LOSES, WINS
from hansu.games.renju.engine.packed_states import lay
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.notation import arranged
from hansu.games.renju.state import RULES, colour
from hansu.games.renju.tactical_solver import RenjuTacticalSolver
from hansu.games.renju.tactics import REASONS, Tactics, played_stones
from hansu.search.forest import Forest, TreeSettings, packed
from hansu.search.tactical_leaves import TacticalLeaves


@cache
def minimax(s: Any) -> float:
    if over(s):
        return float(score(s))
    values = [minimax(play(s, a)) for a in actions(s)]
    return max(values) if team(s) == 0 else min(values)


class Omniscient:
    """A solver of tic-tac-toe that proves every position."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest

    def marks(self, states: Any, width: int) -> Any:
        marks = np.zeros((len(states), width), np.int8)
        for row, words in zip(marks, states, strict=True):
            s = self.forest.state(words)
            side = 1 if team(s) == 0 else -1
            values = {a: side * minimax(play(s, a)) for a in actions(s)}
            won = [a for a in values if values[a] > 0]
            lost = [a for a in values if values[a] < 0]
            if won:
                row[won[-1]] = WINS
            else:
                row[lost] = LOSES
                if len(lost) == len(values):
                    row[lost[-1]] = LASTS
        return marks


def searched(settings: TreeSettings, positions: list[Any], simulations: int, interpreted: bool = False) -> Forest:
    forest = Forest(positions[0].game, len(positions), simulations, settings, interpreted=interpreted)
    forest.plant(packed(p.state for p in positions))
    solver: Any = Omniscient(forest)
    batch = forest.select()
    while batch is not None:
        leaves = TacticalLeaves(forest, solver)
        draw = np.random.default_rng(len(batch))
        policy = draw.normal(0, 1, (len(batch), forest.actions)).astype(np.float32)
        value = np.full((len(batch), 3), 1 / 3, np.float32)
        assert set(leaves.open_rows) <= set(range(len(batch)))
        leaves.write_to(policy, value)
        batch = forest.step(policy, value)
    return forest


@pytest.mark.parametrize(
    "settings",
    [
        TreeSettings(proofs=True),
        TreeSettings(proofs=True, leaves=4, check_ends=False),
        TreeSettings(proofs=True, symmetries="one", check_ends=False),
        TreeSettings(proofs=True, symmetries="all", check_ends=False),
        TreeSettings("gumbel", proofs=True, check_ends=False),
        TreeSettings(proofs=True, prune=3, check_ends=False),
    ],
)
def test_proofs_are_used_and_played(settings: TreeSettings) -> None:
    positions = some_positions(registry.game("tictactoe"), 60, 7)
    forest = searched(settings, positions, 12)
    proved, values, best, visits = forest.proved(), forest.values(), forest.best(), forest.visits()
    decided = 0
    for g, position in enumerate(positions):
        value = minimax(position.state)
        assert minimax(play(position.state, int(best[g]))) == value
        if value != 0:
            decided += 1
            if settings.prune == 0 or value == (1 if position.team == 0 else -1):
                assert proved[g] and values[g] == value
        for a in position.actions:  # PUCT does not visit a proved loss while other moves are open
            if settings.algorithm == "puct" and value == 0 and minimax(play(position.state, a)) != 0:
                assert visits[g, a] == 0
    assert decided > 20


def test_lost_root_plays_the_longest_defence() -> None:
    game = registry.game("tictactoe")
    lost = game.position("1 2 5")  # O can stop 9, but not 3 and 4 and 7 as well
    assert minimax(lost.state) == 1
    forest = searched(TreeSettings(proofs=True, check_ends=False), [lost], 4)
    assert forest.proved()[0] and forest.values()[0] == 1
    assert int(forest.best()[0]) == lost.actions[-1]  # as Omniscient marks it


def test_infinite_logits_need_the_setting_proofs() -> None:
    game = registry.game("tictactoe")
    forest = Forest(game, 1, 4, TreeSettings(check_ends=False))
    forest.select()
    policy = np.zeros((1, forest.actions), np.float32)
    policy[0, 1:] = -np.inf
    forest.expand(policy, np.full((1, 3), 1 / 3, np.float32))
    assert not any(branch.proved for branch in forest.branches())


def test_proofs_interpreted_equal_compiled() -> None:
    positions = some_positions(registry.game("tictactoe"), 2, 3)
    both = [
        searched(TreeSettings(proofs=True, leaves=2, check_ends=False), positions, 20, slow) for slow in (False, True)
    ]
    used = int(both[0].used[0, 0])
    for name in both[0].slots:
        assert np.array_equal(both[0].slots[name][0, :used], both[1].slots[name][0, :used]), name


# Renju's threats.


@cache
def threats(rule: str, size: int) -> RenjuTacticalSolver:
    return RenjuTacticalSolver(registry.game(f"renju:rule={rule},size={size}").first)


def laid_out(rule: str, size: int, stones: Any, side: int) -> Any:
    """A position with these stones."""
    letters = ["."] * (size * size)
    for cell, tone in stones:
        letters[cell] = "XO"[tone]
    return registry.game(f"renju:rule={rule},size={size}").position(arranged("".join(letters), side))


@pytest.mark.parametrize("rule", RULES)
def test_marks_match_the_oracle(rule: str) -> None:
    chance = random.Random(11)
    board, size = Board(rule, 15), 15
    won = lost = held = 0
    for _ in range(40):
        side = chance.randrange(2)
        position = laid_out(rule, size, crowd(chance), side)
        if position.over:
            continue
        stones = played_stones(position)
        mine, theirs = both_sides(stones, side)
        (marks,) = threats(rule, size).marks(packed([position.state]), size * size + 13)
        cells = {int(cell): int(marks[cell]) for cell in np.flatnonzero(marks)}
        assert set(cells) <= set(position.actions)
        line = board.win_by_fours(mine, theirs, side, 31, 2_000)
        if WINS in cells.values():
            won += 1
            ((cell, mark),) = cells.items()
            assert mark == WINS and line is not None
            continue
        assert line is None  # so few nodes are enough on boards like these
        after_pass = board.win_by_fours(theirs, mine, 1 - side, 31, 2_000)
        if after_pass is None:
            assert not cells
            continue
        tried = chance.sample(position.actions, 12)
        for cell in tried:
            line = board.win_by_fours(theirs, mine | 1 << cell, 1 - side, 31, 2_000)
            if cells.get(cell):
                assert line is not None
            elif board.nodes < 40:
                assert line is None
        if LASTS in cells.values():
            assert set(cells) == set(position.actions)
            lost += 1
        else:
            held += 1
    assert min(won, held) > 4 and lost > 0


def test_packed_states_set_up_the_board() -> None:
    chance = random.Random(5)
    for rule, size in (("renju", 15), ("standard", 9), ("freestyle", 20), ("renju", 20)):
        game = registry.game(f"renju:rule={rule},size={size}")
        kept, fresh = RenjuSearcher(rule, size, 1, network=False), RenjuSearcher(rule, size, 1, network=False)
        for _ in range(12):
            position = game.random_position(chance.randrange(1, 40), chance.randrange(1000))
            if position.over:
                continue
            lay(kept.memory, packed([position.state])[0])
            fresh.set_board([])
            fresh.set_board(played_stones(position))
            for name in ("stones", "codes", "pairs", "free", "totals", "rows", "hash", "count"):
                assert np.array_equal(kept.memory[name], fresh.memory[name]), name
            empty = kept.memory["stones"] == 0
            assert np.array_equal(kept.memory["kinds"][:, empty], fresh.memory["kinds"][:, empty])


@pytest.mark.parametrize("rule", RULES)
def test_forced_moves_follow_the_order_of_reasons(rule: str) -> None:
    """The compiled choice against the lists of all points, in the order of the rules of thumb."""
    chance = random.Random(8)
    searcher = RenjuSearcher(rule, 15, 1, network=False)
    reasons = set()
    for _ in range(150):
        position = laid_out(rule, 15, crowd(chance), chance.randrange(2))
        for ply in range(chance.randrange(3)):  # somebody makes a four, and the other may not see it
            fours = Tactics.of(position, searcher).fours(colour(position.state))
            if not position.over and (ply or fours):
                position = position.play(chance.choice(position.actions if ply else fours))
        if position.over:
            continue
        side = colour(position.state)
        tactics = Tactics.of(position, searcher)
        expected = next(
            (
                (cells[0], reason)
                for cells, reason in (
                    (tactics.fives(side), "five"),
                    ([c for c in tactics.fives(1 - side) if position.legal(c)], "stops five"),
                    (tactics.open_fours(side), "open four"),
                    (tactics.double_fours(side), "four-four"),
                    (tactics.four_threes(side), "four-three"),
                )
                if cells
            ),
            None,
        )
        assert tactics.forced_move() == expected
        reasons.add(expected and expected[1])
    assert reasons >= {None, *REASONS} - {"four-four"}  # it rarely occurs without an open four


def test_opening_rule_steps_have_no_marks() -> None:
    game = registry.game("renju:opening=swap2")
    solver = RenjuTacticalSolver(game.first)
    assert not solver.marks(packed([game.first.state]), 238).any()
    assert solver.win(game.first, Control()) is None


# The player.


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("networks") / "renju.onnx", (4, 15, 15), 238, notes={"game": "renju"})


def renju() -> Game:
    return registry.game("renju")


def test_puct_plays_forced_wins(network: Path) -> None:
    game = renju()
    fours = game.position("h8 f10 g9 h7 i6 i7 f8 j10 j7 f9 j8 i10")
    decision = player(f"puct:network={network},simulations=4", game).decide(fours)
    assert fours.move_text(decision.action) == "i8" and "by fours: i8 g8" in decision.why
    assert decision.report.value is not None and decision.report.value.proved and decision.report.value == 1
    threes = game.position("h8 f9 i8 j6 h10 j10 f7 f6 i7 f10")
    decision = player(f"puct:network={network},simulations=4", game).decide(threes)
    assert "by fours and threes" in decision.why
    blind = player(f"puct:network={network},simulations=4,tactics=false", game).decide(fours)
    assert "fours" not in blind.why


def test_puct_considers_only_defences_against_an_open_three(network: Path) -> None:
    game = renju()
    position = game.position("h8 a1 h9 a3 h10")  # white must answer
    decision = player(f"puct:network={network},simulations=40", game).decide(position)
    assert position.move_text(decision.action) in ("h7", "h11")
    known = {position.move_text(m.action) for m in decision.report.moves if m.value is not None and m.value.proved}
    assert known == {position.move_text(a) for a in position.actions} - {"h7", "h11"}
    assert all((move.visits or 0) == 0 for move in decision.report.moves if position.move_text(move.action) in known)


def test_lost_puct_still_stops_a_five(network: Path) -> None:
    game = renju()
    who = player(f"puct:network={network},simulations=20", game)
    before = game.position("h8 a1 h9 a3 h10 a5 h11")  # an open four
    decision = who.decide(before)
    assert before.move_text(decision.action) in ("h7", "h12")
    assert decision.report.value is not None and decision.report.value.proved and decision.report.value == 1
    # The same if only the solver had proved it, in the kept tree.
    who = player(f"puct:network={network},simulations=60", game)
    earlier = game.position("h8 a1 h9 a3 h10")
    who.decide(earlier)
    after = earlier.play_move("a5").play_move("h11")
    decision = who.decide(after)
    assert after.move_text(decision.action) in ("h7", "h12")
