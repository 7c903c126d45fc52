"""Renju's rules: the three variants, sizes, ends of games, positions as text, pictures."""

from __future__ import annotations

import random

import numpy as np
import pytest
from support.renju_boards import STUCK

from hansu.compile import compiled
from hansu.core import HansuError, IllegalMove, Position, evaluate, generic
from hansu.core.registry import game as find_game
from hansu.games.renju.drawing import look, touch
from hansu.games.renju.notation import cell_text, read_cell
from hansu.games.renju.rules import board, near_the_middle, start
from hansu.games.renju.state import Gomoku, LargeRenju, Renju, place_of
from hansu.games.renju.stones import LARGE, SMALL, exactly_five, five_or_more, with_stone
from hansu.scene.ansi import ansi
from hansu.search.conformance.checkup import CHECKS
from hansu.search.conformance.random_walk import random_walk
from hansu.search.perft import perft
from hansu.search.playout import playouts

OPTIONS = (
    "rule=freestyle", "rule=standard,size=9", "size=6,no_move=pass", "size=19", "rule=freestyle,size=16,opening=swap2",
    "opening=rif", "opening=taraguchi10", "opening=soosorv8,size=9", "opening=swap2,size=7",
)  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(
    "check",
    ["fields", "moves", "notation", "look", "symmetries", "compiled rules", "compiled playouts", "compiled planes"],
)
def test_every_option_conforms(options: str, check: str) -> None:
    if options != "size=19" or check != "symmetries":  # 16×16 shows the same
        CHECKS[check](find_game(f"renju:{options}"))


# Winning rows.

SIX = "OOO.OO/XXXX.X/....../....../....../......"


@pytest.mark.parametrize(
    ("rule", "move", "text"),
    [
        ("freestyle", "e5", "black wins"),
        ("standard", "e5", ""),
        ("freestyle", "d6", "white wins"),
        ("standard", "d6", ""),
        ("renju", "d6", "white wins"),
    ],
)
def test_six_in_a_row(rule: str, move: str, text: str) -> None:
    side = "b" if move == "e5" else "w"
    after = find_game(f"renju:size=6,rule={rule}").position(f"{SIX} {side}").play_move(move)
    assert after.over == bool(text)
    if text:
        assert after.game.result_text(after.state) == text and after.score == (1 if text == "black wins" else -1)


def test_an_overline_is_illegal_for_black_and_no_win() -> None:
    game = find_game("renju:size=6")
    before = game.position(f"{SIX} b")
    with pytest.raises(IllegalMove, match="e5 is forbidden for black: overline"):
        before.play_move("e5")
    assert not game.position(f"{SIX.replace('XXXX.X', 'XXXXXX')} w").over, (
        "on a board that is set up it is no win either"
    )


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju"])
@pytest.mark.parametrize("size", [5, 15, 16, 20])
def test_five_wins_in_every_direction_and_corner(rule: str, size: int) -> None:
    game = find_game(f"renju:rule={rule},size={size}")
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for corner in range(4):
            x = 0 if corner & 1 else size - 1 - 4 * dx
            y = (0 if dy >= 0 else 4) if corner & 2 else (size - 1 - 4 * dy if dy >= 0 else size - 1)
            cells = [(y + n * dy) * size + x + n * dx for n in range(5)]
            stones = ["."] * size * size
            for cell in cells[:2] + cells[3:]:
                stones[cell] = "X"
            rows = "/".join("".join(stones[i : i + size]) for i in range(0, size * size, size))
            before = game.position(f"{rows} b")
            assert not before.over
            after = before.play(cells[2])
            assert after.over and after.score == 1


def test_bits_of_five() -> None:
    """Rows of four to seven in both bitboard layouts."""
    for size, nothing in ((15, SMALL), (20, LARGE)):
        s = start(size=size)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            for length in (4, 5, 6, 7):
                for x in range(size):
                    for y in range(size):
                        end = x + (length - 1) * dx, y + (length - 1) * dy
                        if 0 <= end[0] < size and 0 <= end[1] < size:
                            words = nothing
                            for n in range(length):
                                words = with_stone(words, place_of(s, (y + n * dy) * size + x + n * dx))
                            assert five_or_more(words) == (length >= 5)
                            assert exactly_five(words) == (length == 5)


# Ends without a winner.


def test_black_without_a_move_draws_or_passes() -> None:
    drawn = find_game("renju:size=6").position(f"{STUCK} b")
    assert drawn.over and drawn.score == 0 and drawn.game.result_text(drawn.state) == "a draw: black has no legal move"
    passing = find_game("renju:size=6,no_move=pass").position(f"{STUCK} b")
    assert not passing.over and [passing.move_text(a) for a in passing.actions] == ["pass"]
    full = passing.play_move("pass").play_move("d6")
    assert full.over and full.score == 0 and full.game.result_text(full.state) == "a draw: the board is full"
    assert not find_game("renju:size=6,rule=standard").position(f"{STUCK} b").over
    seed = np.array([1])
    for game in (drawn.game, passing.game):
        assert compiled(playouts, Renju)(game.position(f"{STUCK} b").state, 10, seed, 100) == 0.0


def test_random_moves_are_exactly_the_legal_ones() -> None:
    for text in ("XXX.XX/OO..OO/XXOOXX/OOXXOO/XXOOXX/OOXXOO b", "X.X.X./....../.X.X.X/....../X.X.X./...... b"):
        position = find_game("renju:size=6,no_move=pass").position(text)
        seed = [3]
        moves = {generic.random_action(position.state, seed) for _ in range(300)}
        assert moves == set(position.actions)


# State classes.


def test_options_choose_the_class() -> None:
    assert type(start()) is Renju and type(start("freestyle")) is Gomoku and type(start(size=16)) is LargeRenju
    assert type(start("standard", 15, "swap2")) is Renju and type(start("freestyle", 20)) is LargeRenju
    for bad in ("opening=rif,size=14", "opening=soosorv8,size=7"):
        with pytest.raises(HansuError, match="needs a board with a centre"):
            _ = find_game(f"renju:{bad}").first


def test_options_change_seats_and_planes() -> None:
    assert find_game("renju").seats == find_game("renju:size=9").seats == ("black", "white")
    assert find_game("renju:opening=swap2").seats == ("first", "second")
    assert find_game("renju:size=19").plane_shape == (4, 19, 19)


def test_perft_of_empty_boards() -> None:
    """No five in four plies: cells * (cells - 1) * ..."""
    for options, cells in (("rule=freestyle", 225), ("", 225), ("size=19", 361)):
        first = find_game(f"renju:{options}" if options else "renju").first.state
        assert compiled(perft, type(first))(first, 2) == cells * (cells - 1)


def test_random_games_agree_with_open_spiel() -> None:
    """Freestyle on 15×15: the same games end at the same move with the same winner."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs_game, ours_game = pyspiel.load_game("gomoku"), find_game("renju:rule=freestyle")
    generator = random.Random(1)
    for _ in range(40):
        theirs, ours = theirs_game.new_initial_state(), ours_game.first.state
        while not theirs.is_terminal():
            assert not generic.over(ours)
            assert sorted(theirs.legal_actions()) == list(generic.actions(ours))
            action = generator.choice(theirs.legal_actions())
            theirs.apply_action(action)
            ours = generic.play(ours, action)
        assert generic.over(ours) and generic.score(ours) == theirs.returns()[0]


# Text.


def test_cells_have_names() -> None:
    assert cell_text(112, 15) == "h8" and read_cell("H8", 15) == 112
    assert cell_text(0, 15) == "a15" and cell_text(224, 15) == "o1" and cell_text(399, 20) == "t1"
    for bad in ("p1", "a16", "a0", "h", "8h", "h08", "h8 ", "ｈ8"):
        assert read_cell(bad, 15) is None


def test_moves_without_spaces_are_read() -> None:
    game = find_game("renju")
    assert game.position("h8i9g7").state == game.position("H8, i9 g7").state == game.position("h8 i9 g7").state
    assert game.position("a10b1").moves == ("a10", "b1") == game.position("a10\nb1").moves


def test_boards_are_read() -> None:
    game = find_game("renju:size=5")
    rows = ["X....", ".O...", "..X..", ".....", "....."]
    by_rows, by_lines = game.position("/".join(rows)), game.position("\n".join(rows))
    assert by_rows.state == by_lines.state == game.position("x4/1o3/2x2/5/5").state
    assert by_rows.mover == 1 and game.position("/".join(rows) + " b").mover == 0
    assert board(by_rows.state).reshape(5, 5)[1].tolist() == [0, 2, 0, 0, 0]
    swapped = game.position("/".join(rows) + " w swapped")
    assert swapped.mover == 0 and game.position(swapped.text).state == swapped.state
    assert game.position("5/5/5/5/5").state == game.first.state


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X..../...../....", "the board has 3 rows"),
        ("X...Z/...../...../...../.....", "row 1 contains 'Z'"),
        ("X..../....../...../...../.....", "row 2 has 6 cells"),
        ("6/6/6/6/6/6", "use the game renju:size=6"),
        ("XXXXX/OOOO./...../...../..... b", "black is to move, but has won already"),
        ("XXXXX/OOOOO/...../...../..... b", "both colours"),
        ("5/5/5/5/5 b step:77 fifths:1", "is not a step of this game"),
        ("5/5/5/5/5 b step:1 fifths:1 offers:z9", "is not a point|not a legal move"),
        ("5/5/5/5/5 sideways", "not a legal move|illegal"),
    ],
)
def test_invalid_boards_are_rejected(text: str, message: str) -> None:
    with pytest.raises(HansuError, match=message):
        find_game("renju:size=5").position(text)


@pytest.mark.parametrize("rule", ["renju", "standard", "freestyle"])
@pytest.mark.parametrize(
    ("rows", "score"),
    [
        ("5/XXXXX/5/5/5 w", 1),  # black needs only five stones
        ("4O/XXXXX/5/5/5 w", 1),
        ("X3O/3O1/X1O2/1O3/O4 b", -1),
        ("4O/3O1/2O2/1O3/O4 b", -1),
        ("5/XXXX1/5/5/5 b", None),
        ("5/OOOO1/5/5/5 b", None),
    ],
)
def test_five_wins_with_any_number_of_stones(rule: str, rows: str, score: int | None) -> None:
    position = find_game(f"renju:size=5,rule={rule}").position(rows)
    assert position.over == (score is not None)
    assert not position.over or position.score == score


def test_double_three_without_white_stones() -> None:
    rows = "9/9/4X4/4X4/2XX5/9/9/9/9"
    assert find_game("renju:size=9,rule=freestyle").position(f"{rows} b").legal(4 * 9 + 4)
    with pytest.raises(HansuError, match="double three"):
        find_game("renju:size=9").position(f"{rows} b").play_move("e5")


# The evaluation, and the picture.


def test_the_evaluation_prefers_open_rows() -> None:
    game = find_game("renju")
    three = game.position("h8 a1 i8 a3 j8 a5")
    blocked = game.position("h8 g8 i8 k8 j8 a5")
    assert evaluate(three.state) > evaluate(blocked.state) > evaluate(game.position("a1 h8 a3 i8 a5 j8").state)
    assert all(-1 < evaluate(p.state) < 1 for p in random_walk(game, 3))
    assert Position(game, three.state).mover == 0


def test_a_search_takes_the_win_and_stops_one() -> None:
    from hansu.arena.roster import player

    game = find_game("renju:size=9")
    win = game.position("e5 a1 f5 a3 g5 a5 h5 a7")
    assert win.move_text(player("alphabeta:depth=1", game).decide(win).action) in ("d5", "i5")
    danger = game.position("a1 e5 a3 f5 b9 g5 i9 h5 d5")  # white needs i5
    assert player("alphabeta:depth=2", game).decide(danger).report.value < 0


def test_the_picture() -> None:
    game = find_game("renju")
    position = game.position("h8 a1 j8 a3 i9 a5 i7 a7")
    shown = ansi(look(position), color=False)
    assert "X─33X" in shown and "black to move" in shown and "[O]" in shown
    assert "33" not in ansi(look(position.play_move("h1")), color=False), "it is white's turn"
    won = find_game("renju:rule=freestyle").position("h8 a1 i8 a3 j8 a5 k8 a7 l8")
    assert "[X[X[X[X[X]" in ansi(look(won), color=False) and "black wins" in ansi(look(won), color=False)
    named_opening = ansi(look(game.position("h8 h9 i9")), color=False)
    assert "white to move · d4 Kagetsu 花月" in named_opening
    assert touch(position.state, 0) == ((1.5, 1.0),) and touch(position.state, 225) == ()


def test_may_end() -> None:
    """Never False if a move ends the game, and rarely True otherwise."""
    generator = random.Random(4)
    spared = looked = ending = 0
    for options in ("", "size=6", "rule=standard", "rule=freestyle,size=19", "size=5,no_move=pass"):
        game = find_game(f"renju:{options}" if options else "renju")
        for _ in range(6):
            position = game.first
            while not position.over:
                middle = near_the_middle(position.state) if generator.random() < 0.7 else position.actions
                ends = any(generic.over(generic.play(position.state, a)) for a in position.actions)
                if generic.may_end(position.state):
                    looked += not ends
                    ending += ends
                else:
                    assert not ends
                    spared += 1
                position = position.play(generator.choice(middle))
                if len(position.history) > 60:
                    break
    assert ending > 10 and spared > 4 * looked
