"""Claim: a quantized network (int8) evaluates more than twice as many positions per second on one core as the same
network in float32 if the processor has VNNI, and at least as many if not. The networks are Connect Four's (a tower of
96 x 6 on 6x7) and Renju's original one (four networks of six convolutions of 96 on 15x15), on batches of one and of
eight positions. Both files ship in floats; they are quantized here, calibrated on positions of random games."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from measure import claim, seconds

from hansu.core import registry
from hansu.core.generic import planes
from hansu.learn.quantization import quantize
from hansu.search.network import Network, game_network, plane_shape, shipped

NETWORKS = (("connect_four", "", 30), ("renju", "original", 40))  # game, file, most random plies
POSITIONS = 64  # to calibrate on
RUNS = 40


def has_vnni() -> bool:
    """According to Linux; False on other systems, where the claim is the weaker one."""
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.is_file() and "vnni" in cpuinfo.read_text(encoding="utf-8", errors="replace")


def rate(network: Network, batch: np.ndarray) -> float:
    network(batch)
    return RUNS * len(batch) / seconds(lambda: [network(batch) for _ in range(RUNS)])


def main() -> None:
    factor = 2.0 if has_vnni() else 1.0
    for name, file, plies in NETWORKS:
        game = registry.built_in(name)
        path = shipped(game, file)
        assert path is not None
        states = [game.random_position(2 + i % plies, seed=i).state for i in range(POSITIONS)]
        encoded = np.zeros((POSITIONS, *plane_shape(game, states[0])), np.float32)
        for s, row in zip(states, encoded, strict=True):
            planes(s, row)
        with tempfile.TemporaryDirectory() as folder:
            quantized = Path(folder) / "int8.onnx"
            quantized.write_bytes(quantize(path.read_bytes(), encoded))
            int8, float32 = game_network(quantized, game.first), game_network(path, game.first)
        for rows in (1, 8):
            what = f"{path.stem}: positions with int8, {rows} at a time"
            claim(what, rate(int8, encoded[:rows]), rate(float32, encoded[:rows]), "float32", factor)


if __name__ == "__main__":
    main()
