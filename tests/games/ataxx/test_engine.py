"""The Ataxx engine: its search against plain negamax, limits, explanations."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from support.ataxx_boards import wander
from support.commands import stopped_from_outside

from hansu.arena.roster import player
from hansu.core import Control, Limit, Report, generic, registry
from hansu.games.ataxx import rules as r
from hansu.games.ataxx.engine import evaluation as v
from hansu.games.ataxx.engine import search as s_
from hansu.games.ataxx.engine.searcher import AtaxxSearcher
from hansu.games.ataxx.notation import fen, read_fen
from hansu.games.ataxx.players import effect_text

GAME = registry.game("ataxx")
ALMOST_WON = "xxxxxxx/xxxxxxx/xxxxxxx/xxx1ooo/ooooooo/ooooooo/ooooooo x 0 1"


@cache
def network() -> tuple:
    return v.read_weights()


def static(s: r.Ataxx, learned: bool) -> int:
    """The evaluation in plain Python, from scratch."""
    if not learned:
        return v.handmade(s.mine, s.theirs, r.empties(s))
    weights, bias, heads, offsets = network()
    sums = np.zeros((2, v.HIDDEN), np.int64)
    v.refresh(sums, weights, bias, s.mine | s.gaps, s.theirs | s.gaps)
    return v.output(sums, heads, offsets, 0, v.phase(s.mine, s.theirs))


def negamax(s: r.Ataxx, depth: int, ply: int, learned: bool) -> int:
    if r.counted(s.mine, s.theirs, r.empties(s), s.contest, s.turns):
        result = r.score(s) * (-1 if s.turns & 1 else 1)
        return (s_.WIN - ply) * result
    if r.over(s):
        return 0
    if depth == 0:
        return static(s, learned)
    return max(-negamax(r.play(s, a), depth - 1, ply + 1, learned) for a in generic.actions(s))


@pytest.mark.parametrize("learned", [False, True])
def test_search_without_pruning_equals_negamax(learned: bool) -> None:
    searcher = AtaxxSearcher(learned, 1)
    searcher.memory["ideas"] = searcher.memory["window"] = 0
    states = [s for seed in range(6) for s in wander(seed, seed % 2) if not r.over(s)]
    states = random.Random(1).sample(states, 8) + [
        read_fen("x5o/7/7/7/7/7/o5x x 98 1"), read_fen("x--4/---4/---4/7/7/7/6o x 0 1"),
        read_fen("x5o/7/7/7/7/7/o5x o 0 256", contest=True),
    ]  # fmt: skip
    most = 24 if learned else 60  # the network is slow in plain Python
    depths = [1 if r.action_total(s) > most else 2 for s in states]
    assert depths.count(2) > 2
    for s, depth in zip(states, depths, strict=True):
        report = searcher.search(s, Limit(depth=depth), Control())
        assert report.depth == depth or report.proved
        score = searcher.score_of(report)
        assert score == negamax(s, report.depth, 0, learned)
        assert score == -negamax(r.play(s, report.line[0]), report.depth - 1, 1, learned)


def test_the_table_alone_does_not_change_values() -> None:
    with_table, without = AtaxxSearcher(False, 1), AtaxxSearcher(False, 1)
    with_table.memory["ideas"], without.memory["ideas"] = s_.TABLE, 0
    for s in [s for s in wander(9) if not r.over(s)][::12]:
        with_table.new_game()
        one, other = (searcher.search(s, Limit(depth=3), Control()) for searcher in (with_table, without))
        assert one.value == other.value and one.plies == other.plies


FORTRESS = "oo1ooxx/oooooxx/oooooxx/xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx x {clock} 1"  # o jumps from a7 to c7 and back


def test_the_engine_recognises_fortress_draws() -> None:
    searcher = AtaxxSearcher(True, 1)
    report = searcher.search(read_fen(FORTRESS.format(clock=0)), Limit(depth=3), Control())
    assert report.value == 0 and not report.proved
    searcher.memory["ideas"] = s_.ALL_IDEAS & ~s_.FORTRESSES
    searcher.new_game()
    assert searcher.search(read_fen(FORTRESS.format(clock=0)), Limit(depth=3), Control()).value > 0.9
    contest = read_fen(FORTRESS.format(clock=0), contest=True)  # by contest rules the game ends at once
    assert contest.contest and r.over(contest)


def is_fortress(s: r.Ataxx) -> bool:
    """By playing it out: can the opponent jump back and forth with one piece until the game is drawn, while the mover
    can only pass?"""
    stuck = r.play(s, r.PASS)
    for out in (a for a in generic.actions(stuck) if a >= r.SQUARES):
        target, source = out % r.SQUARES, out % r.SQUARES - r.STEP[out // r.SQUARES]
        back = next(d for d, step in enumerate(r.STEP) if step == source - target) * r.SQUARES + source
        at, jumps = s, 0
        while not r.over(at) and list(generic.actions(at)) == [r.PASS]:
            at = r.play(at, r.PASS)
            if not r.over(at):
                action = back if jumps % 2 else out
                if not r.legal(at, action):
                    break
                at, jumps = r.play(at, action), jumps + 1
        if at.halfmove >= r.CLOCK_LIMIT and r.score(at) == 0:
            return True
    return False


def test_fortresses_hold() -> None:
    rng, counts = random.Random(2), [0, 0]
    while min(counts) < 60:
        # Mine are in some columns, and everything in their reach is occupied.
        columns = r.FULL >> 7 * rng.randrange(1, 5)
        mine = columns & (rng.getrandbits(49) | rng.getrandbits(49))
        near = r.reach(mine)
        theirs = near & ~mine | r.FULL & ~near & rng.getrandbits(49)
        s = r.Ataxx(mine, theirs, 0, 0, 0, 0)
        if r.over(s) or not theirs:
            continue
        result = s_.shut_out.plain(mine, theirs, r.empties(s))
        assert result == is_fortress(s), fen(s)
        counts[result] += 1


@pytest.mark.parametrize("learned", [False, True])
def test_the_evaluation_is_colour_blind_and_equals_plain_python(learned: bool) -> None:
    searcher = AtaxxSearcher(learned, 1)
    for s in wander(3)[::7]:
        assert searcher.evaluation(s) == static(s, learned)
        assert searcher.evaluation(s._replace(turns=s.turns ^ 1)) == static(s, learned)


def test_the_accumulators_follow_the_game() -> None:
    """Incremental updates equal a full refresh."""
    weights, bias, _, _ = network()
    states = wander(5)
    sums, fresh = np.zeros((2, v.HIDDEN), np.int64), np.zeros((2, v.HIDDEN), np.int64)
    changes = np.zeros((4, 36), np.int64)

    def sides(s: r.Ataxx) -> tuple[int, int]:
        x, o = (s.theirs, s.mine) if s.turns & 1 else (s.mine, s.theirs)
        return x | s.gaps, o | s.gaps

    v.refresh(sums, weights, bias, *sides(states[0]))
    for before, after in pairwise(states):
        v.advance(sums, sums.copy(), weights.astype(np.int64), changes, *sides(before), *sides(after))
        v.refresh(fresh, weights, bias, *sides(after))
        assert np.array_equal(sums, fresh)


def test_the_weights_fit_their_type() -> None:
    weights, bias, _, _ = network()
    assert v.WEIGHTS.stat().st_size <= 8 << 20
    reachable = np.abs(weights.astype(np.int64)).reshape(41, 256, v.HIDDEN).max(1).sum(0) + np.abs(bias)
    assert reachable.max() < 2**15  # no sum of 36 rows leaves 16 bits


def test_lines_are_legal_and_wins_are_found() -> None:
    searcher = AtaxxSearcher(True, 4)
    for s in [s for seed in (7, 8) for s in wander(seed) if not r.over(s)][::9]:
        report = searcher.search(s, Limit(nodes=10_000), Control())
        assert report.line
        for action in report.line:
            assert r.legal(s, action)
            s = r.play(s, action)
    won = searcher.search(read_fen(ALMOST_WON), Limit(depth=4), Control())
    assert won.plies == 1 and won.proved and won.value == 1
    lost = searcher.search(read_fen("7/7/7/7/7/x6/xo5 o 99 1"), Limit(depth=3), Control())
    assert r.legal(read_fen("7/7/7/7/7/x6/xo5 o 99 1"), lost.line[0])


def test_limits_and_stop() -> None:
    searcher = AtaxxSearcher(False)
    searcher.precompile()
    s = r.start()
    assert searcher.search(s, Limit(depth=5), Control()).depth == 5
    assert searcher.search(s, Limit(nodes=5000), Control()).nodes <= 5000
    assert r.legal(s, searcher.search(s, Limit(nodes=1), Control()).line[0])
    control = Control()
    with stopped_from_outside(control) as tell:
        searcher.search(s, Limit(), control, tell)  # returns at all
    stopped = Control()
    stopped.stop()
    assert r.legal(s, searcher.search(s, Limit(), stopped).line[0])


def test_the_player_explains_its_move() -> None:
    reports: list[Report] = []
    engine = player("engine:hash=4", GAME)
    position = GAME.position("x5o/7/7/3ooo1/3o3/2xo3/o6 x 0 9")
    decision = engine.decide(position, Limit(depth=5), Control(reports.append))
    assert "turns" in decision.why and "hole" in decision.why and decision.report.depth == 5
    assert [p.depth for p in reports] == [1, 2, 3, 4, 5]
    assert position.line_text(decision.report.line) and -1 <= decision.report.value <= 1
    won = engine.decide(GAME.position(ALMOST_WON), Limit(depth=3))
    assert won.report.proved and won.report.value == 1 and "x wins at once" in won.why
    for_o = engine.decide(GAME.position(ALMOST_WON.replace(" x ", " o ")), Limit(depth=3))
    assert for_o.report.value == -1
    passing = engine.decide(GAME.position("x--4/---4/---4/7/7/7/6o x 0 1"), Limit(depth=3))
    assert passing.action == r.PASS and "passes" in passing.why
    assert player("engine:evaluation=handmade", GAME).decide(GAME.first, Limit(nodes=2000)).report.nodes <= 2000


def test_the_effect_of_a_move_in_words() -> None:
    s = read_fen("7/7/3ooo1/3x3/7/7/x6 x 0 1")
    assert effect_text(s, GAME.action(s, "c5")) == "clones, turns 1, leaves 1 hole"
    s = read_fen("4o2/7/3x1x1/3xxx1/7/7/7 x 0 1")
    assert effect_text(s, GAME.action(s, "g3")) == "clones, turns 0, leaves 1 hole"
    assert effect_text(r.start(), GAME.action(r.start(), "a7a5")) == "jumps, turns 0, leaves no holes"


def test_the_search_uses_contest_rules() -> None:
    """c5 leaves x without moves: by the usual rules x passes, by contest rules x loses the empty squares at once."""
    text = "xoo4/ooo4/oo5/7/7/7/7 o 0 9"
    searcher = AtaxxSearcher(False, 1)
    contest = searcher.search(read_fen(text, contest=True), Limit(depth=1), Control())
    assert contest.plies == 1 and contest.line[0] == GAME.action(read_fen(text), "c5")
    searcher.new_game()
    assert searcher.search(read_fen(text), Limit(depth=1), Control()).plies is None
