"""The lecture's statements about its two games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hansu.arena.roster import player
from hansu.core import Control, HansuError, Limit, Position, registry
from hansu.games.tictactoe import TicTacToe, evaluate
from hansu.search.perft import perft
from hansu.search.players import AlphaBeta, Minimax, TreeSearch
from hansu.search.watch import Trace

TREE = registry.game("tree")
BOARD = registry.game("tictactoe")


@pytest.mark.parametrize("interpreted", ["false", "true"])
@pytest.mark.parametrize(
    ("spec", "value", "move", "nodes"),
    [
        ("minimax", 1, "a2", 10),
        ("expectimax", 5, "a3", 10),
        ("alphabeta", 1, "a2", 9),
        ("alphabeta:ties=false", 1, "a2", 9),
    ],
)
def test_lecture_tree(spec: str, value: float, move: str, nodes: int, interpreted: str) -> None:
    full_spec = f"{spec}{',' if ':' in spec else ':'}interpreted={interpreted}"
    decision = player(full_spec, TREE).decide(TREE.first)
    assert (decision.report.value, TREE.first.move_text(decision.action), decision.report.nodes) == (value, move, nodes)
    assert decision.report.proved


def test_min_moves_at_b() -> None:
    at = TREE.position("a1")
    decision = player("minimax", TREE).decide(at)
    assert at.mover == 1
    assert (decision.report.value, at.move_text(decision.action)) == (-50, "b1")


def test_whole_tictactoe_tree() -> None:
    decision = player("minimax", BOARD).decide(BOARD.first)
    assert (decision.report.nodes, decision.report.value, decision.report.proved) == (549_946, 0, True)
    assert BOARD.first.move_text(decision.action) == "1"  # ties go to the first move: a corner


def test_complete_games() -> None:
    """255,168 games. The games that end after n plies are the lines of n plies without continuation."""
    from hansu.compile import compiled

    lines = [compiled(perft, TicTacToe)(BOARD.first.state, n) for n in range(10)]
    longer = [0] * 10
    for n in range(9):  # lines of n plies that continue: each has 9 - n continuations
        longer[n] = lines[n + 1] // (9 - n)
    assert sum(lines[n] - longer[n] for n in range(10)) == 255_168


def test_alphabeta_finds_the_same_value_with_fewer_nodes() -> None:
    decision = player("alphabeta", BOARD).decide(BOARD.first)
    assert decision.report.value == 0
    assert decision.report.nodes < 549_946 / 20


@pytest.mark.parametrize("kind", ["minimax", "alphabeta", "iterative"])
def test_replies_to_corner_and_centre(kind: str) -> None:
    searcher = player(kind, BOARD)
    for corner in "1379":
        at = BOARD.position(corner)
        assert at.move_text(searcher.decide(at).action) == "5"
    at = BOARD.position("5")
    assert at.move_text(searcher.decide(at).action) in "1379"


@pytest.mark.parametrize("spec", ["minimax:depth=1", "minimax:rounds=1", "alphabeta:depth=1", "alphabeta:rounds=1"])
def test_limited_agent_takes_the_centre(spec: str) -> None:
    at = BOARD.position("1")
    assert at.move_text(player(spec, BOARD).decide(at).action) == "5"


@pytest.mark.parametrize("kind", ["minimax", "alphabeta", "iterative"])
@pytest.mark.parametrize("seat", [0, 1])
def test_perfect_agents_never_lose(kind: str, seat: int) -> None:
    searcher = player(kind, BOARD)
    chosen: dict[TicTacToe, int] = {}

    def explore(position: Position) -> None:
        if position.over:
            assert position.score != (-1 if seat == 0 else 1), position.moves
        elif position.mover == seat:
            if position.state not in chosen:
                chosen[position.state] = searcher.decide(position).action
            explore(position.play(chosen[position.state]))
        else:
            for action in position.actions:
                explore(position.play(action))

    explore(BOARD.first)


def test_evaluation_is_the_lecture_table() -> None:
    """The table heuristic[m][n] of the lecture, divided by 1000."""
    table = [[0, -10, -100, -1000], [10, 0, 0, 0], [100, 0, 0, 0], [1000, 0, 0, 0]]
    lines = ["123", "456", "789", "147", "258", "369", "159", "357"]
    for text in ("1", "1 5", "1 5 9", "5 1 3 7", "2 4 6 8 1"):
        stones = text.split()
        x, o = stones[::2], stones[1::2]
        expected = sum(table[sum(c in x for c in line)][sum(c in o for c in line)] for line in lines)
        assert evaluate(BOARD.position(text).state) == pytest.approx(expected / 1000)


def visits(position: Position, search: TreeSearch) -> list[str]:
    trace = Trace(10_000)
    search.search(position, -1, Control(), trace=trace)
    assert trace.root is not None
    visited, stack = [], [trace.root]
    while stack:
        node = stack.pop()
        visited.append((node.entered, node.state.node))
        stack.extend(node.children)
    return [node for _, node in sorted(visited)]


def test_the_two_cut_rules_differ_only_at_ties(tmp_path: Path) -> None:
    """A min node whose first child equals alpha (3): the lecture cuts there, the autograder's rule does not."""
    file = tmp_path / "tie.txt"
    file.write_text("A max\n  l: B min\n    3\n    9\n  r: C min\n    3\n    2\n")
    first = registry.game(f"tree:file={file}").first
    everything = visits(first, Minimax())
    assert len(everything) == 7
    assert visits(first, AlphaBeta(ties=True)) == everything[:6]
    assert visits(first, AlphaBeta(ties=False)) == everything


def test_depth_in_rounds_drops_after_the_last_agent(tmp_path: Path) -> None:
    """Three agents, two rounds. With one round the search sees only the evaluation, which is 0 in trees."""
    file = tmp_path / "three.txt"
    leaves = "".join(
        f"  a{i}: B 1\n    b{i}: C 2\n      c{i}: D 0\n        d{i}: E 1\n          e{i}: F 2\n            f{i}: {i}\n"
        for i in (1, 2)
    )
    file.write_text("A 0\n" + leaves)
    first = registry.game(f"tree:file={file}").first
    one, two = (player(f"minimax:rounds={n}", first.game).decide(first) for n in (1, 2))
    assert (one.report.value, one.report.nodes, one.report.proved) == (0, 7, False)
    assert (two.report.value, two.report.nodes, two.report.proved) == (2, 13, True)
    assert player("minimax:depth=3", first.game).decide(first).report.nodes == 7  # three plies are one round here


def test_chance_nodes_are_means(tmp_path: Path) -> None:
    file = tmp_path / "dice.json"
    low = {"action": "lo", "probability": 0.25, "value": -8}
    high = {"action": "hi", "probability": 0.75, "value": 4}
    dice = {"player": "chance", "action": "roll", "children": [low, high]}
    file.write_text(json.dumps({"name": "A", "player": "max", "children": [dice, {"action": "stay", "value": 0.5}]}))
    first = registry.game(f"tree:file={file}").first
    for kind in ("minimax", "alphabeta", "expectimax", "iterative"):
        decision = player(kind, first.game).decide(first)
        assert (decision.report.value, first.move_text(decision.action)) == (1.0, "roll")
    sampled = player("mcts", first.game).decide(first)
    assert first.move_text(sampled.action) == "roll"
    assert sampled.report.value == pytest.approx(1, abs=0.4)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "contains no tree"),
        ("A max\n  a: 1\nB min\n", "line 3: a second root"),
        ("A max\n  a: one two three\n", "line 2"),
        ("A max\n  a: B sideways\n", "not a player"),
        ("A max\n  a: 1\n  a: 2\n", "same name"),
        ("A max\n  a: B min\n", "neither a value nor children"),
        ("A chance\n  a (0.5): 1\n  b (0.6): 2\n", "do not add up"),
        ("A max\n  a: 1\n    b: 2\n", "a leaf"),
        ("A max\n  a: 1e99\n", "too large"),
        ('{"name": "A", "children": []}', "neither a value nor children"),
        ("".join(f"{' ' * n}a: N max\n" for n in range(400)) + " " * 400 + "a: 1\n", "deeper than"),
        ('{"name": "A", "children": [', "not JSON"),
    ],
)
def test_errors_in_trees_name_the_place(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "broken.txt"
    file.write_text(text)
    with pytest.raises(HansuError, match=complaint):
        _ = registry.game(f"tree:file={file}").first


def test_a_missing_tree_file() -> None:
    with pytest.raises(HansuError, match="cannot read"):
        _ = registry.game("tree:file=no_such_file.txt").first


def test_searches_respect_limits() -> None:
    for kind in ("minimax", "alphabeta", "expectimax", "iterative"):
        assert player(kind, BOARD).decide(BOARD.first, Limit(nodes=1000)).report.nodes <= 1000 + 50
        assert player(kind, BOARD).decide(BOARD.first, Limit(depth=2)).report.depth == 2
    assert player("mcts", BOARD).decide(BOARD.first, Limit(nodes=777)).report.nodes == 777
