"""`hansu engine renju` as a process, and the engine behind the server."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.commands import ROOT
from support.renju_boards import named

from hansu.core import Control, Limit
from hansu.games.renju.gomocup.engine import Situation
from hansu.games.renju.gomocup.renju_engine import RenjuEngine


class Manager:
    """`hansu engine renju` in a separate process, which loads the code that this one has compiled."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "hansu", "engine", "renju"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(line + "\n" for line in lines))
        self._process.stdin.flush()

    def ask(self, *lines: str) -> str:
        """Send lines and return the next line that is not a MESSAGE."""
        self.say(*lines)
        assert self._process.stdout is not None
        while (line := self._process.stdout.readline().strip()).startswith("MESSAGE"):
            pass
        return line

    def resident(self) -> int:
        pages = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def end(self) -> int:
        self.say("END")
        return self._process.wait(600)


@pytest.fixture(scope="module")
def manager() -> Iterator[Manager]:
    engine = Manager()
    yield engine
    assert engine.end() == 0


def test_nothing_is_compiled_or_loaded_after_ok() -> None:
    """Not even for a rule other than the one at START."""
    stones = "YXBOARD\n7,7,1\n8,8,2\nDONE\nYXSHOWFORBID\nSWAP2BOARD\nDONE\nSWAP2BOARD\n7,7\n8,7\n9,9\nDONE\n"
    lines = (
        f"START 15\nINFO timeout_turn 200\nINFO rule 4\nBEGIN\nTURN 0,0\nINFO rule 1\nTURN 0,1\nINFO rule 4\n{stones}"
    )
    command = [sys.executable, str(ROOT / "tests" / "support" / "compiled_late.py"), "renju"]
    output = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=600).stdout.splitlines()
    assert not [line for line in output if line.startswith("ERROR")] and [line for line in output if "FORBID" in line]
    assert output[-2].startswith("early ") and "judge_small" in output[-2] and output[-1] == "late"


def test_the_table_grows_in_steps_up_to_its_limit() -> None:
    engine = RenjuEngine()
    engine.configure(15, "freestyle")
    engine.allow(100 << 20)
    steps = 1
    while engine.grow():
        assert engine.searcher.table.nbytes <= engine.table_bytes  # all its pages have been touched
        steps += 1
    assert engine.table_bytes == engine.searcher.table.nbytes == 64 << 20 and steps == 16
    engine.searcher.table[-1] = 5
    table = engine.searcher.table
    engine.configure(15, "freestyle")
    engine.allow(100 << 20)
    assert engine.searcher.table is table and not engine.grow()  # unchanged settings
    engine.allow(200 << 20)
    assert engine.searcher.table is table  # the next move can use the old table
    while engine.grow():
        pass
    assert engine.searcher.table.nbytes == 128 << 20 and engine.searcher.table[len(table) - 1] == 5
    engine.allow(40 << 20)
    assert engine.table_bytes <= 32 << 20  # at once
    while engine.grow():
        pass
    assert engine.searcher.table.nbytes == 32 << 20 and not engine.searcher.table.any()
    engine.allow(0)
    assert engine.searcher.table.nbytes == engine.table_bytes == 1 << 20 and not engine.grow()


def test_another_rule_starts_with_an_empty_table() -> None:
    engine = RenjuEngine()
    engine.configure(15, "freestyle")
    engine.precompile()
    engine.allow(1 << 20)
    engine.grow()
    situation = Situation(bytes([0] * 112 + [1] + [0] * 112), 2, (112,))
    engine.search(situation, Limit(depth=4), None, Control())
    table = engine.searcher.table
    assert table.any()
    engine.configure(15, "renju")
    assert np.shares_memory(engine.searcher.table, table) and not table.any()


def test_the_process_respects_max_memory() -> None:
    """Also after a larger board, which loads more code, and after a larger limit."""
    manager = Manager()
    assert manager.ask("INFO timeout_turn 50", "START 15") == "OK"
    allowed = manager.resident() - (64 << 20) + (140 << 20)
    for size, limit in ((15, allowed), (20, allowed), (15, 2 * allowed), (20, allowed)):
        manager.say(f"INFO max_memory {limit}", "INFO rule 4")
        assert manager.ask(f"START {size}") == "OK"
        manager.ask("BEGIN")
    assert manager.resident() < allowed + (16 << 20)  # what a search needs besides its table
    assert manager.end() == 0


@pytest.mark.parametrize(("bits", "rule"), [(0, "freestyle"), (1, "standard"), (4, "renju")])
@pytest.mark.parametrize("size", [15, 20])
def test_a_game_over_the_protocol(manager: Manager, bits: int, rule: str, size: int) -> None:
    manager.say("INFO timeout_turn 60", f"INFO rule {bits}")
    assert manager.ask(f"START {size}") == "OK"
    position = named(f"rule={rule},size={size}")
    chance = random.Random(bits + size)
    answer = manager.ask("BEGIN")
    while True:
        x, y = map(int, answer.split(","))
        position = position.play(y * size + x)
        if position.over or len(position.history) > 24:
            break
        position = position.play(chance.choice(position.actions))
        last = position.history[-1]
        if len(position.history) == 8:  # the same position as a BOARD
            lines = [f"{c % size},{c // size},{1 + i % 2}" for i, c in enumerate(position.history)]
            answer = manager.ask("BOARD", *lines, "DONE")
        else:
            answer = manager.ask(f"TURN {last % size},{last // size}")
    assert position.over and position.score == 1  # against random moves


def test_other_commands(manager: Manager) -> None:
    manager.say("INFO timeout_turn 1000", "INFO rule 4")  # long enough for a busy machine
    assert manager.ask("START 15") == "OK"
    # Black's four on row 7 (y = 7): five at 9,7 or stopped there.
    four = [f"{x},7,2" for x in (5, 6, 7, 8)] + [f"{x},{y},1" for x, y in ((4, 7), (0, 0), (2, 1))]
    assert manager.ask("BOARD", *four, "DONE") == "9,7"
    assert manager.ask("TAKEBACK 9,7") == "OK" and manager.ask("TAKEBACK 9,7").startswith("ERROR")
    assert manager.ask("TURN 12,12") == "9,7"
    # 7,7 is a double three for black, the opponent.
    threes = ["8,7,2", "9,7,2", "7,8,2", "7,9,2", "0,0,1", "2,0,1", "4,0,1"]
    manager.say("YXBOARD", *threes, "DONE")
    assert manager.ask("YXSHOWFORBID") == "FORBID 0707."
    manager.say("INFO rule 1")
    assert manager.ask("YXSHOWFORBID") == "FORBID ."
    assert manager.ask("RESTART") == "OK"
    opening = manager.ask("SWAP2BOARD", "DONE").split()
    assert len(set(opening)) == 3
    answer = manager.ask("SWAP2BOARD", *opening, "DONE").split()
    assert answer == ["SWAP"] or len({*opening, *answer}) in (4, 5)
    manager.say("INFO timeout_turn 3000")  # long enough for a busy machine
    clear_win = ["7,7", "0,0", "8,7"]  # the white stones are far away: black is better
    assert manager.ask("SWAP2BOARD", *clear_win, "DONE") == "SWAP"
    answer = manager.ask("SWAP2BOARD", *clear_win, "0,2", "6,7", "DONE")
    assert answer == "SWAP"
