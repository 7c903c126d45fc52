"""The Gomocup server as a manager sees it, with an engine that does not search."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import ROOT
from support.gomocup_engines import CORES, STEPS, NearEngine
from support.talk import WAIT, Heard, Talk

from hansu.core import Control
from hansu.games.renju.gomocup.server import GomocupServer, MoveReply
from hansu.protocols.server import LONGEST_LINE, lines_of

ENGINES = ROOT / "tests" / "support" / "gomocup_engines.py"


class GomocupTalk(Talk):
    def __init__(self, engine: NearEngine) -> None:
        heard = Heard()
        self.engine, self.server = engine, GomocupServer(engine, heard)
        super().__init__(self.server, heard)

    def ask(self, *lines: str) -> str:
        """Send lines and return the next line that is not a MESSAGE."""
        self.say(*lines)
        return self.hear(passing="MESSAGE")

    def cells(self) -> dict[str, int]:
        return {self.server.board.text(cell): owner for cell, owner in self.server.board.stones.items()}


@pytest.fixture
def talk() -> Iterator[GomocupTalk]:
    talk = GomocupTalk(NearEngine())
    yield talk
    talk.end()


def test_a_game(talk: GomocupTalk) -> None:
    assert talk.ask("START 15") == "OK"
    assert talk.ask("BEGIN") == "7,7"
    assert talk.ask("TURN 8,8") == "8,7"
    assert talk.ask("turn  7 , 8\r") == "6,8"
    situation, limit, soft = talk.engine.searches[-1]
    assert situation.colour == 1 and situation.moves == (7 * 15 + 7, 8 * 15 + 8, 7 * 15 + 8, 8 * 15 + 7)
    assert [situation.board[cell] for cell in situation.moves] == [1, 2, 1, 2] and sum(situation.board) == 6
    assert limit.time is not None and 4 < limit.time < 5 and soft is None
    assert talk.ask("RESTART") == "OK" and talk.cells() == {} and talk.engine.done.count("new game") == 2
    assert talk.ask("TURN 0,0") in ("1,0", "0,1")
    assert talk.engine.searches[-1][0].colour == 2 and talk.engine.searches[-1][0].moves == (0,)


def test_board_and_the_order_of_its_stones(talk: GomocupTalk) -> None:
    assert talk.ask("START 5") == "OK" and talk.ask("BOARD", "DONE") == "2,2"
    assert talk.engine.searches[-1][0].colour == 1
    talk.ask("BOARD", "0,0,2", "1,0,1", "2,0,2", "DONE")
    assert talk.engine.searches[-1][0] == (bytes([1, 2, 1] + [0] * 22), 2, (0, 1, 2))
    talk.ask("BOARD", "3,3,1", "2,2,1", "0,0,2", "1,0,2", "DONE")  # the stones may come in any order
    assert talk.engine.searches[-1][0].colour == 1 and talk.engine.searches[-1][0].moves == (18, 0, 12, 1)
    talk.ask("BOARD", "3,3,1", "2,2,1", "0,0,1", "DONE")  # cannot arise in a game
    assert talk.engine.searches[-1][0] == (bytes([1] + [0] * 11 + [1] + [0] * 5 + [1] + [0] * 6), 1, ())
    talk.ask("BOARD", "3,3,2", "2,2,2", "0,0,2", "DONE")
    assert talk.engine.searches[-1][0] == (bytes([1] + [0] * 11 + [1] + [0] * 5 + [1] + [0] * 6), 2, ())
    talk.ask("BOARD", "3,3,3", "2,2,1", "0,0,2", "DONE")
    assert talk.engine.searches[-1][0].board[18] == 2 and talk.engine.searches[-1][0].colour == 1


def test_stones_are_taken_back_and_played(talk: GomocupTalk) -> None:
    talk.ask("START 15")
    assert talk.ask("PLAY 3,4") == "3,4" and talk.cells() == {"3,4": 1}
    assert talk.ask("TURN 3,5") == "2,5"
    assert talk.ask("TAKEBACK 2,5") == "OK" and talk.ask("TAKEBACK 3,5") == "OK"
    assert talk.cells() == {"3,4": 1}
    assert talk.ask("TAKEBACK 3,5") == "ERROR there is no stone on 3,5 (send a taken point)"


def test_invalid_input_is_answered_and_changes_nothing(talk: GomocupTalk) -> None:
    for line in ["BEGIN", "TURN 7,7", "RESTART", "YXSHOWFORBID", "TAKEBACK 1,1", "PLAY 1,1", "START", "START 4"]:
        assert talk.ask(line).startswith("ERROR"), line
    assert talk.ask("BOARD", "1,1,1", "DONE") == "ERROR there is no game (send START first)"
    talk.ask("START 15")
    talk.ask("TURN 7,7")
    before, done = talk.cells(), list(talk.engine.done)
    bad = [
        "START 21", "START -5", "START fifteen", "START 15 15", "START １５", "START 1_5", "RECTSTART 15,10",
        "RECTSTART 15", "BEGIN", "TURN", "TURN 7", "TURN 7,7", "TURN 15,0", "TURN -1,3", "TURN 1,2,3", "TURN a,b",
        "TURN 99999999999999999999,1", "PLAY 7,7", "PLAY 20,20", "TAKEBACK 0,0", "TAKEBACK x", "TURN 7;8",
    ]  # fmt: skip
    for line in bad:
        assert talk.ask(line).startswith("ERROR "), line
    for line in ["HELLO", "YXNBEST 3", "7,7", "DONE", "\x00\x7f", "x" * 100_000, "1"]:
        assert talk.ask(line).startswith("UNKNOWN"), line
    for board in [["7,7,1", "7,7,2"], ["1,1"], ["1,1,4"], ["1,1,0"], ["15,1,1"], ["7,7,1", "what"], ["1,1,1"] * 500]:
        for word in ("BOARD", "YXBOARD"):
            assert talk.ask(word, *board, "DONE").startswith(f"ERROR stone {len(board[:2])} of {word}"), board
    assert talk.ask("SWAP2BOARD", "1,1", "DONE").startswith("ERROR")
    assert talk.ask("SWAP2BOARD", "1,1", "1,1", "2,2", "DONE").startswith("ERROR")
    assert talk.cells() == before and talk.engine.done == done and talk.server.board.size == 15
    talk.say("", "   ", "\r\n", "INFO", "INFO rule", "INFO rule many", "INFO nonsense 5", "INFO evaluate 7,7", "STOP")
    assert talk.ask("ABOUT") == 'name="near", version="1", author="the tests", country="KOR"'
    assert talk.cells() == before


def test_an_unfinished_board(talk: GomocupTalk) -> None:
    talk.ask("START 15")
    assert talk.ask("BOARD", "1,1,1", "INFO timeout_turn 300", "START 10") == "ERROR BOARD was not finished by DONE"
    assert talk.hear(passing="MESSAGE") == "OK" and talk.server.board.size == 10
    assert talk.ask("BOARD", "1,1,1", "2,2,2", "INFO timeout_turn 400", "DONE") == "2,1"
    assert talk.server.clock.turn == 0.4
    talk.say("BOARD", "1,1,1")
    talk.end()
    assert talk.silent


def test_a_full_board(talk: GomocupTalk) -> None:
    talk.ask("START 5")
    stones = [f"{n % 5},{n // 5},{1 + n % 2}" for n in range(25)]
    assert talk.ask("BOARD", *stones, "DONE") == "ERROR the board is full (send RESTART)"
    assert talk.ask("BOARD", *stones[:24], "DONE") == "4,4"


def test_rules(talk: GomocupTalk) -> None:
    talk.ask("START 15")
    rules = {0: "freestyle", 1: "standard", 4: "renju", 5: "renju", 2: "renju", 3: "standard", 8: "standard"}
    for bits, rule in rules.items():
        talk.say(f"INFO rule {bits}")
        talk.ask("RESTART")
        assert talk.server.rule == rule
        assert talk.engine.configured == (15, rule)
    assert talk.ask("START 20") == "OK" and talk.engine.configured == (20, "standard")
    assert talk.ask("RECTSTART 10,10") == "OK" and talk.engine.configured == (10, "standard")


def test_forbidden_points(talk: GomocupTalk) -> None:
    talk.engine.blocked = (3, 20, 15 * 14 + 11)  # type: ignore[misc]
    assert talk.ask("START 15", "YXSHOWFORBID") == "OK" and talk.hear(passing="MESSAGE") == "FORBID ."
    assert talk.ask("INFO rule 4", "yxshowforbid") == "FORBID 030005011114."
    talk.say("YXBOARD", "3,0,1", "4,4,2", "DONE")
    assert talk.ask("YXSHOWFORBID") == "FORBID 05011114."
    assert talk.cells() == {"3,0": 1, "4,4": 2} and not talk.engine.searches


def test_swap2(talk: GomocupTalk) -> None:
    talk.ask("START 15")
    assert talk.ask("SWAP2BOARD", "DONE") == "7,0 8,0 9,0"
    assert talk.ask("SWAP2BOARD", "7,7", "8,7", "9,9", "DONE") == "5,1 6,1"
    assert talk.ask("SWAP2BOARD", "7,7", "8,7", "9,9", "1,1", "2,2", "DONE") == "SWAP"
    assert talk.cells() == {}


def test_memory(talk: GomocupTalk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hansu.games.renju.gomocup.server.resident", lambda: 300_000_000)
    talk.ask("INFO max_memory 1000000", "START 15")
    assert talk.engine.allowed == [0]
    talk.ask("INFO max_memory 1500000000", "BEGIN")
    assert 0 < (talk.engine.allowed[-1] or 0) < 1_500_000_000
    talk.ask("INFO max_memory 0", "RESTART")
    assert talk.engine.allowed[-1] is None


def test_the_memory_of_the_process_is_measured(talk: GomocupTalk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time again, because code for another board leaves less memory for tables."""
    for others, tables in ((100, 0), (170, 64), (170, 32)):
        monkeypatch.setattr("hansu.games.renju.gomocup.server.resident", lambda sum=others + tables: sum << 20)
        talk.engine.table_bytes = tables << 20
        talk.say(f"INFO max_memory {350 + tables << 20}")
        talk.ask("RESTART" if tables else "START 15")
        assert talk.engine.allowed[-1] == 350 + tables - others << 20
    monkeypatch.setattr("hansu.games.renju.gomocup.server.memory_bytes", lambda: 1 << 30)
    talk.ask(f"INFO max_memory {1 << 40}", "RESTART")  # more than any machine has
    assert talk.engine.allowed[-1] == (512 - 170) << 20


# What is done before OK, between moves, and on the clock of a move.


def test_everything_is_prepared_once_before_ok(talk: GomocupTalk) -> None:
    talk.say("INFO rule 4", "INFO max_memory 4000000000", "INFO timeout_turn 100")
    assert talk.ask("START 15") == "OK"
    expected = ["configure 15 renju", "precompile", "configure 15 renju", "allow", *["grow"] * STEPS]
    assert talk.engine.done == [*expected, "new game"]
    del talk.engine.done[:]
    for line in ("RESTART", "START 15"):  # nothing has changed
        assert talk.ask("INFO rule 4", "INFO max_memory 4000000000", line) == "OK"
    assert talk.engine.done == ["new game"] * 2
    talk.ask("BEGIN")
    talk.ask("INFO rule 4", "INFO timeout_turn 200", "TURN 0,0")
    assert talk.engine.done == ["new game"] * 2 + ["search"] * 2


def test_settings_right_before_a_move_are_applied_quickly() -> None:
    engine, all_read = NearEngine(), threading.Event()

    def lines() -> Iterator[str]:
        yield from ("START 15", "INFO rule 1", "INFO max_memory 4000000000", "INFO rule 4", "BEGIN")
        all_read.set()

    engine.new_game = all_read.wait  # type: ignore[assignment]  # so that BEGIN has arrived before OK
    GomocupServer(engine, io.StringIO()).run(lines())
    at = engine.done.index("configure 15 renju")
    assert engine.done[at : at + 3] == ["configure 15 renju", "allow", "search"]
    assert "configure 15 standard" not in engine.done and engine.done.count("precompile") == 1
    assert set(engine.done[at + 3 :]) <= {"grow"}  # the rest is done while idle


def test_settings_are_applied_while_idle(talk: GomocupTalk) -> None:
    talk.ask("START 15")
    before = len(talk.engine.done)
    expected = ["configure 15 renju", "allow", *["grow"] * STEPS]
    talk.say("INFO rule 4")
    for _ in range(int(WAIT / 0.01)):
        if talk.engine.done[before:] == expected:
            break
        time.sleep(0.01)
    talk.ask("BEGIN")
    assert talk.engine.done[before:] == [*expected, "search"]


def test_invalid_settings_are_reported_with_the_next_answer() -> None:
    heard = io.StringIO()
    GomocupServer(NearEngine(), heard).run(["START 15", "INFO rule 8", "INFO max_memory 1000", "BEGIN"])
    ok, caro, memory, move = heard.getvalue().splitlines()
    assert (ok, move) == ("OK", "7,7") and caro.startswith("MESSAGE") and "caro" in caro
    assert memory.startswith("MESSAGE max_memory") and "MB" in memory


def test_an_engine_that_fails_to_precompile(talk: GomocupTalk) -> None:
    talk.ask("START 15")
    talk.ask("BEGIN")
    talk.engine.precompile = lambda: 1 / 0  # type: ignore[method-assign,assignment,return-value]
    assert talk.ask("START 10").startswith("ERROR START failed: ZeroDivisionError")
    assert talk.server.board.size == 15 and talk.cells() == {"7,7": 1}
    talk.ask("TURN 0,0")
    assert talk.engine.configured[0] == 15


def test_limits_of_depth_and_nodes(talk: GomocupTalk) -> None:
    talk.ask("START 15")
    talk.ask("INFO max_depth 6", "INFO max_node 1000", "INFO thread_num 3", "BEGIN")
    assert talk.engine.threads == 3
    assert (talk.engine.searches[-1][1].depth, talk.engine.searches[-1][1].nodes) == (6, 1000)
    talk.ask("INFO max_depth 0", "INFO max_node -1", "INFO thread_num -7", "INFO timeout_turn 0", "TURN 1,1")
    assert talk.engine.threads == 1
    assert (talk.engine.searches[-1][1].depth, talk.engine.searches[-1][1].nodes) == (1, None)  # as fast as possible


def test_invalid_numbers_are_reported(talk: GomocupTalk) -> None:
    talk.ask("START 15")
    talk.say("INFO thread_num 999", "INFO thread_num 9", "INFO Thread_Num x", "INFO hash_size x", "BEGIN")
    assert talk.hear() == f"MESSAGE thread_num must be 1 to 64: using {CORES}"
    assert talk.hear() == f"MESSAGE thread_num exceeds the number of cores: using {CORES}"
    assert talk.hear() == "MESSAGE INFO thread_num expects an integer, not 'x'"
    assert talk.hear() == "7,7" and talk.engine.threads == CORES


# During a search.


@pytest.fixture
def thinker() -> Iterator[GomocupTalk]:
    talk = GomocupTalk(NearEngine("wait"))
    talk.ask("START 15", "INFO timeout_turn 60000")
    yield talk
    talk.end()


@pytest.mark.parametrize("stop", ["STOP", "yxstop"])
def test_stop_returns_the_move(thinker: GomocupTalk, stop: str) -> None:
    thinker.say("BEGIN")
    time.sleep(0.15)
    assert thinker.ask(stop) == "7,7"
    assert thinker.ask("TURN 7,8", "STOP") == "6,8"  # even if it arrives before the search begins
    thinker.say("INFO timeout_turn 150")
    assert thinker.ask("TURN 0,0") in ("1,0", "0,1")  # an old STOP does not stop a new search
    assert 0 < (thinker.engine.searches[-1][1].time or 0) < 0.15


def test_end_stops_a_search_at_once() -> None:
    talk = GomocupTalk(NearEngine("wait"))
    talk.ask("START 15", "INFO timeout_turn 100000000")
    talk.say("BEGIN")
    time.sleep(0.3)
    talk.say("END", "ABOUT")
    talk.thread.join(WAIT)
    assert not talk.thread.is_alive()
    assert all(line.startswith("MESSAGE") for line in talk.lines[1:])  # after OK


def test_a_script_is_answered_in_order() -> None:
    heard = io.StringIO()
    script = ["START 15", "INFO timeout_turn 100", "BEGIN", "TURN 7,8", "ABOUT", "END", "ABOUT"]
    GomocupServer(NearEngine("wait"), heard).run(script)
    answers = [line for line in heard.getvalue().splitlines() if not line.startswith("MESSAGE")]
    assert answers[:3] == ["OK", "7,7", "6,8"] and answers[3].startswith("name=") and len(answers) == 4


def test_an_engine_that_fails_or_overruns_still_moves() -> None:
    for behaviour in ("fail", "nonsense", "nothing", "overrun"):
        talk = GomocupTalk(NearEngine(behaviour))
        talk.ask("START 15", "INFO timeout_turn 200")
        answer = talk.ask("BEGIN")
        if behaviour == "fail":
            assert answer.startswith("DEBUG the search failed: RuntimeError: lost my way")
            answer = talk.hear(passing="MESSAGE")
        assert answer == "7,7"
        talk.engine.awake.set()
        answer = talk.ask("TURN 7,8")
        assert (
            (talk.hear(passing="MESSAGE") if behaviour == "fail" else answer)
            and talk.cells()["7,7"] == 1
            and len(talk.cells()) == 3
        )
        talk.end()
        assert talk.silent


def test_the_next_line_waits_for_the_answer() -> None:
    """Otherwise a late move of the watchdog would be played on the board of the next game."""
    moving, go_on, order = threading.Event(), threading.Event(), []

    def move(cell: int) -> None:
        moving.set()
        go_on.wait(WAIT)
        order.append("moved")

    answer = MoveReply(move)
    watchdog = threading.Thread(target=answer.expire, args=(Control(),))
    watchdog.start()
    assert moving.wait(WAIT) and not answer.lock.acquire(blocking=False)
    server = threading.Thread(target=lambda: (answer.send(), order.append("went on")))
    server.start()
    go_on.set()
    for thread in (watchdog, server):
        thread.join(WAIT)
    assert order == ["moved", "went on"]


def test_a_missing_move_is_an_error(talk: GomocupTalk) -> None:
    talk.engine.behaviour = "nothing"
    talk.engine.blocked = tuple(range(25))  # type: ignore[misc]
    talk.ask("START 5", "INFO rule 4")
    assert talk.ask("BEGIN") == "ERROR there is no legal move"


# Arbitrary input.

WORDS = [
    "START", "START 15", "START 5", "START 99", "RECTSTART 6,6", "RESTART", "BEGIN", "TURN", "TURN 0,0", "TURN 2,2",
    "TURN 4,3", "PLAY 1,1", "TAKEBACK 0,0", "BOARD", "YXBOARD", "SWAP2BOARD", "DONE", "1,1,1", "2,2,2", "3,3", "0,4,2",
    "INFO rule 4", "INFO timeout_turn 10", "INFO time_left 7", "INFO max_memory 12", "INFO", "ABOUT", "STOP",
    "YXSHOWFORBID", "begin", "tUrN 3,3", "", " ",
]  # fmt: skip
ANSWER = re.compile(
    r"OK|\d+,\d+|(\d+,\d+ )*\d+,\d+|SWAP|FORBID \d*\.|ERROR [ -~]*|UNKNOWN [ -~]*|MESSAGE [ -~]+|DEBUG [ -~]+|name=.*"
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=30) | st.binary(max_size=20), max_size=40))
def test_any_lines_in_any_order(script: list[str | bytes]) -> None:
    raw = b"\n".join(line.encode("utf-8", "replace") if isinstance(line, str) else line for line in script)
    heard = io.StringIO()
    server = GomocupServer(NearEngine(), heard)
    server.run([*lines_of(io.BytesIO(raw + b"\n")), "", "BEGIN"])
    if "END" not in {line.split()[0].upper() for line in lines_of(io.BytesIO(raw)) if line.split()}:
        output = heard.getvalue().splitlines()
        assert all(ANSWER.fullmatch(line) for line in output), output
        assert re.match(r"\d+,\d+$|ERROR", output[-1])
    assert server._board is None or all(0 <= cell < server.board.size**2 for cell in server.board.stones)


def test_long_lines_are_cut() -> None:
    raw = b"a" * 2 * LONGEST_LINE + b"\nABOUT\n" + b"\xff\xfe\n" + b"START 15"
    first, second, third, fourth = lines_of(io.BytesIO(raw))
    assert len(first) == LONGEST_LINE and second == "ABOUT" and len(third.strip()) == 2 and fourth == "START 15"


# In a separate process.


def test_a_process(tmp_path: Path) -> None:
    raw = b"\xff\xfe\x00\r\nABOUT\r\nSTART 15\r\nINFO timeout_turn 300\r\nBEGIN\r\nTURN 7,8\r\nBOARD\r\n1,1,1\r\n"
    done = subprocess.run([sys.executable, str(ENGINES), "wait"], input=raw, capture_output=True, timeout=600)
    answers = [line for line in done.stdout.decode().splitlines() if not line.startswith("MESSAGE")]
    assert done.returncode == 0 and not done.stderr
    assert answers[0].startswith("UNKNOWN") and answers[1].startswith("name=") and answers[2:] == ["OK", "7,7", "6,8"]


def test_every_answer_is_flushed_and_end_ends() -> None:
    process = subprocess.Popen([sys.executable, str(ENGINES)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    for line, answer in [("START 15", "OK"), ("BEGIN", "7,7"), ("TURN 7,8", "6,8"), ("what", "UNKNOWN WHAT")]:
        process.stdin.write(line + "\n")
        process.stdin.flush()
        assert process.stdout.readline().strip() == answer
    process.stdin.write("END\n")
    process.stdin.flush()
    assert process.wait(WAIT) == 0
    process.stdin.close()
    process.stdout.close()


def test_a_manager_that_disconnects() -> None:
    process = subprocess.Popen([sys.executable, str(ENGINES)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdout.close()
    process.stdin.write(b"START 15\nBEGIN\n")
    process.stdin.close()
    assert process.wait(WAIT) in (0, 120)  # 120: Python failed to flush at exit
