"""Players are prepared in a process of their own; meanwhile somebody moves for them."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.commands import Run
from support.web_page import Page, running

from hansu.arena import warmup
from hansu.arena.roster import kinds, player
from hansu.arena.warmup import StandIn, Warmup, Warmups, everyone, mark_of
from hansu.commands import analyze, match
from hansu.compile.native import Compiled
from hansu.core import Limit, registry
from hansu.search.chance import step_chance
from hansu.ui import warmup_progress
from hansu.ui.terminal import TerminalSession


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Nothing is prepared, and nothing gets so before the gate is open."""
    gate = threading.Event()

    def run(self: Warmup) -> None:
        gate.wait()
        self.ended.set()

    monkeypatch.setattr(warmup, "is_prepared", lambda game, player: mark_of(game, player) is None)
    monkeypatch.setattr(Warmup, "run", run)
    monkeypatch.setattr(warmup, "pace", lambda: 1.0)  # not how quick this machine was the last time
    yield gate
    gate.set()


def test_what_is_compiled_tells_marks_apart() -> None:
    game = registry.game("tictactoe")

    def mark(spec: str) -> Path | None:
        return mark_of(game, player(spec, game))

    assert mark("mcts") == mark("mcts:simulations=77,seed=3") != mark("mcts:interpreted=true")
    assert mark("mcts") != mark("minimax") and mark("random") is None
    other = registry.game("tree")
    assert mark_of(other, player("mcts", other)) != mark("mcts")


@pytest.mark.parametrize("name", registry.names())
def test_who_says_that_nothing_is_compiled_compiles_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("compiled")

    for way in ("__call__", "prepare"):
        monkeypatch.setattr(Compiled, way, refuse)
    game = registry.game(name)
    quick = [kind for kind, one in kinds(game).items() if not one.compile_seconds]
    assert "random" in quick
    for kind in quick:
        player(kind, game).decide(step_chance(game.first, random.Random(1)))


def test_warm_marks_and_cache_shows_and_clears(hansu: Run, tmp_path: Path) -> None:
    env = {**os.environ, "HANSU_CACHE": str(tmp_path)}
    words = ("warm", "tictactoe", "--player", "mcts:interpreted=true", "--json")
    first, again = hansu(*words, env=env), hansu(*words, env=env)
    (told,) = json.loads(first.stdout)
    assert told["player"] == words[3] and told["seconds"] > 0 and not told["failed"], first.stderr
    assert json.loads(again.stdout)[0]["seconds"] == 0
    shown = json.loads(hansu("cache", "--json", env=env).stdout)
    assert "hansu.games.tictactoe" in {one["module"] for one in shown["modules"]}
    (tmp_path / "hansu-compiled" / "mine.txt").write_text("stays")
    assert json.loads(hansu("cache", "--clear", "--json", env=env).stdout)["cleared"]
    assert json.loads(hansu("cache", "--json", env=env).stdout)["modules"] == []
    assert (tmp_path / "hansu-compiled" / "mine.txt").exists()


def test_warm_is_told_what_is_wrong(hansu: Run) -> None:
    for words, said in ((("warm", "tictacto"), "did you mean"), (("warm", "tree", "--player", "mctz"), "did you mean")):
        done = hansu(*words)
        assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_a_player_that_cannot_be_prepared_ends_its_preparation(tmp_path: Path) -> None:
    game = registry.game("connect_four")
    broken = Warmup(game, player(f"puct:network={tmp_path / 'none.onnx'}", game))
    broken.run()
    assert broken.ended.is_set() and broken.failed


def test_the_preparer_ends_with_whoever_started_it() -> None:
    command = [sys.executable, "-m", "hansu.arena.warmup_process", "renju", "engine"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(600) == 1


@pytest.mark.parametrize("name", registry.names())
def test_a_stand_in_moves_in_every_game(name: str, gate: threading.Event) -> None:
    game = registry.game(name)
    real = everyone(game)[0]
    position = game.first
    stand_in = StandIn(real, Warmup(game, real))
    decision = stand_in.decide(position, Limit())
    assert decision.action in position.actions and real.called in decision.why and "moved for it" in decision.why
    assert stand_in.name == real.name


def test_the_real_player_moves_once_it_is_prepared(gate: threading.Event) -> None:
    game = registry.game("tictactoe")
    preparations = Warmups()
    real = player("minimax:interpreted=true", game)
    waits = preparations.of(game, real)
    assert waits is not None and preparations.of(game, real) is waits and 0 <= waits.share < 1 <= waits.seconds_left
    position = game.position("1 4 2 5")
    assert "moved for it" in StandIn(real, waits).decide(position).why
    gate.set()
    waits.ended.wait()
    assert StandIn(real, waits).decide(position).why == real.decide(position).why
    assert preparations.of(game, real) is None


def test_who_is_waited_for_comes_first(gate: threading.Event) -> None:
    game = registry.game("tictactoe")
    preparations = Warmups(at_once=1)
    made = [player(kind, game) for kind in ("alphabeta", "minimax", "mcts")]
    begun = [preparations.of(game, one, soon=False) for one in made]
    assert preparations.of(game, made[2]) is begun[2]
    assert preparations.going_on == [begun[0], begun[2], begun[1]]
    preparations.close()
    assert preparations.going_on == [begun[0]]


def test_two_whose_code_is_the_same_wait_for_one(gate: threading.Event) -> None:
    game = registry.game("tictactoe")
    with Warmups() as preparations:
        same = [preparations.of(game, player(spec, game)) for spec in ("mcts", "mcts:simulations=9")]
        assert same[0] is same[1] is not None and preparations.going_on == same[:1]


def test_who_waits_for_all_is_told_the_time_of_all(gate: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.game("connect_four")
    monkeypatch.setattr(warmup, "pace", lambda: 1000.0)
    with Warmups(at_once=1) as preparations:
        begun = [preparations.of(game, player(kind, game)) for kind in ("mcts", "solver")]
        assert preparations.seconds_left == pytest.approx(sum(one.expected for one in begun if one), abs=500)


def test_who_waits_for_another_is_told_the_time_of_both(gate: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.game("connect_four")
    preparations = Warmups(at_once=1)
    first, second = (preparations.of(game, player(kind, game)) for kind in ("mcts", "solver"))
    assert first is not None and second is not None and second.behind is first
    monkeypatch.setattr(warmup, "pace", lambda: 1000.0)  # others have shown how slow this machine is
    usual = [one.player.compile_seconds for one in (first, second)]
    assert [first.seconds_left, second.seconds_left] == [1000 * usual[0], 1000 * sum(usual)]
    first.ended.set()
    assert [first.seconds_left, second.seconds_left] == [0, 1000 * usual[1]]
    preparations.close()


def test_a_person_at_a_terminal_does_not_wait(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["5", "quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    TerminalSession(registry.game("tictactoe").first, "human", "minimax", Limit(), 1, Warmups()).run()
    assert "O (minimax) plays" in (told := capsys.readouterr().out) and "moved for it" in told


def test_a_person_at_a_terminal_does_not_wait_for_a_hint(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["hint mcts", "quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    TerminalSession(registry.game("tictactoe").first, "human", "minimax", Limit(), 1, Warmups()).run()
    assert "moved for it" in capsys.readouterr().out


def opening(gate: threading.Event, what: Callable[..., object]) -> Callable[..., object]:
    """Does what it is asked, then opens the gate."""

    def done(*given: object) -> object:
        try:
            return what(*given)
        finally:
            gate.set()

    return done


def test_an_analysis_begins_with_a_first_look(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(StandIn, "look", opening(gate, StandIn.look))
    analyze.run("connect_four", "112233", player="minimax:depth=1,interpreted=true")
    told = capsys.readouterr()
    first = told.err.splitlines()
    assert first[0].startswith("compiling Minimax: about ") and "a first look of a simple search" in first[1]
    assert first[2].startswith("4 after ") and told.out.count("value 1 for X (estimate)") == 1
    assert "first" not in told.out


def test_in_a_small_game_nothing_goes_before_the_answer(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(warmup_progress, "announce", opening(gate, warmup_progress.announce))
    monkeypatch.setattr(StandIn, "look", None)
    analyze.run("tictactoe", "1 4 2 5", player="minimax:interpreted=true")
    told = capsys.readouterr()
    assert told.err.startswith("compiling Minimax: about ") and "meanwhile" not in told.err
    assert "\n3 after looking to the end: X wins\n" in told.out


def test_an_analysis_for_programs_is_one_answer(gate: threading.Event, capsys: pytest.CaptureFixture[str]) -> None:
    analyze.run("tictactoe", "1 4 2 5", player="minimax:interpreted=true", as_json=True)
    told = capsys.readouterr()
    assert json.loads(told.out)["move"] == "3" and not told.err


def test_a_match_waits_for_its_players(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(*_: object) -> None:
        assert gate.is_set()

    monkeypatch.setattr(warmup_progress, "announce", opening(gate, warmup_progress.announce))
    monkeypatch.setattr("hansu.arena.match.check", check)
    match.run("tictactoe", "minimax:interpreted=true", "random", games=1)
    told = capsys.readouterr()
    assert told.err.startswith("compiling Minimax: about ") and "`hansu warm`" in told.err
    assert len(told.err.splitlines()) == 1 and "against random" in told.out


def test_a_page_gets_a_move_at_once_and_its_hint_when_the_player_is_ready(gate: threading.Event) -> None:
    with running(preparations=Warmups()) as server:
        page = Page(server)
        page.change("open", game="tictactoe", second="minimax:interpreted=true")
        page.change("move", move="5")
        state = page.settled()
        assert state["plies"] == 2 and "moved for it" in page.notes[1]["found"]["why"]["en"]
        page.say("hint", player="minimax:interpreted=true")
        told = page.hear("compiling")
        assert "Minimax" in told["what"]["en"] and 0 <= told["share"] < 1
        gate.set()
        assert "moved for it" not in page.hear("hint")["found"]["why"]["en"]
        page.close()


def test_two_machines_wait_until_both_are_ready(gate: threading.Event) -> None:
    """A game between machines is an experiment: nobody moves for them."""
    with running(preparations=Warmups()) as server:
        page = Page(server)
        page.change("open", game="tree", first="minimax", second="minimax", auto=True)
        page.hear("compiling")
        gate.set()
        assert page.settled()["over"] and "moved for it" not in str(page.notes)
        page.close()
