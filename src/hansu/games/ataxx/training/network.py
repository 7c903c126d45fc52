"""The Ataxx engine's weights, fitted to games (ataxx_games.py) by way of a teacher (fitting.py).

The teacher learns a blend of what the searched score meant and the game's result; it begins by chance, or as a network
that learnt by self-play. Then it judges the games' positions and others that lie a move or two, drawn by chance, beyond
them: such as the engine judges all the time, when it looks what a move leads to. It is asked about the board turned in
several ways, and the mean counts. The network's win probability is sigmoid(score / SCALE). Every position is seen under
a changing one of the eight symmetries. While training, a pattern's weights are a part that all 36 windows share plus a
part of the window's own; the file holds their sums.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core import HansuError
from hansu.core.machine import cores
from hansu.games.ataxx.engine.evaluation import ANCHORS, HIDDEN, ONE, OUT, PHASES, ROWS, SCALE, terms
from hansu.games.ataxx.engine.search import WEIGHTS
from hansu.games.ataxx.rules import FULL, SQUARES, SYMMETRIES, Ataxx, action_total, nth_action, over, play, turned_board
from hansu.games.ataxx.training.games import COLUMNS, below
from hansu.learn.engine_training.array_files import MADE_BY, read_arrays, write_arrays
from hansu.learn.engine_training.distillation import (
    TEACHER_CLIP,
    DistillationSettings,
    chance_loss,
    functional,
    in_parts,
    minimise,
    on_device,
    whole,
    win_chance,
)
from hansu.learn.networks import Shape, Size, build, nn, plain_copy, torch

WINDOWS = [square for square in range(SQUARES) if ANCHORS >> square & 1]
CORNERS = (0, 1, 7, 8)  # of a window, from its anchor: the bits of a pattern, mine and theirs
WAYS = (0, 4)  # symmetries in which a teacher is asked about a position


@dataclass
class Positions:
    """Boards with the gaps in both, and the mover's chance to win."""

    mine: Any  # int64[n]
    theirs: Any
    target: Any  # float32[n]

    def to(self, device: str) -> Positions:
        return Positions(*(torch.as_tensor(a).to(device) for a in (self.mine, self.theirs, self.target)))

    def __len__(self) -> int:
        return len(self.mine)


# Games.


def read_rows(path: Path) -> Any:
    """int64[n, 5]: mine, theirs, gaps, score, result."""
    rows = read_arrays(path, ("rows",))["rows"]
    if rows.ndim != 2 or rows.shape[1] != COLUMNS:
        raise HansuError("{path} does not hold the engine's games", MADE_BY, path=path)
    return rows


def logistic(terms: Any, results: Any) -> Any:
    """Weights w such that sigmoid(terms @ w) predicts the results -1..1 best, by Newton's method."""
    weights = np.zeros(terms.shape[1])
    for _ in range(12):
        p = 1 / (1 + np.exp(-terms @ weights))
        curvature = (terms * (p * (1 - p))[:, None]).T @ terms + np.eye(len(weights))
        weights += np.linalg.solve(curvature, terms.T @ ((results + 1) / 2 - p))
    return weights


def win_probability(scores: Any, results: Any) -> Any:
    """What a searched score meant for the result in these games."""
    terms = np.stack([scores / SCALE, np.ones(len(scores))], 1)
    return 1 / (1 + np.exp(-terms @ logistic(terms, results)))


def fit_terms(path: Path, sample: int = 100_000) -> Any:
    """The weights of material, room, exposed, edges and the move in the hand-made evaluation, material being 100."""
    rows = np.random.default_rng(1).permutation(read_rows(path))[:sample]
    table = [(*terms(m, t, FULL ^ (m | t | g)), 1) for m, t, g, _, _ in rows.tolist()]
    weights = logistic(np.array(table, float), rows[:, 4])
    return np.rint(100 * weights / weights[0])


def load_games(paths: list[Path], share: float) -> tuple[Positions, Any]:
    """The games' positions (the target: results, blended with the scores by file and phase), and which are kept back:
    each file's last in twenty, so that a game is (but for one) on one side only."""
    parts = []
    for path in paths:
        mine, theirs, gaps, scores, results = read_rows(path).T
        targets = np.empty(len(mine), np.float32)
        stages = np.bitwise_count(mine | theirs) * PHASES // (SQUARES + 1)
        for stage in range(PHASES):
            chosen = stages == stage
            searched = win_probability(scores[chosen], results[chosen])
            targets[chosen] = share * (results[chosen] + 1) / 2 + (1 - share) * searched
        kept = np.arange(len(mine)) >= len(mine) * 19 // 20
        parts.append((mine | gaps, theirs | gaps, targets, kept))
    *columns, kept = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Positions(*columns), kept


@kernel
def go_beyond(mine: Any, theirs: Any, seed: int) -> None:
    """Play a random move or two from each position, in place; not past the end of a game."""
    for i in range(len(mine)):
        gaps = mine[i] & theirs[i]
        s = Ataxx(mine[i] ^ gaps, theirs[i] ^ gaps, gaps, 0, 0, 0)
        seed, plies = below(seed, 2)
        for _ in range(plies + 1):
            seed, n = below(seed, action_total(s))
            after = play(s, nth_action(s, n))
            if over(after):
                break
            s = after
        mine[i], theirs[i] = s.mine | gaps, s.theirs | gaps


def beyond(mine: Any, theirs: Any, times: int, seed: int) -> tuple[Any, Any]:
    """So many positions beyond each of these, on all cores."""
    mine, theirs = np.tile(mine, times), np.tile(theirs, times)
    pairs = zip(np.array_split(mine, cores()), np.array_split(theirs, cores()), strict=True)
    with ThreadPoolExecutor(cores()) as threads:
        list(threads.map(lambda job: go_beyond(*job[1], (seed + 1) * 0x2545F491 + job[0]), enumerate(pairs)))
    return mine, theirs


# The teacher.


class AtaxxTeacher(nn.Module):  # type: ignore[misc]
    """A network that sees the mover's pieces, the other's and the gaps. (Where one that learnt by self-play is shown
    gaps, it was shown how far the game has got, as a share of 512 turns: next to nothing.)"""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network
        turned = [
            [turned_board(1 << square, k).bit_length() - 1 for square in range(SQUARES)] for k in range(SYMMETRIES)
        ]
        self.register_buffer("comes_from", torch.tensor(turned))

    def forward(self, mine: Any, theirs: Any, turn: Any) -> Any:
        """The mover's chance; `turn` names a symmetry for each position."""
        squares = self.comes_from[turn]
        first, second = (board[:, None] >> squares & 1 for board in (mine, theirs))
        gaps = first & second
        planes = torch.stack((first ^ gaps, second ^ gaps, gaps), 1).view(-1, 3, 7, 7).float()
        half = torch.autocast(mine.device.type, torch.bfloat16, enabled=mine.is_cuda)
        with half:
            _, results, *_ = self.network(planes.to(memory_format=torch.channels_last))
        return win_chance(results)

    def opinion(self, mine: Any, theirs: Any) -> Any:
        """The mover's chance, the mean of some ways to turn the board."""
        return sum(self(mine, theirs, torch.full_like(mine, k)) for k in WAYS) / len(WAYS)


def teach(
    teacher: AtaxxTeacher, positions: Positions, settings: DistillationSettings, tell: Callable[[str], None]
) -> None:
    """Let it learn from the games' positions."""

    def loss(some: Any) -> Any:
        turn = torch.randint(SYMMETRIES, (len(some),), device=some.device)
        return chance_loss(teacher(positions.mine[some], positions.theirs[some], turn), positions.target[some])

    teacher.train()
    rows, batch = torch.arange(len(positions), device=settings.device), min(settings.batch, 4096)
    losses = minimise(teacher, loss, rows, settings.teacher_epochs, batch, settings.teacher_rate, clip=TEACHER_CLIP)
    for lesson, mean in enumerate(losses, 1):
        tell(f"the teacher, epoch {lesson} of {settings.teacher_epochs}: loss {mean:.5f}")
    teacher.eval()


# The network.


def window_rows(mine: Any, theirs: Any) -> Any:
    """int64[n, 36]: the row of each window of each position (`evaluation.pattern_row`)."""
    windows = torch.tensor(WINDOWS, device=mine.device)

    def corners(board: Any) -> Any:
        window = board[:, None] >> windows
        return window & 3 | window >> 5 & 12

    return windows << 8 | corners(theirs) << 4 | corners(mine)


def turned_rows() -> Any:
    """int64[8, ROWS]: what becomes of a window's row when the board is turned."""
    made = np.zeros((SYMMETRIES, ROWS), np.int64)
    patterns = np.arange(256)
    for k in range(SYMMETRIES):
        for anchor in WINDOWS:
            places = [turned_board(1 << anchor + corner, k).bit_length() - 1 for corner in CORNERS]
            new = min(places)
            turned = sum((patterns >> i & 0x11) << CORNERS.index(at - new) for i, at in enumerate(places))
            made[k, anchor * 256 + patterns] = new * 256 + turned
    return made


class Windows(nn.Module):  # type: ignore[misc]
    """The engine's network (`games/ataxx/evaluation.py`) in floats."""

    def __init__(self) -> None:
        super().__init__()
        self.own = nn.Parameter(0.05 * torch.randn(ROWS // 256, 256, HIDDEN))
        self.shared = nn.Parameter(torch.zeros(256, HIDDEN))
        self.bias = nn.Parameter(torch.full((HIDDEN,), 0.3))
        self.heads = nn.Parameter(0.2 * torch.randn(PHASES, 2, HIDDEN))
        self.offsets = nn.Parameter(torch.zeros(PHASES))
        self.register_buffer("turned", torch.as_tensor(turned_rows()))

    def weights(self) -> Any:
        return (self.own + self.shared).view(ROWS, HIDDEN)

    def forward(self, mine: Any, theirs: Any, turn: Any = None) -> Any:
        """The mover's chance; `turn` names a symmetry for each position."""
        weights, clipped = self.weights(), []
        for rows in (window_rows(mine, theirs), window_rows(theirs, mine)):
            if turn is not None:
                rows = self.turned[turn[:, None], rows]
            clipped.append((functional.embedding_bag(rows, weights, mode="sum") + self.bias).clamp(0, 1).square())
        stage = pieces(mine ^ theirs) * PHASES // (SQUARES + 1)
        offsets, heads = (part.index_select(0, stage) for part in (self.offsets, self.heads))
        return (offsets + (torch.stack(clipped, 1) * heads).sum((1, 2))).sigmoid()

    def bound(self) -> None:
        """Heads go as far as whole numbers do."""
        with torch.no_grad():
            self.heads.clamp_(-1, 1)


def pieces(board: Any) -> Any:
    return (board[:, None] >> torch.arange(SQUARES, device=board.device) & 1).sum(1)


def fit(
    path: Path, games: list[Path], share: float, known: Any, settings: DistillationSettings, tell: Callable[[str],
    None], heard: Callable[[int, float, float], None],
) -> None:  # fmt: skip
    """Train and write the weight file; `share` is the result's in what the games tell, `known` a network that learnt by
    self-play, to be the teacher. `heard` is told each epoch's number, loss, and loss on games kept back."""
    torch.manual_seed(settings.seed)
    device = settings.device
    positions, kept = load_games(games, share)
    held = Positions(positions.mine[kept], positions.theirs[kept], positions.target[kept]).to(device)
    ours = Positions(positions.mine[~kept], positions.theirs[~kept], positions.target[~kept])
    if known is not None or settings.channels:
        tower = known or build("tower", Shape(3, 7, 7, 1), Size(settings.channels, settings.blocks, pooling=2))
        teacher = on_device(AtaxxTeacher(tower), device).eval()
        if settings.teacher_epochs:
            teach(teacher, ours.to(device), settings, tell)
        teacher = on_device(AtaxxTeacher(plain_copy(teacher.network)), device)  # it learns no more, and answers sooner
        told = in_parts(lambda some: teacher.opinion(held.mine[some], held.theirs[some]), len(held), device)
        tell(f"the teacher's loss on games kept back: {float(chance_loss(told, held.target)):.5f}")
        ours = judged(ours, teacher, settings)
        tell(f"the teacher has judged {len(ours):,} positions")
    ours = ours.to(device)
    student = Windows().to(device)

    def loss(some: Any) -> Any:
        turn = torch.randint(SYMMETRIES, (len(some),), device=device)
        return chance_loss(student(ours.mine[some], ours.theirs[some], turn), ours.target[some])

    rows = torch.arange(len(ours), device=device)
    losses = minimise(student, loss, rows, settings.epochs, settings.batch, settings.learning_rate, student.bound)
    for epoch, mean in enumerate(losses, 1):
        unseen = in_parts(lambda some: student(held.mine[some], held.theirs[some]), len(held), device)
        write_arrays(path, dict(zip(WEIGHTS, quantised(student), strict=True)))
        heard(epoch, mean, float(chance_loss(unseen, held.target)))


def judged(games: Positions, teacher: AtaxxTeacher, settings: DistillationSettings) -> Positions:
    """The games' positions and others beyond them, as a teacher judges them."""
    mine, theirs = beyond(games.mine, games.theirs, settings.extra_positions, settings.seed)
    all_mine, all_theirs = np.concatenate((games.mine, mine)), np.concatenate((games.theirs, theirs))
    asked = Positions(all_mine, all_theirs, np.zeros(len(all_mine), np.float32)).to(settings.device)
    asked.target = in_parts(
        lambda some: teacher.opinion(asked.mine[some], asked.theirs[some]), len(asked), settings.device
    )
    return asked


def quantised(student: Windows) -> tuple[Any, ...]:
    weights, bias, heads, offsets = (
        value.detach().cpu().numpy() for value in (student.weights(), student.bias, student.heads, student.offsets)
    )
    return (
        whole(weights, ONE, np.int16), whole(bias, ONE, np.int16), whole(heads, OUT, np.int16),
        whole(offsets, ONE * OUT, np.int64),
    )  # fmt: skip
