"""Warm-ups run in processes of their own; meanwhile a simple search moves for the player."""

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
from hansu.arena.warmup import FallbackPlayer, Warmup, WarmupQueue, all_players, marker_file
from hansu.commands import analyze, match
from hansu.compile.native import Compiled
from hansu.core import Limit, registry
from hansu.search.chance import step_chance
from hansu.ui import warmup_progress
from hansu.ui.terminal import TerminalSession


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """No player is ready, and no warm-up finishes before the gate is open."""
    gate = threading.Event()

    def run(self: Warmup) -> None:
        gate.wait()
        self.finished.set()

    monkeypatch.setattr(warmup, "is_ready", lambda game, player: marker_file(game, player) is None)
    monkeypatch.setattr(Warmup, "run", run)
    monkeypatch.setattr(warmup, "pace", lambda: 1.0)  # not the measured pace of this machine
    yield gate
    gate.set()


def test_markers_depend_on_the_compiled_code() -> None:
    game = registry.game("tictactoe")

    def marker(spec: str) -> Path | None:
        return marker_file(game, player(spec, game))

    assert marker("mcts") == marker("mcts:simulations=77,seed=3") != marker("mcts:interpreted=true")
    assert marker("mcts") != marker("minimax") and marker("random") is None
    other = registry.game("tree")
    assert marker_file(other, player("mcts", other)) != marker("mcts")


@pytest.mark.parametrize("name", registry.names())
def test_players_without_compile_time_compile_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("compiled")

    for method in ("__call__", "precompile"):
        monkeypatch.setattr(Compiled, method, fail)
    game = registry.game(name)
    interpreted = [kind for kind, one in kinds(game).items() if not one.compile_seconds]
    assert "random" in interpreted
    for kind in interpreted:
        player(kind, game).decide(step_chance(game.first, random.Random(1)))


def test_warm_writes_markers_and_cache_shows_and_clears(hansu: Run, tmp_path: Path) -> None:
    env = {**os.environ, "HANSU_CACHE": str(tmp_path)}
    words = ("warm", "tictactoe", "--player", "mcts:interpreted=true", "--json")
    first, again = hansu(*words, env=env), hansu(*words, env=env)
    (row,) = json.loads(first.stdout)
    assert row["player"] == words[3] and row["seconds"] > 0 and not row["failed"], first.stderr
    assert json.loads(again.stdout)[0]["seconds"] == 0
    cache = json.loads(hansu("cache", "--json", env=env).stdout)
    assert "hansu.games.tictactoe" in {one["module"] for one in cache["modules"]}
    (tmp_path / "hansu-compiled" / "mine.txt").write_text("stays")
    assert json.loads(hansu("cache", "--clear", "--json", env=env).stdout)["cleared"]
    assert json.loads(hansu("cache", "--json", env=env).stdout)["modules"] == []
    assert (tmp_path / "hansu-compiled" / "mine.txt").exists()


def test_warm_reports_unknown_names(hansu: Run) -> None:
    for words in (("warm", "tictacto"), ("warm", "tree", "--player", "mctz")):
        done = hansu(*words)
        assert done.returncode == 2 and "did you mean" in done.stderr and "Traceback" not in done.stderr


def test_a_failed_warm_up_finishes(tmp_path: Path) -> None:
    game = registry.game("connect_four")
    broken = Warmup(game, player(f"puct:network={tmp_path / 'none.onnx'}", game))
    broken.run()
    assert broken.finished.is_set() and broken.failed


def test_the_process_ends_with_its_parent() -> None:
    command = [sys.executable, "-m", "hansu.arena.warmup", "renju", "engine"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(600) == 1


@pytest.mark.parametrize("name", registry.names())
def test_the_fallback_moves_in_every_game(name: str, gate: threading.Event) -> None:
    game = registry.game(name)
    real = all_players(game)[0]
    position = game.first
    fallback = FallbackPlayer(real, Warmup(game, real))
    decision = fallback.decide(position, Limit())
    assert decision.action in position.actions and real.called in decision.why and "moved for it" in decision.why
    assert fallback.name == real.name


def test_the_real_player_moves_once_it_is_ready(gate: threading.Event) -> None:
    game = registry.game("tictactoe")
    queue = WarmupQueue()
    real = player("minimax:interpreted=true", game)
    one = queue.request(game, real)
    assert one is not None and queue.request(game, real) is one and 0 <= one.progress < 1 <= one.seconds_left
    position = game.position("1 4 2 5")
    assert "moved for it" in FallbackPlayer(real, one).decide(position).why
    gate.set()
    one.finished.wait()
    assert FallbackPlayer(real, one).decide(position).why == real.decide(position).why
    assert queue.request(game, real) is None


def test_urgent_warm_ups_come_first(gate: threading.Event) -> None:
    game = registry.game("tictactoe")
    queue = WarmupQueue(at_once=1)
    players = [player(kind, game) for kind in ("alphabeta", "minimax", "mcts")]
    requests = [queue.request(game, one, urgent=False) for one in players]
    assert queue.request(game, players[2]) is requests[2]
    assert queue.pending == [requests[0], requests[2], requests[1]]
    queue.close()
    assert queue.pending == [requests[0]]


def test_players_with_the_same_code_share_a_warm_up(gate: threading.Event) -> None:
    game = registry.game("tictactoe")
    with WarmupQueue() as queue:
        same = [queue.request(game, player(spec, game)) for spec in ("mcts", "mcts:simulations=9")]
        assert same[0] is same[1] is not None and queue.pending == same[:1]


def test_the_time_left_of_a_queue_covers_all_warm_ups(gate: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.game("connect_four")
    monkeypatch.setattr(warmup, "pace", lambda: 1000.0)
    with WarmupQueue(at_once=1) as queue:
        requests = [queue.request(game, player(kind, game)) for kind in ("mcts", "solver")]
        assert queue.seconds_left == pytest.approx(sum(one.expected for one in requests if one), abs=500)


def test_the_time_left_includes_the_predecessor(gate: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.game("connect_four")
    queue = WarmupQueue(at_once=1)
    first, second = (queue.request(game, player(kind, game)) for kind in ("mcts", "solver"))
    assert first is not None and second is not None and second.predecessor is first
    monkeypatch.setattr(warmup, "pace", lambda: 1000.0)  # as measured by an earlier warm-up
    usual = [one.player.compile_seconds for one in (first, second)]
    assert [first.seconds_left, second.seconds_left] == [1000 * usual[0], 1000 * sum(usual)]
    first.finished.set()
    assert [first.seconds_left, second.seconds_left] == [0, 1000 * usual[1]]
    queue.close()


def test_a_person_at_the_terminal_gets_a_move_at_once(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["5", "quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    TerminalSession(registry.game("tictactoe").first, "human", "minimax", Limit(), 1, WarmupQueue()).run()
    assert "O (minimax) plays" in (out := capsys.readouterr().out) and "moved for it" in out


def test_a_person_at_the_terminal_gets_a_hint_at_once(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["hint mcts", "quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    TerminalSession(registry.game("tictactoe").first, "human", "minimax", Limit(), 1, WarmupQueue()).run()
    assert "moved for it" in capsys.readouterr().out


def opening(gate: threading.Event, function: Callable[..., object]) -> Callable[..., object]:
    """The function, which then opens the gate."""

    def wrapper(*arguments: object) -> object:
        try:
            return function(*arguments)
        finally:
            gate.set()

    return wrapper


def test_an_analysis_begins_with_a_simple_search(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(FallbackPlayer, "quick_search", opening(gate, FallbackPlayer.quick_search))
    analyze.run("connect_four", "112233", player="minimax:depth=1,interpreted=true")
    done = capsys.readouterr()
    lines = done.err.splitlines()
    assert lines[0].startswith("compiling Minimax: about ") and "the result of a simple search" in lines[1]
    assert lines[2].startswith("4 after ") and done.out.count("value 1 for X (estimate)") == 1
    assert "simple" not in done.out


def test_a_small_game_has_no_simple_search(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(warmup_progress, "announce", opening(gate, warmup_progress.announce))
    monkeypatch.setattr(FallbackPlayer, "quick_search", None)
    analyze.run("tictactoe", "1 4 2 5", player="minimax:interpreted=true")
    done = capsys.readouterr()
    assert done.err.startswith("compiling Minimax: about ") and "meanwhile" not in done.err
    assert "\n3 after looking to the end: X wins\n" in done.out


def test_an_analysis_as_json_is_one_answer(gate: threading.Event, capsys: pytest.CaptureFixture[str]) -> None:
    analyze.run("tictactoe", "1 4 2 5", player="minimax:interpreted=true", as_json=True)
    done = capsys.readouterr()
    assert json.loads(done.out)["move"] == "3" and not done.err


def test_a_match_warms_up_its_players_first(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(*_: object) -> None:
        assert gate.is_set()

    monkeypatch.setattr(warmup_progress, "announce", opening(gate, warmup_progress.announce))
    monkeypatch.setattr("hansu.arena.runner.check", check)
    match.run("tictactoe", "minimax:interpreted=true", "random", games=1)
    done = capsys.readouterr()
    assert done.err.startswith("compiling Minimax: about ") and "`hansu warm`" in done.err
    assert len(done.err.splitlines()) == 1 and "against random" in done.out


def test_a_page_gets_a_move_at_once_and_its_hint_when_the_player_is_ready(gate: threading.Event) -> None:
    with running(warmups=WarmupQueue()) as server:
        page = Page(server)
        page.change("open", game="tictactoe", second="minimax:interpreted=true")
        page.change("move", move="5")
        state = page.settled()
        assert state["plies"] == 2 and "moved for it" in page.notes[1]["found"]["why"]["en"]
        page.say("hint", player="minimax:interpreted=true")
        notice = page.hear("compiling")
        assert "Minimax" in notice["what"]["en"] and 0 <= notice["share"] < 1
        gate.set()
        assert "moved for it" not in page.hear("hint")["found"]["why"]["en"]
        page.close()


def test_a_game_between_programs_waits_for_both(gate: threading.Event) -> None:
    """Such a game is an experiment, so no fallback moves in it."""
    with running(warmups=WarmupQueue()) as server:
        page = Page(server)
        page.change("open", game="tree", first="minimax", second="minimax", auto=True)
        page.hear("compiling")
        gate.set()
        assert page.settled()["over"] and "moved for it" not in str(page.notes)
        page.close()
