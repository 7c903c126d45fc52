"""Ataxx: rules against published counts and a plain oracle, notation, symmetries, network planes."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ataxx_oracle as oracle
from support.ataxx_boards import wander
from support.commands import Run

from hansu.compile import compiled
from hansu.core import HansuError, generic, registry
from hansu.games.ataxx import encoding as e
from hansu.games.ataxx import rules as r
from hansu.games.ataxx.notation import action_of, fen, move_text, read_fen, read_move
from hansu.search.perft import perft

GAME = registry.game("ataxx")
START = "x5o/7/7/7/7/7/o5x x 0 1"
PERFT = {
    START: (16, 256, 6460, 155888, 4752668),
    "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1": (14, 196, 4184, 86528, 2266352),
    "x5o/7/2-1-2/3-3/2-1-2/7/o5x x 0 1": (14, 196, 4100, 83104, 2114588),
    "x5o/7/3-3/2-1-2/3-3/7/o5x x 0 1": (16, 256, 5948, 133264, 3639856),
    "x5o/1x2x2/4xxo/3xx2/6x/7/7 o 0 12": (10, 727, 20713, 1255361),
    "x5o/7/7/7/7/7/o5x x 100 1": (0, 0, 0),
}


def to_oracle(s: r.Ataxx) -> tuple[dict, int, int]:
    x, o = (s.theirs, s.mine) if s.turns & 1 else (s.mine, s.theirs)
    board = {}
    for q in range(49):
        board[q // 7, q % 7] = 0 if x >> q & 1 else 1 if o >> q & 1 else "-" if s.gaps >> q & 1 else None
    return board, s.turns & 1, s.halfmove


def action_from(move) -> int:
    if move is None:
        return r.PASS
    source, target = move
    return e.policy_index(target if source is None else source, target)


@pytest.mark.parametrize("text", PERFT)
def test_perft_equals_the_published_numbers(text: str) -> None:
    s = read_fen(text)
    for count in (r.perft, r.perft_bulk, perft):
        assert tuple(compiled(count, r.Ataxx)(s, d + 1) for d in range(len(PERFT[text]))) == PERFT[text]
    assert fen(s) == text


def test_perft_on_the_command_line(hansu: Run) -> None:
    done = hansu("perft", "ataxx", "--depth", "3", "--position", START, "--divide", "--json")
    answer = json.loads(done.stdout)
    assert answer["nodes"] == [16, 256, 6460] and sum(answer["divide"].values()) == 6460
    assert "g2" in answer["divide"] and "a7a5" in answer["divide"]


@pytest.mark.parametrize("contest", [0, 1])
def test_rules_equal_the_oracle(contest: int) -> None:
    for seed in range(5):
        for s in wander(seed, contest):
            board, side, halfmove = to_oracle(s)
            done = oracle.ended(board, side, halfmove, bool(contest))
            assert r.over(s) == done
            if done:
                assert r.score(s) == oracle.result(board, side, bool(contest))
                assert not any(r.legal(s, a) for a in range(-1, 835))
                continue
            expected = {action_from(m): oracle.after(board, side, halfmove, m) for m in oracle.moves(board, side)}
            assert list(generic.actions(s)) == sorted(expected)
            assert r.action_total(s) == len(expected)
            assert [r.nth_action(s, n) for n in range(len(expected))] == sorted(expected)
            if seed == 0:
                assert [a for a in range(-1, 835) if r.legal(s, a)] == sorted(expected)
            for a in random.Random(seed).sample(sorted(expected), min(8, len(expected))):
                assert to_oracle(r.play(s, a)) == expected[a]


def test_may_end_predicts_the_end() -> None:
    """Never False if a move ends the game, and seldom True otherwise."""
    excluded = false_alarms = ending = 0
    for seed in range(40):
        for s in wander(seed)[:-1]:
            ends = any(r.over(r.play(s, a)) for a in generic.actions(s))
            assert r.may_end(s) or not ends, fen(s)
            excluded += not r.may_end(s)
            false_alarms += r.may_end(s) and not ends
            ending += ends
    assert ending > 20 and excluded > 2 * false_alarms
    last_but_one = r.start()._replace(halfmove=r.CLOCK_LIMIT - 1, theirs=(1 << 9) - 1 << 35)
    assert r.may_end(last_but_one) and not r.may_end(last_but_one._replace(halfmove=0))
    assert r.may_end(last_but_one._replace(halfmove=0, contest=1))


def test_ends_and_results() -> None:
    assert r.score(read_fen("7/7/7/7/7/7/x6 o 100 9")) == 1  # counting takes precedence over the clock
    assert r.score(read_fen("x5o/7/7/7/7/7/o5x x 100 1")) == 0
    assert not r.over(read_fen("x5o/7/7/7/7/7/o5x x 99 1"))
    walled = read_fen("x--4/---4/---4/7/7/7/6o x 0 1")
    assert list(generic.actions(walled)) == [r.PASS]
    assert r.play(walled, r.PASS).halfmove == 1
    nobody = read_fen("x--4/---4/---4/7/4---/4---/4--o x 0 1")
    assert r.over(nobody) and r.score(nobody) == 0
    assert GAME.result_text(nobody) == "a draw, 1 to 1"
    assert "100 halfmoves" in GAME.result_text(read_fen("x5o/7/7/7/7/7/o5x x 100 1"))
    won = read_fen("7/7/7/7/7/7/x6 o 100 9")
    assert GAME.result_text(won) == "x wins, 1 to 0"
    assert replace(GAME, seats=("Red", "Blue")).result_text(won) == "Red wins, 1 to 0"


def test_contest_rules_give_the_empty_squares_to_the_side_that_can_move() -> None:
    walled = "x--4/x--4/x--4/---4/---4/7/6o x 0 9"
    assert not r.over(read_fen(walled))  # x has to pass
    stuck = read_fen(walled, contest=True)
    assert r.over(stuck) and r.score(stuck) == -1  # 3 to 1, and all empty squares count for o
    assert "empty squares" in GAME.result_text(stuck)
    assert r.over(read_fen("xx4o/7/7/7/7/7/o5x x 0 257", True)) and not r.over(read_fen("xx4o/7/7/7/7/7/o5x x 0 257"))
    assert r.score(read_fen("xx4o/7/7/7/7/7/o5x x 0 257", True)) == 1
    assert registry.game("ataxx:contest=true").first.state.contest == 1


def test_clock_and_numbers() -> None:
    position = GAME.position("g2 a2 a7a5")
    assert position.text == "6o/7/x6/7/7/o5x/o5x o 1 2"
    assert GAME.position("g2 a2 a7a5 a3").text.endswith("x 0 3")


def test_gaps_are_an_option() -> None:
    assert registry.game("ataxx:gaps=c3 e3 c5 e5").first.text == "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"
    for bad in ("h1", "a7", "c33"):
        with pytest.raises(HansuError, match="gaps"):
            _ = registry.game(f"ataxx:gaps={bad}").first


def test_accepted_move_texts() -> None:
    s = read_fen("x5o/7/7/7/7/1x5/o5x x 0 1")
    assert read_move(s, "b2b3") == read_move(s, "b3") == action_of("B3")
    assert read_move(s, "a7b3") is None and read_move(s, "c1b3") is None
    walled = read_fen("x--4/---4/---4/7/7/7/6o x 0 1")
    assert {read_move(walled, text) for text in ("0000", "pass", "null", "a1a1", "NULL")} == {r.PASS}
    assert read_move(s, "0000") is None  # passing is not a choice
    for bad in ("h1", "a8", "a1a4", "", "a1a1a1", "g٣"):
        assert read_move(s, bad) is None


@pytest.mark.parametrize(
    "text, expected",
    [
        ("X5O/7/7/7/7/7/O5X X 0 1", START),
        ("b5w/7/7/7/7/7/w5b b", START),
        ("B5W/7/7/7/7/7/W5B W 3", "x5o/7/7/7/7/7/o5x o 3 1"),
        ("x5o/7/7/7/7/7/o5x", START),
        ("x32o/7/7/7/7/7/o5x x 0 1", START),
    ],
)
def test_fen_variants(text: str, expected: str) -> None:
    assert GAME.position(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "x5o/7/7/7/7/7 x 0 1", "x5o/7/7/7/7/7/o6x x 0 1", "x5o/7/7/7/7/7/o5q x 0 1", "x5o/7/7/7/7/7/o5x - 0 1",
        "x5o/7/7/7/7/7/o5x x -1 1", "x5o/7/7/7/7/7/o5x x 0 0", "x5o/7/7/7/7/7/o5x x 0 1 5", "x5o/7/7/7/7/7/o5x x a 1",
        "x5o/8/7/7/7/7/o5x x 0 1", "x5o/7/7/7/7/7/o5x x 0 99999999999999999999",
    ],
)  # fmt: skip
def test_bad_fens_are_rejected(text: str) -> None:
    with pytest.raises(HansuError, match="FEN"):
        GAME.position(text)


boards = st.builds(
    lambda squares, halfmove, turns, contest: r.Ataxx(
        *(sum(1 << q for q, kind in enumerate(squares) if kind == wanted) for wanted in (1, 2, 3)),
        halfmove, turns, contest,
    ),
    st.lists(st.integers(0, 3), min_size=49, max_size=49), st.integers(0, 100), st.integers(0, 511),
    st.integers(0, 1),
)  # fmt: skip


@given(boards)
@settings(deadline=None)
def test_fen_and_symmetry_round_trips(s: r.Ataxx) -> None:
    assert read_fen(fen(s), bool(s.contest)) == s
    for k in range(8):
        turned = r.symmetric(s, k)
        assert r.symmetric(turned, r.INVERSE[k]) == s
        assert r.over(turned) == r.over(s)
        assert r.action_total(turned) == r.action_total(s)
        assert np.array_equal(e.planes(turned), e.turned_planes(e.planes(s), k))
        assert np.array_equal(e.turned_planes(e.turned_planes(e.planes(s), k), r.INVERSE[k]), e.planes(s))


@given(st.integers(0, 833), st.integers(0, 7))
def test_symmetries_of_actions_are_undone(a: int, k: int) -> None:
    s = r.start()
    assert r.symmetric_action(s, r.symmetric_action(s, a, k), r.INVERSE[k]) == a


@given(st.integers(0, 7), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=25)
def test_symmetries_of_policies_are_undone(k: int, seed: int) -> None:
    policy = np.random.default_rng(seed).random((2, 833))
    turned = e.turned_policy(policy, k)
    assert np.array_equal(e.turned_policy(turned, r.INVERSE[k]), policy)
    a = seed % 833
    assert turned[1, r.symmetric_action(r.start(), a, k)] == policy[1, a]


def test_the_eight_symmetries_differ() -> None:
    s = read_fen("xo5/7/1-5/7/7/7/7 x 0 1")
    assert len({r.symmetric(s, k) for k in range(8)}) == 8


def test_the_policy_index_of_the_worked_example() -> None:
    assert e.policy_index((3, 4), (5, 3)) == 626 == action_of("d5f4")
    assert e.POLICY == 833


@given(st.tuples(st.integers(0, 6), st.integers(0, 6)), st.tuples(st.integers(-2, 2), st.integers(-2, 2)))
def test_every_index_names_one_move(source: tuple[int, int], step: tuple[int, int]) -> None:
    target = source[0] + step[0], source[1] + step[1]
    if step == (0, 0) or not all(0 <= z < 7 for z in target):
        return
    index = e.policy_index(source, target)
    d, square = divmod(index, 49)
    assert 0 <= index < 833 and divmod(square, 7) == target
    assert (d == 0) == (max(map(abs, step)) == 1)
    if d:
        drawing = " 3  2  1 16 15 / 4  0  0  0 14 / 5  0  *  0 13 / 6  0  0  0 12 / 7  8  9 10 11"
        rows = [row.split() for row in drawing.split("/")]
        assert rows[2 - step[1]][2 + step[0]] == str(d)
        name = "abcdefg"[source[0]] + str(source[1] + 1) + "abcdefg"[target[0]] + str(target[1] + 1)
        assert move_text(r.start(), index) == name


def test_planes() -> None:
    s = GAME.position("g2").state
    planes = e.planes(s)
    assert planes.shape == (3, 7, 7) and planes[0].sum() == 2 and planes[1].sum() == 3
    assert planes[1, 1, 6] == 1  # g2 is the enemy's now
    assert planes[2, 0, 0] == np.float32(1 / 512)
    assert (e.planes(s, turns_known=False)[2] == 0.5).all()
    swapped = e.swapped_colours(s)
    assert np.array_equal(e.planes(swapped)[:2], planes[:2]) and r.mover(swapped) != r.mover(s)
