"""Any player as an engine: `hansu engine ataxx --player puct`, `hansu engine renju --player rule`."""

from __future__ import annotations

import pytest
from support.commands import Run

from hansu.core import Control, Limit, registry
from hansu.games.renju.gomocup.engine import Situation
from hansu.games.renju.gomocup.renju_engine import RenjuPlayer


def test_a_player_speaks_uai(hansu: Run) -> None:
    talk = (
        "uai\nisready\nposition startpos moves g2\ngo nodes 20\ngo depth 2\neval\nposition startpos\ngo nodes 1\nquit\n"
    )
    done = hansu("engine", "ataxx", "--player", "puct:network=none,seed=3", input=talk)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("id name hansu") and "puct:network=none,seed=3" in line for line in lines)
    assert not any("Hash" in line for line in lines)
    moves = [line.split()[1] for line in lines if line.startswith("bestmove")]
    game = registry.game("ataxx")
    assert len(moves) == 3
    for text, move in zip(("g2", "g2", ""), moves, strict=True):
        game.position(text).play_move(move)


def test_a_player_speaks_gomocup(hansu: Run) -> None:
    talk = "START 15\nINFO rule 4\nINFO timeout_turn 2000\nBEGIN\nTURN 8,8\nBOARD\n3,3,1\n2,2,1\n0,0,1\nDONE\nEND\n"
    done = hansu("engine", "renju", "--player", "rule", input=talk)
    assert done.returncode == 0, done.stderr
    answers = [line for line in done.stdout.splitlines() if not line.startswith(("MESSAGE", "DEBUG"))]
    assert answers[0] == "OK" and answers[1] == "7,7" and len(answers) == 4
    assert all(0 <= int(number) < 15 for line in answers[1:] for number in line.split(","))


def test_the_player_gets_the_whole_game() -> None:
    """The history keeps a search tree usable. An impossible position is left to the engine."""
    engine = RenjuPlayer("rule")
    engine.configure(9, "renju")
    board = bytearray(81)
    board[40], board[41] = 1, 2
    report = engine.search(Situation(bytes(board), 1, (40, 41)), Limit(nodes=100), None, Control())
    assert report.line[0] not in (40, 41) and engine.score_of(report) == 0
    odd = bytes([1] * 3 + [0] * 78)
    report = engine.search(Situation(odd, 2, ()), Limit(nodes=100), None, Control())
    assert report.line[0] >= 3 and report.nodes > 0


@pytest.mark.parametrize("game", ["ataxx", "renju"])
def test_unusable_players_are_reported_at_once(hansu: Run, game: str) -> None:
    for spec, message in (
        ("pucct", "did you mean 'puct'"),
        ("human", "hansu play"),
        ("mcts:simulations=0", "out of range"),
        ("policy:network=nothing.onnx", "there is no model file"),
    ):
        done = hansu("engine", game, "--player", spec, input="")
        assert done.returncode == 2 and message in done.stderr and not done.stdout
