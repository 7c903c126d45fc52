"""Pacman's rules against a simple oracle, scared timers, layouts and their errors."""

from __future__ import annotations

import random
from itertools import pairwise
from math import ceil, floor
from pathlib import Path

import pytest

from hansu.compile import compiled
from hansu.core import HansuError, Position, actions, play, registry
from hansu.games.pacman import layout as layouts
from hansu.games.pacman.course_agents import GameState
from hansu.games.pacman.drawing import ghost_place, place, things
from hansu.games.pacman.evaluation import BETTER, FEATURES, distance, evaluate, features, threat
from hansu.games.pacman.players import directional_action
from hansu.games.pacman.state import CELL, DIRECTIONS, LOST, SCARED_AT, STEPS, STOP, WON, Pacman, ghost_of
from hansu.search.players import AlphaBeta, Expectimax, Minimax

NAMES = {
    "smallClassic", "mediumClassic", "openClassic", "minimaxClassic", "trappedClassic", "testClassic", "trickyClassic",
    "contestClassic", "capsuleClassic", "powerClassic", "originalClassic",
}  # fmt: skip

EIGHT = """
%%%%%%%%%%%%
%G..o.G..oG%
%.%%%.%%%%.%
%G.P......G%
%.%%%.%%%%.%
%Go..G....G%
%%%%%%%%%%%%
"""


def board(text: str, ghosts: int = 8, stop: bool = False, evaluation: str = "score") -> Position:
    maze = layouts.maze_of(layouts.read(text.strip("\n"), "drawn"), ghosts, stop, evaluation)
    return Position(registry.built_in("pacman"), layouts.first_state(maze), maze)


def go(position: Position, *moves: str) -> Position:
    for move in moves:
        position = position.play_move(move)
    return position


class Oracle:
    """A simple implementation of the rules: sets of places, ghosts with float coordinates."""

    def __init__(self, layout: layouts.Layout, ghosts: int, stop: bool) -> None:
        self.open = {(x, y) for y, row in enumerate(layout.rows) for x, c in enumerate(row) if c != "%"}
        self.food, self.capsules = set(layout.spots(".")), set(layout.spots("o"))
        self.me = layout.spots("P")[0]
        self.homes = layout.ghosts[:ghosts]
        self.ghosts = [[x, y, STOP, 0] for x, y in self.homes]  # place, direction, scared moves left
        self.stop, self.points, self.ended = stop, 0, 0

    def ways(self, x: float, y: float) -> list[int]:
        return [d for d, (dx, dy) in enumerate(STEPS[:4]) if (x + dx, y + dy) in self.open]

    def legal(self, agent: int) -> list[int]:
        if agent == 0:
            return self.ways(*self.me) + ([STOP] if self.stop or not self.ways(*self.me) else [])
        x, y, facing, _ = self.ghosts[agent - 1]
        if (x, y) != (int(x), int(y)):
            return [facing]
        ways = self.ways(x, y)
        return [d for d in ways if facing == STOP or d != facing ^ 1] or ways or [STOP]

    def play(self, agent: int, d: int) -> None:
        dx, dy = STEPS[d]
        if agent == 0:
            self.points -= 1
            self.me = (self.me[0] + dx, self.me[1] + dy)
            if self.me in self.food:
                self.food.remove(self.me)
                self.points += 10
                if not self.food:
                    self.points, self.ended = self.points + 500, WON
            if self.me in self.capsules:
                self.capsules.remove(self.me)
                for ghost in self.ghosts:
                    ghost[3] = 40
        else:
            ghost = self.ghosts[agent - 1]
            speed = 0.5 if ghost[3] else 1
            ghost[:3] = ghost[0] + dx * speed, ghost[1] + dy * speed, d
            if ghost[3] == 1:  # to the nearest cell; of two, the eastern or northern one (y grows downwards)
                ghost[:2] = floor(ghost[0] + 0.5), ceil(ghost[1] - 0.5)
            ghost[3] = max(ghost[3] - 1, 0)
        for i, ghost in enumerate(self.ghosts):
            if agent in (0, i + 1) and abs(ghost[0] - self.me[0]) + abs(ghost[1] - self.me[1]) <= 0.7:
                if ghost[3] and self.ended != LOST:
                    self.points += 200
                    self.ghosts[i] = [*self.homes[i], STOP, 0]
                elif not ghost[3] and not self.ended:
                    self.points, self.ended = self.points - 500, LOST


def compare(oracle: Oracle, s: Pacman) -> None:
    assert (oracle.points, oracle.ended, len(oracle.food)) == (s.points, s.ended, s.left)
    assert oracle.me == place(s, s.me & CELL)
    for i, (x, y, facing, scared) in enumerate(oracle.ghosts):
        assert (x, y) == ghost_place(s, i)
        assert facing == ghost_of(s.ghosts, i) >> 16 & 7
        assert scared == ghost_of(s.ghosts, i) >> SCARED_AT
    left = list(things(s))
    assert {(x, y) for x, y, capsule in left if not capsule} == oracle.food
    assert {(x, y) for x, y, capsule in left if capsule} == oracle.capsules


def next_state(s: Pacman, a: int) -> Pacman:
    return play(s, a)


@pytest.mark.parametrize("name", [*sorted(NAMES), "eight"])
def test_random_games_agree_with_the_oracle(name: str) -> None:
    layout = layouts.read(EIGHT.strip("\n"), name) if name == "eight" else layouts.find(name)
    rng = random.Random(name)
    counts = {"scared": 0, "half": 0, "eaten": 0, "won": 0}
    for _ in range(30):
        ghosts, stop = rng.randint(0, 8), rng.random() < 0.3
        maze = layouts.maze_of(layout, ghosts, stop, "score")
        s, oracle = layouts.first_state(maze), Oracle(layout, ghosts, stop)
        for _ in range(600):
            if s.ended:
                break
            legal = list(actions(s))
            assert legal == oracle.legal(s.turn)
            # Half of Pacman's moves are greedy, so that it eats capsules and wins games.
            a = rng.choice(legal)
            if s.turn == 0 and rng.random() < 0.5:
                a = max(legal, key=lambda d: play(s, d).points)
            oracle.play(s.turn, a)
            before, fast, s = s.points, compiled(next_state, Pacman)(s, a), play(s, a)
            assert fast == s
            compare(oracle, s)
            counts["eaten"] += s.points - before >= 199
            counts["scared"] += any(ghost[3] for ghost in oracle.ghosts)
            counts["half"] += any(ghost[0] % 1 or ghost[1] % 1 for ghost in oracle.ghosts)
        counts["won"] += s.ended == WON
    if name in ("powerClassic", "eight", "capsuleClassic"):
        assert counts["scared"] and counts["half"] and counts["eaten"]


def test_scoring_of_each_event() -> None:
    corridor = board("%%%%%%%%\n%P. .o.%\n%%%%%%%%")
    assert go(corridor, "East").state.points == 9
    assert go(corridor, "East", "East").state.points == 8
    assert go(corridor, *["East"] * 4).state.points == 16  # a capsule is worth no points
    assert go(corridor, *["East"] * 5).state.points == 16 - 1 + 10 + 500
    caught = go(board("%%%%%\n%P G%\n%. %%\n%%%%%"), "East", "West")
    assert caught.over and caught.score == -501 and caught.state.ended == LOST


def test_the_last_dot_wins_even_on_a_ghost() -> None:
    position = go(board("%%%%%%%%\n%%P .G %\n%%%%%%%%"), "East", "West")
    assert ghost_place(position.state, 0) == (4, 1) and place(position.state, position.state.me & CELL) == (3, 1)
    won = go(position, "East")
    assert won.state.ended == WON and won.score == -2 + 10 + 500
    not_the_last = go(board("%%%%%%%%\n%.P .G %\n%%%%%%%%"), "East", "West", "East")
    assert not_the_last.state.ended == LOST and not_the_last.score == -2 + 10 - 500


def test_scared_ghosts_are_slow_for_40_moves() -> None:
    long = "%" * 60
    position = go(board(f"{long}\n%oP{' ' * 10}G{' ' * 44}.%\n{long}"), "West")
    places = [ghost_place(position.state, 0)[0]]
    timers = [ghost_of(position.state.ghosts, 0) >> SCARED_AT]
    assert timers == [40]
    step = "East"
    for _ in range(43):
        position = go(position, step)
        places.append(ghost_place(position.state, 0)[0])
        timers.append(ghost_of(position.state.ghosts, 0) >> SCARED_AT)
        if position.over:
            break
        if _ == 0:
            position = go(position, "East")
        else:
            position = go(position, "West" if _ % 2 else "East")
    assert timers[1:41] == list(range(39, -1, -1))
    assert [b - a for a, b in pairwise(places)][:41] == [0.5] * 40 + [1.0]


def test_a_timer_that_ends_between_cells() -> None:
    """A second capsule restarts the timer while the ghost is halfway, so it ends halfway: the ghost is put on the
    eastern cell."""
    long = "%" * 60
    position = go(board(f"{long}\n%ooP{' ' * 6}G{' ' * 47}.%\n{long}"), "West")
    position = go(position, "East")  # half a cell
    assert ghost_place(position.state, 0)[0] == 10.5
    position = go(position, "West")
    assert ghost_of(position.state.ghosts, 0) >> SCARED_AT == 40
    for i in range(40):
        position = go(position, "East")
        if i < 39:
            position = go(position, "East" if i % 2 == 0 else "West")
    assert ghost_of(position.state.ghosts, 0) >> SCARED_AT == 0
    assert ghost_place(position.state, 0)[0] == 31  # 10.5 + 20 = 30.5, to the east
    west = go(board(f"{long}\n%.{' ' * 46}G{' ' * 6}Poo %\n{long}"), "East", "West", "East")
    assert ghost_place(west.state, 0)[0] == 47.5
    for i in range(40):
        west = go(west, "West")
        if i < 39:
            west = go(west, "West" if i % 2 == 0 else "East")
    assert ghost_place(west.state, 0)[0] == 28  # 47.5 - 20 = 27.5, to the east again


def test_an_eaten_ghost_is_at_home_and_not_scared() -> None:
    position = go(board("%%%%%%%%\n%Po  G.%\n%%%%%%%%"), "East", "West", "East")
    # Pacman on 3, the ghost on 4.5 after half a step, then on 4: contact is within 0.7
    position = go(position, "West")
    assert ghost_place(position.state, 0) == (4, 1)
    eaten = go(position, "East")
    assert eaten.state.points == position.state.points - 1 + 200
    assert ghost_place(eaten.state, 0) == (5, 1)
    assert ghost_of(eaten.state.ghosts, 0) >> SCARED_AT == 0
    assert set(map(eaten.move_text, eaten.actions)) == {"West", "East"}


def test_half_a_cell_is_contact() -> None:
    """0.5 <= 0.7: a scared ghost halfway to Pacman's cell is eaten."""
    position = go(board("%%%%%%%\n%PoG .%\n%%%%%%%"), "East", "West")
    assert position.state.points == -1 + 200
    assert ghost_place(position.state, 0) == (3, 1)


def test_stop_is_an_option() -> None:
    text = "%%%%%\n%P..%\n%%%%%"
    assert board(text).actions == (1,)
    assert board(text, stop=True).actions == (1, STOP)
    assert go(board(text, stop=True), "Stop", "East").state.points == 8
    assert registry.game("pacman:stop=true").first.legal(STOP)
    assert not registry.game("pacman").first.legal(STOP)


def test_walled_in_agents_stand_still() -> None:
    assert board("%%%%%\n%P%.%\n%%%%%").actions == (STOP,)
    alone = go(board("%%%%%%%\n%P..%G%\n%%%%%%%"), "East")
    assert alone.actions == (STOP,)
    assert go(alone, "Stop", "East").state.ended == WON


def test_layouts_of_the_package() -> None:
    assert set(layouts.names()) == NAMES
    small = layouts.find("smallClassic")
    assert (small.width, small.height) == (20, 7)
    assert [len(small.spots(c)) for c in ".oG"] == [55, 2, 2]
    assert len(layouts.find("minimaxClassic").ghosts) == 3
    opened = layouts.find("openClassic")
    assert all(row.strip("%").find("%") < 0 for row in opened.rows)
    for name in NAMES:  # every cell is reachable
        cells, _ = layouts.places_of(layouts.find(name))
        maze = layouts.maze_of(layouts.find(name), 4, False, "score")
        s = layouts.first_state(maze)
        assert all(distance(s.maze, s.me & CELL, cell) < len(cells) for cell in range(len(cells)))


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("%%%%\n% .%\n%%%%\n", "", "no Pacman"),
        ("%%%%%\n%P.P%\n%%%%%\n", "line 2, column 4", "second Pacman"),
        ("%%%%\n%P?%\n%%%%\n", "line 2, column 3", "unknown character '?'"),
        ("%%%%\n%P %\n%%%%\n", "", "no food"),
        ("%%%%\n%P\t%\n%%%%\n", "line 2, column 3", "unknown character"),
        (f"%{'G' * 9}%\n%P.      .%", "line 1, column 10", "more than 8 ghosts"),
        ("", "", "empty"),
    ],
)
def test_errors_in_layouts_name_their_place(tmp_path: Path, text: str, where: str, what: str) -> None:
    path = tmp_path / "broken.lay"
    path.write_text(text)
    with pytest.raises(HansuError) as caught:
        _ = registry.game(f"pacman:layout={path}").first
    assert where in str(caught.value) and what in str(caught.value)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("%%%%%  \n%P.G% \n%%%%%\n", "%%%%%|%P.G%|%%%%%"),  # trailing spaces
        ("%%%%%\n%P.G%\n%%%%%%\n", "%%%%%|%P.G%|%%%%%"),  # a wall that is too long
        ("%%%%%\n%P.G%%%%\n%%%%%%\n", "%%%%%|%P.G%|%%%%%"),
        ("%%%%%%\n%P.G%%\n%%%%%%\n", "%%%%%%|%P.G%%|%%%%%%"),  # a thick wall stays
        ("%%%%\n%P.%\n%%%\n", "%%%%|%P.%|%%% "),
        ("%%%%\n%P. %\n%%%%\n", "%%%% |%P. %|%%%% "),
        ("P. .\n\n   .\n", "P. .|    |   ."),  # no walls at all
        ("%%%%\r\n%P.%\r\n%%%%\r\n\r\n", "%%%%|%P.%|%%%%"),
    ],
)
def test_lines_of_different_lengths(tmp_path: Path, text: str, rows: str) -> None:
    path = tmp_path / "theirs.lay"
    path.write_bytes(text.encode())
    layout = layouts.find(str(path))
    assert layout.rows == tuple(rows.split("|"))
    assert layouts.read("\n".join(layout.rows), "again").rows == layout.rows  # for replays of recordings
    position = registry.game(f"pacman:layout={path}").first
    assert go(position, "East").state.points > 0


def test_padding_is_bounded() -> None:
    with pytest.raises(HansuError, match="open cells"):
        layouts.read("P." + "%" * 1_000_000 + "." + "\n" * 50_000 + ".", "wide")


def test_missing_layouts() -> None:
    with pytest.raises(HansuError, match="did you mean 'smallClassic'"):
        layouts.find("smalClassic")
    with pytest.raises(HansuError, match="cannot read"):
        layouts.find("nowhere/maze.lay")


def test_mazes_of_any_size(tmp_path: Path) -> None:
    wide = 90
    rows = ["%" * wide] + ["%" + "." * (wide - 2) + "%"] * 40 + ["%" * wide]
    rows[1] = "%P" + rows[1][2:]
    rows[20] = "%" + "G" * 8 + rows[20][9:]
    path = tmp_path / "huge.lay"
    path.write_text("\n".join(rows))
    position = registry.game(f"pacman:layout={path},ghosts=8").first
    assert position.state.left == 88 * 40 - 9
    decision = Expectimax(depth=3).decide(position)
    slow = Expectimax(depth=3, interpreted=True).decide(position)
    assert (decision.action, decision.report.value, decision.report.nodes) == (
        slow.action,
        slow.report.value,
        slow.report.nodes,
    )
    assert go(position, "South").state.points == 9


def test_distances_are_steps_in_the_maze() -> None:
    position = board("%%%%%%%\n%P%.  %\n% %%% %\n%     %\n%%%%%%%", evaluation="better")
    s = position.state
    assert dict(zip(FEATURES, features(s), strict=True))["food_distance"] == 10


def test_a_ghost_that_moves_away_is_far() -> None:
    position = board("%%%%%%%%%%\n%P     G.%\n% %%%%%% %\n%        %\n%%%%%%%%%%")
    position = go(position, "East", "East", "East")
    ghost = ghost_of(position.state.ghosts, 0)
    here = position.state.me & CELL
    assert place(position.state, here) == (3, 1)
    assert distance(position.state.maze, ghost & CELL, here) == 5
    assert threat(position.state.maze, ghost, here) == 7  # one step on, then 6 back


def test_the_evaluation_is_linear_and_below_a_win() -> None:
    position = registry.game("pacman").first
    s = position.state
    by_hand = s.points + sum(BETTER[name] * value for name, value in zip(FEATURES, features(s), strict=True))
    assert evaluate(s) == pytest.approx(by_hand)
    assert registry.game("pacman:evaluation=score").first.state.points == 0
    assert evaluate(registry.game("pacman:evaluation=score").first.state) == 0
    assert evaluate(s) < 10 * 55 + 500 + 4 * 200  # the points that are still possible


def rounds_by_hand(state: GameState, agent: int, depth: int, mean: bool) -> float:
    """The course's pseudocode on the course's interface."""
    if state.isWin() or state.isLose() or depth == 0:
        return state.getScore()
    following = (agent + 1) % state.getNumAgents()
    values = [
        rounds_by_hand(state.generateSuccessor(agent, a), following, depth - (following == 0), mean)
        for a in state.getLegalActions(agent)
    ]
    if agent == 0:
        return max(values)
    return sum(values) / len(values) if mean else min(values)


@pytest.mark.parametrize("name", ["minimaxClassic", "trappedClassic", "smallClassic"])
def test_general_searches_count_rounds(name: str) -> None:
    rng = random.Random(7)
    position = registry.game(f"pacman:layout={name},evaluation=score").first
    while not position.over and len(position.history) < 12:
        if position.mover == 0:
            expected = rounds_by_hand(GameState(position.state), 0, 2, mean=False)
            plain, pruned = Minimax(rounds=2).decide(position), AlphaBeta(rounds=2).decide(position)
            assert plain.report.value == pruned.report.value == expected
            assert plain.action == pruned.action and pruned.report.nodes <= plain.report.nodes
            mean = rounds_by_hand(GameState(position.state), 0, 2, mean=True)
            assert Expectimax(rounds=2).decide(position).report.value == pytest.approx(mean)
        position = position.play(rng.choice(position.actions))


def test_directional_ghosts_hunt_and_flee() -> None:
    hunted = go(board("%%%%%%%%%\n%P  G   %\n%.%%%%%%%\n%%%%%%%%%"), "East")
    always, never = 1 << 31, 0
    assert {directional_action(hunted.state, always, always, [seed]) for seed in range(50)} == {
        DIRECTIONS.index("West")
    }
    assert {directional_action(hunted.state, never, never, [seed]) for seed in range(50)} == {0, 1}
    scared = go(board("%%%%%%%%%\n%Po G   %\n%.%%%%%%%\n%%%%%%%%%"), "East")
    assert {directional_action(scared.state, always, always, [seed]) for seed in range(50)} == {
        DIRECTIONS.index("East")
    }
