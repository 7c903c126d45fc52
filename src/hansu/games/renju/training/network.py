"""The Renju engine's network, fitted to games (`samples.py`) by distillation from a teacher (`teacher.py`).

The teacher learns the moves and a blend of results and search values; or it was trained by self-play before, and then
the games may be its own. It evaluates the games' positions and extra positions some plies away from them: the network
must know what a search visits, not only what good players reach. The moves that lead there are sampled from a policy:
the student's own if it was trained before, else a guide's or the teacher's.

The student learns the policy of every position. It learns the value only where neither side has an immediate win: a
search resolves those positions itself.

Many line codes are rare. So each row of line weights is trained as a sum: a part of its own, parts shared by all codes
with the same inner eight or six cells, and a part shared by its class (`engine/patterns.py`). The shared parts are
learned first and stand in for rare codes; the file holds the sums. A code and its reverse share one row. The file holds
averaged weights, because weights of rare codes are noisy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.games.renju.engine.network import (
    HIDDEN,
    MOST_MIXING,
    PARTS,
    SITUATIONS,
    UNITS,
    WIDTH,
    line_rows,
    line_steps,
    read_network,
)
from hansu.games.renju.engine.patterns import (
    CLASSES,
    CODES,
    CORE_OF,
    DIGITS,
    FIVE,
    LINE_OF,
    LINES,
    OPEN_FOUR,
    REACH,
    backwards,
    classes,
)
from hansu.games.renju.state import RULES
from hansu.games.renju.training.games import CELLS, HELD_OUT_GAMES, SIZE
from hansu.games.renju.training.samples import BLACK, WHITE, RenjuSamples, read_samples
from hansu.games.renju.training.teacher import RenjuTeacher, self_play
from hansu.learn.champion import initial_network
from hansu.learn.encoding import Encoding
from hansu.learn.engine_training import distillation
from hansu.learn.engine_training.distillation import DistillationSettings, Teacher, functional, value_loss
from hansu.learn.networks import nn, torch

OPEN_FOUR_NOW, FIVE_NOW = 1, 2  # the strongest threat that a side can make by one stone
BORDER = 3  # next to the contents of a cell: empty, black, white
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows and columns of a step, in the engine's order
POOLED_UNIT = 64  # pooled features are sums over a board; the mixing layer divides them by this
LIKELY_MOVES = 10  # moves towards an extra position are sampled from the policy's likeliest ones,
TEMPERATURE = 1.5  # at this temperature
TEACHER_RULE = "renju"  # the rule that a teacher from self-play was trained by
EXTRA_BATCH = 16384  # positions per batch when extra positions are sampled
CROWDED = 7  # stones or borders on a line whose row is rounded to even steps: rare, and half of all lines


def half_lines() -> tuple[Any, Any]:
    """The contents of five cells in a row, with or without a border at the far end: the number of each by its cells,
    the nearest first, int64[4**REACH] (-1: impossible), and the cells, int64[number, REACH]."""
    cells = np.arange(4**REACH)[:, None] // 4 ** np.arange(REACH) % 4
    outside = cells == BORDER
    possible = (outside[:, 1:] >= outside[:, :-1]).all(1)
    return np.where(possible, np.cumsum(possible) - 1, -1), cells[possible]


HALF_NUMBER, HALVES = half_lines()
LINE_CONTENTS = len(HALVES) ** 2


def content_codes() -> Any:
    """int64[2, LINE_CONTENTS]: the codes of a line as black sees it and as white sees it."""
    first, last = np.divmod(np.arange(LINE_CONTENTS), len(HALVES))
    cells = np.concatenate((HALVES[first][:, ::-1], HALVES[last]), 1)  # in the order of OFFSETS
    digits = (np.where(cells == 0, 0, np.where(cells == own, 1, 2)) for own in (BLACK, WHITE))
    return np.stack([(each * 3 ** np.arange(DIGITS)).sum(1) for each in digits])


class LineContents(nn.Module):  # type: ignore[misc]
    """The contents of the four lines through each cell, as numbers below LINE_CONTENTS. A number stands for the codes
    of both colours, so that one row is looked up where the engine looks up two."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("number", torch.as_tensor(HALF_NUMBER))

    def forward(self, boards: Any) -> Any:
        """int64[n, CELLS, 4] of int8[n, CELLS]."""
        frame = functional.pad(boards.view(-1, SIZE, SIZE).int(), [REACH] * 4, value=BORDER)
        lines = []
        for down, right in DIRECTIONS:
            halves = []
            for sign in (-1, 1):
                rows, columns = REACH + sign * down, REACH + sign * right
                cells = sum(
                    frame[:, (at := rows + k * sign * down) : at + SIZE, (to := columns + k * sign * right) : to + SIZE]
                    * 4**k
                    for k in range(REACH)
                )
                halves.append(self.number[cells])
            lines.append((halves[0] * len(HALVES) + halves[1]).flatten(1))
        return torch.stack(lines, 2)


class EmbeddingSum(torch.autograd.Function):  # type: ignore[misc]
    """The sums of several rows of a table, float[n, width], for int[n, several]. Like torch's `embedding_bag`, but
    gradients are added in place instead of sorted, which is far quicker on a graphics card."""

    @staticmethod
    def forward(ctx: Any, table: Any, numbers: Any) -> Any:
        ctx.save_for_backward(numbers)
        ctx.rows = len(table)
        return functional.embedding_bag(numbers, table, mode="sum")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Any, None]:
        (numbers,), (grad,) = ctx.saved_tensors, grads
        table = grad.new_zeros(ctx.rows, grad.shape[1])
        for column in numbers.unbind(1):
            table.index_add_(0, column, grad)
        return table, None


def fake_quantize(array: Any, scale: int, limit: int) -> Any:
    """The values that `round(array * scale)`, clipped to `limit`, stands for; gradients pass unchanged
    (straight-through estimator)."""
    return array + ((array * scale).round().clamp(-limit, limit) / scale - array).detach()


class LineNetwork(distillation.Student):
    """The engine's network (`games/renju/engine/network.py`) in floats."""

    loss_weights = (1.0, 0.3)  # value, policy

    def __init__(self, rule: int) -> None:
        super().__init__()

        def drawn(size: float, *shape: int) -> Any:
            return nn.Parameter(size * torch.randn(*shape))

        self.own = nn.Parameter(torch.zeros(2, CODES, WIDTH))
        self.eight, self.six = drawn(0.05, 2, 3**8, WIDTH), drawn(0.05, 2, 3**6, WIDTH)
        self.of_class = drawn(0.05, 2, CLASSES, WIDTH)
        self.bias = nn.Parameter(torch.full((WIDTH,), 0.1))
        self.value_heads, self.value_offsets = drawn(0.02, SITUATIONS, WIDTH), nn.Parameter(torch.zeros(SITUATIONS))
        self.policy_heads = drawn(0.2, SITUATIONS, WIDTH)
        self.mixing = drawn(0.2, SITUATIONS, HIDDEN, WIDTH)
        self.mixing_bias = nn.Parameter(torch.zeros(SITUATIONS, HIDDEN))
        self.mixed_heads = drawn(0.1, SITUATIONS, HIDDEN)
        class_of = np.stack([classes(RULES[rule], black) for black in (True, False)]).astype(int)
        threat = (class_of == OPEN_FOUR) * OPEN_FOUR_NOW + (class_of == FIVE) * FIVE_NOW
        codes, both_codes = np.arange(CODES), content_codes()
        for name, array in (
            ("class_of", class_of), ("threat", np.take_along_axis(threat, both_codes, 1)),
            ("inner_eight", codes // 3 % 3**8), ("inner_six", codes // 9 % 3**6), ("backwards", backwards(DIGITS)),
            ("codes", both_codes),
        ):  # fmt: skip
            self.register_buffer(name, torch.as_tensor(array))
        self.contents = LineContents()

    def load(self, network: dict[str, Any]) -> None:
        """Continue from the integers of a file."""
        with torch.no_grad():
            for shared in (self.eight, self.six, self.of_class):
                shared.zero_()
            for name, array in (network | {"line_steps": line_rows(network)[:, LINE_OF]}).items():
                factor = POOLED_UNIT if name == "mixing" else 1
                values = torch.as_tensor(array.astype(np.float32)) * (factor / UNITS[name])
                (self.own if name == "line_steps" else getattr(self, name)).copy_(values)

    def line_weights(self) -> Any:
        """float[2, CODES, WIDTH], the same for a code and its reverse, rounded as the file has them. (`index_select`
        has a faster backward pass than indexing where many indices name one row.)"""
        parts = [self.own, self.eight.index_select(1, self.inner_eight), self.six.index_select(1, self.inner_six)]
        of_class = [part.index_select(0, number) for part, number in zip(self.of_class, self.class_of, strict=True)]
        total = sum(parts, torch.stack(of_class))
        symmetric = (total + total.index_select(1, self.backwards)) / 2
        return fake_quantize(symmetric, UNITS["line_steps"], np.iinfo(np.int8).max)

    def threats(self, contents: Any, empty: Any, side: Any) -> tuple[Any, Any]:
        """The strongest threat that the mover could make by one stone, and the opponent's: 0, OPEN_FOUR_NOW or
        FIVE_NOW."""
        by_colour = torch.stack([(threat[contents].amax(2) * empty).amax(1) for threat in self.threat], 1)
        mine, theirs = by_colour.gather(1, torch.stack((side, 1 - side), 1)).unbind(1)
        return mine, theirs

    def undecided(self, boards: Any, side: Any) -> Any:
        """bool[n]: can the mover make neither five nor an open four, and the opponent no five?"""
        mine, theirs = self.threats(self.contents(boards), boards == 0, side)
        return (mine < OPEN_FOUR_NOW) & (theirs < FIVE_NOW)

    def forward(self, boards: Any, side: Any) -> tuple[Any, Any, Any]:
        """Policy logits, float32[n, CELLS], the mover's win probability, and `undecided`."""
        contents, empty = self.contents(boards), boards == 0
        mine, theirs = self.threats(contents, empty, side)
        rows = sum(part.index_select(0, codes) for part, codes in zip(self.line_weights(), self.codes, strict=True))
        features = EmbeddingSum.apply(rows, contents.view(-1, 4)) + self.bias
        features = features.relu().view(-1, CELLS, WIDTH) * empty[..., None]
        situation = side + 2 * (theirs >= OPEN_FOUR_NOW)
        policy_heads, mixing, mixing_bias, mixed_heads, value_heads, value_offsets = (
            part.index_select(0, situation)
            for part in (
                self.policy_heads, self.mixing, self.mixing_bias, self.mixed_heads, self.value_heads,
                self.value_offsets,
            )
        )  # fmt: skip
        policy = torch.einsum("nch,nh->nc", features, policy_heads).masked_fill(~empty, -torch.inf)
        pooled = features.sum(1)
        inner = torch.einsum("nkh,nh->nk", mixing, pooled / POOLED_UNIT) + mixing_bias
        value = value_offsets + (pooled * value_heads).sum(1) + (inner.relu() * mixed_heads).sum(1)
        return policy, value.sigmoid(), (mine < OPEN_FOUR_NOW) & (theirs < FIVE_NOW)

    def losses(self, samples: RenjuSamples, rows: Any) -> Any:
        """Means over some rows: the value's loss (of undecided positions), the policy's, and how often its likeliest
        move is the right one."""
        boards, target = samples.boards[rows], samples.policy[rows]
        policy, chance, undecided = self(boards, samples.side[rows])
        if target.ndim == 1:
            target = functional.one_hot(target, CELLS)
        logs = policy.log_softmax(1).masked_fill(boards != 0, 0.0)
        value = (value_loss(chance, samples.won[rows], "none") * undecided).sum() / undecided.sum().clamp(min=1)
        correct = (policy.argmax(1) == target.argmax(1)).float().mean()
        return torch.stack((value, -(target * logs).sum(1).mean(), correct))

    def arrays(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in PARTS if name != "line_steps"}
        values |= {"line_steps": self.line_weights()[:, LINES], "mixing": self.mixing / POOLED_UNIT}
        arrays = {}
        for name, (kind, _) in PARTS.items():
            limit = MOST_MIXING if name == "mixing" else None
            arrays[name] = distillation.to_integers(values[name].detach().cpu().numpy(), UNITS[name], kind, limit)
        arrays["line_steps"] = line_steps(coarsen(arrays["line_steps"]))
        return arrays


def coarsen(rows: Any) -> Any:
    """The rows of lines, int8[2, LINES, WIDTH]. Those of CROWDED lines are moved to an even distance from the row with
    empty ends, which makes the file smaller. (Dropping small steps does not work: sums over a board drift.)"""
    core = rows[:, CORE_OF].astype(int)
    even, most = core + 2 * np.rint((rows - core) / 2), np.iinfo(rows.dtype).max
    crowded = (LINES[:, None] // 3 ** np.arange(DIGITS) % 3 > 0).sum(1) >= CROWDED
    return np.where(crowded[:, None], even.clip(-most, most), rows).astype(rows.dtype)


def fit(
    path: Path, files: list[Path], game: Game, rule: int, search_weight: float, teacher_path: Path | None,
    init: Path | None, guide: Path | None, positions: int, settings: DistillationSettings, log: Callable[[str], None],
    report: distillation.Report,
) -> int:  # fmt: skip
    """Train the network, write its file and report its losses after each epoch; returns the number of positions.

    `init` is a network of the engine to start from. `guide` is one whose policy leads to the extra positions of the
    first round. Without files, `positions` of the teacher's own games are used.
    """
    torch.manual_seed(settings.seed)
    device = settings.device
    known = None
    if teacher_path is not None:  # it may have been trained by another rule than these games'
        known = initial_network(teacher_path, Encoding(game.with_settings({"rule": TEACHER_RULE})))
    student, first_guide = (student_network(rule, path, device) for path in (init, guide or init))
    teacher: Teacher | None = None
    if files:
        samples, held_out = distillation.split_held_out(*read_samples(files, game, rule, search_weight), device)
        if not len(held_out.side):
            raise HansuError(
                "these files contain no held-out game",
                "add a file of engine_games with at least {count} games",
                count=HELD_OUT_GAMES,
            )
        if known is not None or settings.channels:
            teacher = distillation.fitted_teacher(RenjuTeacher, known, samples, settings, log)
    else:
        teacher = distillation.on_device(RenjuTeacher(known), device).eval()
        boards, side = self_play(teacher, positions, device, student.undecided)
        chosen = torch.rand(len(side), device=device) < 1 / HELD_OUT_GAMES
        held_out = evaluated(boards[chosen], side[chosen], teacher, device)
        samples = RenjuSamples(boards[~chosen], side[~chosen], None, None)

    def samples_of(number: int, average: distillation.Student) -> RenjuSamples:
        if teacher is None:
            return samples
        leader = average if number else first_guide if guide or init else teacher
        result = evaluated(*with_extra_positions(leader, student, samples, settings), teacher, device)
        log(f"the teacher evaluated {len(result.side):,} positions")
        return result

    settings = settings if teacher is not None else replace(settings, rounds=1)
    distillation.fit_student(student, path, samples_of, held_out, settings, report)
    return len(samples.side) + len(held_out.side)


def student_network(rule: int, path: Path | None, device: str) -> LineNetwork:
    """A network to train, with random weights or those of a file."""
    network = LineNetwork(rule)
    if path is not None:
        network.load(read_network(path))
    return network.to(device)  # type: ignore[no-any-return]


def evaluated(boards: Any, side: Any, teacher: Teacher, device: str) -> RenjuSamples:
    """Positions with the teacher's evaluations."""
    targets = distillation.teacher_targets(teacher, RenjuSamples(boards, side, None, None), device)
    return RenjuSamples(boards, side, targets[:, CELLS].float(), targets[:, :CELLS])


def with_extra_positions(
    guide: Any, student: LineNetwork, samples: RenjuSamples, settings: DistillationSettings
) -> tuple[Any, Any]:  # fmt: skip
    """Boards and movers of the samples, then of extra positions that the guide's policy reaches from them."""
    boards, side = samples.boards, samples.side
    all_boards, all_sides = [boards], [side]
    rows = torch.arange(len(side), device=settings.device)
    for _ in range(settings.extra_positions):
        after = distillation.in_batches(
            lambda some: play_on(guide, student, boards[some], side[some], settings.plies), rows, EXTRA_BATCH
        )
        changed = (after[:, :CELLS] != boards).any(1) & (after[:, :CELLS] == 0).any(1)
        all_boards.append(after[changed, :CELLS])
        all_sides.append(after[changed, CELLS].to(side.dtype))
    return torch.cat(all_boards), torch.cat(all_sides)


def play_on(guide: Any, student: LineNetwork, boards: Any, side: Any, plies: int) -> Any:
    """The boards 1 to `plies` plies later and, in the last column, who moves: int8[n, CELLS + 1]. A line of play ends
    where a position is decided."""
    length = torch.randint(1, plies + 1, side.shape, device=side.device)
    for ply in range(plies):
        policy, _, *undecided = guide(boards, side)
        continues = (undecided[0] if undecided else student.undecided(boards, side)) & (length > ply)
        likely = policy.topk(LIKELY_MOVES, 1)
        drawn = torch.multinomial((likely.values / TEMPERATURE).softmax(1), 1)
        stones = torch.where(continues, side + BLACK, 0).to(boards.dtype)
        boards = boards.scatter(1, likely.indices.gather(1, drawn), stones[:, None])
        side = torch.where(continues, 1 - side, side)
    return torch.cat((boards, side[:, None].to(boards.dtype)), 1)
