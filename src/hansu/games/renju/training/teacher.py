"""The teacher of the Renju engine's network: a large network that judges positions (fitting.py).

It learns from games, or has learnt before by self-play; then it can play, too: by its policy alone, thousands of games
side by side, which is quick and gives as many positions as one likes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hansu.games.renju.training.games import CELLS, SIZE
from hansu.games.renju.training.samples import BLACK, WHITE, RenjuSamples
from hansu.learn.engine_training.distillation import (
    TEACHER_CLIP,
    DistillationSettings,
    chance_loss,
    functional,
    minimise,
    on_device,
    win_chance,
)
from hansu.learn.learner import offset_loss
from hansu.learn.networks import Shape, Size, build, nn, torch

PLANES = 4
SIDE_BY_SIDE = 4096  # games
LAID = (2, 7)  # stones of an opening, at least and at most
REACH = 3  # of its field around the middle, where the middle itself lies up to two cells off the board's
LONGEST = 100  # stones
UNDECIDED = 0.03  # a position is kept for certain if the teacher gives either side so much of a chance,
SELDOM = 0.25  # else with this probability


class RenjuTeacher(nn.Module):  # type: ignore[misc]
    """A network that sees what the game's `planes` shows: the mover's stones, the other's, what is empty, and whether
    black moves."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, boards: Any, side: Any) -> tuple[Any, Any]:
        """A logit for each cell, and the mover's chance."""
        mine, theirs = (boards == colour for colour in (side[:, None] + BLACK, WHITE - side[:, None]))
        black = (side == 0)[:, None].expand_as(mine)
        planes = torch.stack((mine, theirs, boards == 0, black), 1).view(-1, PLANES, SIZE, SIZE).float()
        with torch.autocast(boards.device.type, torch.bfloat16, enabled=boards.is_cuda):
            policy, results, *_ = self.network(planes.to(memory_format=torch.channels_last))
        return policy[:, :CELLS].float().masked_fill(boards != 0, -torch.inf), win_chance(results)


def turned_by_chance(boards: Any, cells: Any) -> tuple[Any, Any]:
    """The boards of a batch and a cell of each, all turned or mirrored in one way that chance chooses."""
    numbers = torch.arange(CELLS, device=boards.device).view(SIZE, SIZE)
    turn = int(torch.randint(8, ()))
    numbers = torch.rot90(numbers, turn & 3)
    comes_from = (numbers.T if turn & 4 else numbers).reshape(-1)
    return boards[:, comes_from], comes_from.argsort()[cells]


def untaught(settings: DistillationSettings) -> RenjuTeacher:
    shape = Shape(PLANES, SIZE, SIZE, CELLS, cells="rows")
    tower = build("tower", shape, Size(settings.channels, settings.blocks, pooling=2))
    made: RenjuTeacher = on_device(RenjuTeacher(tower), settings.device)
    return made


def teach(
    teacher: RenjuTeacher, samples: RenjuSamples, rows: Any, settings: DistillationSettings, tell: Callable[[str], None]
) -> None:
    """Let it learn from some rows."""

    def loss(some: Any) -> Any:
        boards, moves = turned_by_chance(samples.boards[some], samples.move[some])
        policy, chance = teacher(boards, samples.side[some])
        return functional.cross_entropy(policy, moves) + offset_loss(policy) + chance_loss(chance, samples.won[some])

    teacher.train()
    batch, rate = min(settings.batch, 1024), settings.teacher_rate
    losses = minimise(teacher, loss, rows, settings.teacher_epochs, batch, rate, clip=TEACHER_CLIP)
    for lesson, mean in enumerate(losses, 1):
        tell(f"the teacher, epoch {lesson} of {settings.teacher_epochs}: loss {mean:.4f}")
    teacher.eval()


def openings(count: int, device: str) -> tuple[Any, Any]:
    """Stones laid by chance in a part of the board, and who moves next."""
    field = 2 * REACH + 1
    laid = torch.randint(LAID[0], LAID[1] + 1, (count, 1), device=device)
    cells = torch.rand(count, field * field, device=device).argsort(1)[:, : LAID[1]]
    corner = SIZE // 2 - REACH + torch.randint(-2, 3, (2, count, 1), device=device)
    cells = (corner[0] + cells // field) * SIZE + corner[1] + cells % field
    numbers = torch.arange(LAID[1], device=device)
    stones = torch.where(numbers < laid, numbers % 2 + BLACK, 0).to(torch.int8)
    boards = torch.zeros(count, CELLS, dtype=torch.int8, device=device).scatter(1, cells, stones)
    return boards, laid[:, 0] % 2


def played(teacher: RenjuTeacher, count: int, device: str, goes_on: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """Some `count` positions of the teacher's games with itself, moves drawn by its policy: boards and who moves. A
    game ends where `goes_on(boards, side)` says so."""
    games = min(SIDE_BY_SIDE, count)
    boards, side = openings(games, device)
    kept: list[tuple[Any, Any]] = []
    found = 0
    with torch.no_grad():
        while found < count:
            policy, chance = teacher(boards, side)
            going = goes_on(boards, side) & ((boards != 0).sum(1) < LONGEST)
            open_yet = (chance > UNDECIDED) & (chance < 1 - UNDECIDED)
            chosen = going & (open_yet | (torch.rand(games, device=device) < SELDOM))
            kept.append((boards[chosen], side[chosen]))
            found += int(chosen.sum())
            cells = torch.multinomial(policy.softmax(1), 1)
            after = boards.scatter(1, cells, (side + BLACK).to(torch.int8)[:, None])
            fresh, first = openings(games, device)
            boards, side = torch.where(going[:, None], after, fresh), torch.where(going, 1 - side, first)
    return torch.cat([board for board, _ in kept]), torch.cat([mover for _, mover in kept])
