"""Playing Pacman: the course's results, the command line, recordings, students' agents, the keyboard."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.commands import Run

from hansu.arena.match import match
from hansu.arena.roster import player
from hansu.core import Control, HansuError, Limit, Position, registry
from hansu.games.pacman import compiled_games, course_games, terminal
from hansu.games.pacman.compiled_games import GhostPolicy, PacmanSearch, quick_games
from hansu.games.pacman.course_agents import GameState
from hansu.games.pacman.state import LOST, NORTH, STOP, WEST, WON
from hansu.search.players import Expectimax, Minimax

STUDENT = """
from util import manhattanDistance
from game import Directions
import random, util

from game import Agent
from pacman import GameState


class ReflexAgent(Agent):
    def getAction(self, gameState: GameState):
        legal = gameState.getLegalActions()
        scores = [self.evaluationFunction(gameState, action) for action in legal]
        best = max(scores)
        return legal[random.choice([i for i in range(len(scores)) if scores[i] == best])]

    def evaluationFunction(self, state, action):
        after = state.generatePacmanSuccessor(action)
        food = [manhattanDistance(after.getPacmanPosition(), f) for f in after.getFood().asList()]
        near = [g for g in after.getGhostStates()
                if g.scaredTimer == 0 and manhattanDistance(g.getPosition(), after.getPacmanPosition()) < 2]
        return after.getScore() - 500 * len(near) + (5.0 / min(food) if food else 0)


def scoreEvaluationFunction(currentGameState):
    return currentGameState.getScore()


class MultiAgentSearchAgent(Agent):
    def __init__(self, evalFn='scoreEvaluationFunction', depth='2'):
        self.index = 0
        self.evaluationFunction = util.lookup(evalFn, globals())
        self.depth = int(depth)


class MyAgent(MultiAgentSearchAgent):
    def getAction(self, gameState):
        def value(state, agent, depth):
            if state.isWin() or state.isLose() or depth == self.depth:
                return self.evaluationFunction(state)
            following = (agent + 1) % state.getNumAgents()
            values = [value(state.generateSuccessor(agent, a), following, depth + (following == 0))
                      for a in state.getLegalActions(agent)]
            return max(values) if agent == 0 else min(values)
        return max(gameState.getLegalActions(0),
                   key=lambda a: value(gameState.generateSuccessor(0, a), 1 % gameState.getNumAgents(), 0))


class Bare:
    def getAction(self, gameState):
        assert self.index == 0 and self.depth == 3
        return max(gameState.getLegalActions(), key=lambda a: self.evaluationFunction(
            gameState.generateSuccessor(0, a)))


class Broken(Agent):
    def getAction(self, gameState):
        return gameState.getLegalActions()[0] if gameState.getScore() == 0 else 1 / 0


class Slow(Agent):
    def getAction(self, gameState):
        while True:
            pass


class Wrong(Agent):
    def getAction(self, gameState):
        return Directions.STOP
"""


@pytest.fixture
def student(tmp_path: Path) -> Path:
    path = tmp_path / "multiAgents.py"
    path.write_text(STUDENT)
    return path


def first(layout: str, **options: object) -> Position:
    settings = {"layout": layout, "evaluation": "score", **options}
    return registry.built_in("pacman").with_settings({key: str(value) for key, value in settings.items()}).first


def test_minimax_is_trapped_and_expectimax_gambles() -> None:
    """The course's comparison, over 200 games each."""
    s = first("trappedClassic").state
    lost = [end.points for end in quick_games(s, PacmanSearch(minimax=3), range(200))]
    assert lost.count(-501) >= 190 and sum(lost) / 200 == pytest.approx(-501, abs=10)
    ends = list(quick_games(s, PacmanSearch(expectimax=3), range(200)))
    won = sum(end.state.ended == WON for end in ends)
    assert 80 <= won <= 120
    assert {end.points for end in ends} == {532, -502}


def test_expectimax_on_small_classic_wins_every_game() -> None:
    s = first("smallClassic", evaluation="better").state
    ends = list(quick_games(s, PacmanSearch(expectimax=2), range(188 * 1_000_003, 188 * 1_000_003 + 20)))
    assert all(end.state.ended == WON for end in ends)
    assert sum(end.points for end in ends) / 20 >= 1600


def test_control_c_during_a_compiled_game() -> None:
    """The first Python code after the compiled game raises KeyboardInterrupt; it must not be Numba's own code."""
    script = """
import signal, threading
from hansu.core import registry
from hansu.core.control import running
from hansu.games.pacman.compiled_games import PacmanSearch, quick_games

def interrupt():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    for control in list(running):
        control.stop()

played = quick_games(registry.game("pacman:layout=smallClassic").first.state, PacmanSearch(minimax=3), range(10**9))
next(played)  # compiles
threading.Timer(0.1, interrupt).start()
try:
    for end in played:
        pass
except KeyboardInterrupt:
    print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr


@pytest.mark.parametrize("interpreted", [False, True])
def test_a_compiled_game_can_be_stopped(interpreted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C stops the search, which may have no move then: no move is played."""

    class Stopped(Control):
        def __init__(self) -> None:
            super().__init__()
            self.stop()

    monkeypatch.setattr(compiled_games, "Control", Stopped)
    s = registry.game("pacman:layout=smallClassic").first.state
    for searcher in (PacmanSearch(minimax=2), PacmanSearch(alphabeta=2), PacmanSearch(expectimax=2)):
        with pytest.raises(KeyboardInterrupt):
            list(quick_games(s, searcher, range(1), interpreted=interpreted))


def test_alphabeta_visits_fewer_nodes_for_the_same_games() -> None:
    s = first("smallClassic").state
    plain = list(quick_games(s, PacmanSearch(minimax=2), range(5)))
    pruned = list(quick_games(s, PacmanSearch(alphabeta=2), range(5)))
    assert [end.actions for end in plain] == [end.actions for end in pruned]
    assert sum(end.nodes for end in pruned) < 0.8 * sum(end.nodes for end in plain)


def test_reflex_wins_on_open_classic() -> None:
    ends = list(quick_games(first("openClassic").state, PacmanSearch(), range(20)))
    assert sum(end.state.ended == WON for end in ends) >= 18


@pytest.mark.parametrize(
    "policy",
    [GhostPolicy(), GhostPolicy(attack=0.8, flee=0.8), GhostPolicy(depth=1)],
    ids=["random", "directional", "minimax"],
)
def test_compiled_games_equal_games_move_by_move(policy: GhostPolicy) -> None:
    position = first("testClassic", evaluation="better")
    searchers = {
        "expectimax": (PacmanSearch(expectimax=1), Expectimax(rounds=1)),
        "reflex": (PacmanSearch(seed=1), None),
    }
    for searcher, search in searchers.values():
        pacman = search or player("reflex:seed=1", position.game)
        choose = course_games.as_choice(pacman.decide)
        ends = list(quick_games(position.state, searcher, range(4), policy))
        plain = list(quick_games(position.state, searcher, range(2), policy, interpreted=True))
        assert [end.actions for end in plain] == [end.actions for end in ends[:2]]
        assert [end.nodes for end in plain] == [end.nodes for end in ends[:2]]
        for seed, end in enumerate(ends):
            played = course_games.play_game(position, choose, course_games.Ghosts(policy, seed))
            assert played.actions == end.actions
            assert (played.points, played.ended) == (end.points, end.state.ended)


def test_minimax_ghosts_are_worse_for_pacman_than_random_ones() -> None:
    s = first("testClassic", evaluation="better").state
    against_random = sum(end.points for end in quick_games(s, PacmanSearch(), range(40)))
    against_minimax = sum(end.points for end in quick_games(s, PacmanSearch(), range(40), GhostPolicy(depth=3)))
    assert against_minimax < against_random


def test_ghosts_are_players_in_the_second_seat() -> None:
    game = registry.game("pacman:layout=testClassic")
    for second in ("random:seed=1", "directional:seed=1", "minimax:rounds=1", "reflex"):
        results = list(match(game, player("expectimax:rounds=2", game), player(second, game), 2, Limit(), 1))
        assert len(results) == 2 and not results[-1][1].faults
    hunter = Minimax(rounds=2).decide(first("trappedClassic").play_move("South"))
    assert hunter.report.value == -501


# The command line


def test_the_summary(hansu: Run) -> None:
    words = [
        "pacman",
        "-p",
        "ExpectimaxAgent",
        "-a",
        "depth=2,evalFn=better",
        "-l",
        "smallClassic",
        "-n",
        "3",
        "-q",
        "-f",
    ]
    done = hansu(*words)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Pacman emerges victorious! Score: ")
    assert [line.split(":")[0] for line in lines[3:]] == ["Average Score", "Scores", "Win Rate", "Record"]
    assert lines[5] == "Win Rate:      3/3 (1.00)" and lines[6] == "Record:        Win, Win, Win"
    assert hansu(*words).stdout == done.stdout
    trapped = hansu("pacman", "-p", "MinimaxAgent", "-l", "trappedClassic", "-a", "depth=3", "-q", "-n", "2")
    assert "Average Score: -501.0" in trapped.stdout


def test_recorded_games_replay_exactly(hansu: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    words = [
        "pacman",
        "-p",
        "AlphaBetaAgent",
        "-l",
        "testClassic",
        "-g",
        "DirectionalGhost",
        "-n",
        "2",
        "-q",
        "--seed",
        "5",
    ]
    done = hansu(*words, "--record", str(file), "--allow-stop")
    assert done.returncode == 0, done.stderr
    again = hansu("pacman", "--replay", str(file), "-q")
    assert again.returncode == 0
    assert done.stdout.startswith(again.stdout)
    text = hansu("pacman", "--replay", str(file), "-t").stdout
    data = json.loads(file.read_text())
    assert f"score {data['games'][0]['score']}" in text
    data["games"][0]["score"] += 1
    file.write_text(json.dumps(data))
    assert "not to" in hansu("pacman", "--replay", str(file), "-q").stderr
    data["games"][0]["moves"] = "X" + data["games"][0]["moves"][::-1]
    file.write_text(json.dumps(data))
    assert hansu("pacman", "--replay", str(file), "-q").returncode == 2
    file.write_text("{}")
    assert "not a recording" in hansu("pacman", "--replay", str(file), "-q").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "ExpectimaxAgnt", "-q"], "did you mean 'ExpectimaxAgent'"),
        (["-p", "MinimaxAgent", "-a", "depth=x", "-q"], "must be an integer"),
        (["-p", "MinimaxAgent", "-a", "deep=2", "-q"], "did you mean 'depth'"),
        (["-p", "MinimaxAgent", "-a", "evalFn=best", "-q"], "one of: better, score"),
        (["-p", "ReflexAgent", "-l", "nowhere", "-q"], "there is no layout"),
        (["-p", "ReflexAgent", "-g", "RandomGhosts", "-q"], "did you mean 'RandomGhost'"),
        (["-p", "ReflexAgent", "-q", "--record", "nowhere/x.json"], "there is no folder"),
        (["-p", "ReflexAgent", "-q", "--record", "."], "is a folder"),
        (["-p", "nowhere.py:Agent", "-q"], "there is no file"),
        (["-q"], "name an agent with -p"),
        ([], "needs a terminal"),
    ],
)
def test_invalid_arguments(hansu: Run, words: list[str], message: str) -> None:
    done = hansu("pacman", *words)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


def test_an_invalid_layout_on_the_command_line(hansu: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.lay"
    path.write_text("%%%%\n%Px%\n%%%%\n")
    done = hansu("pacman", "-p", "ReflexAgent", "-l", str(path), "-q")
    assert done.returncode == 2 and "line 2, column 3" in done.stderr


# Students' agents


def test_a_student_agent_runs_unchanged(hansu: Run, student: Path) -> None:
    words = ["pacman", "-l", "testClassic", "-q", "-f", "-n", "2"]
    theirs = hansu(*words, "-p", f"{student}:MyAgent", "-a", "depth=2,evalFn=scoreEvaluationFunction")
    ours = hansu(*words, "-p", "MinimaxAgent", "-a", "depth=2")
    assert theirs.returncode == 0, theirs.stderr
    assert theirs.stdout == ours.stdout  # the same algorithm and tie-breaking, so the same games
    assert hansu(*words, "-p", f"{student}:ReflexAgent").returncode == 0
    bare = hansu(*words, "-p", f"{student}:Bare", "-a", "depth=3")
    assert bare.returncode == 0, bare.stderr


def test_a_failing_agent_loses_only_its_game(hansu: Run, student: Path) -> None:
    words = ["pacman", "-l", "testClassic", "-q", "-n", "2"]
    loud = hansu(*words, "-p", f"{student}:Broken")
    assert loud.returncode == 2 and "ZeroDivisionError" in loud.stderr and "multiAgents.py, line" in loud.stderr
    caught = hansu(*words, "-p", f"{student}:Broken", "-c")
    assert caught.returncode == 0 and caught.stdout.count("Pacman forfeits") == 2
    assert "Win Rate:      0/2" in caught.stdout
    slow = hansu(*words, "-p", f"{student}:Slow", "--timeout", "0.2")
    assert slow.returncode == 0 and slow.stdout.count("more than 0.2 s") == 2
    wrong = hansu(*words, "-p", f"{student}:Wrong")
    assert wrong.returncode == 2 and "'Stop', which is not legal" in wrong.stderr
    unknown = hansu(*words, "-p", f"{student}:Nobody")
    assert unknown.returncode == 2 and "MyAgent" in unknown.stderr


def test_a_student_agent_plays_matches_by_path(student: Path) -> None:
    game = registry.game("pacman:layout=testClassic,evaluation=score")
    guest = player(f"{student}:MyAgent", game)
    try:
        position = game.first
        assert guest.decide(position).action == Minimax(rounds=2).decide(position).action
        results = list(match(game, guest, player("random:seed=3", game), 1, Limit(), 1))
        assert len(results) == 1 and not results[-1][1].faults
    finally:
        guest.close()


def test_the_course_interface() -> None:
    state = GameState(first("smallClassic").state)
    assert state.getNumAgents() == 3 and state.getNumFood() == 55 == state.getFood().count()
    assert state.getPacmanPosition() == (9, 5)
    assert state.getGhostPositions() == [(9, 3), (10, 3)]
    assert state.getCapsules() == [(3, 3), (16, 3)]
    walls = state.getWalls()
    assert (walls.width, walls.height) == (20, 7) and walls[0][0] and not walls[9][5]
    assert state.hasWall(0, 0) and not state.hasWall(9, 5) and state.hasFood(8, 5)
    assert state.getLegalActions(0) == ["West", "East"]
    after = state.generateSuccessor(0, "West")
    assert after.getPacmanPosition() == (8, 5) and after.getScore() == 9 and not after.hasFood(8, 5)
    assert after.getPacmanState().getDirection() == "West"
    assert {after.getGhostState(1).scaredTimer, after.getGhostState(2).scaredTimer} == {0}
    assert state == GameState(state.state) and hash(state) == hash(GameState(state.state)) and state != after
    with pytest.raises(Exception, match="Illegal action"):
        state.generateSuccessor(0, "North")


def test_legal_actions_are_in_the_frameworks_order(tmp_path: Path) -> None:
    """Agents break ties by this order."""
    path = tmp_path / "cross.lay"
    path.write_text("%%%%%\n%...%\n%.P.%\n%..G%\n%%%%%\n")
    state = GameState(first(str(path), stop=True).state)
    assert state.getLegalActions(0) == ["West", "Stop", "East", "North", "South"]
    assert state.getLegalActions(1) == ["West", "North"]
    assert GameState(first(str(path)).state).getLegalActions() == ["West", "East", "North", "South"]


# The keyboard


def test_keys() -> None:
    assert terminal.split_keys("w\x1b[A\x1bODq") == ["w", "\x1b[A", "\x1bOD", "q"]
    assert terminal.KEYS["\x1b[A"] == terminal.KEYS["w"] == NORTH
    assert terminal.KEYS["\x1b[D"] == terminal.KEYS["a"] == WEST


def test_a_person_steers(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard = terminal.Keyboard()
    position = first("smallClassic", stop=True)
    pending: list[str] = []
    monkeypatch.setattr(terminal, "pressed", lambda: [pending.pop(0)] if pending else [])
    assert keyboard.choose(position)[0] == STOP
    pending.append("\x1b[D")
    assert keyboard.choose(position)[0] == WEST
    assert keyboard.choose(position)[0] == WEST  # the direction stays until another key
    pending.append("w")  # a wall: Pacman remembers the key and continues west
    moving = position.play_move("West")
    at = Position(moving.game, moving.state._replace(turn=0), moving.tables)
    assert keyboard.choose(at)[0] == WEST and keyboard.direction == NORTH
    pending.append("q")
    with pytest.raises(terminal.Quit):
        keyboard.choose(position)


def in_a_terminal(keys: dict[str, str], *words: str) -> str:
    """The output of `hansu pacman` in a pseudo-terminal. Each key is pressed when its pattern appears."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "hansu", "pacman", *words]
    running = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    output, pending, end = b"", dict(keys), time.monotonic() + 600
    while running.poll() is None and time.monotonic() < end:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                output += os.read(ours, 65536)
            except OSError:
                break
        for pattern in [pattern for pattern in pending if re.search(pattern.encode(), output)]:
            os.write(ours, pending.pop(pattern).encode())
    running.wait(timeout=600)
    os.close(ours)
    assert running.returncode == 0, running.stderr.read() if running.stderr else ""
    return output.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_game_in_a_real_terminal(tmp_path: Path) -> None:
    maze = tmp_path / "line.lay"
    maze.write_text("%%%%%%%\n% P  .%\n%%%%%%%\n")
    text = in_a_terminal({"score": "\x1b[C"}, "-l", str(maze), "--frame-time", "0.05")  # Pacman continues east
    assert "Pacman emerges victorious!" in text
    assert text.count("\x1b[H") >= 6 and "\x1b[?25h" in text  # drawn in place; the cursor is visible again


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_quitting_keeps_the_game_so_far(tmp_path: Path, hansu: Run) -> None:
    maze, file = tmp_path / "line.lay", tmp_path / "games.json"
    dots = (
        "." * 20
    )  # enough for a score above 0 even if the key is late; one dot is unreachable, so the game never ends
    maze.write_text(f"{'%' * 25}\n%P{dots}%.%\n{'%' * 25}\n")
    keys = {"score 0": "\x1b[C", "score [1-9]": "q"}
    text = in_a_terminal(keys, "-l", str(maze), "--frame-time", "0.05", "-n", "3", "--record", str(file))
    assert "You quit." in text and "Average" not in text and "Recorded:" in text
    (game,) = json.loads(file.read_text())["games"]
    assert game["left"] and not game["won"] and "E" in game["moves"]
    again = hansu("pacman", "--replay", str(file), "-q")
    assert again.returncode == 0 and again.stdout == f"You quit. Score: {game['score']}\n"


def test_lost_and_won_games_look_different() -> None:
    lost = first("trappedClassic").play_move("South").play_move("West").play_move("North")
    assert lost.state.ended == LOST and "caught" in str(lost)
    with pytest.raises(HansuError, match="game is already over"):
        lost.play_move("North")
