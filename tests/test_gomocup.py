"""The Gomocup protocol as a manager sees it, with minds that know nothing of the game."""

from __future__ import annotations

import io
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gomocup_minds import NearMind
from hypothesis import given, settings
from hypothesis import strategies as st

from hansu.protocols.clock import Clock
from hansu.protocols.gomocup import Server
from hansu.protocols.own_process import lines_of

MINDS = Path(__file__).with_name("gomocup_minds.py")
WAIT = 20.0


class Heard(io.TextIOBase):
    """An output whose lines can be waited for."""

    def __init__(self) -> None:
        self.lines: queue.Queue[str] = queue.Queue()
        self._part = ""

    def write(self, text: str) -> int:
        *whole, self._part = (self._part + text).split("\n")
        for line in whole:
            self.lines.put(line)
        return len(text)


class Talk:
    """A server in a thread of this process."""

    def __init__(self, mind: NearMind) -> None:
        self.mind = mind
        self._heard = Heard()
        self.server = Server(mind, self._heard)
        self._said: queue.Queue[str | None] = queue.Queue()
        self.thread = threading.Thread(target=self.server.run, args=(iter(self._said.get, None),), daemon=True)
        self.thread.start()

    def say(self, *lines: str) -> None:
        for line in lines:
            self._said.put(line)

    def end(self) -> None:
        self._said.put(None)
        self.thread.join(WAIT)
        assert not self.thread.is_alive()

    def hear(self) -> str:
        """The next line that is no MESSAGE."""
        while (line := self._heard.lines.get(timeout=WAIT)).startswith("MESSAGE"):
            pass
        return line

    def ask(self, *lines: str) -> str:
        self.say(*lines)
        return self.hear()

    @property
    def silent(self) -> bool:
        return self._heard.lines.empty()

    def cells(self) -> dict[str, int]:
        return {self.server._text(cell): owner for cell, owner in self.server.stones.items()}


@pytest.fixture
def talk() -> Iterator[Talk]:
    made = Talk(NearMind())
    yield made
    made.end()


def test_a_game(talk: Talk) -> None:
    assert talk.ask("START 15") == "OK"
    assert talk.ask("BEGIN") == "7,7"
    assert talk.ask("TURN 8,8") == "8,7"
    assert talk.ask("turn  7 , 8\r") == "6,8"
    situation, limit, soft = talk.mind.asked[-1]
    assert situation.colour == 1 and situation.moves == (7 * 15 + 7, 8 * 15 + 8, 7 * 15 + 8, 8 * 15 + 7)
    assert [situation.board[cell] for cell in situation.moves] == [1, 2, 1, 2] and sum(situation.board) == 6
    assert limit.time is not None and 4 < limit.time < 5 and soft is None
    assert talk.ask("RESTART") == "OK" and talk.cells() == {} and talk.mind.games == 2
    assert talk.ask("TURN 0,0") in ("1,0", "0,1")
    assert talk.mind.asked[-1][0].colour == 2 and talk.mind.asked[-1][0].moves == (0,)


def test_board_and_the_order_of_its_stones(talk: Talk) -> None:
    assert talk.ask("START 5") == "OK" and talk.ask("BOARD", "DONE") == "2,2"
    assert talk.mind.asked[-1][0].colour == 1
    talk.ask("BOARD", "0,0,2", "1,0,1", "2,0,2", "DONE")
    assert talk.mind.asked[-1][0] == (bytes([1, 2, 1] + [0] * 22), 2, (0, 1, 2))
    talk.ask("BOARD", "3,3,1", "2,2,1", "0,0,2", "1,0,2", "DONE")  # gomoku's stones may come in any order
    assert talk.mind.asked[-1][0].colour == 1 and talk.mind.asked[-1][0].moves == (18, 0, 12, 1)
    talk.ask("BOARD", "3,3,1", "2,2,1", "0,0,1", "DONE")  # nobody could have played this
    assert talk.mind.asked[-1][0] == (bytes([1] + [0] * 11 + [1] + [0] * 5 + [1] + [0] * 6), 1, ())
    talk.ask("BOARD", "3,3,2", "2,2,2", "0,0,2", "DONE")
    assert talk.mind.asked[-1][0] == (bytes([1] + [0] * 11 + [1] + [0] * 5 + [1] + [0] * 6), 2, ())
    talk.ask("BOARD", "3,3,3", "2,2,1", "0,0,2", "DONE")
    assert talk.mind.asked[-1][0].board[18] == 2 and talk.mind.asked[-1][0].colour == 1


def test_stones_are_taken_back_and_played(talk: Talk) -> None:
    talk.ask("START 15")
    assert talk.ask("PLAY 3,4") == "3,4" and talk.cells() == {"3,4": 1}
    assert talk.ask("TURN 3,5") == "2,5"
    assert talk.ask("TAKEBACK 2,5") == "OK" and talk.ask("TAKEBACK 3,5") == "OK"
    assert talk.cells() == {"3,4": 1}
    assert talk.ask("TAKEBACK 3,5") == "ERROR there is no stone on 3,5"


def test_bad_input_is_answered_and_changes_nothing(talk: Talk) -> None:
    for line in ["BEGIN", "TURN 7,7", "RESTART", "YXSHOWFORBID", "TAKEBACK 1,1", "PLAY 1,1", "START", "START 4"]:
        assert talk.ask(line).startswith("ERROR"), line
    assert talk.ask("BOARD", "1,1,1", "DONE") == "ERROR START comes first"
    talk.ask("START 15")
    talk.ask("TURN 7,7")
    before, games = talk.cells(), talk.mind.games
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
    assert talk.cells() == before and talk.mind.games == games and talk.server.size == 15
    talk.say("", "   ", "\r\n", "INFO", "INFO rule", "INFO rule many", "INFO nonsense 5", "INFO evaluate 7,7", "STOP")
    assert talk.ask("ABOUT") == 'name="near", version="1", author="the tests", country="KOR"'
    assert talk.cells() == before


def test_a_board_that_is_cut_short(talk: Talk) -> None:
    talk.ask("START 15")
    assert talk.ask("BOARD", "1,1,1", "INFO timeout_turn 300", "START 10") == "ERROR BOARD was not finished by DONE"
    assert talk.hear() == "OK" and talk.server.size == 10
    assert talk.ask("BOARD", "1,1,1", "2,2,2", "INFO timeout_turn 400", "DONE") == "2,1"
    assert talk.server._clock.turn == 0.4
    talk.say("BOARD", "1,1,1")
    talk.end()
    assert talk.silent


def test_a_full_board(talk: Talk) -> None:
    talk.ask("START 5")
    stones = [f"{n % 5},{n // 5},{1 + n % 2}" for n in range(25)]
    assert talk.ask("BOARD", *stones, "DONE") == "ERROR the board is full"
    assert talk.ask("BOARD", *stones[:24], "DONE") == "4,4"


def test_rules(talk: Talk) -> None:
    talk.ask("START 15")
    rules = {0: "freestyle", 1: "standard", 4: "renju", 5: "renju", 2: "renju", 3: "standard", 8: "standard"}
    for bits, rule in rules.items():
        talk.say(f"INFO rule {bits}")
        talk.ask("RESTART")
        assert talk.server.rule == rule
        assert talk.mind.settings[-1] == (15, rule, None)
    assert talk.ask("START 20") == "OK" and talk.mind.settings[-1] == (20, "standard", None)
    assert talk.ask("RECTSTART 10,10") == "OK" and talk.mind.settings[-1][0] == 10


def test_forbidden_points(talk: Talk) -> None:
    talk.mind.blocked = (3, 20, 15 * 14 + 11)  # type: ignore[misc]
    assert talk.ask("START 15", "YXSHOWFORBID") == "OK" and talk.hear() == "FORBID ."
    assert talk.ask("INFO rule 4", "yxshowforbid") == "FORBID 030005011114."
    talk.say("YXBOARD", "3,0,1", "4,4,2", "DONE")
    assert talk.ask("YXSHOWFORBID") == "FORBID 05011114."
    assert talk.cells() == {"3,0": 1, "4,4": 2} and not talk.mind.asked


def test_swap2(talk: Talk) -> None:
    talk.ask("START 15")
    assert talk.ask("SWAP2BOARD", "DONE") == "7,0 8,0 9,0"
    assert talk.ask("SWAP2BOARD", "7,7", "8,7", "9,9", "DONE") == "5,1 6,1"
    assert talk.ask("SWAP2BOARD", "7,7", "8,7", "9,9", "1,1", "2,2", "DONE") == "SWAP"
    assert talk.cells() == {}


def test_memory(talk: Talk) -> None:
    talk.ask("INFO max_memory 1000000", "START 15")
    assert talk.mind.settings == [(15, "freestyle", 0), (15, "freestyle", 0)]
    talk.ask("INFO max_memory 4000000000", "BEGIN")
    size, _, memory = talk.mind.settings[-1]
    assert size == 15 and memory is not None and 3_000_000_000 < memory < 4_000_000_000
    talk.ask("INFO max_memory 0", "RESTART")
    assert talk.mind.settings[-1] == (15, "freestyle", None)
    assert talk.mind.prepared == len(talk.mind.settings)


def test_what_cannot_be_done_is_told_with_the_next_answer() -> None:
    heard = io.StringIO()
    Server(NearMind(), heard).run(["START 15", "INFO rule 8", "INFO max_memory 1000", "BEGIN"])
    ok, caro, memory, move = heard.getvalue().splitlines()
    assert (ok, move) == ("OK", "7,7") and caro.startswith("MESSAGE") and "caro" in caro
    assert memory.startswith("MESSAGE max_memory") and "MB" in memory


def test_a_mind_that_cannot_be_prepared(talk: Talk) -> None:
    talk.ask("START 15")
    talk.ask("BEGIN")
    talk.mind.prepare = lambda: 1 / 0  # type: ignore[method-assign,assignment,return-value]
    assert talk.ask("START 10").startswith("ERROR START failed: ZeroDivisionError")
    assert talk.server.size == 15 and talk.cells() == {"7,7": 1}


def test_limits_of_depth_and_nodes(talk: Talk) -> None:
    talk.ask("START 15")
    talk.ask("INFO max_depth 6", "INFO max_node 1000", "BEGIN")
    assert (talk.mind.asked[-1][1].depth, talk.mind.asked[-1][1].nodes) == (6, 1000)
    talk.ask("INFO max_depth 0", "INFO max_node -1", "INFO timeout_turn 0", "TURN 1,1")
    assert (talk.mind.asked[-1][1].depth, talk.mind.asked[-1][1].nodes) == (1, None)  # as fast as possible


# While it thinks.


@pytest.fixture
def thinker() -> Iterator[Talk]:
    made = Talk(NearMind("wait"))
    made.ask("START 15", "INFO timeout_turn 60000")
    yield made
    made.end()


@pytest.mark.parametrize("stop", ["STOP", "yxstop"])
def test_stop_brings_the_move(thinker: Talk, stop: str) -> None:
    thinker.say("BEGIN")
    time.sleep(0.15)
    assert thinker.ask(stop) == "7,7"
    assert thinker.ask("TURN 7,8", "STOP") == "6,8"  # even if it comes before the search has begun
    thinker.say("INFO timeout_turn 150")
    assert thinker.ask("TURN 0,0") in ("1,0", "0,1")  # an old STOP does not stop a new search
    assert 0.05 < (thinker.mind.asked[-1][1].time or 0) < 0.15


def test_end_while_it_thinks_is_heeded_at_once() -> None:
    talk = Talk(NearMind("wait"))
    talk.ask("START 15", "INFO timeout_turn 60000")
    talk.say("BEGIN")
    time.sleep(0.3)
    began = time.perf_counter()
    talk.say("END", "ABOUT")
    talk.thread.join(WAIT)
    assert time.perf_counter() - began < 10 and not talk.thread.is_alive()
    said = []
    while not talk.silent:
        said.append(talk._heard.lines.get())
    assert all(line.startswith("MESSAGE") for line in said)


def test_a_script_that_comes_all_at_once_is_answered_in_order() -> None:
    heard = io.StringIO()
    script = ["START 15", "INFO timeout_turn 100", "BEGIN", "TURN 7,8", "ABOUT", "END", "ABOUT"]
    Server(NearMind("wait"), heard).run(script)
    answers = [line for line in heard.getvalue().splitlines() if not line.startswith("MESSAGE")]
    assert answers[:3] == ["OK", "7,7", "6,8"] and answers[3].startswith("name=") and len(answers) == 4


def test_a_mind_that_fails_or_oversleeps_still_moves() -> None:
    for think, wanted in {"fail": "7,7", "nonsense": "7,7", "nothing": "7,7", "oversleep": "7,7"}.items():
        talk = Talk(NearMind(think))
        talk.ask("START 15", "INFO timeout_turn 200")
        answer = talk.ask("BEGIN")
        if think == "fail":
            assert answer.startswith("DEBUG the search failed: RuntimeError: lost my way")
            answer = talk.hear()
        assert answer == wanted
        answer = talk.ask("TURN 7,8")
        assert (talk.hear() if think == "fail" else answer) and talk.cells()["7,7"] == 1 and len(talk.cells()) == 3
        talk.end()
        assert talk.silent


def test_no_move_is_an_error_not_a_silence(talk: Talk) -> None:
    talk.mind.think = "nothing"
    talk.mind.blocked = tuple(range(25))  # type: ignore[misc]
    talk.ask("START 5", "INFO rule 4")
    assert talk.ask("BEGIN") == "ERROR there is no move left"


# The clock.


def test_a_move_has_its_time_less_a_margin() -> None:
    clock = Clock()
    clock.set_turn(1000)
    hard, soft, last = clock.share(0)
    assert 0.9 < hard < last < 1 and soft is None
    assert clock.share(0, 0.5)[0] == pytest.approx(hard - 0.5)
    clock.set_turn(100)
    hard, _, last = clock.share(0)
    assert 0.04 < hard < last < 0.1
    clock.set_turn(1)
    assert 0 < clock.share(0)[0] <= 0.001
    clock.set_turn(0)
    assert clock.hurried and clock.share(0)[0] <= 0.05


def test_the_time_of_a_game_is_shared_out() -> None:
    clock = Clock()
    clock.set_turn(30_000)
    clock.set_match(180_000)
    clock.new_game()
    hard, soft, _ = clock.share(0)
    assert soft == pytest.approx(6) and hard == pytest.approx(18)
    clock.set_left(10_000)
    hard, soft, _ = clock.share(20)
    assert soft is not None and 0.5 < soft < hard < 3
    clock.set_left(2_147_483_647)
    assert clock.share(20)[1] is None
    clock.set_left(-50)
    assert 0 < clock.share(20)[0] <= 0.001
    clock.set_match(0)
    clock.set_left(0)  # there is no limit, so there is nothing left of it either
    assert clock.left is None


@given(
    st.integers(0, 10**10) | st.none(), st.integers(0, 10**10) | st.none(), st.integers(-(10**6), 10**10),
    st.integers(0, 200), st.floats(0, 100),
)  # fmt: skip
def test_no_share_is_more_than_there_is(
    turn: int | None, match: int | None, left: int, moves: int, spent: float
) -> None:
    clock = Clock()
    if turn is not None:
        clock.set_turn(turn)
    if match is not None:
        clock.set_match(match)
    clock.set_left(left)
    hard, soft, last = clock.share(moves, spent)
    bounds = [turn / 1000 if turn else 0.05] if turn is not None else []
    limited = match is None or 0 < match < 2_147_483_647
    bounds += [max(left, 0) / 1000] if limited and left < 2_147_483_647 else []
    bound = max(min(bounds, default=5.0) - spent, 0.0)
    assert 0 < hard <= max(bound, 0.001) and 0 < last <= max(bound, 0.002) and hard <= max(last, 0.002)
    assert soft is None or 0 <= soft <= hard


def test_a_long_game_never_runs_out() -> None:
    clock = Clock()
    clock.set_turn(5_000)
    clock.set_match(20_000)
    clock.new_game()
    total = 0.0
    for move in range(200):
        hard, _, _ = clock.share(move)
        clock.spend(hard)
        total += hard
    assert total < 20 + 200 * 0.001  # the least that a move takes


# Anything at all.

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
    server = Server(NearMind(), heard)
    server.run([*lines_of(io.BytesIO(raw + b"\n")), "", "BEGIN"])
    if "END" not in {line.split()[0].upper() for line in lines_of(io.BytesIO(raw)) if line.split()}:
        said = heard.getvalue().splitlines()
        assert all(ANSWER.fullmatch(line) for line in said), said
        assert re.match(r"\d+,\d+$|ERROR", said[-1])
    assert all(0 <= cell < server.size**2 for cell in server.stones)


def test_long_lines_are_cut_and_keep_their_end() -> None:
    raw = b"a" * 10_000 + b"\nABOUT\n" + b"\xff\xfe\n" + b"START 15"
    first, second, third, fourth = lines_of(io.BytesIO(raw))
    assert len(first) == 4096 and second == "ABOUT" and len(third.strip()) == 2 and fourth == "START 15"


# In a process of its own.


def test_a_process(tmp_path: Path) -> None:
    raw = b"\xff\xfe\x00\r\nABOUT\r\nSTART 15\r\nINFO timeout_turn 300\r\nBEGIN\r\nTURN 7,8\r\nBOARD\r\n1,1,1\r\n"
    done = subprocess.run([sys.executable, str(MINDS), "wait"], input=raw, capture_output=True, timeout=60)
    answers = [line for line in done.stdout.decode().splitlines() if not line.startswith("MESSAGE")]
    assert done.returncode == 0 and not done.stderr
    assert answers[0].startswith("UNKNOWN") and answers[1].startswith("name=") and answers[2:] == ["OK", "7,7", "6,8"]


def test_every_answer_is_flushed_and_end_ends() -> None:
    process = subprocess.Popen([sys.executable, str(MINDS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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


def test_a_manager_that_goes_away() -> None:
    process = subprocess.Popen([sys.executable, str(MINDS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdout.close()
    process.stdin.write(b"START 15\nBEGIN\n")
    process.stdin.close()
    assert process.wait(WAIT) in (0, 120)  # 120: Python could not flush at its end
