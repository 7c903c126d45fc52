"""Levels for people: shallow searches and random choice among good moves, equal on any machine."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from support.commands import ROOT, Run

from hansu.arena.levels import MEASURED, strength
from hansu.arena.roster import player
from hansu.arena.warmup import marker_file
from hansu.core import Control, HansuError, Limit, registry
from hansu.core.report import MoveValue, Value
from hansu.search.players import Casual
from hansu.search.players.casual import CANDIDATES, chosen, judged
from hansu.search.players.level import LADDER, LEVELS, Level, ladder, rung
from hansu.ui.web.limits import Bounds

TOE = registry.game("tictactoe")
FOUR = registry.game("connect_four")


def test_a_level_is_written_by_its_number() -> None:
    assert player("level:3", TOE) == player("level:strength=3", TOE) == Level(strength=3)
    assert player("level:3", TOE).name == "level:3" and player("level:3,seed=2", TOE).name == "level:3,seed=2"
    assert player(player("level:7,seed=2", TOE).name, TOE) == Level(strength=7, seed=2)
    for wrong in ("level:0", "level:11", "level:x", "alphabeta:3", "level:3,strength=4"):
        with pytest.raises(HansuError):
            player(wrong, TOE)


@pytest.mark.parametrize(
    "name", [*registry.names(), "connect_four:width=6", "renju:opening=swap2", "triangles:points=7"]
)
@pytest.mark.parametrize("level", range(1, LEVELS + 1))
def test_every_rung_is_a_player_that_can_move(name: str, level: int) -> None:
    """Bounded by nodes or plies, never by time; within the memory of a player on the web page."""
    game = registry.game(name)
    built, limit = rung(game, level, seed=1)
    assert built.table_bytes <= Bounds().player_bytes and limit.time is None
    assert limit.nodes is not None or built.kind in ("casual", "minimax", "solver", "parity")
    decision = built.decide(game.first, Limit(nodes=min(limit.nodes or 100, 100)))
    assert decision.action in game.first.actions and decision.why
    built.close()


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("level", [1, 5, 9])
def test_levels_are_deterministic(name: str, level: int) -> None:
    game = registry.built_in(name)
    histories = []
    for _ in range(2):
        at, one = game.first, player(f"level:{level},seed=5", game)
        for _ in range(4):
            if not at.over:
                at = at.play(one.decide(at).action)
        one.close()
        histories.append(at.history)
    assert histories[0] == histories[1]


def test_a_game_without_a_ladder_has_the_general_one(nim_path: Path) -> None:
    nim = registry.game(str(nim_path))
    assert ladder(nim) == LADDER and strength(nim, 3) is None
    for level in range(1, LEVELS + 1):
        one = player(f"level:{level},seed=1", nim)
        assert one.decide(nim.first).action in nim.first.actions
        one.new_game()
        one.close()


def test_an_invalid_ladder_is_rejected(nim_path: Path, tmp_path: Path, hansu: Run) -> None:
    text = nim_path.read_text()
    for levels, message in (
        ("('random',)", "ten player specs"),
        ("('level:1',) * 10", "cannot stand for another level"),
        ("('x',) * 10", "'x'"),
    ):
        (tmp_path / "nim.py").write_text(text.replace('name="nim",', f'name="nim", levels={levels},'))
        done = hansu("analyze", "nim.py", "--player", "level:2", cwd=tmp_path)
        assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


def test_measured_strengths_never_decrease() -> None:
    """docs/guide/levels.md has the confidence of each step."""
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    assert set(measured) == set(registry.names())
    for name, (numbers,) in ((name, each.values()) for name, each in measured.items()):
        assert len(numbers) == LEVELS and all(b >= a for a, b in pairwise(numbers)), name
        assert str(numbers[2]) in strength(registry.game(name), 3)
    assert strength(registry.game("renju:size=9"), 3) is None


def test_the_page_shows_the_ladders_that_are_played() -> None:
    text = (ROOT / "docs" / "guide" / "levels.md").read_text(encoding="utf-8")
    for name in registry.names():
        section = text.partition(f"### {name}\n")[2].partition("\n#")[0]
        rows = [line.split("|")[2].strip(" `") for line in section.splitlines() if line.startswith("|")][2:]
        assert rows == list(ladder(registry.game(name))), name


def test_the_default_opponent_is_a_level(hansu: Run) -> None:
    done = hansu("play", "tictactoe", input="5\nquit\n")
    assert "O (level:3) plays" in done.stdout and "O is level:3, about +" in done.stdout
    assert "level:5" in hansu("play", "tictactoe", input="opponent level:5\n5\nquit\n").stdout
    done = hansu("play", "tictactoe", "--first", "level:1", input="quit\n")  # a person plays the other side
    assert "X (level:1) plays" in done.stdout and "O>" in done.stdout
    assert "level:10" in hansu("play", "--help").stdout


def test_players_are_listed_with_their_levels(hansu: Run, nim_path: Path) -> None:
    listed = hansu("players", "connect_four").stdout
    assert f"level:10  {strength(FOUR, 10)}: solver" in listed
    assert f"level:1  not measured: {LADDER[0]}" in hansu("players", str(nim_path)).stdout


def test_a_level_shares_the_marker_of_its_player() -> None:
    four = [marker_file(FOUR, player(spec, FOUR)) for spec in ("level:1", "level:3", "level:10", "casual", "solver")]
    assert four[0] == four[1] == four[3] != four[2] == four[4]


# The player `casual`


def moves_of(spec: str, moves: str, seeds: int = 20) -> Counter[str]:
    """The moves of a player in a position, over many seeds."""
    at = FOUR.position(moves)
    return Counter(at.move_text(player(f"{spec},seed={n}", FOUR).decide(at).action) for n in range(seeds))


@pytest.mark.parametrize("level", range(1, LEVELS + 1))
def test_an_immediate_win_is_taken(level: int) -> None:
    assert set(moves_of(f"level:{level}", "121212", 3)) == {"1"}


def test_a_search_of_two_plies_sees_a_threat() -> None:
    for plies in (2, 3, 4):
        assert set(moves_of(f"casual:plies={plies},temperature=2", "12131")) == {"1"}
    assert set(moves_of("casual:plies=1,temperature=2", "12131")) != {"1"}  # a beginner ignores threats


def test_a_low_temperature_varies_less() -> None:
    high, low = (
        moves_of("casual:plies=2,temperature=2", "4", 60),
        moves_of("casual:plies=2,temperature=0.2", "4", 60),
    )
    assert len(high) > len(low) and max(low.values()) > max(high.values())


def test_the_meaning_of_temperature() -> None:
    """Two moves two standard deviations apart: exp(-2 / temperature) to 1."""
    at = FOUR.first
    moves = (MoveValue(action=0, value=Value(0.3)), MoveValue(action=1, value=Value(0.1)))
    counts = Counter(chosen(at, moves, 2.0, random.Random(n))[0] for n in range(4000))
    assert abs(counts[1] / counts[0] - math.exp(-1)) < 0.04
    for temperature in (0.03, 0.0):
        assert {chosen(at, moves, temperature, random.Random(n))[0] for n in range(100)} == {0}


def test_only_some_moves_are_searched() -> None:
    at = registry.game("renju").position("h8 i9 j8")
    shallow, _, _ = judged(at, 1, 10_000, control := Control())
    deeper, depth, nodes = judged(at, 2, 10_000, control)
    assert depth == 2 and nodes < 10_000 and len(shallow) == len(deeper) == CANDIDATES
    assert {move.action for move in deeper} == {move.action for move in shallow}


def test_the_node_limit_ends_an_iteration() -> None:
    """What was finished counts; the first ply alhistories is."""
    assert judged(FOUR.first, 9, 300, Control())[1] < 9
    assert judged(FOUR.first, 9, 1, Control())[1] == 1
    assert Casual(plies=9, nodes=300, seed=1).decide(FOUR.first).report.nodes < 600
