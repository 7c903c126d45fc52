"""Renju's rules: the three variants, sizes, the forbidden moves as illegal actions, positions as text."""

from __future__ import annotations

import pytest
import test_conformance

from hansu.games import game as named

OPTIONS = (
    "rule=freestyle", "rule=standard,size=9", "size=6,no_move=pass", "size=19", "rule=freestyle,size=16,opening=swap2",
    "opening=rif", "opening=taraguchi10", "opening=soosorv8,size=9", "opening=swap2,size=7",
)  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(
    "check",
    [
        test_conformance.test_compiled_rules_equal_interpreted_ones,
        test_conformance.test_compiled_playouts_equal_interpreted_ones,
        test_conformance.test_states_are_plain_ints_of_63_bits,
        test_conformance.test_moves_come_in_order_and_legal_agrees,
        test_conformance.test_notation_goes_both_ways,
        test_conformance.test_scenes_render,
        test_conformance.test_symmetries_keep_the_game,
        test_conformance.test_planes_are_written_alike_both_ways,
    ],
)
def test_every_option_conforms(options: str, check) -> None:
    check(named(f"renju:{options}"))
