"""UAI: the engine as a manager sees it, and the player that runs external engines."""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import ROOT, Run
from support.talk import WAIT, Heard, Talk

from hansu.arena.match import match, play_game
from hansu.arena.roster import player
from hansu.core import Control, HansuError, Limit, registry
from hansu.core.errors import PlayerFault
from hansu.games.ataxx import rules as r
from hansu.games.ataxx.engine.searcher import AtaxxSearcher
from hansu.games.ataxx.notation import read_move
from hansu.games.ataxx.uai.ataxx_engine import AtaxxEngine
from hansu.games.ataxx.uai.engine import UaiEngine
from hansu.games.ataxx.uai.server import UaiServer
from hansu.protocols.server import lines_of

GAME = registry.game("ataxx")
ENGINE = f"{sys.executable} -m hansu engine ataxx"


class UaiTalk(Talk):
    def __init__(self, engine: UaiEngine) -> None:
        heard = Heard()
        self.server = UaiServer(engine, heard)
        super().__init__(self.server, heard)

    def ask(self, *lines: str) -> list[str]:
        """The output until all lines are processed."""
        self.say(*lines, "done?")
        output = [self.hear()]
        while output[-1] != "info string unknown command 'done?'":
            output.append(self.hear())
        return output[:-1]

    def go(self, words: str) -> list[str]:
        """The output up to the move."""
        self.say(f"go {words}")
        output = [self.hear()]
        while not output[-1].startswith("bestmove"):
            output.append(self.hear())
        return output


@pytest.fixture
def talk() -> Iterator[UaiTalk]:
    talk = UaiTalk(AtaxxEngine(GAME))
    yield talk
    talk.end()


def test_the_handshake(talk: UaiTalk) -> None:
    first, second, *options, last, ready = talk.ask("uai", "isready")
    assert first.startswith("id name hansu") and second.startswith("id author")
    assert ready == "readyok" and last == "uaiok" and all(line.startswith("option name ") for line in options)


def test_the_output_of_a_search(talk: UaiTalk) -> None:
    talk.say("setoption name Hash value 1", "position startpos moves g2 a2")
    *lines, answer = talk.go("depth 6")
    infos = [line.split() for line in lines if line.startswith("info depth")]
    assert [int(words[2]) for words in infos] == [1, 2, 3, 4, 5, 6]
    keys = ["depth", "seldepth", "score", "time", "nodes", "nps", "hashfull", "pv"]
    for words in infos:
        assert [word for word in words if word in keys] == keys
        assert words[words.index("score") + 1] == "cp"
        position = GAME.position("g2 a2")
        for move in words[words.index("pv") + 1 :]:
            position = position.play_move(move)
    assert infos[-1][infos[-1].index("pv") + 1] == answer.split()[1]
    assert any(words[words.index("hashfull") + 1] != "0" for words in infos)


def test_scores_are_for_the_mover_and_wins_are_mates(talk: UaiTalk) -> None:
    board = "xxxxxxx/xxxxxxx/xxxxxxx/xxx1ooo/ooooooo/ooooooo/ooooooo"
    turned = board.replace("x", "#").replace("o", "x").replace("#", "o")
    for fen in (f"{board} x 0 1", f"{turned} o 0 1"):
        talk.say(f"position fen {fen}")
        assert "score mate 1 " in talk.go("depth 2")[-2]
    scores = []
    for fen in ("xx3oo/xx5/7/7/7/7/o5x x 0 1", "oo3xx/oo5/7/7/7/7/x5o o 0 1"):  # the same with colours swapped
        talk.say("uainewgame", f"position fen {fen}")
        scores.append(talk.go("depth 4")[-2].split(" score ")[1].split(" time ")[0])
    assert scores[0] == scores[1] and scores[0].startswith("cp ") and int(scores[0][3:]) > 0
    talk.say("position fen xxxxxx1/7/7/7/7/7/6o o 0 1")
    assert "score cp -" in talk.go("depth 2")[-2]


def test_stop_is_answered_with_one_move(talk: UaiTalk) -> None:
    talk.say("go infinite")
    talk.hear("info depth 4 ")
    assert not [line for line in talk.lines if line.startswith("bestmove")]
    talk.say("isready")
    talk.hear("readyok")
    talk.say("stop", "stop")
    talk.hear("bestmove")
    assert talk.ask("stop", "stop") == []
    talk.say("go infinite", "stop")  # even before the search has started
    talk.hear("bestmove")
    assert talk.ask() == []


def test_every_go_gets_a_move_and_stop_ends_all_earlier_ones(talk: UaiTalk) -> None:
    talk.say("go infinite", "position startpos moves g2", "go depth 60", "stop", "go depth 1")
    moves = [talk.hear("bestmove").split()[1] for _ in range(3)]
    assert talk.ask() == [] and read_move(GAME.first.state, moves[0]) is not None
    assert all(read_move(GAME.position("g2").state, move) is not None for move in moves[1:])


def test_infinite_waits_for_stop_even_when_solved(talk: UaiTalk) -> None:
    talk.say("position fen xxxxxxx/xxxxxxx/xxxxxxx/xxx1ooo/ooooooo/ooooooo/ooooooo x 0 1", "go infinite")
    talk.hear("info depth 1 ")
    time.sleep(0.1)
    assert not [line for line in talk.lines if line.startswith("bestmove")]
    talk.say("stop")
    assert talk.hear("bestmove") == "bestmove d4"


def test_a_pass_and_a_finished_game(talk: UaiTalk) -> None:
    talk.say("position fen x--4/---4/---4/7/7/7/6o x 0 1")
    assert talk.go("depth 3")[-1] == "bestmove 0000"
    talk.say("position fen x5o/7/7/7/7/7/o5x x 100 1")
    assert talk.go("depth 3")[-1] == "bestmove 0000"
    assert talk.ask("perft 3")[-1] == "nodes 0"


def test_bad_input_changes_nothing(talk: UaiTalk) -> None:
    talk.ask("position startpos moves g2")
    before = talk.server.state
    bad = [
        "hello", "position", "position fen", "position fen x5o/7 x 0 1", "position fen startpos",
        "position startpos moves g2 g2", "position startpos moves z9", "position startpos g2",
        "setoption", "setoption name Hash value many", "setoption name Hash value 0", "perft", "perft x", "split -1",
        "setoption name Evaluation value best", "setoption name MultiPV value", "perft " + "9" * 5000, "perft 0",
        "split 00001",
    ]  # fmt: skip
    for line in bad:
        assert [output.startswith("info string") for output in talk.ask(line)] == [True], line
        assert talk.server.state == before
    assert talk.ask("setoption name Whatever You Like value 3", "uainewgame", "setoption name Clear Hash") == []
    assert talk.server.state == before
    assert talk.go("depth many")[-1].startswith("bestmove")


def test_options_and_arguments_of_go(talk: UaiTalk) -> None:
    talk.say("setoption name Hash value 1", "setoption name evaluation value HANDMADE", "position startpos")
    infos = talk.go("ponder nodes 3000 searchmoves g2")[:-1]
    assert max(int(line.split()[line.split().index("nodes") + 1]) for line in infos) <= 3000
    for words in (
        "movetime 30", "movetime -5", "btime 1000 wtime 1 binc 0 winc 0", "btime 0 wtime 0", "wtime 500",
        "btime 300 wtime 300 binc 10 winc 10 movestogo 1", "depth 3 infinite", "depth 0",
        "nodes 99999999999999999999 depth 2", "movetime -99999999999999999999", "depth " + "9" * 5000,
    ):  # fmt: skip
        talk.say(f"go {words}")
        if "infinite" in words or words == "wtime 500":
            talk.say("stop")
        talk.hear("bestmove")


def test_the_contest_option_keeps_the_game(talk: UaiTalk) -> None:
    talk.ask("position startpos moves g2 a2", "setoption name Contest value true")
    assert talk.server.state.contest == 1 and talk.server.state.turns == 2
    talk.ask("position startpos moves g2 a2 g3", "setoption name Contest value false")
    assert talk.server.state.contest == 0 and talk.server.state.turns == 3


def test_commands_during_a_search_run_after_it(talk: UaiTalk) -> None:
    talk.say("go infinite", "setoption name Hash value 2", "uainewgame", "eval")
    talk.hear("info depth 3 ")
    talk.say("stop")
    talk.hear("bestmove")
    assert talk.ask()[-1].startswith("info string evaluation ")
    assert isinstance(talk.server.engine, AtaxxEngine) and talk.server.engine.searcher.megabytes == 2


def test_extras(talk: UaiTalk) -> None:
    output = talk.ask("position startpos", "split 3", "print", "eval", "bench")
    parts = [line.split(": ") for line in output if ": " in line]
    assert sum(int(count) for _, count in parts) == 6460 and "nodes 6460" in output
    assert {move for move, _ in parts} == {GAME.first.move_text(a) for a in GAME.first.actions}
    assert "x5o/7/7/7/7/7/o5x x 0 1" in output
    assert output[-1].endswith("nps") and output[-2].startswith("info string evaluation")


def test_long_counts_are_split(talk: UaiTalk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hansu.games.ataxx.uai.server.COUNTED_AT_ONCE", 2)
    assert [talk.ask(f"{word} 4")[-1] for word in ("perft", "split")] == ["nodes 155888"] * 2


@pytest.mark.parametrize("word", ["perft 30", "split 30", "bench"])
def test_extras_can_be_interrupted(talk: UaiTalk, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hansu.games.ataxx.uai.ataxx_engine.BENCH_DEPTH", 60)
    talk.say("isready", word, "isready")
    for _ in range(2):
        talk.hear("readyok")
    talk.say("stop")
    assert talk.hear("info string ") == f"info string {word.split()[0]} was stopped"
    assert talk.go("depth 1")[-1].startswith("bestmove")  # and the engine still works
    talk.say(word, "quit")
    talk.thread.join(WAIT)
    assert not talk.thread.is_alive()


# Preparation happens before `readyok`, and only once.


def test_one_searcher_is_created_per_setting(talk: UaiTalk, monkeypatch: pytest.MonkeyPatch) -> None:
    created: list[tuple[bool, int]] = []
    cleared: list[AtaxxSearcher] = []

    class Counted(AtaxxSearcher):
        def __init__(self, learned: bool, megabytes: int) -> None:
            created.append((learned, megabytes))
            super().__init__(learned, megabytes)

        def new_game(self) -> None:
            cleared.append(self)
            super().new_game()

    monkeypatch.setattr("hansu.games.ataxx.uai.ataxx_engine.AtaxxSearcher", Counted)
    talk.say("setoption name Hash value 4", "setoption name Evaluation value handmade", "setoption name Hash value 2")
    talk.ask("isready")
    assert created == [(False, 2)] and len(cleared) == 1  # the table's pages are touched before a clock starts
    talk.ask("setoption name Hash value 2", "setoption name Move Overhead value 5", "setoption name Contest value true")
    talk.go("depth 2")
    assert created == [(False, 2)] and len(cleared) == 1
    talk.ask("setoption name Hash value 1", "isready")
    assert created == [(False, 2), (False, 1)]


def test_nothing_is_compiled_after_readyok() -> None:
    lines = "isready\nposition startpos moves g2\ngo depth 4\nsetoption name Evaluation value handmade\ngo depth 4\n"
    command = [sys.executable, str(ROOT / "tests" / "support" / "compiled_late.py"), "ataxx"]
    output = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300).stdout.splitlines()
    assert len([line for line in output if line.startswith("bestmove")]) == 2
    assert output[-2].startswith("early ") and "deepen" in output[-2] and output[-1] == "late"


def test_the_process_ends_with_its_input(hansu: Run) -> None:
    done = hansu("engine", "ataxx", input="uai\nposition startpos\ngo infinite\n")
    assert done.returncode == 0 and done.stdout.count("bestmove") == 1 and not done.stderr
    assert done.stdout.index("uaiok") < done.stdout.index("bestmove")
    assert hansu("engine", "ataxx", input="quit\nuai\n").stdout == ""


def test_bytes_that_are_not_text() -> None:
    raw = b"\xff\xfe\x00 go\nuai\n\xc3\nquit\n"
    command = [sys.executable, "-m", "hansu", "engine", "ataxx"]
    done = subprocess.run(command, input=raw, capture_output=True, timeout=600)
    assert done.returncode == 0 and b"uaiok" in done.stdout


def random_traffic(games_count: int, talk: UaiTalk, rng: random.Random) -> int:
    """Random games as a manager sends them, with a `go` in every position; returns the number of `go`."""
    searches = 0
    for _ in range(games_count):
        assert talk.ask("uainewgame") == []
        s = r.start()
        moves: list[str] = []
        while not r.over(s):
            talk.say(f"position startpos moves {' '.join(moves)}")
            *infos, answer = talk.go(f"nodes {rng.choice([1, 50, 400])}")
            searches += 1
            assert all(line.startswith("info depth ") for line in infos)
            assert read_move(s, answer[9:]) is not None
            a = r.nth_action(s, rng.randrange(r.action_total(s)))
            moves.append(GAME.move_text(s, a))
            s = r.play(s, a)
    return searches


def test_random_games_of_traffic(talk: UaiTalk) -> None:
    assert random_traffic(3, talk, random.Random(1)) > 100


@pytest.mark.long
def test_a_thousand_random_games_of_traffic(talk: UaiTalk) -> None:
    assert random_traffic(1000, talk, random.Random(2)) > 100_000


# Random input.

WORDS = [
    "uai", "isready", "uainewgame", "position", "position startpos", "position startpos moves g2", "eval",
    "position startpos moves g2 a2 g3", "position fen x5o/7/7/7/7/7/o5x o 0 1", "position fen x5o x", "go depth 1",
    "go nodes 20", "go movetime 1", "go btime 5 wtime 5", "go infinite\nstop", "go wtime\nstop", "stop", "perft 2",
    "split 2", "perft 9999", "setoption name Hash value 1", "setoption name Hash value 2", "SETOPTION", "GO DEPTH 1",
    "setoption name Contest value", "setoption name Contest value true", "setoption name Evaluation value handmade",
]  # fmt: skip
OUTPUT = re.compile(r"(id|option|info|bestmove|nodes) [ -~]+|uaiok|readyok|[a-g0-9]+: \d+")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=30) | st.binary(max_size=20), max_size=30))
def test_any_lines_in_any_order(script: list[str | bytes]) -> None:
    raw = b"\n".join(line.encode("utf-8", "replace") if isinstance(line, str) else line for line in script)
    lines = list(lines_of(io.BytesIO(raw + b"\n")))
    heard = io.StringIO()
    UaiServer(AtaxxEngine(GAME), heard).run([*lines, "stop", "go depth 1"])
    searches = 1
    for words in (line.lower().split() for line in lines):
        if words[:1] == ["quit"]:
            searches -= 1
            break
        searches += words[:1] == ["go"]
    output = heard.getvalue().splitlines()
    assert sum(line.startswith("bestmove") for line in output) == searches, output
    assert all(OUTPUT.fullmatch(line) for line in output), output


# Running an external engine.


def fake(tmp_path: Path, body: str) -> str:
    """A Python engine that does the handshake, and runs `body` at every `go`."""
    path = tmp_path / "fake.py"
    path.write_text(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    if word == 'uai': print('id name fake\\nuaiok', flush=True)\n"
        "    elif word == 'isready': print('readyok', flush=True)\n"
        f"    elif word == 'go': {body}\n"
        "    elif word == 'quit': break\n"
    )
    return f"uai:cmd={sys.executable} {path}"


def test_the_driver_runs_our_engine() -> None:
    outside = player(
        f"uai:cmd={ENGINE},start={WAIT},set=Hash=4;Evaluation=handmade", GAME
    )  # compilation may come first
    try:
        for game in (GAME, registry.game("ataxx:gaps=c3 e3 c5 e5")):
            position = game.position("g2 a2")
            decision = outside.decide(position, Limit(depth=4))
            assert decision.report.depth == 4 and decision.report.nodes > 0 and "cp" in decision.why
            assert position.line_text(decision.report.line)
            outside.new_game()
        control = Control()
        control.stop()  # stop is sent right after go
        assert outside.decide(GAME.first, Limit(depth=60), control).action is not None
    finally:
        outside.close()


@pytest.mark.parametrize(
    "body, message",
    [
        ("print('bestmove a1a3', flush=True)", "answered 'a1a3'"),
        ("print('bestmove', flush=True)", "answered ''"),
        ("sys.exit(3)", "exit code 3"),
        ("time.sleep(600)", "did not answer"),
        ("raise RuntimeError('broken inside')", "broken inside"),
    ],
)
def test_a_bad_engine_loses_and_leaves_its_log(tmp_path: Path, body: str, message: str) -> None:
    grace = 0.3 if "sleep" in body else 60.0  # an engine that answers may be slow on a busy machine
    outside = player(f"{fake(tmp_path, body)},grace={grace},log={tmp_path / 'uai.log'}", GAME)
    record = play_game(GAME.first, outside, player("random:seed=1", GAME), Limit(time=0.1), random.Random(1))
    outside.close()
    assert record.outcome == -1 and message in record.fault and "uai.log" in record.fault
    log = (tmp_path / "uai.log").read_text()
    assert "> go movetime 100" in log and "> position startpos" in log


def test_a_fault_writes_a_log_without_the_option(tmp_path: Path) -> None:
    outside = player(fake(tmp_path, "print('bestmove h9', flush=True)") + ",grace=60", GAME)
    with pytest.raises(PlayerFault) as caught:
        outside.decide(GAME.first, Limit(time=0.1))
    log = Path(caught.value.what.rsplit(" ", 1)[1])
    assert "bestmove h9" in log.read_text()
    log.unlink()


def test_a_match_continues_after_a_fault(tmp_path: Path) -> None:
    outside = player(f"{fake(tmp_path, 'sys.exit(1)')},log={tmp_path / 'log'}", GAME)
    tally = [tally for _, tally in match(GAME, player("random:seed=1", GAME), outside, 2, Limit(time=0.1), 1)][-1]
    outside.close()
    assert tally.wins == 2 and len(tally.faults) == 2


def test_invalid_driver_options_are_rejected(tmp_path: Path) -> None:
    for spec in ("uai", "uai:cmd='open", f"uai:cmd=x,log={tmp_path}/no/such/log"):
        with pytest.raises(HansuError):
            player(spec, GAME)
    with pytest.raises(PlayerFault, match="cannot be started"):
        player("uai:cmd=/no/such/engine", GAME).decide(GAME.first)


@pytest.mark.parametrize(
    ("setting", "hint"),
    [
        ("Threads=abc", "the engine declares: Threads, spin default 1 min 1 max 64"),
        ("Threads=65", "the engine declares: Threads, spin default 1 min 1 max 64"),
        ("Evaluation=best", "the engine declares: Evaluation, combo"),
        ("Contest=maybe", "the engine declares: Contest, check"),
        ("Treads=2", "the engine's options: Hash, Threads"),
    ],
)
def test_settings_that_the_engine_would_ignore_are_rejected(setting: str, hint: str) -> None:
    outside = player(f"uai:cmd={ENGINE},start={WAIT},set=hash=4;{setting}", GAME)
    with pytest.raises(PlayerFault, match=f"has no setting {setting}") as caught:
        outside.decide(GAME.first)
    assert hint in caught.value.hint
    outside.close()


def test_threads_and_several_lines() -> None:
    talk = UaiTalk(AtaxxEngine(GAME))
    try:
        output = talk.ask("setoption name Threads value 2", "setoption name MultiPV value 3", "position startpos")
        assert output == []
        infos = [line for line in talk.go("depth 4") if line.startswith("info depth 4 ")]
        numbers = [line.split(" multipv ")[1].split()[0] for line in infos if " multipv " in line]
        assert numbers == ["1", "2", "3"] and len({line.split(" pv ")[1].split()[0] for line in infos}) == 3
        assert any("Threads" in line for line in talk.ask("setoption name Threads value 0"))
    finally:
        talk.end()
