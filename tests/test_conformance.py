"""What every game must do. Games are discovered, so a new one is checked without a new line here."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hansu import games
from hansu.arena.roster import player
from hansu.core import CHANCE, Game, Limit, Position, compiled, flat, generic, pack, unpack
from hansu.scene.ansi import ansi
from hansu.scene.svg import svg
from hansu.search.chance import step_chance
from hansu.search.perft import perft
from hansu.search.playout import playout

NAMES = (*games.names(), "nim")


@pytest.fixture(params=NAMES)
def game(request: pytest.FixtureRequest, nim_path: Path) -> Game:
    return games.game(f"{nim_path}:heap=3" if request.param == "nim" else request.param)


def wander(game: Game, seed: int, most: int = 60) -> list[Position]:
    """The positions of a random game, the last one included."""
    chance = random.Random(seed)
    position = step_chance(game.first, chance)
    met = [position]
    while not position.over and len(met) < most:
        position = step_chance(position.play(chance.choice(position.actions)), chance)
        met.append(position)
    return met


def facts(s):
    """Everything the common words say of a state; compiled below."""
    first = generic_next(s, -1)
    done = generic_over(s)
    return (
        done,
        float(generic_score(s)) if done else 0.0,
        generic_mover(s),
        generic_key(s),
        float(generic_evaluate(s)) if not done else 0.0,
        generic_team(s),
        -1 if done else first,
    )


generic_next, generic_over, generic_score = generic.next_action, generic.over, generic.score
generic_mover, generic_key, generic_evaluate = generic.mover, generic.key, generic.evaluate
generic_team = generic.team


def next_state(s, a):
    return generic_play(s, a)


generic_play = generic.play


def test_compiled_rules_equal_interpreted_ones(game: Game) -> None:
    fast_facts, fast_play = compiled(facts, type(game.first.state)), compiled(next_state, type(game.first.state))
    for seed in range(4):
        for position in wander(game, seed):
            s = position.state
            assert fast_facts(s) == facts(s)
            for action in position.actions[:: max(1, len(position.actions) // 8)]:
                assert fast_play(s, action) == generic.play(s, action)


def test_compiled_playouts_equal_interpreted_ones(game: Game) -> None:
    fast = compiled(playout, type(game.first.state))
    for seed in (1, 2**40 + 7):
        words, plain = np.array([seed]), [seed]
        assert fast(game.first.state, words, 300) == playout(game.first.state, plain, 300)
        assert int(words[0]) == plain[0]


def test_states_are_plain_ints_of_63_bits(game: Game) -> None:
    def leaves(value):
        if isinstance(value, tuple):
            for part in value:
                yield from leaves(part)
        else:
            yield value

    for seed in (20, 21):
        for position in wander(game, seed):
            for leaf in leaves(position.state):
                assert type(leaf) is int and -(2**63) <= leaf < 2**63, position.state


def test_moves_come_in_order_and_legal_agrees(game: Game) -> None:
    for position in wander(game, 5, 30):
        if not position.over:
            walked, a = [], generic.next_action(position.state, -1)
            while a >= 0:
                walked.append(a)
                a = generic.next_action(position.state, a)
            assert walked == list(position.actions) == sorted(set(walked))
            assert walked, "a position that is not over has a move"
            assert all(generic.legal(position.state, a) for a in walked)
            assert not generic.legal(position.state, max(walked) + 10**6)


def packed_and_masked(s, row, mask):
    pack(s, row)
    generic_legal_mask(s, mask)
    return unpack(s, row)


generic_legal_mask = generic.legal_mask


def test_states_travel_in_rows_and_masks_say_what_is_legal(game: Game) -> None:
    fast = compiled(packed_and_masked, type(game.first.state))
    for position in wander(game, 12, 40):
        s = position.state
        row, mask = np.zeros(len(flat(s)), np.int64), np.ones(generic.action_count(s), np.uint8)
        assert fast(s, row, mask) == s == unpack(s, row)
        assert np.nonzero(mask)[0].tolist() == list(position.actions)
        again, slow = np.zeros_like(row), np.ones_like(mask)
        packed_and_masked(s, again, slow)
        assert np.array_equal(row, again) and np.array_equal(mask, slow)


def test_perft_equals_counting_by_hand(game: Game) -> None:
    def count(position: Position, depth: int) -> int:
        return 1 if depth == 0 else sum(count(position.play(a), depth - 1) for a in position.actions)

    depth = 3 if len(game.first.actions) < 12 else 2
    fast = game.perft or compiled(perft, type(game.first.state))
    assert [fast(game.first.state, n) for n in range(depth + 1)] == [count(game.first, n) for n in range(depth + 1)]


def test_notation_goes_both_ways(game: Game) -> None:
    for position in wander(game, 6, 25):
        texts = [position.move_text(a) for a in position.actions]
        assert len(set(texts)) == len(texts)
        for action, text in zip(position.actions, texts, strict=True):
            assert game.action(position.state, text) == action
        assert game.position(position.text).state == position.state
    line = wander(game, 7, 12)[-1]
    if not any(p.mover == CHANCE for p in wander(game, 7, 12)):
        assert game.position(" ".join(line.moves) or "start").state == line.state


def test_scenes_render(game: Game) -> None:
    for position in wander(game, 8, 12):
        picture = svg(position.scene)
        assert picture.startswith("<svg") and picture.endswith("</svg>") and "nan" not in picture
        text = ansi(position.scene, color=False)
        assert text.strip() and "\x1b" not in text
        assert position._repr_svg_() == picture


@pytest.mark.parametrize("spec", ["random:seed=1", "minimax", "expectimax", "alphabeta", "iterative", "mcts"])
def test_general_players_play_legal_moves_to_the_end(game: Game, spec: str) -> None:
    chance = random.Random(9)
    who = player(spec, game)
    position = step_chance(game.first, chance)
    while not position.over and len(position.history) < 24:
        decision = who.decide(position, Limit(nodes=150))
        assert decision.action in position.actions
        assert decision.why
        assert position.line_text(decision.report.line) or not decision.report.line
        position = step_chance(position.play(decision.action), chance)


def oracle(s, depth: int) -> float:
    """Minimax by the book, in the plainest Python."""
    if generic.over(s):
        return float(generic.score(s))
    if depth == 0:
        return float(generic.evaluate(s))
    values = [(a, oracle(generic.play(s, a), depth - 1)) for a in generic.actions(s)]
    if generic.mover(s) == CHANCE:
        return sum(generic.probability(s, a) * v for a, v in values)
    return (max if generic.team(s) == 0 else min)(v for _, v in values)


def test_compiled_searches_equal_the_oracle(game: Game) -> None:
    for position in (wander(game, 10, 60)[i] for i in (0, -1, -2, -3) if len(wander(game, 10, 60)) > 3):
        depth = 3 if len(position.actions) < 12 else 2 if len(position.actions) < 60 else 1
        expected = oracle(position.state, depth)
        for kind in ("minimax", "alphabeta", "iterative"):
            if position.over:
                continue
            value = player(f"{kind}:depth={depth}", game).decide(position).report.value
            assert value == pytest.approx(expected), kind


def test_one_source_gives_the_same_nodes_both_ways(game: Game) -> None:
    depth = 2 if len(game.first.actions) < 100 else 1  # in plain Python
    for kind in ("minimax", "alphabeta", "expectimax", "iterative"):
        fast = player(f"{kind}:depth={depth}", game).decide(game.first)
        slow = player(f"{kind}:depth={depth},interpreted=true", game).decide(game.first)
        assert fast.action == slow.action
        assert replace(fast.report, seconds=0) == replace(slow.report, seconds=0)


def test_symmetries_keep_the_game(game: Game) -> None:
    for position in wander(game, 11, 20):
        for k in range(game.symmetries):
            mirrored = position.symmetric(k)
            assert (mirrored.over, mirrored.mover) == (position.over, position.mover)
            if position.over:
                assert mirrored.score == position.score
                continue
            images = {a: generic.symmetric_action(position.state, a, k) for a in position.actions}
            assert sorted(images.values()) == list(mirrored.actions)
            for a in position.actions[::5]:
                assert mirrored.play(images[a]).state == generic.symmetric(position.play(a).state, k)


def fill(s, out):
    generic_planes(s, out)


generic_planes = generic.planes


def test_planes_are_written_alike_both_ways(game: Game) -> None:
    shape = game.plane_shape or (len(flat(game.first.state)), 1, 63)
    met = wander(game, 12, 10)
    for position in met:
        fast, slow = np.full(shape, np.nan, np.float32), np.full(shape, np.nan, np.float32)
        compiled(fill, type(position.state))(position.state, fast)
        generic.planes(position.state, slow)
        assert np.array_equal(fast, slow) and not np.isnan(fast).any()
    assert game.symmetries == 1 or not np.array_equal(fast, np.zeros_like(fast))


def test_every_language(game: Game) -> None:
    for text in (game.title, game.about):
        assert text and text.to("ko") != text
