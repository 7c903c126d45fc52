"""The teacher of the Renju engine's network (`learn/engine_training/distillation.py`).

It learns from games, or it was trained by self-play before. A trained teacher can also play thousands of games at once
by its policy alone, which quickly yields any number of positions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hansu.games.renju.training.games import CELLS, SIZE
from hansu.games.renju.training.samples import BLACK, WHITE, RenjuSamples
from hansu.learn.engine_training.distillation import Teacher, functional, value_loss
from hansu.learn.learner import offset_loss
from hansu.learn.networks import Shape, torch

PLANES = 4
CONCURRENT_GAMES = 4096
OPENING_STONES = (2, 7)  # least and most
OPENING_REACH = 3  # cells around the middle of the opening, which lies up to two cells off the board's middle
MOST_STONES = 100  # in a game
DECIDED = 0.03  # win probability of a side below which a position counts as decided,
DECIDED_SHARE = 0.25  # and the share of decided positions that are used


class RenjuTeacher(Teacher):
    """A network on the planes of the game: the mover's stones, the opponent's, empty cells, whether black moves."""

    shape = Shape(PLANES, SIZE, SIZE, CELLS, cells="rows")
    largest_batch = 1024
    evaluation_batch = 16384

    def forward(self, boards: Any, side: Any) -> tuple[Any, Any]:
        """Policy logits, float32[n, CELLS], and the mover's win probability, float32[n]."""
        mine, theirs = (boards == colour for colour in (side[:, None] + BLACK, WHITE - side[:, None]))
        black = (side == 0)[:, None].expand_as(mine)
        planes = torch.stack((mine, theirs, boards == 0, black), 1).view(-1, PLANES, SIZE, SIZE).float()
        policy, chance = self.evaluate(planes)
        return policy[:, :CELLS].float().masked_fill(boards != 0, -torch.inf), chance

    def loss(self, samples: RenjuSamples, rows: Any) -> Any:
        boards, moves = randomly_turned(samples.boards[rows], samples.policy[rows])
        policy, chance = self(boards, samples.side[rows])
        return functional.cross_entropy(policy, moves) + offset_loss(policy) + value_loss(chance, samples.won[rows])

    def targets(self, samples: RenjuSamples, rows: Any) -> Any:
        """float16[n, CELLS + 1]: the policy, then the win probability."""
        policy, chance = self(samples.boards[rows], samples.side[rows])
        return torch.cat((policy.softmax(1), chance[:, None]), 1).half()


def randomly_turned(boards: Any, cells: Any) -> tuple[Any, Any]:
    """A batch of boards and a cell of each, all under one random symmetry."""
    numbers = torch.arange(CELLS, device=boards.device).view(SIZE, SIZE)
    turn = int(torch.randint(8, ()))
    numbers = torch.rot90(numbers, turn & 3)
    source = (numbers.T if turn & 4 else numbers).reshape(-1)
    return boards[:, source], source.argsort()[cells]


def openings(count: int, device: str) -> tuple[Any, Any]:
    """Random stones in a part of the board, int8[count, CELLS], and who moves next."""
    field = 2 * OPENING_REACH + 1
    least, most = OPENING_STONES
    stone_count = torch.randint(least, most + 1, (count, 1), device=device)
    cells = torch.rand(count, field * field, device=device).argsort(1)[:, :most]
    corner = SIZE // 2 - OPENING_REACH + torch.randint(-2, 3, (2, count, 1), device=device)
    cells = (corner[0] + cells // field) * SIZE + corner[1] + cells % field
    numbers = torch.arange(most, device=device)
    stones = torch.where(numbers < stone_count, numbers % 2 + BLACK, 0).to(torch.int8)
    boards = torch.zeros(count, CELLS, dtype=torch.int8, device=device).scatter(1, cells, stones)
    return boards, stone_count[:, 0] % 2


def self_play(
    teacher: RenjuTeacher, count: int, device: str, continues: Callable[[Any, Any], Any]
) -> tuple[Any, Any]:  # fmt: skip
    """At least `count` positions of the teacher's games against itself, with moves sampled from its policy: boards and
    who moves. A game ends where `continues(boards, side)` is false."""
    games = min(CONCURRENT_GAMES, count)
    boards, side = openings(games, device)
    batches: list[tuple[Any, Any]] = []
    total = 0
    with torch.no_grad():
        while total < count:
            policy, chance = teacher(boards, side)
            going = continues(boards, side) & ((boards != 0).sum(1) < MOST_STONES)
            undecided = (chance > DECIDED) & (chance < 1 - DECIDED)
            chosen = going & (undecided | (torch.rand(games, device=device) < DECIDED_SHARE))
            batches.append((boards[chosen], side[chosen]))
            total += int(chosen.sum())
            cells = torch.multinomial(policy.softmax(1), 1)
            after = boards.scatter(1, cells, (side + BLACK).to(torch.int8)[:, None])
            new_boards, new_side = openings(games, device)
            boards, side = torch.where(going[:, None], after, new_boards), torch.where(going, 1 - side, new_side)
    return torch.cat([boards for boards, _ in batches]), torch.cat([side for _, side in batches])
