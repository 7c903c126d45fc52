"""The networks that come with hansu: what each answers on a few positions is written down, what it is says its file.

`python tests/search/test_shipped_networks.py` writes the answers anew, after a network was trained again.
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

ANSWERS = Path(__file__).parents[1] / "data" / "shipped_networks.json"
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
MOST = 20_000_000  # bytes of all of them


def notes_of(name: str, network: str) -> dict[str, str]:
    game = registry.built_in(name)
    path = shipped(game, network)
    assert path is not None
    return game_network(path, game.first).notes


def answers(name: str, network: str) -> list[dict[str, Any]]:
    """The chances of win, draw and loss and the three likeliest moves, position by position."""
    game = registry.built_in(name)
    path = shipped(game, network)
    assert path is not None
    asked, told = game_network(path, game.first), []
    for moves in POSITIONS[name]:
        at = game.position(moves)
        batch = np.zeros((1, *plane_shape(game, at.state)), np.float32)
        planes(at.state, batch[0])
        policy, value = asked(batch)
        best = sorted(at.actions, key=lambda a: -policy[0, a])[:3]
        told.append({
            "moves": moves, "chances": [round(float(x), 4) for x in value[0]],
            "best": [at.move_text(a) for a in best], "logits": [round(float(policy[0, a]), 3) for a in best],
        })  # fmt: skip
    return told


@pytest.mark.parametrize(("name", "network"), NETWORKS)
def test_a_network_answers_as_it_was_trained(name: str, network: str) -> None:
    """One in whole numbers may round otherwise on another processor, where a number lies between two: on 400 positions
    of Ataxx, computed in another way, the logits of good moves differed by up to 0.13, the chances by up to 0.005."""
    known = json.loads(ANSWERS.read_text(encoding="utf-8"))[network or name]
    whole = notes_of(name, network).get("numbers") == "whole"
    for found, wanted in zip(answers(name, network), known, strict=True):
        assert found["moves"] == wanted["moves"] and wanted["best"][0] in found["best"][: 3 if whole else 1]
        assert found["chances"] == pytest.approx(wanted["chances"], abs=0.01 if whole else 0.002)
        assert found["logits"] == pytest.approx(wanted["logits"], abs=0.2 if whole else 0.02)


@pytest.mark.parametrize(("name", "network"), NETWORKS)
def test_a_file_says_what_it_is(name: str, network: str) -> None:
    notes = notes_of(name, network)
    assert notes["game"] == name and notes["recipe"] and int(notes["games"]) > 0 and notes["about"]


def test_they_are_small() -> None:
    files = [shipped(registry.built_in(name), network) for name, network in NETWORKS]
    assert sum(path.stat().st_size for path in files if path is not None) < MOST


@pytest.mark.parametrize("settings", [{"rule": "freestyle"}, {"rule": "standard"}, {"size": "13"}])
def test_the_original_networks_are_offered_for_their_own_game_alone(settings: dict[str, str]) -> None:
    renju = registry.built_in("renju")
    assert Original.ready_for(renju) and not Original.ready_for(renju.with_settings(settings))


if __name__ == "__main__":
    ANSWERS.parent.mkdir(exist_ok=True)
    found = {network or name: answers(name, network) for name, network in NETWORKS}
    ANSWERS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
