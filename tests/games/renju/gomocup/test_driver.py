"""The player `gomocup` with well-behaved and misbehaving engines."""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
from pathlib import Path

import pytest
from support.commands import ROOT, Run
from support.talk import WAIT

from hansu.arena.match import match, play_game
from hansu.arena.roster import player
from hansu.core import Control, HansuError, Limit, registry
from hansu.core.errors import PlayerFault
from hansu.games.renju.gomocup.player import Gomocup
from hansu.protocols.driver import home

GAME = registry.game("renju:rule=freestyle")
BRAIN = ROOT / "tests" / "support" / "fake_brain.py"
ENGINES = ROOT / "tests" / "support" / "gomocup_engines.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an engine."""
    path = tmp_path / "an engine"
    path.mkdir()
    shutil.copy(BRAIN, path / "brain.py")
    return path


def brain(folder: Path, habit: str = "good", grace: float = 60.0) -> Gomocup:
    """The fake engine as a player. The long grace allows slow answers on a busy machine."""
    command = f"'{sys.executable}' '{folder / 'brain.py'}' '{habit}'"
    return Gomocup(cmd=command, grace=grace, log=str(folder.parent / "talk.log"))


def received(folder: Path) -> list[str]:
    """The lines that the engine has received, from its own log."""
    return (folder / "brain.log").read_text().splitlines()


def test_an_engine_that_follows_the_game_receives_turns(folder: Path) -> None:
    outside = brain(folder)
    position = GAME.first
    decision = outside.decide(position, Limit(time=0.2))
    assert position.move_text(decision.action) == "a15" and "a15: the engine" in decision.why
    position = position.play(decision.action).play_move("b15")
    position = position.play(outside.decide(position, Limit(time=0.2)).action)
    assert position.moves == ("a15", "b15", "c15")
    position = position.play_move("d15")
    outside.decide(position, Limit(time=0.3))
    outside.close()
    where, *lines = received(folder)
    assert where == str(folder)  # it runs in its own folder
    assert lines == [
        "START 15", "INFO timeout_match 0", f"INFO max_memory {1 << 30}", "INFO game_type 1", "INFO rule 0",
        "INFO timeout_turn 200", "INFO time_left 2147483647", "BEGIN",
        "INFO timeout_turn 200", "INFO time_left 2147483647", "TURN 1,0",
        "INFO timeout_turn 300", "INFO time_left 2147483647", "TURN 3,0", "END",
    ]  # fmt: skip


def test_any_other_position_is_sent_as_a_board(folder: Path) -> None:
    outside = brain(folder)
    outside.decide(GAME.position("h8 i9 j10"), Limit(time=0.2))
    outside.decide(GAME.position("h8 i9 j10"), Limit(time=0.2))  # the same position again, not one move ahead
    outside.new_game()
    outside.decide(GAME.position("h8"), Limit(depth=3, nodes=500))
    outside.decide(registry.game("renju:size=10,rule=standard").first, Limit(time=0.1))
    outside.close()
    lines = [line for line in received(folder) if not line.startswith(("INFO time", "INFO max_memory", "INFO game"))]
    assert lines == [
        str(folder), "START 15", "INFO rule 0", "BOARD", "7,7,2", "8,6,1", "9,5,2",
        "RESTART", "BOARD", "7,7,2", "8,6,1", "9,5,2", "END",
        str(folder), "START 15", "INFO rule 0", "INFO max_depth 3", "INFO max_node 500", "TURN 7,7", "END",
        str(folder), "START 10", "INFO rule 1", "BEGIN", "END",
    ]  # fmt: skip


def test_an_engine_without_restart_is_restarted(folder: Path) -> None:
    outside = brain(folder, "no restart")
    for _ in range(2):
        outside.new_game()
        assert outside.decide(GAME.first, Limit(time=0.2)).action == 0
    outside.close()
    assert received(folder).count("START 15") == 2


@pytest.mark.parametrize("habit", ["chatty", "suggest"])
def test_other_lines_are_skipped(folder: Path, habit: str) -> None:
    outside = brain(folder, habit)
    position = GAME.first
    for _ in range(3):
        decision = outside.decide(position, Limit(time=0.5))
        position = position.play(decision.action)
        position = position.play(position.actions[-1])
    outside.close()
    assert position.moves[::2] == ("a15", "b15", "c15")
    assert habit == "suggest" or "depth 3 eval 40" in decision.why


@pytest.mark.parametrize(
    "habit, message",
    [
        ("crash", "broken inside"), ("exit", "exit code 3"), ("hang", "0.2 s plus 0.3 s (grace=)"),
        ("taken", "is already taken"), ("outside", "99,99', which is not on the board"),
        ("error", "I do not like this"), ("silent", "did not answer"), ("flood", "did not answer"),
        ("memory", "MemoryError"), ("refuse", "rejected the game: too large"),
    ],
)  # fmt: skip
def test_a_misbehaving_engine_loses_and_its_log_is_kept(folder: Path, habit: str, message: str) -> None:
    outside = brain(folder, habit, grace=0.3 if habit in ("error", "hang", "silent", "flood") else 60.0)
    other = player("random:seed=1", GAME)
    record = play_game(GAME.first, outside, other, Limit(time=0.2), random.Random(1))
    outside.close()
    assert record.outcome == -1 and message in record.fault and "talk.log" in record.fault
    talk = (folder.parent / "talk.log").read_text()
    assert "> START 15" in talk


def test_a_forbidden_move_loses(folder: Path) -> None:
    game = registry.game("renju")
    outside = brain(folder, "forbidden")
    position = game.first
    for reply in ("a1", "c1", "e1"):
        position = position.play(outside.decide(position, Limit(time=0.3)).action).play_move(reply)
    position = game.position("e11 a1 g11 c1 i11 e1 k11 g1")  # the same with one more stone
    with pytest.raises(PlayerFault, match="7,4: h11 is forbidden for black: double four"):
        outside.decide(position, Limit(time=0.3))
    outside.close()


def test_child_processes_of_an_engine_are_ended(folder: Path) -> None:
    outside = brain(folder, "child")
    position = GAME.position("a15 b15")
    outside.decide(position, Limit(time=0.1))
    child = int((folder / "child").read_text())
    os.kill(child, 0)  # it is running
    outside.grace = 0.3
    with pytest.raises(PlayerFault, match="did not answer"):
        outside.decide(position, Limit(time=0.1))
    state, end = Path(f"/proc/{child}/stat"), time.monotonic() + WAIT
    while state.exists() and state.read_text().split()[2] != "Z":
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_match_continues_after_a_fault(folder: Path) -> None:
    outside = brain(folder, "exit")
    tally = [tally for _, tally in match(GAME, player("random:seed=1", GAME), outside, 2, Limit(time=0.1), 1)][-1]
    outside.close()
    assert tally.wins == 2 and len(tally.faults) == 2


def test_server_and_driver_work_together() -> None:
    outside = Gomocup(cmd=f"'{sys.executable}' '{ENGINES}' wait", grace=60.0)
    control = Control()
    control.stop()  # YXSTOP is sent right after the position
    decision = outside.decide(GAME.first, Limit(time=86_400), control)
    assert decision.action == 112  # the engine stopped
    assert "pv h8" in decision.why
    record = play_game(GAME.first, outside, player("random:seed=1", GAME), Limit(time=0.05), random.Random(1))
    outside.close()
    assert not record.fault and len(record.last.history) >= 9


def test_the_opening_of_swap2() -> None:
    game = registry.game("renju:rule=standard,opening=swap2")
    ours, theirs = (Gomocup(cmd=f"'{sys.executable}' '{ENGINES}'", grace=60.0) for _ in range(2))
    position = game.first
    while len(position.history) < 8:
        position = position.play((theirs if position.mover else ours).decide(position, Limit(time=0.2)).action)
    ours.close()
    theirs.close()
    # Three stones; two more, to let the opponent choose; black, which this engine always takes; then ordinary play.
    assert position.moves[:7] == ("h15", "i15", "j15", "add", "f14", "g14", "black")


def test_swap2_with_other_answers(folder: Path) -> None:
    game = registry.game("renju:rule=standard,opening=swap2")
    three = game.position("h8 h9 i9")
    for answer, moves in {"SWAP": ("black",), "1,1": ("white", "b14"), "1,1 2,2": ("add", "b14", "c13")}.items():
        outside = brain(folder, answer)
        position = three
        for _ in moves:
            position = position.play(outside.decide(position, Limit(time=0.3)).action)
        assert position.moves[3:] == moves
        outside.close()
    for answer in ("7,7", "1,1 2,2 3,3", "99,1"):  # taken; one too many; off the board
        outside = brain(folder, answer)
        with pytest.raises(PlayerFault):
            position = three
            for _ in range(2):
                position = position.play(outside.decide(position, Limit(time=0.3)).action)
        outside.close()


def test_other_opening_rules_are_rejected() -> None:
    with pytest.raises(HansuError, match="does not support opening=rif"):
        Gomocup(cmd="x").decide(registry.game("renju:opening=rif").first)


def test_invalid_options_are_reported(tmp_path: Path) -> None:
    assert player("gomocup:cmd=x,memory=100", GAME).name == "gomocup:cmd=x,memory=100"
    for settings in ({}, {"cmd": "'open"}, {"cmd": "x", "log": f"{tmp_path}/no/such/log"}):
        with pytest.raises(HansuError):
            Gomocup(**settings)
    with pytest.raises(PlayerFault, match="cannot be started"):
        Gomocup(cmd="/no/such/engine", log=str(tmp_path / "log")).decide(GAME.first)


def test_a_missing_engine_is_reported_once(hansu: Run) -> None:
    done = hansu("match", "renju", "gomocup:cmd=/no/such/engine@time=0.1", "random")
    assert done.returncode == 2, done.stderr
    first, second = done.stderr.splitlines()
    assert first == "error: gomocup:cmd=/no/such/engine cannot be started: No such file or directory"
    assert "check that /no/such/engine exists" in second


def test_the_folder_of_a_command(folder: Path) -> None:
    script = str(folder / "brain.py")
    assert home([sys.executable, script]) == folder and home(["wine64", script]) == folder
    assert home([script, "x"]) == folder and home(["no such program"]) is None
    assert home([sys.executable, "-c", "pass"]) == Path(sys.executable).resolve().parent
