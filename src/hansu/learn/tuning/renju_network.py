"""The Renju engine's network, fitted to games (renju_games.py) by way of a teacher (fitting.py).

The teacher learns the moves and a blend of the game's result and what the search thought. Then it judges the games'
positions and others a move beyond them, moves being drawn as it would play them. The network learns the policy of every
position, and the value of those in which the mover cannot win at once and no four is to be answered: a search sees to
these itself, but asks what a position is worth in which an open four threatens.

A line's code is seldom, or common. So while training a row is a sum: of the code's own part, of parts that all codes
with the same inner eight or six cells share, and of a part of its class (patterns.py). What is shared is learnt first
and stands in for what was hardly seen; the file holds the sums. A code and the same read backwards have one row.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hansu.games.renju.engine.evaluation import SCALE
from hansu.games.renju.engine.network import HIDDEN, MOST_MIXING, PARTS, UNITS, WIDTH
from hansu.games.renju.engine.patterns import CLASSES, CODES, DIGITS, FIVE, OFFSETS, OPEN_FOUR, classes
from hansu.games.renju.state import RULES
from hansu.learn.networks import Shape, Size, build, nn, torch
from hansu.learn.tuning.fitting import Settings, chance_loss, functional, in_parts, minimise, whole, win_chance
from hansu.learn.tuning.renju_games import CELLS, SIZE, read_games
from hansu.learn.tuning.renju_weights import VALIDATE

BLACK, WHITE = 1, 2
WINS_SOON, WINS_NOW = 1, 2  # with an open four, with five
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows and columns of a step, in the engine's order
POOLED_UNIT = 64  # pooled numbers are sums over a board: so much of them is 1 to the layer that mixes them
LIKELY = 16  # positions beyond the games' come of one of so many moves
TEMPERATURE = 2.0  # and they are drawn more evenly than the teacher would play
ASKED = 2048  # positions that a teacher judges at a time


class Samples(NamedTuple):
    boards: Any  # int8[n, CELLS]: 0 empty, 1 black, 2 white
    side: Any  # int64[n]: who moves
    won: Any  # float32[n]: the mover's chance to win, by the result and the search
    move: Any  # int64[n]: the cell that was played
    kept: Any  # bool[n]: of a game that is kept back


def read_samples(files: list[Path], rule: int, opinion: float) -> Samples:
    """Every position of a rule's games; `opinion` is the share of what the search thought in `won`. A game without
    scores counts by its result alone."""
    columns: list[list[Any]] = [[] for _ in Samples._fields]
    for number, game in enumerate(read_games(files, rule), 1):
        boards = np.zeros((len(game.moves), CELLS), np.int8)
        for k in range(1, len(game.moves)):
            boards[k] = boards[k - 1]
            boards[k, game.moves[k - 1]] = WHITE if k - 1 & 1 else BLACK
        side = np.arange(len(game.moves)) & 1
        result = np.where(side == 0, game.result, 1 - game.result)
        thought = 1 / (1 + np.exp(-np.clip(game.scores / SCALE, -10, 10)))
        share = opinion if game.scores.any() else 0.0
        won = ((1 - share) * result + share * thought).astype(np.float32)
        kept = np.full(len(side), number % VALIDATE == 0)
        for column, values in zip(columns, (boards, side, won, game.moves, kept), strict=True):
            column.append(values[game.laid :])
    return Samples(*(np.concatenate(column) for column in columns))


# The teacher.


class Teacher(nn.Module):  # type: ignore[misc]
    """A residual tower that sees the mover's stones, the other's, and whether black moves."""

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.tower = build("tower", Shape(3, SIZE, SIZE, CELLS, cells="rows"), Size(channels, blocks, pooling=2))

    def forward(self, boards: Any, side: Any) -> tuple[Any, Any]:
        """A logit for each cell, and the mover's chance."""
        mine, theirs = (boards == colour for colour in (side[:, None] + BLACK, WHITE - side[:, None]))
        black = (side == 0)[:, None].expand_as(mine)
        planes = torch.stack((mine, theirs, black), 1).view(-1, 3, SIZE, SIZE).float()
        with torch.autocast(boards.device.type, torch.bfloat16, enabled=boards.is_cuda):
            policy, results = self.tower(planes.to(memory_format=torch.channels_last))
        return policy.float().masked_fill(boards != 0, -torch.inf), win_chance(results)


def turned_by_chance(boards: Any, cells: Any) -> tuple[Any, Any]:
    """The boards of a batch and a cell of each, all turned or mirrored in one way that chance chooses."""
    numbers = torch.arange(CELLS, device=boards.device).view(SIZE, SIZE)
    turn = int(torch.randint(8, ()))
    numbers = torch.rot90(numbers, turn & 3)
    comes_from = (numbers.T if turn & 4 else numbers).reshape(-1)
    return boards[:, comes_from], comes_from.argsort()[cells]


def taught(samples: Samples, rows: Any, settings: Settings, tell: Callable[[str], None]) -> Teacher:
    """A teacher that has learnt from some rows."""
    teacher: Teacher = (
        Teacher(settings.channels, settings.blocks).to(settings.device).to(memory_format=torch.channels_last)
    )

    def loss(some: Any) -> Any:
        boards, moves = turned_by_chance(samples.boards[some], samples.move[some])
        policy, chance = teacher(boards, samples.side[some])
        return functional.cross_entropy(policy, moves) + chance_loss(chance, samples.won[some])

    losses = minimise(teacher, loss, rows, settings.lessons, min(settings.batch, 1024), settings.teacher_rate)
    for lesson, mean in enumerate(losses, 1):
        tell(f"the teacher, epoch {lesson} of {settings.lessons}: loss {mean:.4f}")
    teacher.eval()
    return teacher


# The network.


def line_codes(boards: Any) -> Any:
    """int64[n, CELLS, 8]: the codes of the four lines of every cell, as black sees them and as white does."""
    made = []
    for own in (BLACK, WHITE):
        stones = torch.where(boards == 0, 0, torch.where(boards == own, 1, 2)).to(torch.int32).view(-1, SIZE, SIZE)
        frame = functional.pad(stones, (5, 5, 5, 5), value=2)
        for down, right in WAYS:
            seen = (
                frame[:, 5 + k * down : 5 + k * down + SIZE, 5 + k * right : 5 + k * right + SIZE] * 3**i
                for i, k in enumerate(OFFSETS)
            )
            made.append(sum(seen))
    return torch.stack([code.flatten(1) for code in made], 2).long()


def backwards(digits: int) -> Any:
    """Every code of so many digits, read from the other end."""
    codes, turned = np.arange(3**digits), np.zeros(3**digits, int)
    for i in range(digits):
        turned = turned * 3 + codes // 3**i % 3
    return turned


class Lines(nn.Module):  # type: ignore[misc]
    """The engine's network (`games/renju/engine/network.py`) in floats."""

    def __init__(self, rule: int) -> None:
        super().__init__()

        def drawn(size: float, *shape: int) -> Any:
            return nn.Parameter(size * torch.randn(*shape))

        self.own = nn.Parameter(torch.zeros(2, CODES, WIDTH))
        self.eight, self.six = drawn(0.05, 2, 3**8, WIDTH), drawn(0.05, 2, 3**6, WIDTH)
        self.of_class = drawn(0.05, 2, CLASSES, WIDTH)
        self.bias = nn.Parameter(torch.full((WIDTH,), 0.1))
        self.values, self.offsets = drawn(0.02, 2, WIDTH), nn.Parameter(torch.zeros(2))
        self.policies = drawn(0.2, 2, WIDTH)
        self.mixing, self.mixed = drawn(0.2, 2, HIDDEN, WIDTH), nn.Parameter(torch.zeros(2, HIDDEN))
        self.answers = drawn(0.1, 2, HIDDEN)
        known = np.stack([classes(RULES[rule], black) for black in (True, False)]).astype(int)
        urgent = (known == OPEN_FOUR) * WINS_SOON + (known == FIVE) * WINS_NOW
        codes = np.arange(CODES)
        for name, array in (
            ("classes", known), ("urgent", urgent), ("inner_eight", codes // 3 % 3**8),
            ("inner_six", codes // 9 % 3**6), ("backwards", backwards(DIGITS)),
        ):  # fmt: skip
            self.register_buffer(name, torch.as_tensor(array))

    def rows(self) -> Any:
        """float[2, CODES, WIDTH], the same both ways."""
        made = self.own + self.eight[:, self.inner_eight] + self.six[:, self.inner_six]
        made = made + torch.stack([part[known] for part, known in zip(self.of_class, self.classes, strict=True)])
        return (made + made[:, self.backwards]) / 2

    def forward(self, boards: Any, side: Any) -> tuple[Any, Any, Any]:
        """A logit for each cell, the mover's chance, and whether there is something to judge: the mover has neither a
        five nor an open four to make, the other no five."""
        codes, empty = line_codes(boards), boards == 0
        black, white = codes[..., :4], codes[..., 4:]
        soon = torch.stack([
            (self.urgent[colour][lines].amax(2) * empty).amax(1) for colour, lines in enumerate((black, white))
        ], 1)  # fmt: skip
        mine, theirs = soon.gather(1, torch.stack((side, 1 - side), 1)).unbind(1)
        both = torch.cat((black, white + CODES), 2).view(-1, 8)
        features = functional.embedding_bag(both, self.rows().view(-1, WIDTH), mode="sum") + self.bias
        features = features.relu().view(-1, CELLS, WIDTH) * empty[..., None]
        policy = torch.einsum("nch,nh->nc", features, self.policies[side]).masked_fill(~empty, -torch.inf)
        pooled = features.sum(1)
        inner = torch.einsum("nkh,nh->nk", self.mixing[side], pooled / POOLED_UNIT) + self.mixed[side]
        value = self.offsets[side] + (pooled * self.values[side]).sum(1) + (inner.relu() * self.answers[side]).sum(1)
        return policy, value.sigmoid(), (mine < WINS_SOON) & (theirs < WINS_NOW)


class Lessons(NamedTuple):
    """What the network learns from, on its device."""

    boards: Any  # int8[n, CELLS]
    side: Any
    won: Any
    policy: Any  # float16[n, CELLS], probabilities; or int64[n], the move played


class Losses(NamedTuple):
    """Means: of the value where it is learnt, of the policy, and how often its likeliest move came first."""

    value: float
    policy: float
    found: float


def losses_of(student: Lines, lessons: Lessons, some: Any) -> Any:
    """Of some rows, as a tensor of three."""
    policy, chance, open_yet = student(lessons.boards[some], lessons.side[some])
    wanted, empty = lessons.policy[some], lessons.boards[some] == 0
    if wanted.ndim == 1:
        wanted = functional.one_hot(wanted, CELLS)
    logs = policy.log_softmax(1).masked_fill(~empty, 0.0)
    one_by_one = functional.binary_cross_entropy(chance.clamp(1e-6, 1 - 1e-6), lessons.won[some], reduction="none")
    value = (one_by_one * open_yet).sum() / open_yet.sum().clamp(min=1)
    found = (policy.argmax(1) == wanted.argmax(1)).float().mean()
    return torch.stack((value, -(wanted * logs).sum(1).mean(), found))


def fit(
    path: Path, files: list[Path], rule: int, opinion: float, settings: Settings, tell: Callable[[str], None],
    heard: Callable[[int, Losses, Losses], None],
) -> int:  # fmt: skip
    """Train and write the network's file; `heard` is told each epoch's losses, and those on games kept back. Returns
    the number of the games' positions."""
    torch.manual_seed(settings.seed)
    device = settings.device
    read = read_samples(files, rule, opinion)
    samples = Samples(*(torch.as_tensor(column).to(device) for column in read))
    held, ours = (torch.nonzero(chosen).flatten() for chosen in (samples.kept, ~samples.kept))
    unseen = Lessons(*(column[held] for column in samples[:4]))
    lessons = Lessons(*(column[ours] for column in samples[:4]))
    student = Lines(rule).to(device)
    if settings.channels:
        lessons = judged(samples, ours, student, settings, tell)
    told = torch.zeros(3, device=device)

    def loss(some: Any) -> Any:
        losses = losses_of(student, lessons, some)
        told.add_(losses.detach())
        return losses[0] + losses[1]

    rows = torch.arange(len(lessons.boards), device=device)
    steps = max(len(rows) // settings.batch, 1)
    for epoch, _ in enumerate(minimise(student, loss, rows, settings.epochs, settings.batch, settings.rate), 1):
        on_held = in_parts(lambda some: losses_of(student, unseen, some)[None], len(held), device, ASKED).mean(0)
        heard(epoch, Losses(*(told / steps).tolist()), Losses(*on_held.tolist()))
        told.zero_()
        np.savez_compressed(path, **quantised(student))
    return len(read.side)


def judged(samples: Samples, rows: Any, student: Lines, settings: Settings, tell: Callable[[str], None]) -> Lessons:
    """The games' positions and others beyond them, as a teacher judges them who learnt from the games."""
    device = settings.device
    teacher = taught(samples, rows, settings, tell)
    boards, side = [samples.boards[rows]], [samples.side[rows]]
    for _ in range(settings.beyond):
        going = in_parts(
            lambda some: beyond(teacher, student, boards[0][some], side[0][some]), len(rows), device, ASKED
        )
        changed = torch.nonzero((going != boards[0]).any(1)).flatten()
        boards.append(going[changed])
        side.append(1 - side[0][changed])
    asked, movers = torch.cat(boards), torch.cat(side)

    def opinion(some: Any) -> Any:
        policy, chance = teacher(asked[some], movers[some])
        return torch.cat((policy.softmax(1), chance[:, None]), 1).half()

    said = in_parts(opinion, len(asked), device, ASKED)
    tell(f"the teacher has judged {len(asked):,} positions")
    return Lessons(asked, movers, said[:, CELLS].float(), said[:, :CELLS])


def beyond(teacher: Teacher, student: Lines, boards: Any, side: Any) -> Any:
    """The boards after a likely move; those where there is nothing to judge stay as they are."""
    policy, _ = teacher(boards, side)
    _, _, open_yet = student(boards, side)
    likely = policy.topk(LIKELY, 1)
    drawn = torch.multinomial((likely.values / TEMPERATURE).softmax(1), 1)
    cells = likely.indices.gather(1, drawn)
    stones = torch.where(open_yet, side + BLACK, 0).to(boards.dtype)
    return boards.scatter(1, cells, stones[:, None])


def quantised(student: Lines) -> dict[str, Any]:
    arrays = (
        student.rows(), student.bias, student.values, student.offsets, student.policies, student.mixing / POOLED_UNIT,
        student.mixed, student.answers,
    )  # fmt: skip
    made = {}
    for (name, (kind, _)), array in zip(PARTS.items(), arrays, strict=True):
        most = MOST_MIXING if name == "mixing" else None
        made[name] = whole(array.detach().cpu().numpy(), UNITS[name], kind, most)
    return made
