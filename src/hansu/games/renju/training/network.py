"""The Renju engine's network, fitted to games (renju_samples.py) by way of a teacher (renju_teacher.py).

The teacher learns the moves and a blend of the game's result and what the search thought; or it is a network that
learnt before, by self-play, and then the games may be its own. It judges their positions and others some plies beyond
them: the network must know what a search looks at, not what good players reach. So moves are drawn as the network
itself would try them, if it has learnt before, else as a guide or the teacher would. The network learns the policy of
every position, and the value of those in which the mover cannot win at once and no four is to be answered: a search
sees to these itself, but asks what a position is worth in which an open four threatens.

A line's code is seldom, or common. So while training a row is a sum: of the code's own part, of parts that all codes
with the same inner eight or six cells share, and of a part of its class (patterns.py). What is shared is learnt first
and stands in for what was hardly seen; the file holds the sums. A code and the same read backwards have one row. What
is written is a mean of the weights on the way: what is seldom walks about while it learns, and every search meets
something seldom.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

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
from hansu.games.renju.training.games import CELLS, SIZE, VALIDATE
from hansu.games.renju.training.samples import BLACK, WHITE, RenjuSamples, read_samples
from hansu.games.renju.training.teacher import RenjuTeacher, played, teach, untaught
from hansu.learn.champion import begin_with
from hansu.learn.encoding import Encoding
from hansu.learn.engine_training.array_files import write_arrays
from hansu.learn.engine_training.distillation import (
    DistillationSettings,
    SumOfRows,
    functional,
    in_parts,
    minimise,
    on_device,
    rounded,
    whole,
)
from hansu.learn.networks import nn, plain_copy, torch

WINS_SOON, WINS_NOW = 1, 2  # with an open four, with five
BORDER = 3  # beside what cells of a board hold
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows and columns of a step, in the engine's order
POOLED_UNIT = 64  # pooled numbers are sums over a board: so much of them is 1 to the layer that mixes them
LIKELY = 10  # positions beyond the games' come of one of so many moves at each ply
TEMPERATURE = 1.5  # and they are drawn more evenly than by the policy
RENJU = "renju"  # the rule that teachers play by who learnt before
POLICY_SHARE = 0.3  # of the policy's loss in what is made small, beside the value's
ASKED = 16384  # positions that are judged, or left behind, at a time
CROWDED = 7  # stones or borders on a line whose row is kept half as fine: seldom seen, and half of all


def half_lines() -> tuple[Any, Any]:
    """What five cells in a row can hold, with a border at their far end or none: the number of each by its cells, the
    nearest first, int64[4**REACH] (-1: never), and those cells, int64[number, REACH]."""
    cells = np.arange(4**REACH)[:, None] // 4 ** np.arange(REACH) % 4
    outside = cells == BORDER
    sound = (outside[:, 1:] >= outside[:, :-1]).all(1)
    return np.where(sound, np.cumsum(sound) - 1, -1), cells[sound]


HALF_NUMBER, HALVES = half_lines()
SIGHTS = len(HALVES) ** 2


def sight_codes() -> Any:
    """int64[2, SIGHTS]: the codes of a line as black sees it and as white does."""
    first, last = np.divmod(np.arange(SIGHTS), len(HALVES))
    seen = np.concatenate((HALVES[first][:, ::-1], HALVES[last]), 1)  # in the order of OFFSETS
    digits = (np.where(seen == 0, 0, np.where(seen == own, 1, 2)) for own in (BLACK, WHITE))
    return np.stack([(each * 3 ** np.arange(DIGITS)).sum(1) for each in digits])


class Sights(nn.Module):  # type: ignore[misc]
    """What is to be seen along the lines of boards: a number for each of a cell's four lines, of SIGHTS. It stands for
    both colours' codes of that line, so that one row is looked up where the engine looks up two."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("number", torch.as_tensor(HALF_NUMBER))

    def forward(self, boards: Any) -> Any:
        """int64[n, CELLS, 4]."""
        frame = functional.pad(boards.view(-1, SIZE, SIZE).int(), [REACH] * 4, value=BORDER)
        made = []
        for down, right in WAYS:
            halves = []
            for sign in (-1, 1):
                rows, columns = REACH + sign * down, REACH + sign * right
                seen = sum(
                    frame[:, (at := rows + k * sign * down) : at + SIZE, (to := columns + k * sign * right) : to + SIZE]
                    * 4**k
                    for k in range(REACH)
                )
                halves.append(self.number[seen])
            made.append((halves[0] * len(HALVES) + halves[1]).flatten(1))
        return torch.stack(made, 2)


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
        self.values, self.offsets = drawn(0.02, SITUATIONS, WIDTH), nn.Parameter(torch.zeros(SITUATIONS))
        self.policies = drawn(0.2, SITUATIONS, WIDTH)
        self.mixing = drawn(0.2, SITUATIONS, HIDDEN, WIDTH)
        self.mixed = nn.Parameter(torch.zeros(SITUATIONS, HIDDEN))
        self.answers = drawn(0.1, SITUATIONS, HIDDEN)
        known = np.stack([classes(RULES[rule], black) for black in (True, False)]).astype(int)
        urgent = (known == OPEN_FOUR) * WINS_SOON + (known == FIVE) * WINS_NOW
        codes, seen = np.arange(CODES), sight_codes()
        for name, array in (
            ("classes", known), ("urgent", np.take_along_axis(urgent, seen, 1)), ("inner_eight", codes // 3 % 3**8),
            ("inner_six", codes // 9 % 3**6), ("backwards", backwards(DIGITS)), ("codes", seen),
        ):  # fmt: skip
            self.register_buffer(name, torch.as_tensor(array))
        self.sights = Sights()

    def take(self, network: dict[str, Any]) -> None:
        """Go on with a file's whole numbers."""
        named = {"line_steps": "own", "value_heads": "values", "value_offsets": "offsets", "policy_heads": "policies",
                 "mixing_bias": "mixed", "mixed_heads": "answers"}  # fmt: skip
        with torch.no_grad():
            for shared in (self.eight, self.six, self.of_class):
                shared.zero_()
            for name, array in (network | {"line_steps": line_rows(network)[:, LINE_OF]}).items():
                scale = POOLED_UNIT if name == "mixing" else 1
                values = torch.as_tensor(array.astype(np.float32)) * (scale / UNITS[name])
                getattr(self, named.get(name, name)).copy_(values)

    def rows(self) -> Any:
        """float[2, CODES, WIDTH], the same both ways, as the file has them. (Rows are picked by `index_select`: what
        comes back through indices in brackets waits for itself wherever many of them name one row.)"""
        parts = [self.own, self.eight.index_select(1, self.inner_eight), self.six.index_select(1, self.inner_six)]
        of_class = [part.index_select(0, known) for part, known in zip(self.of_class, self.classes, strict=True)]
        made = sum(parts, torch.stack(of_class))
        both_ways = (made + made.index_select(1, self.backwards)) / 2
        return rounded(both_ways, UNITS["line_steps"], np.iinfo(np.int8).max)

    def soon(self, seen: Any, empty: Any, side: Any) -> tuple[Any, Any]:
        """What the mover could make at once, and what the other could: nothing, WINS_SOON or WINS_NOW."""
        by_colour = torch.stack([(urgent[seen].amax(2) * empty).amax(1) for urgent in self.urgent], 1)
        mine, theirs = by_colour.gather(1, torch.stack((side, 1 - side), 1)).unbind(1)
        return mine, theirs

    def open_yet(self, boards: Any, side: Any) -> Any:
        """Is there something to judge? The mover has neither a five nor an open four to make, the other no five."""
        mine, theirs = self.soon(self.sights(boards), boards == 0, side)
        return (mine < WINS_SOON) & (theirs < WINS_NOW)

    def forward(self, boards: Any, side: Any) -> tuple[Any, Any, Any]:
        """A logit for each cell, the mover's chance, and whether there was something to judge."""
        seen, empty = self.sights(boards), boards == 0
        mine, theirs = self.soon(seen, empty, side)
        rows = sum(part.index_select(0, codes) for part, codes in zip(self.rows(), self.codes, strict=True))
        features = SumOfRows.apply(rows, seen.view(-1, 4)) + self.bias
        features = features.relu().view(-1, CELLS, WIDTH) * empty[..., None]
        now = side + 2 * (theirs >= WINS_SOON)
        policies, mixing, mixed, answers, values, offsets = (
            part.index_select(0, now)
            for part in (self.policies, self.mixing, self.mixed, self.answers, self.values, self.offsets)
        )
        policy = torch.einsum("nch,nh->nc", features, policies).masked_fill(~empty, -torch.inf)
        pooled = features.sum(1)
        inner = torch.einsum("nkh,nh->nk", mixing, pooled / POOLED_UNIT) + mixed
        value = offsets + (pooled * values).sum(1) + (inner.relu() * answers).sum(1)
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
    path: Path, files: list[Path], game: Game, rule: int, opinion: float, teacher: Path | None, begin: Path | None,
    guide: Path | None, positions: int, settings: DistillationSettings, tell: Callable[[str], None],
    heard: Callable[[int, Losses, Losses], None],
) -> int:  # fmt: skip
    """Train and write the network's file, beginning with that of another one, if given; `guide` is one that leads
    beyond the games until there is something learnt to do so. `heard` is told each epoch's losses, and those on games
    kept back. Without files, so many positions of the teacher's own games are learnt from. Returns the number of the
    games' positions."""
    torch.manual_seed(settings.seed)
    device = settings.device
    known = None
    if teacher is not None:  # it may have learnt by another rule than these games'
        network = begin_with(teacher, Encoding(game.with_settings({"rule": RENJU})))
        known = on_device(RenjuTeacher(network), device).eval()
    student, leader = (taken(rule, known_before, device) for known_before in (begin, guide or begin))
    if files:
        samples = RenjuSamples(*(torch.as_tensor(c).to(device) for c in read_samples(files, game, rule, opinion)))
        lessons, unseen = (Lessons(*(column[rows] for column in samples[:4])) for rows in (~samples.kept, samples.kept))
        if not len(unseen.side):
            raise HansuError(
                "no game of these files is kept back to measure by",
                "give a file of engine_games with {count} games or more, too",
                count=VALIDATE,
            )
        if known is None and settings.channels:
            known = untaught(settings)
        if known is not None and settings.teacher_epochs:
            teach(known, samples, torch.nonzero(~samples.kept).flatten(), settings, tell)
        if known is not None:
            known = on_device(RenjuTeacher(plain_copy(known.network)), device)  # it learns no more, and answers sooner
        count = len(samples.side)
    else:
        assert known is not None
        boards, side = played(known, positions, device, student.open_yet)
        kept = torch.rand(len(side), device=device) < 1 / VALIDATE
        unseen = opinions(known, boards[kept], side[kept], device)
        lessons = Lessons(boards[~kept], side[~kept], None, None)
        count = len(side)
    told, learnt = torch.zeros(3, device=device), copy.deepcopy(student)

    def loss(some: Any) -> Any:
        losses = losses_of(student, lessons, some)
        told.add_(losses.detach())
        return losses[0] + POLICY_SHARE * losses[1]

    boards, side = lessons.boards, lessons.side
    epoch = 0
    for number in range(settings.rounds if known is not None else 1):
        if known is not None:
            led_by = learnt if number else leader if guide or begin else known
            lessons = judged(boards, side, known, led_by, student, settings)
            tell(f"the teacher has judged {len(lessons.side):,} positions")
        rows = torch.arange(len(lessons.boards), device=device)
        steps = max(len(rows) // settings.batch, 1)
        rate = settings.learning_rate / 2**number
        for _ in minimise(
            student, loss, rows, settings.epochs, settings.batch, rate, mean=learnt, averaging=settings.averaging
        ):
            epoch += 1
            on_kept = in_parts(lambda some: losses_of(learnt, unseen, some)[None], len(unseen.side), device, ASKED)
            write_arrays(path, quantised(learnt))
            heard(epoch, Losses(*(told / steps).tolist()), Losses(*on_kept.mean(0).tolist()))
            told.zero_()
    return count


def taken(rule: int, path: Path | None, device: str) -> Lines:
    """A network to train, by chance or as a file has it."""
    made = Lines(rule)
    if path is not None:
        made.take(read_network(path))
    return made.to(device)  # type: ignore[no-any-return]


def judged(
    boards: Any, side: Any, teacher: RenjuTeacher, guide: Any, student: Lines, settings: DistillationSettings
) -> Lessons:
    """Positions of games and others beyond them, as a teacher judges them; the guide's policy leads there."""
    found = [(boards, side)]
    for _ in range(settings.extra_positions):
        going = in_parts(
            lambda some: beyond(guide, student, boards[some], side[some], settings.plies),
            len(side), settings.device, ASKED,
        )  # fmt: skip
        changed = (going[:, :CELLS] != boards).any(1) & (going[:, :CELLS] == 0).any(1)
        found.append((going[changed, :CELLS], going[changed, CELLS].to(side.dtype)))
    return opinions(teacher, torch.cat([b for b, _ in found]), torch.cat([s for _, s in found]), settings.device)


def opinions(teacher: RenjuTeacher, boards: Any, side: Any, device: str) -> Lessons:
    """What a teacher says of positions."""

    def opinion(some: Any) -> Any:
        policy, chance = teacher(boards[some], side[some])
        return torch.cat((policy.softmax(1), chance[:, None]), 1).half()

    said = in_parts(opinion, len(side), device, ASKED)
    return Lessons(boards, side, said[:, CELLS].float(), said[:, :CELLS])


def beyond(guide: Any, student: Lines, boards: Any, side: Any, plies: int) -> Any:
    """The boards 1 to `plies` plies on, int8[n, CELLS + 1], and in the last column who moves. A line ends where there
    is nothing to judge."""
    wanted = torch.randint(1, plies + 1, side.shape, device=side.device)
    for ply in range(plies):
        policy, _, *judgeable = guide(boards, side)
        goes_on = (judgeable[0] if judgeable else student.open_yet(boards, side)) & (wanted > ply)
        likely = policy.topk(LIKELY, 1)
        drawn = torch.multinomial((likely.values / TEMPERATURE).softmax(1), 1)
        stones = torch.where(goes_on, side + BLACK, 0).to(boards.dtype)
        boards = boards.scatter(1, likely.indices.gather(1, drawn), stones[:, None])
        side = torch.where(goes_on, 1 - side, side)
    return torch.cat((boards, side[:, None].to(boards.dtype)), 1)


def quantised(student: Lines) -> dict[str, Any]:
    arrays = (
        student.rows()[:, LINES], student.bias, student.values, student.offsets, student.policies,
        student.mixing / POOLED_UNIT, student.mixed, student.answers,
    )  # fmt: skip
    made = {}
    for (name, (kind, _)), array in zip(PARTS.items(), arrays, strict=True):
        most = MOST_MIXING if name == "mixing" else None
        made[name] = whole(array.detach().cpu().numpy(), UNITS[name], kind, most)
    made["line_steps"] = line_steps(coarser(made["line_steps"]))
    return made


def coarser(rows: Any) -> Any:
    """The rows of lines, int8[2, LINES, WIDTH]; those of CROWDED ones an even step off the one with empty ends, so that
    the file is smaller. (To leave out small steps instead is no good: sums over a board drift.)"""
    core = rows[:, CORE_OF].astype(int)
    even, most = core + 2 * np.rint((rows - core) / 2), np.iinfo(rows.dtype).max
    crowded = (LINES[:, None] // 3 ** np.arange(DIGITS) % 3 > 0).sum(1) >= CROWDED
    return np.where(crowded[:, None], even.clip(-most, most), rows).astype(rows.dtype)
