"""Connect Four: rules on boards of any size, notation, the players `rule` and `heuristic`, invalid input."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hansu.arena.roster import player
from hansu.compile import compiled
from hansu.core import Game, HansuError, Limit, Position, generic, registry
from hansu.games.connect_four.patterns import lines_through, pattern_score, threes, twos
from hansu.games.connect_four.rules import STANDARD, ConnectFour, board_of, start
from hansu.search.perft import perft
from hansu.search.playout import playouts

GAME = registry.game("connect_four")


def grid(s: ConnectFour) -> dict[tuple[int, int], str]:
    """Stones by (column, row), bit by bit."""
    stones = {}
    for column in range(s.bottom.bit_count()):
        for row in range(s.height):
            bit = 1 << column * (s.height + 1) + row
            if (s.mine | s.theirs) & bit:
                stones[column, row] = "m" if s.mine & bit else "t"
    return stones


def lines_of(width: int, height: int) -> list[list[tuple[int, int]]]:
    return [
        [(c + k * dc, r + k * dr) for k in range(4)]
        for c in range(width)
        for r in range(height)
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
        if c + 3 * dc < width and 0 <= r + 3 * dr < height
    ]


@pytest.mark.parametrize("spec", ["connect_four", "connect_four:width=4,height=4", "connect_four:width=12,height=4",
                                  "connect_four:width=5,height=11", "connect_four:width=4,height=14"])  # fmt: skip
def test_rules_equal_a_simple_board(spec: str) -> None:
    game = registry.game(spec)
    width, height = game.option("width"), game.option("height")
    lines = lines_of(width, height)
    rng = random.Random(spec)
    ends = set()
    for _ in range(40):
        position, heights = game.first, [0] * width
        while not position.over:
            assert position.actions == tuple(c for c in range(width) if heights[c] < height)
            action = rng.choice(position.actions)
            heights[action] += 1
            position = position.play(action)
            stones = grid(position.state)
            assert [sum((c, r) in stones for r in range(height)) for c in range(width)] == heights
            won = any(all(stones.get(cell) == "t" for cell in line) for line in lines)
            assert position.over == (won or sum(heights) == width * height)
            if won:
                assert position.score == (1 if position.mover == 1 else -1)
        ends.add(position.score)
    assert len(ends) > 1


def test_published_counts() -> None:
    """Perft, and positions by number of stones (1, 7, 49, 238, 1120, 4263, ...: OEIS A212693)."""
    fast = compiled(perft, ConnectFour)
    assert [fast(STANDARD, n) for n in range(8)] == [1, 7, 49, 343, 2401, 16807, 117649, 823536]
    layer = {STANDARD}
    counts = []
    for _ in range(6):
        counts.append(len(layer))
        layer = {generic.play(s, a) for s in layer if not generic.over(s) for a in generic.actions(s)}
    assert counts == [1, 7, 49, 238, 1120, 4263]


def test_random_play_has_the_known_results() -> None:
    """The first player wins 55.6 % of random games, the second 44.2 %: a mean of 0.114."""
    mean = compiled(playouts, ConnectFour)(STANDARD, 200_000, np.array([5]), 100)
    assert mean == pytest.approx(0.114, abs=0.01)


@pytest.mark.parametrize("text", ["4453", "4 4 5 3", "4,4,5,3", " 4, 4 5,3 "])
def test_a_position_is_a_list_of_columns(text: str) -> None:
    position = GAME.position(text)
    assert position.moves == ("4", "4", "5", "3")
    assert GAME.position(position.text) == position


def test_columns_of_two_digits_need_separators() -> None:
    wide = registry.game("connect_four:width=12,height=4")
    assert wide.position("10 11 1").moves == ("10", "11", "1")


def test_no_centre_blocks_the_first_stone() -> None:
    game = registry.game("connect_four:no_centre=true")
    assert game.first.actions == (0, 1, 2, 4, 5, 6)
    assert 3 in game.first.play(0).actions
    with pytest.raises(HansuError):
        game.position("4")


@pytest.mark.parametrize(
    ("spec", "message"),
    [("width=9,height=7", "72 bits"), ("width=6,no_centre=true", "no centre"), ("width=3", "out of range")],
)
def test_invalid_boards(spec: str, message: str) -> None:
    with pytest.raises(HansuError, match=message):
        _ = registry.game(f"connect_four:{spec}").first


@pytest.mark.parametrize(
    ("moves", "message"), [("4444444", "not a legal"), ("12121212", "over"), ("48", "not a legal")]
)
def test_impossible_positions(moves: str, message: str) -> None:
    with pytest.raises(HansuError, match=message):
        GAME.position(moves)


def test_patterns_equal_plain_counting() -> None:
    rng = random.Random(3)
    lines = lines_of(7, 6)
    for _ in range(60):
        position = GAME.first
        for _ in range(rng.randint(2, 20)):
            if not position.over:
                position = position.play(rng.choice(position.actions))
        s, stones = position.state, grid(position.state)
        counts = [[sum(stones.get(cell) == side for cell in line) for side in "mt"] for line in lines]
        words = s.mine, s.theirs, board_of(s), 6
        assert twos(*words) == sum(count == [2, 0] for count in counts)
        assert threes(*words) == sum(count == [3, 0] for count in counts)
        assert lines_through(s.mine, board_of(s), 6) == sum(mine for mine, _ in counts)
        assert pattern_score(*words) == 3 * threes(*words) + twos(*words) - 2 * sum(count == [0, 2] for count in counts)


def decided(moves: str, game: Game = GAME) -> tuple[int, str]:
    decision = player("rule", game).decide(game.position(moves))
    return decision.action + 1, decision.why


def test_rule_1_wins_before_it_blocks() -> None:
    assert decided("121212") == (1, "rule 1: completes four in column 1")


def test_rule_2_blocks() -> None:
    assert decided("12121") == (1, "rule 2: blocks column 1")


def test_rule_3_takes_the_cell_of_an_open_three() -> None:
    # X has 3 and 4 of the bottom row.
    assert decided("374") == (2, "rule 3: takes column 2, where the opponent would have three in a row")


def test_rule_4_makes_three_in_a_row() -> None:
    # X has 3 and 4 at the bottom, O has 1 and 7.
    action, why = decided("3147")
    assert (action, why) == (2, "rule 4: three in a row with column 2")


def rule_by_the_spec(position: Position) -> tuple[str, int, bool]:
    """Rule, column and whether the double check excluded a column from rule 4, on a simple board."""
    s, stones = position.state, grid(position.state)
    landing = {a: (a, sum((a, r) in stones for r in range(6))) for a in position.actions}

    def four(cell: tuple[int, int], side: str) -> bool:
        with_cell = {**stones, cell: side}
        return any(cell in line and all(with_cell.get(c) == side for c in line) for line in lines_of(7, 6))

    def three(cell: tuple[int, int], side: str) -> bool:
        with_cell = {**stones, cell: side}
        runs = [[(cell[0] + k + i, cell[1]) for i in range(3)] for k in (-2, -1, 0)]
        return any(all(with_cell.get(c) == side for c in run) for run in runs)

    def passes(a: int) -> bool:
        above = (a, landing[a][1] + 1)
        return above[1] > 5 or not four(above, "t")

    for rule, test in (("1", lambda a: four(landing[a], "m")), ("2", lambda a: four(landing[a], "t")),
                       ("3", lambda a: three(landing[a], "t"))):  # fmt: skip
        for a in position.actions:
            if test(a):
                return rule, a, False
    thirds = [a for a in position.actions if three(landing[a], "m")]
    excluded = any(not passes(a) for a in thirds)
    for a in thirds:
        if passes(a):
            return "4", a, excluded
    safe = [a for a in position.actions if passes(a)]
    if not safe:
        return "6", position.actions[0], excluded
    values = [(pattern_score(position.play(a).state.theirs, s.theirs, board_of(s), 6), -a) for a in safe]
    return "5", -max(values)[1], excluded


def test_the_rule_player_equals_the_spec() -> None:
    rng, seen, checks = random.Random(8), set(), 0
    for _ in range(400):
        position = GAME.first
        for _ in range(rng.randint(1, 30)):
            following = position.play(rng.choice(position.actions))
            if following.over:
                break
            position = following
        if position.history:
            rule, action, excluded = rule_by_the_spec(position)
            decision = player("rule", GAME).decide(position)
            assert (decision.action, decision.why[5]) == (action, rule), position.text
            seen.add(rule)
            checks += excluded
    assert seen >= set("12345") and checks > 3


def test_rule_5_takes_the_best_that_passes_the_double_check() -> None:
    position = GAME.position("4")
    action, why = decided("4")
    assert why.startswith(f"rule 5: column {action} has the highest score")
    s = position.state
    values = {}
    for a in position.actions:
        after = position.play(a).state
        values[a + 1] = pattern_score(after.theirs, after.mine, board_of(s), 6)
    assert values[action] == max(values.values())
    assert action == min(a for a, value in values.items() if value == max(values.values()))


def test_rule_player_opens_in_column_3() -> None:
    assert decided("start") == (3, "opening: column 3")


def test_every_rule_is_used_and_moves_are_legal() -> None:
    rng, seen = random.Random(1), set()
    rule = player("rule", GAME)
    for _ in range(300):
        position = GAME.first
        while not position.over:
            if position.mover == 0 or rng.random() < 0.5:
                decision = rule.decide(position)
                assert decision.action in position.actions
                seen.add(decision.why[:6])
                position = position.play(decision.action)
            else:
                position = position.play(rng.choice(position.actions))
    assert seen == {"openin", *(f"rule {n}" for n in range(1, 7))}


def heuristic_value(position: Position, depth: int, viewer: int) -> float:
    """The spec's value for the viewer, by plain minimax."""
    if position.over:
        return position.score if viewer == 0 else -position.score
    if depth == 0:
        s = position.state
        own, other = (s.mine, s.theirs) if position.mover == viewer else (s.theirs, s.mine)
        board = board_of(s)
        value = lines_through(own, board, 6) - lines_through(other, board, 6)
        return (value + pattern_score(own, other, board, 6)) / 1000
    values = [heuristic_value(position.play(a), depth - 1, viewer) for a in position.actions]
    return max(values) if position.mover == viewer else min(values)


@pytest.mark.parametrize("moves", ["start", "4", "44533", "4323543"])
def test_heuristic_is_alpha_beta_over_the_courses_evaluation(moves: str) -> None:
    position = GAME.position(moves)
    decision = player("heuristic:depth=3", GAME).decide(position)
    value = decision.report.value if position.mover == 0 else -decision.report.value
    assert value == pytest.approx(heuristic_value(position, 3, position.mover))
    assert "3 plies" in decision.why and "lines, twos and threes" in decision.why


def test_heuristic_searches_six_plies_and_finds_a_win() -> None:
    decision = player("heuristic", GAME).decide(GAME.position("4455"), Limit())
    assert decision.report.value == 1 and decision.report.depth <= 6


@pytest.mark.parametrize("kind", ["rule", "heuristic:depth=2"])
def test_rule_and_heuristic_play_on_other_boards(kind: str) -> None:
    game = registry.game("connect_four:width=5,height=5")
    position = game.first
    while not position.over:
        position = position.play(player(kind, game).decide(position).action)
    assert start(5, 5).height == 5


@pytest.mark.parametrize("kind", ["solver", "mlp"])
def test_other_players_need_the_standard_board(kind: str) -> None:
    game = registry.game("connect_four:width=5,height=5")
    with pytest.raises(HansuError, match="standard board"):
        player(kind, game).decide(game.first)
