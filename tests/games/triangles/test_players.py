"""The players that only make sense for Triangles: the drawing, the solver, the report's players, the engine."""

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
from hansu.games.triangles.board import COUNT, KEY, SCORED, draw, drawing_of, take_back
from hansu.games.triangles.boards import first_state, table_of
from hansu.games.triangles.components import new_names
from hansu.games.triangles.players import TrianglesEnginePlayer
from hansu.games.triangles.rules import Triangles, completed
from hansu.games.triangles.search import INFINITY, TO_THE_END, UNIT, new_memory, ring, search
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
    """One set of points of each class under turns, mirrors and shifts of the grid."""
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
        found = solver.solve(s)
        if count < 5:
            assert found.value == plain_minimax(s, {})
        control = Control()
        assert found.value == full(s, -1, False, 0, control.address) and control.words[EVALUATIONS] == 0
        for a in found.line:  # the line is best play: it ends with the value
            s = play(s, a)
        assert over(s) and score(s) == found.value
        checked += 1
    assert checked == {3: 33, 4: 147, 5: 390}[count]  # so many there are


def test_the_solver_equals_plain_minimax_in_the_middle_of_larger_games(solver):
    for seed in range(12):
        chance = random.Random(seed)
        position = registry.game(f"triangles:points={8 + seed % 3},seed={seed}").first
        moves = position.tables.words[2]
        while len(position.history) < moves - 9:
            position = position.play(chance.choice(position.actions))
        assert solver.solve(position.state).value == plain_minimax(position.state, {})


def test_known_facts(solver):
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
    assert draws == ["C-D"]  # only the opposite side does
    assert value(SQUARE, "A-B A-C") == 2  # the report's diagonal loses 0 - 2
    inside = registry.game("triangles:points=0 0,6 0,3 6,3 2").position("A-B B-C A-C A-D")  # the sides, and one spoke
    assert inside.play_move("B-D").state.lead - inside.state.lead == 1
    assert inside.play_move("B-D").play_move("C-D").state.lead == inside.state.lead + 1 - 2


def test_the_drawing_agrees_with_the_rules_and_takes_everything_back():
    for seed in range(10):
        chance = random.Random(seed)
        position = registry.game(f"triangles:points={5 + 2 * seed % 16},seed={seed}").first
        board = table(position.state.board)
        net, drawing = drawing_of(position.state)
        before = [part.copy() for part in drawing]
        line = []
        while not position.over:
            assert tuple(ring(net, drawing)) == position.actions
            for e in position.actions[:: 1 + len(position.actions) // 6]:
                after = position.play(e).state
                assert drawing.gain[e] == abs(after.lead - position.state.lead)
                opened = [
                    completed(board, after.drawn, f) - completed(board, position.state.drawn, f) for f in actions(after)
                ]
                assert drawing.risk[e] == sum(opened)
            assert drawing_of(position.state)[1].facts[KEY] == drawing.facts[KEY]  # however it came about
            line.append(chance.choice(position.actions))
            draw(net, drawing, line[-1])
            position = position.play(line[-1])
        assert (drawing.facts[COUNT], drawing.facts[SCORED]) == (board[2], board[3])
        for e in reversed(line):
            take_back(net, drawing, e)
        for name in ("status", "gain", "risk", "code", "sides_drawn", "sides_blocked", "after", "facts"):
            field = drawing._fields.index(name)
            assert (before[field] == drawing[field]).all(), name


def test_a_search_without_a_table_worth_the_name_finds_the_same_value():
    """With two slots nothing is remembered: what the names of components claim is checked by searching on."""
    for seed in range(6):
        position = registry.game(f"triangles:points=7,seed={seed}").first
        values = []
        for slots, name_slots in ((2, 1), (1 << 16, 1 << 12)):
            net, drawing = drawing_of(position.state)
            chance = random.Random(seed)
            for _ in range(5):
                draw(net, drawing, chance.choice(ring(net, drawing)))
            memory, names, control = new_memory(slots), new_names(name_slots), Control()
            value = search(net, drawing, TO_THE_END, -INFINITY, INFINITY, 0, memory, names, control.address)
            values.append(value / UNIT)
        assert values[0] == values[1]


def test_rule_takes_most_then_keeps_safe_then_looks_ahead():
    game = registry.game(SQUARE)
    rule = player("rule", game)
    both = rule.decide(game.position("A-B B-C C-D A-D"))
    assert both.why == "takes 2 triangles"
    opening = rule.decide(game.first)
    assert game.first.move_text(opening.action) == "A-C"  # all points on the hull: not an edge of it
    assert opening.why.startswith("keeps ") and opening.why.endswith(("even", "odd"))
    assert "no segment is safe" in rule.decide(game.position("A-C")).why


def test_parity_does_not_open_a_closed_polygon():
    """A, B, C, D, E are a closed pentagon with F outside: whoever takes one of its triangles hands over two."""
    game = registry.game("triangles:points=0 2,2 0,4 1,4 4,1 4,6 6")
    closed = game.position("A-B B-C C-D D-E A-E")
    taking = [a for a in closed.actions if closed.play(a).state.lead != closed.state.lead]
    assert len(taking) == 5
    rule, parity = player("rule", game).decide(closed), player("parity", game).decide(closed)
    assert rule.action in taking and rule.why == "takes 1 triangle"
    assert not parity.why.startswith("takes")  # it leaves the choice to its look ahead


@pytest.mark.parametrize("name", ["rule", "parity"])
def test_the_reports_players_play_whole_games(name):
    for seed in range(4):
        position = registry.game(f"triangles:points={6 + 4 * seed},seed={seed}").first
        who = player(name, position.game)
        while not position.over:
            decision = who.decide(position)
            assert decision.why
            position = position.play(decision.action)


def test_the_engine_proves_a_small_board_and_says_so(solver):
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


def test_the_engine_keeps_its_limits_and_can_be_stopped():
    position = registry.game("triangles:points=20,seed=1").first
    engine = TrianglesEnginePlayer()
    assert engine.decide(position, Limit(depth=1)).report.depth == 1
    assert engine.decide(position, Limit(nodes=500)).report.nodes <= 600
    assert not engine.decide(position, Limit(time=0.05)).report.proved
    seen = []
    control = Control(seen.append)
    engine.decide(position, Limit(depth=2), control)
    assert [progress.depth for progress in seen] == [1, 2]
    stopped = Control()
    stopped.stop()
    assert engine.decide(position, Limit(time=60), stopped).action in position.actions


def test_the_engine_plans_only_against_who_plays_as_foreseen():
    opening = registry.game("triangles:points=10,seed=1").position("A-B C-D E-F")  # nobody's choice
    engine, rule = TrianglesEnginePlayer(), player("rule", opening.game)
    position = opening.play(engine.decide(opening, Limit(nodes=100)).action)
    foreseen = rule.decide(position).action
    other = next(a for a in position.actions if a != foreseen)
    after = position.play(foreseen)
    engine.decide(after, Limit(nodes=100))
    assert engine.searcher(after).planner.foreseen(after)[False] == 1
    engine = TrianglesEnginePlayer()
    engine.decide(opening, Limit(nodes=100))
    after = position.play(other)
    assert "if the opponent" not in engine.decide(after, Limit(nodes=2_000)).why
    assert engine.searcher(after).planner.foreseen(after) == {}


def play_out(first, second, position: Position, limit: Limit) -> float:
    while not position.over:
        position = position.play((second if position.mover else first).decide(position, limit).action)
    return position.score


def test_a_plan_that_wins_is_followed_to_the_win(solver):
    """Second on a board that the first player wins by right play: against `rule` the plan's promise must come true."""
    game = registry.game("triangles:points=9,seed=1")
    assert solver.solve(game.first.state).value > 0
    engine, rule = TrianglesEnginePlayer(), player("rule", game)
    position, promised = game.first, False
    while not position.over:
        decision = (engine if position.mover else rule).decide(position, Limit(nodes=30_000))
        promised |= position.mover == 1 and decision.why.startswith("wins by") and "if the opponent" in decision.why
        position = position.play(decision.action)
    assert promised and position.score < 0


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
    """Numba's cache has lost recursive callees before; a fresh process must be able to use what this one stored."""
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
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert '"move"' in found.stdout


def test_the_engine_plays_legal_moves_after_a_take_back():
    """A plan belongs to the line it was made for, not to any other of as many plies."""
    game = registry.game("triangles:points=8")
    engine, limit = player("engine", game), Limit(nodes=20_000)
    for move in ("A-B", "B-F"):
        at = game.first.play_move(move)
        assert engine.decide(at, limit).action in at.actions
    chance = random.Random(3)
    at = game.first
    for _ in range(60):  # on and back as a person would, with one engine
        if at.over or (at.previous is not None and chance.random() < 0.4):
            for _ in range(chance.randint(1, 3)):
                at = at.previous or at
        decision = engine.decide(at, limit)
        assert decision.action in at.actions and len(at.line_text(decision.report.line)) == len(decision.report.line)
        at = at.play(decision.action if chance.random() < 0.5 else chance.choice(at.actions))


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_small_board_is_solved_before_plans_are_made(seed: int) -> None:
    """Seven points take some ten thousand nodes, so even a busy machine is quick enough."""
    game = registry.game(f"triangles:points=7,seed={seed}")
    report = player("engine", game).decide(game.first, Limit(nodes=16_000)).report
    assert report.proved
