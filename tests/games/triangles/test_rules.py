"""Triangles: geometry, rules, boards, notation, scenes, general players."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansu.arena.roster import player
from hansu.compile import compiled
from hansu.core import HansuError, IllegalMove, Limit, Position, registry
from hansu.games.triangles.boards import first_state, table_of
from hansu.games.triangles.geometry import hull_points
from hansu.games.triangles.rules import MOVES, TRIANGLES, Triangles, points_each, triangles_drawn
from hansu.scene.svg import svg
from hansu.search.perft import perft
from hansu.search.playout import playout

Points = tuple[tuple[int, int], ...]
GRID = [(x, y) for x in range(7) for y in range(7)]
boards = st.lists(st.sampled_from(GRID), min_size=3, max_size=12, unique=True).map(tuple)


# An independent oracle: rational arithmetic along the segments, triangles by their area.


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])


def plain_legal(points, drawn, a, b):
    between = [p for p in points if p not in (a, b) and turn(a, b, p) == 0
               and (p[0] - a[0]) * (p[0] - b[0]) + (p[1] - a[1]) * (p[1] - b[1]) < 0]  # fmt: skip
    crossed = [s for s in drawn if turn(a, b, s[0]) * turn(a, b, s[1]) < 0 and turn(*s, a) * turn(*s, b) < 0]
    return not between and not crossed and (a, b) not in drawn and (b, a) not in drawn


def plain_score(points, drawn, a, b):
    sides = {frozenset(s) for s in drawn}
    count = 0
    for c in points:
        if c in (a, b) or frozenset((a, c)) not in sides or frozenset((b, c)) not in sides or turn(a, b, c) == 0:
            continue
        area = abs(turn(a, b, c))
        others = [p for p in points if p not in (a, b, c)]
        count += not any(abs(turn(a, b, p)) + abs(turn(b, c, p)) + abs(turn(c, a, p)) == area for p in others)
    return count


def game_on(points: Points) -> Position:
    listed = ",".join(f"{x} {y}" for x, y in points)
    return registry.game(f"triangles:points={listed}").first


def play_randomly(position: Position, seed: int) -> Position:
    rng = random.Random(seed)
    while not position.over:
        position = position.play(rng.choice(position.actions))
    return position


@settings(max_examples=40, deadline=None)
@given(boards, st.integers(0, 1000))
def test_moves_and_scores_equal_a_plain_oracle(points, seed):
    position = game_on(points)
    names = dict(zip("ABCDEFGHIJKLMNOPQRST", points, strict=False))
    rng = random.Random(seed)
    drawn: list[tuple] = []
    lead = 0
    while True:
        legal = {position.move_text(a) for a in position.actions}
        pairs = itertools.combinations(sorted(names), 2)
        assert legal == {f"{p}-{q}" for p, q in pairs if plain_legal(points, drawn, names[p], names[q])}
        if not legal:
            break
        move = rng.choice(sorted(legal))
        a, b = (names[letter] for letter in move.split("-"))
        lead += (1 if position.mover == 0 else -1) * plain_score(points, drawn, a, b)
        drawn.append((a, b))
        position = position.play_move(move)
        assert position.state.lead == lead
    assert position.over and position.score == lead


@settings(max_examples=40, deadline=None)
@given(boards, st.integers(0, 1000))
def test_every_game_on_a_board_has_the_same_length_and_total(points, seed):
    ends = [play_randomly(game_on(points), seed + k) for k in range(3)]
    words = ends[0].tables.words
    assert {len(end.history) for end in ends} == {words[MOVES]}
    assert {triangles_drawn(end.state) for end in ends} == {words[TRIANGLES]}
    assert all(sum(points_each(end.state)) == words[TRIANGLES] for end in ends)


@settings(max_examples=25, deadline=None)
@given(boards, st.integers(0, 1000))
def test_interpreted_equals_compiled(points, seed):
    position = game_on(points)
    rng = random.Random(seed)
    for _ in range(rng.randrange(4)):
        if not position.over:
            position = position.play(rng.choice(position.actions))
    assert perft(position.state, 2) == compiled(perft, Triangles)(position.state, 2)
    if not position.over:
        import numpy as np

        there = compiled(playout, Triangles)(position.state, np.array([seed], dtype=np.int64), 200)
        assert playout(position.state, [seed], 200) == there


def test_hull_points_include_points_on_edges():
    assert hull_points([(0, 0), (2, 0), (4, 0), (2, 4), (2, 1)]) == {0, 1, 2, 3}
    assert hull_points([(0, 0), (1, 1), (2, 2)]) == {0, 1, 2}


def test_the_seed_selects_the_board():
    one, same, other = (registry.game(f"triangles:points=15,seed={seed}").first.state for seed in (4, 4, 5))
    assert one == same != other


def test_points_on_one_line_have_no_triangles():
    position = game_on(((0, 0), (3, 3), (1, 1), (6, 6)))
    assert [position.move_text(a) for a in position.actions] == ["A-C", "B-C", "B-D"]
    end = play_randomly(position, 1)
    assert len(end.history) == 3 and end.score == 0
    assert end.game.result_text(end.state) == "a draw, 0 : 0"
    for name in ("rule", "parity", "engine", "mcts"):
        assert player(name, position.game).decide(position, Limit(time=0.05)).action in position.actions


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("points=2", "3 to 20"), ("points=21", "3 to 20"), ("points=0 0,1 1", "3 to 20"),
        ("points=0 0,1 1,0 0", "twice"), ("points=10,size=3", "too small"),
        ("points=0 0,1 1,7 0", "outside the 7 x 7 grid"), ("points=0 0,1 x,2 2", "cannot read"),
        ("points=0 0,1 1,-1 0", "outside the"), ("file=nowhere.csv", "cannot read"),
    ],
)  # fmt: skip
def test_invalid_boards_are_rejected(setting, message):
    with pytest.raises(HansuError, match=message):
        _ = registry.game(f"triangles:{setting}").first


@pytest.mark.parametrize(
    "text", ["x,y\n0,0\n3,1\n1,4\n", "0 0\n\n3 1 # right\n1 4", "(0, 0)\n(3, 1)\n(1, 4)", "\ufeff0;0\n3;1\n1;4"]
)
def test_a_board_from_a_file(tmp_path, text):
    file = tmp_path / "board.csv"
    file.write_text(text, encoding="utf-8")
    assert registry.game(f"triangles:file={file}").first.state == game_on(((0, 0), (3, 1), (1, 4))).state


def test_notation_reads_either_direction():
    position = game_on(((0, 0), (4, 0), (4, 4), (0, 4)))
    assert position.play_move("C-A").state == position.play_move("ac").state == position.play_move("A-C").state
    after = position.play_move("A-C")
    for text in ("B-D", "A-C", "A-A", "A-Z", "nonsense"):
        with pytest.raises(IllegalMove):
            after.play_move(text)
    assert position.game.position("A-C, A-B").moves == ("A-C", "A-B")


def test_the_picture_shows_points_segments_triangles_and_the_last_move():
    position = game_on(((0, 0), (4, 0), (4, 4), (0, 4)))
    for move in ("A-B", "B-C", "A-C", "C-D", "A-D"):
        position = position.play_move(move)
    assert [points_each(position.state)] == [(2, 0)]
    picture = svg(position.scene)
    assert picture.count("<polygon") == 2 and picture.count("tone-first") == 2
    assert picture.count('class="stroke-line"') == 4 and picture.count('class="stroke-last"') == 1 + 2  # with its ends
    assert all(f">{letter}<" in picture for letter in "ABCD")
    assert "2 : 0" in str(position)


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "expectimax", "iterative", "mcts:simulations=200"])
def test_general_players(name):
    position = registry.game("triangles:points=6,seed=2").first
    chosen = player(name, position.game)
    while not position.over:
        decision = chosen.decide(position, Limit(depth=2) if "mcts" not in name else Limit(nodes=200))
        assert decision.why
        position = position.play(decision.action)


def test_a_list_of_points_keeps_its_order_in_the_table():
    board = table_of(((5, 5), (0, 0), (3, 1)))
    assert first_state(board).board == board.handle
    assert board.words[board.words[5] :] == (5, 5, 0, 0, 3, 1)


MACHINE = """
import random
from itertools import combinations

def area(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

class MACHINE():
    def __init__(self, score=[0, 0], drawn_lines=[], whole_lines=[], whole_points=[], location=[]):
        self.id = "MACHINE"
        self.score = [0, 0]
        self.drawn_lines = []
        self.whole_points = []
        self.location = []
        self.triangles = []

    def find_best_selection(self):
        assert sum(self.score) == len(self.triangles)
        assert all(line == sorted(line) for line in self.drawn_lines + self.triangles)
        assert all(self.location[x] and self.location[y] for x, y in self.whole_points)
        self.score[0] += 100  # changes only the copy
        free = [[b, a] for a, b in combinations(self.whole_points, 2) if self.free(a, b)]
        return random.choice(free)

    def free(self, a, b):
        on = lambda p: area(a, b, p) == 0 and min(a, b) < p < max(a, b)
        cross = lambda c, d: area(a, b, c) * area(a, b, d) < 0 and area(c, d, a) * area(c, d, b) < 0
        return (
            sorted([a, b]) not in self.drawn_lines
            and not any(on(p) for p in self.whole_points)
            and not any(cross(*line) for line in self.drawn_lines)
        )
"""


@pytest.mark.parametrize("named", ["", ":MACHINE"])
def test_a_player_of_the_course_framework_runs_by_path(tmp_path: Path, named):
    from hansu.arena.match import play_game

    file = tmp_path / "machine.py"
    file.write_text(MACHINE)
    game = registry.game("triangles:points=7,seed=3")
    guest = player(f"{file}{named}", game)
    try:
        record = play_game(game.first, guest, player("rule", game), Limit(), random.Random(1))
    finally:
        guest.close()
    assert record.fault == "" and len(record.last.history) == game.first.tables.words[MOVES]


def test_invalid_moves_of_a_course_player_are_rejected(tmp_path: Path):
    file = tmp_path / "machine.py"
    file.write_text("class MACHINE:\n    def find_best_selection(self):\n        return [(0, 0), (99, 1)]\n")
    game = registry.game("triangles:points=5")
    guest = player(str(file), game)
    try:
        with pytest.raises(HansuError, match="not a segment"):
            guest.decide(game.first)
    finally:
        guest.close()


def solve(capsys, monkeypatch, *lines):
    import io

    from hansu.games.triangles.commands import solve as command

    monkeypatch.setattr(
        "sys.stdin", io.StringIO("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    )
    command()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_solve_prints_json(capsys, monkeypatch):
    square = [[0, 0], [4, 0], [4, 4], [0, 4]]
    solutions = solve(
        capsys, monkeypatch,
        {"points": [[0, 0], [3, 1], [1, 4]]},
        {"points": square}, {"points": square, "drawn": [[[0, 0], [4, 0]]]},
        {"points": square, "drawn": [[[0, 0], [4, 0]], [[4, 4], [0, 0]]]},
    )  # fmt: skip
    assert [solution["value"] for solution in solutions] == [1, 2, 0, 2]
    assert [len(solution["line"]) for solution in solutions] == [3, 5, 4, 3]
    assert solutions[2]["line"][0] == [[4, 4], [0, 4]]  # only the opposite side draws
    assert all(solution["nodes"] > 0 for solution in solutions)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "line 1: not JSON"), ("[]", "no list of points"),
        ('{"points": [[0, 0], [1, 1], [0, 0]]}', "twice"),
        ('{"points": [[0, 0], [1, 1]]}', "3 to 20"), ('{"points": [[0, 0.5], [1, 1], [2, 0]]}', "is not a point"),
        ('{"points": [[0, 0], [1, 1], [2, 0]], "drawn": [[[0, 0], [5, 5]]]}', "cannot be drawn"),
        ('{"points": [[0, 0], [1, 1], [2, 0]], "drawn": [[[0, 0], [1, 1]], [[1, 1], [0, 0]]]}', "cannot be drawn"),
    ],
)  # fmt: skip
def test_solve_reports_invalid_input(capsys, monkeypatch, line, message):
    with pytest.raises(HansuError, match=message):
        solve(capsys, monkeypatch, line)
