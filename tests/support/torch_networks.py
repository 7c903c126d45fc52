"""Small torch networks and their inputs."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch

from hansu.core import Game, Position
from hansu.learn.encoding import Encoding
from hansu.learn.networks import Size, build


def random_positions(game: Game, count: int, seed: int = 1) -> list[Position]:
    chance = random.Random(seed)
    position, met = game.first, []
    while len(met) < count:
        position = position.play(chance.choice(position.actions))
        if position.over:
            position = game.first
        met.append(position)
    return met


def planes(game: Game, positions: list[Position]) -> Any:
    from hansu.core import generic

    out = np.zeros((len(positions), *Encoding(game).plane_shape), np.float32)
    for position, room in zip(positions, out, strict=True):
        generic.planes(position.state, room)
    return torch.from_numpy(out)


def trained_a_little(name: str, game: Game, size: Size) -> Any:
    """With normalisations and weights that are not what they began as."""
    torch.manual_seed(1)
    network = build(name, Encoding(game).shape, size).train()
    x = planes(game, random_positions(game, 32))
    x[:, list(network.shape.dark)] = 0
    optimiser = torch.optim.Adam(network.parameters(), 0.01)
    for _ in range(3):
        policy, value, *others = network(x)
        loss = (
            policy.square().mean()
            + (value[:, 0] - 1).square().mean()
            + sum((o / 20 - 1).square().mean() for o in others)
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return network.eval()
