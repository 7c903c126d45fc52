"""Tens of thousands of nearly valid lines for the real engines behind both protocols."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator

import pytest
from support.talk import Heard

from hansu.core import registry
from hansu.core.machine import resident
from hansu.games.ataxx.uai.ataxx_engine import AtaxxEngine
from hansu.games.ataxx.uai.server import UaiServer
from hansu.games.renju.gomocup.renju_engine import RenjuEngine
from hansu.games.renju.gomocup.server import GomocupServer
from hansu.protocols.server import Server

LINES = 20_000
MAX_GROWTH = 1 << 30  # bytes of the process; the fuzzed tables may have half of that
NUMBERS = ["0", "1", "2", "4", "5", "8", "15", "19", "20", "-1", "99", "9" * 25, "x", "", "2147483647", "1e9", "0x10"]
GOMOCUP = [
    "START N", "START 15", "START 5", "RECTSTART N,N", "RESTART", "BEGIN", "TURN N,N", "TURN N,N", "TURN N,N",
    "PLAY N,N", "TAKEBACK N,N", "BOARD", "YXBOARD", "SWAP2BOARD", "N,N,1", "N,N,2", "N,N,3", "N,N", "DONE", "DONE",
    "ABOUT", "STOP", "YXSTOP", "YXSHOWFORBID", "INFO rule N", "INFO timeout_turn N", "INFO time_left N",
    "INFO timeout_match N", "INFO max_memory N", "INFO max_memory 400000000", "INFO max_memory 600000000", "N",
    "INFO max_depth N", "INFO max_node 500", "INFO timeout_turn 10", "INFO timeout_turn 10", "INFO N N",
]  # fmt: skip
UAI = [
    "uai", "isready", "uainewgame", "position startpos moves M M M", "position startpos moves g2 a2 M", "position N",
    "position fen F N N", "position fen F N N moves M M", "position startpos", "go depth 2", "go nodes N",
    "go movetime 5", "go btime N wtime N", "go btime 9 wtime 9 binc N winc N movestogo N", "go infinite\nstop",
    "go N\nstop", "stop", "eval", "print", "perft 3", "split 2", "perft N\nstop", "setoption name Hash value 2",
    "setoption name Hash value N", "setoption name Contest value true", "setoption name Contest value N",
    "setoption name Evaluation value handmade", "setoption name Move Overhead value N", "setoption name Clear Hash",
    "setoption N", "N",
]  # fmt: skip
FENS = ["x5o/7/7/7/7/7/o5x x", "x5o/7/2-1-2/1xx4/2-o-2/3oo2/o4xx o", "xxxxxxx/7/7/7/7/7/7 o", "7/7/7/7/7/7/7 x", "x/o"]
MOVES = ["g2", "a2", "g1g3", "0000", "b2", "z9", "f1", "a7a5"]


def traffic(patterns: list[str], seed: int) -> list[str]:
    chance = random.Random(seed)

    def filled(pattern: str) -> str:
        for mark, choices in (("N", NUMBERS), ("M", MOVES), ("F", FENS)):
            pattern = re.sub(rf"\b{mark}\b", lambda _: chance.choice(choices), pattern)  # noqa: B023
        return pattern

    lines: list[str] = []
    while len(lines) < LINES:
        line = filled(chance.choice(patterns))
        if chance.random() < 0.1:  # a damaged line
            at = chance.randrange(len(line) + 1)
            line = line[:at] + chance.choice(["", " ", "\x00", "한", "," * 50, line]) + line[at + chance.randrange(3) :]
        if not re.match(r"(?i)\s*(end|quit)\b|.*hash value 9|.*max_memory (9|2147)", line):
            lines += line.split("\n")
    return lines


def paced(lines: list[str], server: Server, seed: int) -> Iterator[str]:
    """Some lines at once, some only when the server is idle; endless searches are stopped."""
    chance = random.Random(seed)
    for line in lines:
        yield line
        if chance.random() < 0.3:
            for _ in range(100):
                if server._queue.empty() and not server.searched_for():
                    break
                time.sleep(0.002)
            else:
                yield "stop"
    yield "stop"


@pytest.mark.long
@pytest.mark.parametrize("protocol", ["uai", "gomocup"])
def test_a_flood_of_lines(protocol: str, capsys: pytest.CaptureFixture[str]) -> None:
    heard = Heard()
    server: Server
    if protocol == "uai":
        server, lines = UaiServer(AtaxxEngine(registry.game("ataxx")), heard), traffic(UAI, 1)
    else:
        server, lines = GomocupServer(RenjuEngine(), heard), traffic(GOMOCUP, 2)
    before = resident()
    server.run(paced(lines, server, 3))
    output, grown = heard.lines, resident() - before
    with capsys.disabled():
        print(f"\n{protocol}: {len(lines):,} lines in, {len(output):,} out, {grown >> 20} MB more")
    assert not server.mute and not [line for line in output if "failed" in line]
    assert grown < MAX_GROWTH
    if protocol == "uai":
        requests = sum(line.lower().split()[:1] == ["go"] for line in lines)
        assert sum(line.startswith("bestmove ") for line in output) == requests
