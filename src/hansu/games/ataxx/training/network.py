"""The Ataxx engine's network, fitted to games (`games.py`) by distillation from a teacher.

The teacher learns a blend of what searched scores meant and of results. It starts with random weights or from a network
that was trained by self-play. It then evaluates the games' positions and extra positions one or two random moves later,
which resemble the leaves of a search. It averages its evaluations of the board under several symmetries.

The network's win probability is sigmoid(score / SCALE). Each batch sees its positions under random symmetries. A
pattern's weights are trained as a part that all 36 windows share plus a part of the window's own; the file holds their
sums.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hansu.compile import kernel
from hansu.core import HansuError
from hansu.core.machine import cores
from hansu.games.ataxx.engine.evaluation import ANCHORS, HIDDEN, ONE, OUT, PHASES, ROWS, SCALE, terms
from hansu.games.ataxx.engine.search import WEIGHTS
from hansu.games.ataxx.rules import FULL, SQUARES, SYMMETRIES, Ataxx, action_total, nth_action, over, play, turned_board
from hansu.games.ataxx.training.games import COLUMNS, below
from hansu.learn.engine_training import distillation
from hansu.learn.engine_training.array_files import MADE_BY, read_arrays
from hansu.learn.engine_training.distillation import functional, value_loss
from hansu.learn.engine_training.logistic import logistic_fit, sigmoid
from hansu.learn.networks import Shape, nn, torch

WINDOWS = [square for square in range(SQUARES) if ANCHORS >> square & 1]
CORNERS = (0, 1, 7, 8)  # of a window, from its anchor: the bits of a pattern, mine and theirs
TEACHER_SYMMETRIES = (0, 4)  # the teacher's evaluation is the mean over these
NEWTON_STEPS = 12


class AtaxxSamples(NamedTuple):
    """Positions, with the gaps in both boards."""

    mine: Any  # int64[n]
    theirs: Any  # int64[n]
    target: Any  # float32[n], the mover's win probability


# Games.


def read_rows(path: Path) -> Any:
    """int64[n, 5]: mine, theirs, gaps, score, result."""
    rows = read_arrays(path, ("rows",))["rows"]
    if rows.ndim != 2 or rows.shape[1] != COLUMNS:
        raise HansuError("{path} does not contain games of the engine", MADE_BY, path=path)
    return rows


def score_probability(scores: Any, results: Any) -> Any:
    """The win probabilities of searched scores, fitted to the results of these games."""
    terms = np.stack([scores / SCALE, np.ones(len(scores))], 1)
    return sigmoid(terms @ logistic_fit(terms, (results + 1) / 2, NEWTON_STEPS))


def fit_terms(path: Path, sample: int = 100_000) -> Any:
    """The weights of material, room, exposed, edges and the move in the handmade evaluation, material being 100."""
    rows = np.random.default_rng(1).permutation(read_rows(path))[:sample]
    table = [(*terms(m, t, FULL ^ (m | t | g)), 1) for m, t, g, _, _ in rows.tolist()]
    weights = logistic_fit(np.array(table, float), (rows[:, 4] + 1) / 2, NEWTON_STEPS)
    return np.rint(100 * weights / weights[0])


def read_samples(paths: list[Path], result_weight: float) -> tuple[AtaxxSamples, Any]:
    """The games' positions, and which are held out, bool[n]. A target blends the result with the score's meaning in its
    file and phase. The last twentieth of each file is held out, so that at most one game is split."""
    parts = []
    for path in paths:
        mine, theirs, gaps, scores, results = read_rows(path).T
        targets = np.empty(len(mine), np.float32)
        stages = np.bitwise_count(mine | theirs) * PHASES // (SQUARES + 1)
        for stage in range(PHASES):
            rows = stages == stage
            searched = score_probability(scores[rows], results[rows])
            targets[rows] = result_weight * (results[rows] + 1) / 2 + (1 - result_weight) * searched
        held_out = np.arange(len(mine)) >= len(mine) * 19 // 20
        parts.append((mine | gaps, theirs | gaps, targets, held_out))
    *columns, held_out = (np.concatenate(column) for column in zip(*parts, strict=True))
    return AtaxxSamples(*columns), held_out


@kernel
def play_on(mine: Any, theirs: Any, seed: int) -> None:
    """Play one or two random moves from each position, in place, but none that would end the game."""
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


def extra_positions(mine: Any, theirs: Any, times: int, seed: int) -> tuple[Any, Any]:
    """`times` positions shortly after each of these, computed on all cores."""
    mine, theirs = np.tile(mine, times), np.tile(theirs, times)
    pairs = zip(np.array_split(mine, cores()), np.array_split(theirs, cores()), strict=True)
    with ThreadPoolExecutor(cores()) as threads:
        list(threads.map(lambda job: play_on(*job[1], (seed + 1) * 0x2545F491 + job[0]), enumerate(pairs)))
    return mine, theirs


# Networks.


def random_symmetries(rows: Any) -> Any:
    """A symmetry for each row, int64[n]."""
    return torch.randint(SYMMETRIES, (len(rows),), device=rows.device)


class AtaxxTeacher(distillation.Teacher):
    """A network on the mover's pieces, the opponent's and the gaps. (A network from self-play was trained with the
    share of 512 turns played, nearly 0, in place of the gaps.)"""

    shape = Shape(3, 7, 7, 1)
    largest_batch = 4096
    evaluation_batch = 8192

    def __init__(self, network: Any) -> None:
        super().__init__(network)
        turned = [
            [turned_board(1 << square, k).bit_length() - 1 for square in range(SQUARES)] for k in range(SYMMETRIES)
        ]
        self.register_buffer("source", torch.tensor(turned))

    def forward(self, mine: Any, theirs: Any, symmetry: Any) -> Any:
        """The mover's win probability, float32[n]; `symmetry` is int64[n]."""
        squares = self.source[symmetry]
        first, second = (board[:, None] >> squares & 1 for board in (mine, theirs))
        gaps = first & second
        planes = torch.stack((first ^ gaps, second ^ gaps, gaps), 1).view(-1, 3, 7, 7).float()
        return self.evaluate(planes)[1]

    def loss(self, samples: AtaxxSamples, rows: Any) -> Any:
        symmetry = random_symmetries(rows)
        return value_loss(self(samples.mine[rows], samples.theirs[rows], symmetry), samples.target[rows])

    def targets(self, samples: AtaxxSamples, rows: Any) -> Any:
        """The mover's win probability, the mean over some symmetries."""
        mine, theirs = samples.mine[rows], samples.theirs[rows]
        values = [self(mine, theirs, torch.full_like(mine, k)) for k in TEACHER_SYMMETRIES]
        return sum(values) / len(values)


def window_rows(mine: Any, theirs: Any) -> Any:
    """int64[n, 36]: the row of each window of each position (`evaluation.pattern_row`)."""
    windows = torch.tensor(WINDOWS, device=mine.device)

    def corners(board: Any) -> Any:
        window = board[:, None] >> windows
        return window & 3 | window >> 5 & 12

    return windows << 8 | corners(theirs) << 4 | corners(mine)


def turned_rows() -> Any:
    """int64[8, ROWS]: the row that a window's row becomes under each symmetry."""
    table = np.zeros((SYMMETRIES, ROWS), np.int64)
    patterns = np.arange(256)
    for k in range(SYMMETRIES):
        for anchor in WINDOWS:
            places = [turned_board(1 << anchor + corner, k).bit_length() - 1 for corner in CORNERS]
            new = min(places)
            turned = sum((patterns >> i & 0x11) << CORNERS.index(at - new) for i, at in enumerate(places))
            table[k, anchor * 256 + patterns] = new * 256 + turned
    return table


def piece_count(board: Any) -> Any:
    return (board[:, None] >> torch.arange(SQUARES, device=board.device) & 1).sum(1)


class WindowNetwork(distillation.Student):
    """The engine's network (`games/ataxx/engine/evaluation.py`) in floats."""

    def __init__(self) -> None:
        super().__init__()
        self.own = nn.Parameter(0.05 * torch.randn(ROWS // 256, 256, HIDDEN))
        self.shared = nn.Parameter(torch.zeros(256, HIDDEN))
        self.bias = nn.Parameter(torch.full((HIDDEN,), 0.3))
        self.heads = nn.Parameter(0.2 * torch.randn(PHASES, 2, HIDDEN))
        self.offsets = nn.Parameter(torch.zeros(PHASES))
        self.register_buffer("turned", torch.as_tensor(turned_rows()))

    def weights(self) -> Any:
        """float[ROWS, HIDDEN]."""
        return (self.own + self.shared).view(ROWS, HIDDEN)

    def forward(self, mine: Any, theirs: Any, symmetry: Any = None) -> Any:
        """The mover's win probability, float32[n]; `symmetry` is int64[n]."""
        weights, clipped = self.weights(), []
        for rows in (window_rows(mine, theirs), window_rows(theirs, mine)):
            if symmetry is not None:
                rows = self.turned[symmetry[:, None], rows]
            clipped.append((functional.embedding_bag(rows, weights, mode="sum") + self.bias).clamp(0, 1).square())
        stage = piece_count(mine ^ theirs) * PHASES // (SQUARES + 1)
        offsets, heads = (part.index_select(0, stage) for part in (self.offsets, self.heads))
        return (offsets + (torch.stack(clipped, 1) * heads).sum((1, 2))).sigmoid()

    def losses(self, samples: AtaxxSamples, rows: Any) -> Any:
        return self._loss(samples, rows, random_symmetries(rows))

    def held_out_losses(self, samples: AtaxxSamples, rows: Any) -> Any:
        return self._loss(samples, rows)

    def _loss(self, samples: AtaxxSamples, rows: Any, symmetry: Any = None) -> Any:
        chance = self(samples.mine[rows], samples.theirs[rows], symmetry)
        return value_loss(chance, samples.target[rows])[None]

    def clamp(self) -> None:
        with torch.no_grad():
            self.heads.clamp_(-1, 1)

    def arrays(self) -> dict[str, Any]:
        scales = ((ONE, np.int16), (ONE, np.int16), (OUT, np.int16), (ONE * OUT, np.int64))
        parts = (self.weights(), self.bias, self.heads, self.offsets)
        return {
            name: distillation.to_integers(part.detach().cpu().numpy(), *scale)
            for name, part, scale in zip(WEIGHTS, parts, scales, strict=True)
        }


def fit(
    path: Path, files: list[Path], result_weight: float, known: Any, settings: distillation.DistillationSettings,
    log: Callable[[str], None], report: distillation.Report,
) -> None:  # fmt: skip
    """Train the network, write its file and report its losses after each epoch. `known` is a network that was trained
    by self-play, used as the teacher; `result_weight` is the share of results in the targets from games."""
    torch.manual_seed(settings.seed)
    device = settings.device
    samples, held_out = distillation.split_held_out(*read_samples(files, result_weight), device)
    if known is not None or settings.channels:
        teacher = distillation.fitted_teacher(AtaxxTeacher, known, samples, settings, log)
        loss = float(value_loss(distillation.teacher_targets(teacher, held_out, device), held_out.target))
        log(f"the teacher's loss on held-out games: {loss:.5f}")
        mine, theirs = (board.cpu().numpy() for board in (samples.mine, samples.theirs))
        extra = extra_positions(mine, theirs, settings.extra_positions, settings.seed)
        boards = (torch.as_tensor(np.concatenate(pair)).to(device) for pair in zip((mine, theirs), extra, strict=True))
        samples = AtaxxSamples(next(boards), next(boards), None)
        samples = samples._replace(target=distillation.teacher_targets(teacher, samples, device))
        log(f"the teacher evaluated {len(samples.mine):,} positions")
    student = WindowNetwork().to(device)
    distillation.fit_student(student, path, lambda *_: samples, held_out, settings, report)
