"""Claim: in whole numbers a network answers more than twice as many positions a second on one core as the same network
in floats does, where the processor has VNNI; where it has not, not fewer. The networks: Connect Four's own (a tower of
96 x 6 on 6x7) and the original one of Renju (four of six convolutions of 96 on 15x15), asked about one position at a
time and about eight. Both files come in floats; the other is made of them here, on positions of random play."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from measure import claim, seconds

from hansu.core import registry
from hansu.core.generic import planes
from hansu.learn.quantization import in_whole_numbers
from hansu.search.network import Network, game_network, plane_shape, shipped

NETWORKS = (("connect_four", "", 30), ("renju", "original", 40))  # game, file, the longest random play
POSITIONS = 64  # to see how large numbers become inside
TIMES = 40  # questions of a run


def has_vnni() -> bool:
    """As Linux tells it; elsewhere it is not known, and nothing is promised."""
    told = Path("/proc/cpuinfo")
    return told.is_file() and "vnni" in told.read_text(encoding="utf-8", errors="replace")


def rate(network: Network, batch: np.ndarray) -> float:
    network(batch)
    return TIMES * len(batch) / seconds(lambda: [network(batch) for _ in range(TIMES)])


def main() -> None:
    wanted = 2.0 if has_vnni() else 1.0
    for name, file, longest in NETWORKS:
        game = registry.built_in(name)
        path = shipped(game, file)
        assert path is not None
        states = [game.random_position(2 + i % longest, seed=i).state for i in range(POSITIONS)]
        shown = np.zeros((POSITIONS, *plane_shape(game, states[0])), np.float32)
        for s, room in zip(states, shown, strict=True):
            planes(s, room)
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "whole.onnx"
            whole.write_bytes(in_whole_numbers(path.read_bytes(), shown))
            ours, theirs = game_network(whole, game.first), game_network(path, game.first)
        for rows in (1, 8):
            what = f"{path.stem}: positions in whole numbers, {rows} at a time"
            claim(what, rate(ours, shown[:rows]), rate(theirs, shown[:rows]), "floats", wanted)


if __name__ == "__main__":
    main()
