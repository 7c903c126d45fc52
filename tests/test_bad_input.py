"""Invalid input raises HansuError: a message and exit code 2, never a traceback."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import pytest
from support.commands import Run

from hansu.arena.roster import kinds, player
from hansu.core import HansuError, Limit, registry
from hansu.core.options import Option

HUGE = "9" * 5_000  # more digits than Python converts to an int


@pytest.mark.parametrize(
    "bounds",
    [{"time": math.nan}, {"time": math.inf}, {"time": -1.0}, {"time": "1"}, {"time": 1e12}, {"depth": -4}, {"depth": 0},
     {"depth": 1.5}, {"depth": "4"}, {"nodes": 0}, {"nodes": 10**26}, {"nodes": -(10**26)}, {"nodes": math.nan}],
    ids=str,
)  # fmt: skip
def test_invalid_limits(bounds: dict[str, Any]) -> None:
    with pytest.raises(HansuError, match="limit"):
        Limit(**bounds)


def test_limits_accept_numpy_numbers() -> None:
    import numpy as np

    limit = Limit(depth=np.int64(3), nodes=np.int32(9), time=np.float64(0.5))  # type: ignore[arg-type]
    assert (limit.depth, limit.nodes, limit.time) == (3, 9, 0.5)


@pytest.mark.parametrize("text", ["nodes=1" + "0" * 26, f"nodes={HUGE}", f"depth={HUGE}", f"time={HUGE}", "time=1e400"])
def test_limits_that_are_too_large(hansu: Run, text: str) -> None:
    with pytest.raises(HansuError):
        Limit.read(text)
    done = hansu("analyze", "tictactoe", "start", "--player", "mcts", "--limit", text)
    assert done.returncode == 2 and "limit" in done.stderr and "Traceback" not in done.stderr


def test_numbers_without_explicit_bounds() -> None:
    option = Option("seed", int, 0, "")
    assert option.read(str(1 << 62), "x") == 1 << 62
    for text in (str(1 << 63), "-" + str(1 << 63), HUGE):
        with pytest.raises(HansuError, match="seed"):
            option.read(text, "x")


@pytest.mark.parametrize("name", registry.names())
def test_no_player_decides_in_a_finished_game(name: str) -> None:
    game = registry.game(name)
    at = game.first
    while not at.over:
        at = at.play(at.actions[-1 if len(at.history) % 3 else 0])
        if len(at.history) > 400:  # this line of play does not end
            pytest.skip("no end in sight")
    for kind, cls in kinds(game).items():
        if cls.starts_programs():
            continue
        who = player(kind, game)
        with pytest.raises(HansuError, match="over"):
            who.decide(at, Limit(depth=1))
        who.close()


@pytest.mark.parametrize("name", registry.names())
def test_players_of_a_game_play_no_other_game(name: str) -> None:
    other = registry.game("tictactoe" if name != "tictactoe" else "tree").first
    game = registry.game(name)
    for kind, cls in game.players().items():
        if cls.starts_programs():
            continue
        who = player(kind, game)
        with pytest.raises(HansuError, match="does not play"):
            who.decide(other, Limit(depth=1))
        who.close()


@pytest.mark.parametrize(
    ("game", "text"),
    [("tictactoe", HUGE), ("connect_four", "1" * 100), ("connect_four", HUGE), ("renju", HUGE), ("renju", f"h{HUGE}"),
     ("renju", "/".join(["99"] * 15)), ("renju", "/".join([HUGE] * 15)), ("ataxx", f"{HUGE}/7/7/7/7/7/7 x 0 1"),
     ("ataxx", f"x5o/7/7/7/7/7/o5x x {HUGE} 1"), ("ataxx", f"a{HUGE}"), ("triangles", f"{HUGE}-A"), ("pacman", HUGE),
     ("tree", HUGE), ("renju", "²/" * 15), ("tictactoe", "²"), ("connect_four", "²"), ("ataxx", "²/7/7/7/7/7/7 x 0 1")],
)  # fmt: skip
def test_invalid_positions(game: str, text: str) -> None:
    with pytest.raises(HansuError):
        registry.game(game).position(text)


@pytest.mark.parametrize(
    "spec",
    [f"triangles:points={HUGE}", "triangles:points=²", f"triangles:points={HUGE} 1,2 2,3 1", f"triangles:seed={HUGE}",
     f"connect_four:width={HUGE}", "connect_four:width=²", f"pacman:ghosts={HUGE}", "pacman:layout=\0", "tree:file=\0",
     "triangles:file=\0", "ataxx:gaps=²3", "tree:file=/", "pacman:layout=/", "triangles:file=/"],
    ids=lambda spec: spec[:40],
)  # fmt: skip
def test_invalid_games(spec: str) -> None:
    with pytest.raises(HansuError):
        _ = registry.game(spec).first


def lines(hansu: Run, *words: str, text: str) -> subprocess.CompletedProcess[str]:
    done = hansu(*words, input=text)
    assert "Traceback" not in done.stderr and "bug" not in done.stderr, done.stderr
    return done


def test_invalid_lines(hansu: Run) -> None:
    done = lines(hansu, "solve", "triangles", text='{"points": [[0, ' + HUGE + "]]}\n")
    assert done.returncode == 2 and "line 1: not JSON" in done.stderr
    done = lines(hansu, "solve", "triangles", text='{"points": [[0, "a"]]}\n')
    assert done.returncode == 2 and "line 1: [0, 'a'] is not a point" in done.stderr
    assert "line 1: line 1" not in done.stderr
    done = lines(hansu, "forbidden", text='{"moves": [' + HUGE + "]}\n[]\n")
    assert done.returncode == 2 and done.stdout.count('"error"') == 2
    done = lines(hansu, "solve", "connect_four", text="x\n4444444444\n")
    assert done.returncode == 2 and done.stdout.count("error") == 2
    done = lines(hansu, "solve", "connect_four", text="12121212121212\n1212121\nx\n")
    assert done.returncode == 2 and done.stdout.count("error") == 3  # the first two games are over
    done = lines(hansu, "solve", "connect_four", "--book", text="4453\n")
    assert done.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")
@pytest.mark.parametrize(
    "words", ["games --json", "match tictactoe random random -n 1", "analyze tree start --player minimax", "--help"]
)
def test_standard_output_that_is_full_or_closed(words: str) -> None:
    def run(redirected: str) -> subprocess.CompletedProcess[str]:
        command = f'"$0" -m hansu {words} {redirected}'
        return subprocess.run(["sh", "-c", command, sys.executable], capture_output=True, text=True, timeout=300)

    full = run("> /dev/full")
    assert full.returncode == 2 and "No space left" in full.stderr
    assert "Traceback" not in full.stderr and "Exception" not in full.stderr and "bug" not in full.stderr
    assert run("> /dev/full 2>&1").returncode == 2
    for closed in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
        done = run(closed)
        assert done.returncode == 0 and "error" not in done.stderr and "Traceback" not in done.stderr, closed
