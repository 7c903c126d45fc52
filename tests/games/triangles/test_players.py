"""Triangles: the search board, the solver, the report's players, the engine."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys

import pytest

from hansu.arena.roster import player
from hansu.compile import compiled
from hansu.core import Control, Limit, Position, actions, over, play, registry, score, table
from hansu.core.control import EVALUATIONS
from hansu.games.triangles.boards import first_state, table_of
from hansu.games.triangles.components import new_names
from hansu.games.triangles.players import TrianglesEnginePlayer
from hansu.games.triangles.rules import Triangles, completed
from hansu.games.triangles.search import INFINITY, TO_THE_END, UNIT, new_memory, ring, search
from hansu.games.triangles.search_board import COUNT, KEY, SCORED, draw, search_board_of, undo
from hansu.games.triangles.solver import TrianglesSolver
from hansu.search.minimax import minimax

SQUARE = "triangles:points=0 0,4 0,4 4,0 4"  # A, B, C, D around


@pytest.fixture(scope="module")
def solver() -> TrianglesSolver:
    return TrianglesSolver(1 << 18)


def plain_minimax(s, known):
    if over(s):
        return score(s)
    if s not in known:
        values = [plain_minimax(play(s, a), known) for a in actions(s)]
        known[s] = max(values) if s.turn == 0 else min(values)
    return known[s]


def boards_up_to_symmetry(side: int, count: int):
    """Yields one set of points of each class under rotations, reflections and translations."""
    turns = [
        lambda x, y: (x, y), lambda x, y: (-y, x), lambda x, y: (-x, -y), lambda x, y: (y, -x),
        lambda x, y: (-x, y), lambda x, y: (y, x), lambda x, y: (x, -y), lambda x, y: (-y, -x),
    ]  # fmt: skip
    seen = set()
    for points in itertools.combinations([(x, y) for x in range(side) for y in range(side)], count):
        forms = []
        for turn in turns:
            moved = [turn(*p) for p in points]
            left, low = min(x for x, _ in moved), min(y for _, y in moved)
            forms.append(tuple(sorted((x - left, y - low) for x, y in moved)))
        if min(forms) not in seen:
            seen.add(min(forms))
            yield min(forms)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_the_solver_equals_plain_minimax_on_every_small_board(count, solver):
    checked = 0
    full = compiled(minimax, Triangles)
    for points in boards_up_to_symmetry(4, count):
        s = first_state(table_of(points))
        solution = solver.solve(s)
        if count < 5:
            assert solution.value == plain_minimax(s, {})
        control = Control()
        assert solution.value == full(s, -1, False, 0, control.address) and control.words[EVALUATIONS] == 0
        for a in solution.line:  # best play ends with the value
            s = play(s, a)
        assert over(s) and score(s) == solution.value
        checked += 1
    assert checked == {3: 33, 4: 147, 5: 390}[count]  # the number of classes


def test_the_solver_equals_plain_minimax_in_the_middle_of_larger_games(solver):
    for seed in range(12):
        rng = random.Random(seed)
        position = registry.game(f"triangles:points={8 + seed % 3},seed={seed}").first
        moves = position.tables.words[2]
        while len(position.history) < moves - 9:
            position = position.play(rng.choice(position.actions))
        assert solver.solve(position.state).value == plain_minimax(position.state, {})


def test_known_values(solver):
    def value(spec: str, moves: str = "start") -> int:
        return solver.solve(registry.game(spec).position(moves).state).value

    assert value("triangles:points=0 0,3 1,1 4") == 1
    square = registry.game(SQUARE)
    assert square.first.tables.words[2] == 5
    assert value(SQUARE) == 2
    assert value(SQUARE, "A-C") == 2  # the diagonal first wins
    assert value(SQUARE, "A-B") == 0  # a side lets the second player draw
    after = square.position("A-B")
    draws = [after.move_text(a) for a in after.actions if solver.solve(after.play(a).state).value == 0]
    assert draws == ["C-D"]  # only the opposite side draws
    assert value(SQUARE, "A-B A-C") == 2  # the report's diagonal loses 0 - 2
    inside = registry.game("triangles:points=0 0,6 0,3 6,3 2").position("A-B B-C A-C A-D")  # the sides, and one spoke
    assert inside.play_move("B-D").state.lead - inside.state.lead == 1
    assert inside.play_move("B-D").play_move("C-D").state.lead == inside.state.lead + 1 - 2


def test_the_search_board_equals_the_rules_and_undoes_moves():
    for seed in range(10):
        rng = random.Random(seed)
        position = registry.game(f"triangles:points={5 + 2 * seed % 16},seed={seed}").first
        words = table(position.state.board)
        graph, board = search_board_of(position.state)
        before = [part.copy() for part in board]
        line = []
        while not position.over:
            assert tuple(ring(graph, board)) == position.actions
            for e in position.actions[:: 1 + len(position.actions) // 6]:
                after = position.play(e).state
                assert board.gain[e] == abs(after.lead - position.state.lead)
                opened = [
                    completed(words, after.drawn, f) - completed(words, position.state.drawn, f) for f in actions(after)
                ]
                assert board.risk[e] == sum(opened)
            assert search_board_of(position.state)[1].facts[KEY] == board.facts[KEY]  # whatever the order of moves
            line.append(rng.choice(position.actions))
            draw(graph, board, line[-1])
            position = position.play(line[-1])
        assert (board.facts[COUNT], board.facts[SCORED]) == (words[2], words[3])
        for e in reversed(line):
            undo(graph, board, e)
        for name in ("status", "gain", "risk", "code", "sides_drawn", "sides_blocked", "after", "facts"):
            field = board._fields.index(name)
            assert (before[field] == board[field]).all(), name


def test_a_search_without_a_table_finds_the_same_value():
    """With two slots the table is useless, so the search verifies what equal names of components claim."""
    for seed in range(6):
        position = registry.game(f"triangles:points=7,seed={seed}").first
        values = []
        for slots, name_slots in ((2, 1), (1 << 16, 1 << 12)):
            graph, board = search_board_of(position.state)
            rng = random.Random(seed)
            for _ in range(5):
                draw(graph, board, rng.choice(ring(graph, board)))
            memory, names, control = new_memory(slots), new_names(name_slots), Control()
            value = search(graph, board, TO_THE_END, -INFINITY, INFINITY, 0, memory, names, control.address)
            values.append(value / UNIT)
        assert values[0] == values[1]


def test_rule_takes_triangles_then_plays_safe_then_searches():
    game = registry.game(SQUARE)
    rule = player("rule", game)
    both = rule.decide(game.position("A-B B-C C-D A-D"))
    assert both.why == "takes 2 triangles"
    opening = rule.decide(game.first)
    assert game.first.move_text(opening.action) == "A-C"  # all points on the hull: not an edge of it
    assert opening.why.startswith("leaves ") and opening.why.endswith(("even", "odd"))
    assert "no safe segment" in rule.decide(game.position("A-C")).why


def test_parity_does_not_open_a_closed_polygon():
    """A, B, C, D, E are a closed pentagon with F outside: taking one of its triangles opens two."""
    game = registry.game("triangles:points=0 2,2 0,4 1,4 4,1 4,6 6")
    closed = game.position("A-B B-C C-D D-E A-E")
    taking = [a for a in closed.actions if closed.play(a).state.lead != closed.state.lead]
    assert len(taking) == 5
    rule, parity = player("rule", game).decide(closed), player("parity", game).decide(closed)
    assert rule.action in taking and rule.why == "takes 1 triangle"
    assert not parity.why.startswith("takes")  # it searches instead


@pytest.mark.parametrize("name", ["rule", "parity"])
def test_the_reports_players_play_whole_games(name):
    for seed in range(4):
        position = registry.game(f"triangles:points={6 + 4 * seed},seed={seed}").first
        chosen = player(name, position.game)
        while not position.over:
            decision = chosen.decide(position)
            assert decision.why
            position = position.play(decision.action)


def test_the_engine_proves_a_small_board(solver):
    for spec, moves in ((SQUARE, "start"), (SQUARE, "A-B"), ("triangles:points=7,seed=3", "start")):
        position = registry.game(spec).position(moves)
        decision = TrianglesEnginePlayer(opponent_model="none").decide(position, Limit(time=20))
        value = solver.solve(position.state).value
        assert decision.report.proved and decision.report.value == value
        assert decision.why.startswith("proved") and (f" +{abs(value)} triangles" in decision.why) == (value != 0)
        end = position
        for a in decision.report.line:
            end = end.play(a)
        assert end.over and end.score == value


def test_the_engine_respects_its_limits_and_can_be_stopped():
    position = registry.game("triangles:points=20,seed=1").first
    engine = TrianglesEnginePlayer()
    assert engine.decide(position, Limit(depth=1)).report.depth == 1
    assert engine.decide(position, Limit(nodes=500)).report.nodes <= 600
    assert not engine.decide(position, Limit(time=0.05)).report.proved
    reports = []
    control = Control(reports.append)
    engine.decide(position, Limit(depth=2), control)
    assert [report.depth for report in reports] == [1, 2]
    stopped = Control()
    stopped.stop()
    assert engine.decide(position, Limit(time=60), stopped).action in position.actions


def test_the_engine_plans_only_against_a_predictable_opponent():
    opening = registry.game("triangles:points=10,seed=1").position("A-B C-D E-F")  # an opening of neither player
    engine, rule = TrianglesEnginePlayer(), player("rule", opening.game)
    position = opening.play(engine.decide(opening, Limit(nodes=100)).action)
    predicted = rule.decide(position).action
    other = next(a for a in position.actions if a != predicted)
    after = position.play(predicted)
    engine.decide(after, Limit(nodes=100))
    assert engine.searcher(after).planner.matching_models(after)[False] == 1
    engine = TrianglesEnginePlayer()
    engine.decide(opening, Limit(nodes=100))
    after = position.play(other)
    assert "if the opponent" not in engine.decide(after, Limit(nodes=2_000)).why
    assert engine.searcher(after).planner.matching_models(after) == {}


def play_out(first, second, position: Position, limit: Limit) -> float:
    while not position.over:
        position = position.play((second if position.mover else first).decide(position, limit).action)
    return position.score


def test_a_winning_plan_is_followed_to_the_win(solver):
    """As the second player on a board that the first player wins with best play: the plan against `rule` must win."""
    game = registry.game("triangles:points=9,seed=1")
    assert solver.solve(game.first.state).value > 0
    engine, rule = TrianglesEnginePlayer(), player("rule", game)
    position, announced = game.first, False
    while not position.over:
        decision = (engine if position.mover else rule).decide(position, Limit(nodes=30_000))
        announced |= position.mover == 1 and decision.why.startswith("wins by") and "if the opponent" in decision.why
        position = position.play(decision.action)
    assert announced and position.score < 0


def test_engine_beats_the_reports_players_from_the_better_seat(solver):
    for seed in (1, 3):
        game = registry.game(f"triangles:points=8,seed={seed}")
        value = solver.solve(game.first.state).value
        for name in ("rule", "parity"):
            engine, other = TrianglesEnginePlayer(), player(name, game)
            if value > 0:
                assert play_out(engine, other, game.first, Limit(time=2)) > 0
            else:
                assert play_out(other, engine, game.first, Limit(time=2)) < 0


def test_compiled_players_load_from_the_cache_of_another_process():
    """Numba's cache has lost recursive callees before: a new process must be able to load what this one stored."""
    player("engine", registry.game("triangles:points=8")).decide(
        registry.game("triangles:points=8").first, Limit(time=0.1)
    )
    command = [
        sys.executable,
        "-m",
        "hansu",
        "analyze",
        "triangles:points=8",
        "--player",
        "engine",
        "-l",
        "time=0.1",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"move"' in done.stdout


def test_the_engine_plays_legal_moves_after_a_take_back():
    """A plan belongs to its line, not to another line of the same length."""
    game = registry.game("triangles:points=8")
    engine, limit = player("engine", game), Limit(nodes=20_000)
    for move in ("A-B", "B-F"):
        at = game.first.play_move(move)
        assert engine.decide(at, limit).action in at.actions
    rng = random.Random(3)
    at = game.first
    for _ in range(60):  # moves and take-backs, with one engine
        if at.over or (at.previous is not None and rng.random() < 0.4):
            for _ in range(rng.randint(1, 3)):
                at = at.previous or at
        decision = engine.decide(at, limit)
        assert decision.action in at.actions and len(at.line_text(decision.report.line)) == len(decision.report.line)
        at = at.play(decision.action if rng.random() < 0.5 else rng.choice(at.actions))


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_small_board_is_solved_before_planning(seed: int) -> None:
    """Seven points take some ten thousand nodes."""
    game = registry.game(f"triangles:points=7,seed={seed}")
    report = player("engine", game).decide(game.first, Limit(nodes=16_000)).report
    assert report.proved
