"""Opening rules step by step: movers, legal points, symmetrical fifth moves, names."""

from __future__ import annotations

from itertools import combinations

import pytest

from hansu.core import IllegalMove, Position
from hansu.core.registry import game as find_game
from hansu.games.renju.drawing import prompt
from hansu.games.renju.opening_names import DIRECT, INDIRECT, NAMES, opening_name
from hansu.games.renju.state import board, colour
from hansu.search.perft import perft


def texts(position: Position) -> list[str]:
    return [position.move_text(a) for a in position.actions]


def walk(spec: str, line: str) -> list[Position]:
    """The positions along a line of moves, including the first."""
    positions = [find_game(f"renju:{spec}").first]
    for move in line.split():
        positions.append(positions[-1].play_move(move))
    return positions


def movers(positions: list[Position]) -> list[int]:
    return [position.mover for position in positions]


def stone_count(position: Position) -> tuple[int, int]:
    flat = board(position.state).tolist()
    return flat.count(1), flat.count(2)


# RIF


def test_rif() -> None:
    line = walk("opening=rif", "h8 h9 i10 stay g7 offer:j8 offer:k8 keep:k8 a1 o15")
    assert movers(line) == [0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1]
    assert [len(position.actions) for position in line[:8]] == [1, 8, 23, 2, 222, 221, 220, 2]
    assert texts(line[0]) == ["h8"] and texts(line[3]) == ["swap", "stay"] and texts(line[7]) == ["keep:j8", "keep:k8"]
    flat = board(line[8].state)
    assert stone_count(line[8]) == (3, 2) and flat[7 * 15 + 10] == 1 and flat[7 * 15 + 9] == 0
    assert [colour(position.state) for position in line[8:]] == [1, 0, 1]
    assert line[-1].state.turn >> 2 == 0, "ordinary play"


def test_after_a_swap_the_first_player_has_white() -> None:
    line = walk("opening=rif", "h8 h9 i10 swap g7 j8 k8 j8 a1")
    assert movers(line) == [0, 0, 0, 1, 0, 1, 1, 0, 0, 1]
    assert "swapped" in line[-1].text and line[-1].game.position(line[-1].text).state == line[-1].state
    won = line[-1]
    for move in ("h7", "a3", "h6", "a5", "k5", "a7"):
        won = won.play_move(move)
    assert "(the second player)" in prompt(won.state)


def test_a_win_after_a_swap_counts_for_the_seat() -> None:
    line = walk("opening=swap2,rule=freestyle", "a1 a15 c1 black o15 b1 o13 d1 o11 e1")
    assert line[-1].over and line[-1].score == -1
    assert line[-1].game.result_text(line[-1].state) == "black wins (the second player, after a swap)"


# Soosõrv-8


def test_soosorv8() -> None:
    line = walk("opening=soosorv8", "h8 i9 j8 stay a1 fifths:3 stay h7 g6 offer:o1 keep:g6 b2")
    assert movers(line) == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0]
    assert texts(line[5]) == [f"fifths:{n}" for n in range(1, 9)]
    assert sorted(texts(line[10])) == ["keep:g6", "keep:h7", "keep:o1"]
    swapped = walk("opening=soosorv8", "h8 i9 j8 swap a1 fifths:1 swap h7 h7 b2")
    assert movers(swapped) == [0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0]
    assert stone_count(swapped[-1]) == (3, 3)


# Taraguchi-10


def test_taraguchi10_with_a_fifth_move() -> None:
    line = walk("opening=taraguchi10", "h8 stay h9 swap i10 stay k5 stay l4 swap a1")
    assert movers(line) == [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0]
    #                       h8    h9    i10   k5    l4    a1
    assert [len(line[i].actions) for i in (0, 2, 4, 6, 8, 10)] == [1, 8, 23, 46, 77, 220]
    assert texts(line[7]) == ["swap", "stay", "ten"] and texts(line[9]) == ["swap", "stay"]


def test_taraguchi10_with_ten_offers() -> None:
    offers = "a1 b1 c1 d1 e1 f1 g1 h1 i1 j1"
    line = walk("opening=taraguchi10", f"h8 stay h9 stay i10 stay g7 ten {offers} e1 o15")
    assert movers(line[:9]) == [0, 1, 1, 0, 0, 1, 1, 0, 0]
    assert movers(line[9:]) == [0] * 9 + [1, 1, 0], "black offers ten, white chooses one and plays the sixth"
    assert texts(line[-3]) == [f"keep:{move}" for move in offers.split()]
    assert stone_count(line[-1]) == (3, 3)


# swap2


def test_swap2() -> None:
    white = walk("opening=swap2,rule=standard", "a1 o15 h8 white c3")
    assert movers(white) == [0, 0, 0, 1, 1, 0] and texts(white[3]) == ["black", "white", "add"]
    black = walk("opening=swap2,rule=standard", "a1 o15 h8 black c3")
    assert movers(black) == [0, 0, 0, 1, 0, 1]
    more = walk("opening=swap2,rule=standard", "a1 o15 h8 add c3 d4 white e5")
    assert movers(more) == [0, 0, 0, 1, 1, 1, 0, 0, 1] and texts(more[6]) == ["black", "white"]
    assert stone_count(more[6]) == (3, 2) and colour(more[6].state) == 1
    assert movers(walk("opening=swap2,rule=standard", "a1 o15 h8 add c3 d4 black e5"))[-2:] == [1, 0]


# All rules.


@pytest.mark.parametrize(
    ("spec", "line", "bad"),
    [
        ("opening=rif", "", "h9"),
        ("opening=rif", "h8", "h10"),
        ("opening=rif", "h8 h9", "k8"),
        ("opening=rif", "h8 h9 i10", "a1"),
        ("opening=rif", "h8 h9 i10 stay g7 j8", "j8"),
        ("opening=rif", "h8 h9 i10 stay g7 j8 k8", "l8"),
        ("opening=rif", "h8 h9 i10 stay", "swap"),
        ("opening=soosorv8", "h8 h9 i10 stay g7", "fifths:9"),
        ("opening=taraguchi10", "h8 stay h9 stay i10", "ten"),
        ("opening=taraguchi10", "h8 stay h9 stay i10 stay g7 stay", "m4"),
        ("opening=taraguchi10", "h8 stay h9 stay i10 stay g7 swap", "ten"),
        ("opening=swap2", "a1 o15 h8", "c3"),
        ("opening=swap2", "a1 o15 h8 add c3 d4", "add"),
        ("opening=free", "h8", "swap"),
    ],
)
def test_illegal_moves(spec: str, line: str, bad: str) -> None:
    with pytest.raises(IllegalMove):
        walk(spec, line)[-1].play_move(bad)


@pytest.mark.parametrize("opening", ["rif", "soosorv8", "taraguchi10", "swap2"])
def test_every_step_has_a_prompt(opening: str) -> None:
    position = find_game(f"renju:opening={opening}").first
    prompts = set()
    while position.state.turn >> 2:
        words = prompt(position.state)
        assert words.startswith(f"the {('first', 'second')[position.mover]} player")
        prompts.add(words)
        position = position.play(position.actions[-1])
    assert len(prompts) >= 5


def test_perft_of_the_openings() -> None:
    """1, 8 and 23 cells, then a choice of two."""
    first = find_game("renju:opening=rif").first.state
    assert [perft(first, n) for n in range(1, 5)] == [1, 8, 8 * 23, 8 * 23 * 2]


# Symmetrical fifth moves.


def alike(line: str, one: str, other: str) -> bool:
    """Is `other` illegal after `one` was offered?"""
    return f"offer:{other}" not in texts(walk("opening=rif", f"{line} {one}")[-1])


def test_symmetrical_fifth_moves() -> None:
    column = "h8 h9 h7 stay h6"  # symmetrical about the column, and about the line between rows 7 and 8
    assert alike(column, "g8", "i8") and not any(alike(column, "g8", other) for other in ("f8", "g9", "j8", "g6"))
    assert alike(column, "g8", "g7") and alike(column, "g8", "i7"), "the position on the board does not matter"
    diagonal = "h8 i9 g7 stay j10"
    assert alike(diagonal, "h9", "i8") and not alike(diagonal, "h9", "h10")
    assert not alike("h8 h9 i10 stay f6", "g7", "i9"), "no symmetry at all"


def test_fifth_moves_against_a_plain_definition() -> None:
    """All pairs near the stones: symmetrical if they have the same picture, under any symmetry, moved to the corner."""

    def pictures(black: set[tuple[int, int]], white: set[tuple[int, int]]) -> set[tuple]:
        normalised = set()
        for turn in range(8):
            turned = []
            for stones, mark in ((black, 0), (white, 1)):
                for x, y in stones:
                    x, y = (-x if turn & 1 else x), (-y if turn & 2 else y)
                    turned.append((y, x, mark) if turn & 4 else (x, y, mark))
            left, top = min(x for x, _, _ in turned), min(y for _, y, _ in turned)
            normalised.add(tuple(sorted((x - left, y - top, mark) for x, y, mark in turned)))
        return normalised

    def point(name: str) -> tuple[int, int]:
        return "abcdefghijklmno".index(name[0]), int(name[1:])

    near = [f"{column}{row}" for column in "fghijk" for row in range(5, 12)]
    rejected = 0
    for line in ("h8 h9 h7 stay h6", "h8 h9 h10 stay h7", "h8 i9 i8 stay h9", "h8 i9 g7 stay g9", "h8 h9 i9 stay i8"):
        first, second, third, _, fourth = line.split()
        black, white = {point(first), point(third)}, {point(second), point(fourth)}
        free = [name for name in near if point(name) not in black | white]
        for one in free:
            allowed = set(texts(walk("opening=rif", f"{line} {one}")[-1]))
            for other in free:
                if other != one:
                    same = pictures(black | {point(one)}, white) == pictures(black | {point(other)}, white)
                    assert (f"offer:{other}" not in allowed) == same, (line, one, other)
                    rejected += same
    assert rejected > 50


# The 26 names.


def test_there_are_26_openings() -> None:
    assert len(NAMES) == 26 and len(set(DIRECT)) == len(set(INDIRECT)) == 13
    assert all(name.name.to("ko") != name.name and name.characters for name in NAMES.values())
    counts: dict[str, int] = {}
    first = find_game("renju:opening=rif").first.play_move("h8")
    for second in first.actions:
        after = first.play(second)
        for third in after.actions:
            name = opening_name((112, second, third), 15)
            assert name is not None
            counts[name.code] = counts.get(name.code, 0) + 1
    assert set(counts) == set(NAMES) and sum(counts.values()) == 8 * 23
    assert {code for code, count in counts.items() if count == 4} == {"d1", "d8", "d11", "i1", "i11", "i13"}, (
        "on the axis"
    )
    assert set(counts.values()) == {4, 8}


@pytest.mark.parametrize(
    ("moves", "code", "name"),
    [
        ("h8 h9 h10", "d1", "Kansei"),
        ("h8 h9 i9", "d4", "Kagetsu"),
        ("h8 i8 i7", "d4", "Kagetsu"),
        ("h8 g8 g9", "d4", "Kagetsu"),
        ("h8 h9 j6", "d13", "Yusei"),
        ("h8 i9 j10", "i1", "Chosei"),
        ("h8 i9 j7", "i4", "Suigetsu"),
        ("h8 g7 f9", "i4", "Suigetsu"),
        ("h8 i9 g6", "i12", "Meigetsu"),
        ("h8 i9 f6", "i13", "Suisei"),
    ],
)
def test_names(moves: str, code: str, name: str) -> None:
    opening = opening_name(find_game("renju").position(moves).history, 15)
    assert opening is not None and (opening.code, opening.name) == (code, name)


def test_other_openings_have_no_name() -> None:
    game = find_game("renju")
    for moves in ("h8 h9 h11", "a1 a2 a3", "h8 h10 h9"):
        assert opening_name(game.position(moves).history, 15) is None


def test_names_differ() -> None:
    assert all(a.name != b.name for a, b in combinations(NAMES.values(), 2))
