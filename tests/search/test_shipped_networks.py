"""The networks that come with hansu, against their recorded outputs on a few positions, and their metadata.

`python tests/search/test_shipped_networks.py` records the outputs again after a new training.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hansu.core import registry
from hansu.core.generic import planes
from hansu.games.renju.network_players import Original
from hansu.search.network import game_network, plane_shape, shipped

OUTPUTS = Path(__file__).parents[1] / "data" / "shipped_networks.json"
POSITIONS = {
    "tictactoe": ("", "5 1", "1 5 9"),
    "connect_four": ("", "4 4 4", "1 2 3 4 5 6 7", "3 3 4 4 5"),
    "ataxx": ("", "f2 b2", "a7a5 a1a3 g1e3"),
    "renju": ("", "h8 h9 j10", "h8 i9 h10 i8 g9"),
}
NETWORKS = [
    ("tictactoe", ""), ("connect_four", ""),
    ("ataxx", ""), ("ataxx", "alphazero"),
    ("renju", ""), ("renju", "original"),
]  # fmt: skip
MAX_BYTES = 20_000_000  # of all networks


def notes_of(name: str, network: str) -> dict[str, str]:
    game = registry.built_in(name)
    path = shipped(game, network)
    assert path is not None
    return game_network(path, game.first).notes


def outputs(name: str, network: str) -> list[dict[str, Any]]:
    """Probabilities of win, draw and loss and the three most probable moves, for each position."""
    game = registry.built_in(name)
    path = shipped(game, network)
    assert path is not None
    evaluate, results = game_network(path, game.first), []
    for moves in POSITIONS[name]:
        at = game.position(moves)
        batch = np.zeros((1, *plane_shape(game, at.state)), np.float32)
        planes(at.state, batch[0])
        policy, value = evaluate(batch)
        best = sorted(at.actions, key=lambda a: -policy[0, a])[:3]
        results.append({
            "moves": moves, "chances": [round(float(x), 4) for x in value[0]],
            "best": [at.move_text(a) for a in best], "logits": [round(float(policy[0, a]), 3) for a in best],
        })  # fmt: skip
    return results


@pytest.mark.parametrize(("name", "network"), NETWORKS)
def test_outputs_match_the_record(name: str, network: str) -> None:
    """An int8 network may round differently on another processor. On 400 Ataxx positions, computed in another way, the
    logits of good moves differed by up to 0.13 and the probabilities by up to 0.005."""
    recorded = json.loads(OUTPUTS.read_text(encoding="utf-8"))[network or name]
    whole = notes_of(name, network).get("numbers") == "whole"
    for actual, expected in zip(outputs(name, network), recorded, strict=True):
        assert actual["moves"] == expected["moves"] and expected["best"][0] in actual["best"][: 3 if whole else 1]
        assert actual["chances"] == pytest.approx(expected["chances"], abs=0.01 if whole else 0.002)
        assert actual["logits"] == pytest.approx(expected["logits"], abs=0.2 if whole else 0.02)


@pytest.mark.parametrize(("name", "network"), NETWORKS)
def test_metadata(name: str, network: str) -> None:
    notes = notes_of(name, network)
    assert notes["game"] == name and notes["recipe"] and int(notes["games"]) > 0 and notes["about"]


def test_total_size() -> None:
    files = [shipped(registry.built_in(name), network) for name, network in NETWORKS]
    assert sum(path.stat().st_size for path in files if path is not None) < MAX_BYTES


@pytest.mark.parametrize("settings", [{"rule": "freestyle"}, {"rule": "standard"}, {"size": "13"}])
def test_original_networks_are_offered_for_their_own_rules_only(settings: dict[str, str]) -> None:
    renju = registry.built_in("renju")
    assert Original.ready_for(renju) and not Original.ready_for(renju.with_settings(settings))


if __name__ == "__main__":
    OUTPUTS.parent.mkdir(exist_ok=True)
    record = {network or name: outputs(name, network) for name, network in NETWORKS}
    OUTPUTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
