"""The Renju engine's network: against a count from nothing, under the board's symmetries, and how it is trained."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.commands import Run

from hansu.compile import kernel
from hansu.core import Control, HansuError, Limit, registry
from hansu.core.bits import flat
from hansu.core.generic import planes as show_planes
from hansu.games.renju.engine import network as n
from hansu.games.renju.engine.board import (
    ALONG_ROOM,
    HALF,
    WINDOW,
    advance,
    along,
    cell_of,
    lift,
    place,
    point_of,
    retreat,
)
from hansu.games.renju.engine.network import SCALE, exchange, pool, put_back, weigh
from hansu.games.renju.engine.patterns import CODES, LINE_OF, OFFSETS
from hansu.games.renju.engine.search import static_score
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.state import RULES
from hansu.games.renju.training import network
from hansu.games.renju.training.games import PlayedGame, is_held_out, play_game, read_games, save
from hansu.games.renju.training.samples import read_samples
from hansu.games.renju.training.teacher import RenjuTeacher, randomly_turned, self_play
from hansu.games.renju.training.variations import undecided
from hansu.learn.champion import notes_of, save_network
from hansu.learn.device import device_for
from hansu.learn.encoding import Encoding
from hansu.learn.engine_training.distillation import win_probability
from hansu.learn.networks import Size, build
from hansu.learn.samples import Board, Samples, block

SIZES = (5, 15, 20)
RENJU = registry.game("renju")
SMALL_TEACHER = ("--channels", "8", "--blocks", "1", "--teacher-epochs", "1", "--extra-positions", "1")

device_for("cpu")  # one thread for torch


def drawn_network(seed: int) -> dict[str, Any]:
    """Numbers by chance."""
    chance = np.random.default_rng(seed)
    return {name: chance.integers(-90, 90, shape).astype(kind) for name, (kind, shape) in n.PARTS.items()}


def with_network(seed: int, size: int = 15, rule: str = "renju") -> RenjuSearcher:
    searcher = RenjuSearcher(rule, size, 1, network=False)
    n.load_network(searcher.memory, drawn_network(seed))
    return searcher


def counted(network: dict[str, Any], stones: dict[int, int], size: int) -> dict[int, Any]:
    """The features of every empty cell, from the letter of the definition."""
    features, rows = {}, n.line_rows(network)
    for cell in set(range(size * size)) - set(stones):
        y, x = divmod(cell, size)
        total = network["bias"].astype(int)
        for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
            for colour in range(2):
                code = 0
                for i, k in enumerate(OFFSETS):
                    inside = 0 <= y + k * dy < size and 0 <= x + k * dx < size
                    stone = stones.get((y + k * dy) * size + x + k * dx) if inside else 1 - colour
                    code += 0 if stone is None else 3**i * (1 if stone == colour else 2)
                total = total + rows[colour, LINE_OF[code]]
        features[cell] = total
    return features


def check_counts(searcher: RenjuSearcher, network: dict[str, Any], stones: dict[int, int]) -> None:
    wanted, memory = counted(network, stones, searcher.size), searcher.memory
    for cell, features in wanted.items():
        assert np.array_equal(memory["features"][point_of(cell, searcher.size)], features)
    assert np.array_equal(memory["pooled"], sum(np.maximum(features, 0) for features in wanted.values()))


@pytest.mark.parametrize("size", SIZES)
def test_features_follow_the_stones(size: int) -> None:
    searcher, network, chance = with_network(size, size), drawn_network(size), random.Random(size)
    stones: dict[int, int] = {}
    n.refresh(searcher.memory)
    check_counts(searcher, network, stones)
    line = chance.sample(range(size * size), min(24, size * size - 3))
    for i, cell in enumerate(line):
        place(searcher.memory, point_of(cell, size), i & 1)
        n.follow(searcher.memory, point_of(cell, size), i & 1)
        stones[cell] = i & 1
    check_counts(searcher, network, stones)
    for i, cell in reversed(list(enumerate(line[4:], 4))):
        lift(searcher.memory, point_of(cell, size))
        n.unfollow(searcher.memory, point_of(cell, size), i & 1)
        del stones[cell]
    check_counts(searcher, network, stones)


def test_stones_that_come_and_go_unasked_are_caught_up_with() -> None:
    size, chance = 9, random.Random(5)
    searcher, network = with_network(5, size), drawn_network(5)
    memory, line = searcher.memory, []
    n.refresh(memory)
    for _ in range(300):
        if line and chance.random() < 0.45:
            lift(memory, point_of(line.pop(), size))
            n.take_back(memory)
        elif len(line) < 30:
            line.append(chance.choice([cell for cell in range(size * size) if cell not in line]))
            place(memory, point_of(line[-1], size), len(line) & 1)
            n.announce(memory, point_of(line[-1], size), len(line) & 1)
        if chance.random() < 0.2:
            n.catch_up(memory)
            check_counts(searcher, network, {cell: (i + 1) & 1 for i, cell in enumerate(line)})


def test_a_search_leaves_the_features_as_they_were() -> None:
    searcher = with_network(3)
    stones = [(112, 0), (97, 1), (113, 0), (111, 1), (128, 0)]
    searcher.search(stones, 1, Limit(nodes=3000), Control())
    check_counts(searcher, drawn_network(3), dict(stones))


@kernel
def change_rows(features: Any, pooled: Any, old: Any, rows: Any, codes: Any, heads: Any, there_and_back: bool) -> int:
    number = exchange(features, pooled, old, 1, rows, codes, 100, 2 + HALF, 0b10011000110, 40, 3)
    number = exchange(features, pooled, old, number, rows, codes, 130, -1 - 2 * HALF, 0b1000, 30, -1)
    pool(features, 2, pooled, -1)
    pool(features, 0, pooled, 1)
    answer = weigh(features, 31, heads, 1)
    if there_and_back:
        number = put_back(features, old, 1, codes, 100, 2 + HALF, 0b10011000110, 40, 3)
    return answer + 10**9 * number


@pytest.mark.parametrize("there_and_back", [False, True])
def test_compiled_rows_are_added_as_in_python(there_and_back: bool) -> None:
    chance = np.random.default_rng(2)
    rows = chance.integers(-127, 128, (2, CODES, n.WIDTH)).astype(np.int8)
    heads = chance.integers(-3000, 3000, (2, n.WIDTH)).astype(np.int16)
    codes = chance.integers(20000, 20050, (4, ALONG_ROOM)).astype(np.uint32) * (1 + HALF)
    both = []
    for function in (change_rows, change_rows.plain):
        features, pooled = np.arange(60 * n.WIDTH, dtype=np.int16).reshape(60, -1) - 40, np.zeros(n.WIDTH, np.int32)
        old, own = np.zeros((3, 3, n.WIDTH), np.int16), codes.copy()
        answer = function(features, pooled, old, rows, own, heads, there_and_back)
        both.append((answer, features.tolist(), pooled.tolist(), old.tolist(), own.tolist()))
    assert both[0] == both[1]


@kernel
def change_lines(codes: Any, pairs: Any, old: Any, classes: Any, back: bool) -> int:
    changed = advance(codes, pairs, old, 2, classes, 200, 2 + HALF)
    changed = changed << 20 | advance(codes, pairs, old, 5, classes, 206, 1 + 2 * HALF)
    if back:
        retreat(codes, pairs, old, 5, 206, 1 + 2 * HALF)
        retreat(codes, pairs, old, 2, 200, 2 + HALF)
    return changed


def test_compiled_lines_change_as_in_python() -> None:
    classes = with_network(1).memory["classes"].copy()
    chance = np.random.default_rng(3)
    for _ in range(20):
        digits = chance.choice([0, 1, 2], (2, 4, ALONG_ROOM, 8), p=(0.5, 0.4, 0.1))  # two places are left for stones
        black, white = (digits * 3 ** np.arange(8)).sum(axis=3)
        codes = (black + white * HALF).astype(np.uint32)
        pairs = classes[0][codes % HALF] | classes[1][codes // HALF]
        both = []
        for function in (change_lines, change_lines.plain):
            for back in (False, True):
                own, own_pairs, old = codes.copy(), pairs.copy(), np.zeros((2, 4, WINDOW), np.uint8)
                changed = function(own, own_pairs, old, classes, back)
                both.append((changed, own.tolist(), own_pairs.tolist(), old.tolist()))
                assert not back or (np.array_equal(own, codes) and np.array_equal(own_pairs, pairs))
        assert both[:2] == both[2:]


def turned(cell: int, size: int, symmetry: int) -> int:
    y, x = divmod(cell, size)
    if symmetry & 1:
        x = size - 1 - x
    if symmetry & 2:
        y = size - 1 - y
    return x * size + y if symmetry & 4 else y * size + x


@pytest.mark.parametrize("shipped", [False, True])
def test_a_turned_board_is_worth_the_same(shipped: bool) -> None:
    searcher = RenjuSearcher("renju", 15, 1) if shipped else with_network(4)
    chance = random.Random(4)
    for side in range(2):
        stones = [(cell, i & 1) for i, cell in enumerate(chance.sample(range(225), 30 + side))]
        values, orders = set(), set()
        for symmetry in range(8):
            values.add(searcher.evaluation([(turned(cell, 15, symmetry), colour) for cell, colour in stones], side))
            memory = searcher.memory
            empty = np.flatnonzero(memory["stones"] == 0).tolist()
            worth = {cell_of(point, 15): n.network_order(memory, side, point) for point in empty}
            back = {
                cell: worth[turned(cell, 15, symmetry)] for cell in range(225) if turned(cell, 15, symmetry) in worth
            }
            orders.add(tuple(sorted(back.items())))
        assert len(values) == len(orders) == 1


@pytest.mark.parametrize("rule", RULES)
def test_the_shipped_networks(rule: str) -> None:
    network = n.read_network(n.network_path(rule))
    rows = n.line_rows(network)
    assert np.abs(rows.astype(int)).max() * 8 + np.abs(network["bias"]).max() < 2**15  # no sum leaves 16 bits


def test_rows_are_kept_as_steps() -> None:
    rows = np.random.default_rng(3).integers(-128, 128, n.PARTS["line_steps"][1]).astype(np.int8)
    steps = n.line_steps(rows)
    assert np.array_equal(n.line_rows({"line_steps": steps}), rows)
    full, ends_empty = 3**9 + 3 * 5 + 1, 3 * 5  # an own stone at both ends, and none
    assert (steps[1, LINE_OF[full]] == rows[1, LINE_OF[full]] - rows[1, LINE_OF[ends_empty]]).all()


def test_the_shipped_networks_are_small() -> None:
    assert sum(n.network_path(rule).stat().st_size for rule in RULES) < 8_000_000


def test_files_that_are_no_network(tmp_path: Path) -> None:
    with pytest.raises(HansuError, match="there is no file"):
        n.read_network(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_bytes(b"network")
    with pytest.raises(HansuError, match="not a file of the Renju engine's network"):
        n.read_network(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", **{name: np.zeros(3, kind) for name, (kind, _) in n.PARTS.items()})
    with pytest.raises(HansuError, match="another network"):
        n.read_network(tmp_path / "other.npz")


# Training.


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance, searcher = random.Random(5), RenjuSearcher("renju", 15, 1)
    path = tmp_path_factory.mktemp("games") / "games.npz"
    save(path, [play_game(chance, searcher, 300) for _ in range(20)])
    return path


def test_samples_are_the_positions_before_the_moves(tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    save(path, [PlayedGame(2, 2, 1.0, [112, 113, 97, 98, 82], [0, 0, 200, -100, 400])])
    samples, _ = read_samples([path], RENJU, 2, 0.5)
    assert samples.policy.tolist() == [97, 98, 82] and samples.side.tolist() == [0, 1, 0]
    assert [np.flatnonzero(board).tolist() for board in samples.boards] == [
        [112, 113],
        [97, 112, 113],
        [97, 98, 112, 113],
    ]
    assert samples.boards[2][[97, 98, 112, 113]].tolist() == [1, 2, 1, 2]
    chances = [0.5 + 0.5 / (1 + np.exp(-1)), 0.5 / (1 + np.exp(0.5)), 0.5 + 0.5 / (1 + np.exp(-2))]
    assert samples.won == pytest.approx(chances, abs=1e-6)


def test_codes_are_those_of_the_engine(games: Path) -> None:
    boards = torch.as_tensor(read_samples([games], RENJU, RULES.index("renju"), 0.0)[0].boards[::17])
    searcher = RenjuSearcher("renju", 15, 1, network=False)
    black, white = network.content_codes()
    for board, contents in zip(boards.numpy(), network.LineContents()(boards), strict=True):
        searcher.set_board([(int(cell), int(board[cell]) - 1) for cell in np.flatnonzero(board)])
        for cell in np.flatnonzero(board == 0):
            point = point_of(int(cell), 15)
            both = [int(searcher.memory["codes"][d, along.plain(d, point)]) for d in range(4)]
            assert black[contents[cell]].tolist() == [b % HALF for b in both]
            assert white[contents[cell]].tolist() == [b // HALF for b in both]


def test_the_engine_agrees_with_the_trained_network(games: Path) -> None:
    """Up to rounding: value and policy of both sides, in every situation."""
    torch.manual_seed(2)
    student = network.LineNetwork(RULES.index("renju"))
    with torch.no_grad():
        student.own.normal_(0, 0.02)
        student.mixing_bias.normal_(0, 0.3)
    samples, _ = read_samples([games], RENJU, RULES.index("renju"), 0.0)
    searcher = RenjuSearcher("renju", 15, 1, network=False)
    arrays = student.arrays()
    n.load_network(searcher.memory, arrays)
    student.load(arrays)
    rows, compared = range(0, len(samples.side), 20), 0
    for i in rows:
        board, side = samples.boards[i], int(samples.side[i])
        with torch.no_grad():
            policy, chance, _ = student(torch.as_tensor(board[None]), torch.tensor([side]))
        score = searcher.evaluation([(int(cell), int(board[cell]) - 1) for cell in np.flatnonzero(board)], side)
        boards, sides = torch.as_tensor(board[None]), torch.tensor([side])
        _, theirs = student.threats(student.contents(boards), boards == 0, sides)
        if n.situation(searcher.memory, side) != side + 2 * int(theirs > 0):
            continue  # the engine sees more: two fours, and that a point is forbidden
        compared += 1
        assert score == pytest.approx(n.SCALE * float(chance.logit()), abs=4)
        for cell in np.flatnonzero(board == 0)[::20]:
            order = n.network_order(searcher.memory, side, point_of(int(cell), 15))
            assert order == pytest.approx(n.ORDER_SCALE * float(policy[0, cell]), abs=3)
    assert compared > 0.7 * len(rows)


def test_a_turned_batch_keeps_its_moves() -> None:
    torch.manual_seed(3)
    boards = torch.zeros(2, 225, dtype=torch.int8)
    cells = torch.tensor([17, 100])
    boards[[0, 1], cells] = 1
    places = set()
    for _ in range(40):
        turned_boards, moves = randomly_turned(boards, cells)
        assert turned_boards.argmax(1).tolist() == moves.tolist()
        places.add(tuple(moves.tolist()))
    assert len(places) == 8


@pytest.mark.parametrize(
    ("row", "black_moves", "white_moves"),
    [
        ("..X..X.........", True, True),
        ("..X.XX.........", False, True),  # an open four decides for the mover only
        ("..O.OO.........", True, False),
        ("..XXXX.........", False, False),  # five
        (".OXXX..........", True, True),  # only a four
    ],
)
def test_undecided_positions(row: str, black_moves: bool, white_moves: bool) -> None:
    board = torch.zeros(1, 225, dtype=torch.int8)
    board[0, 105:120] = torch.tensor([".XO".index(stone) for stone in row])
    student = network.LineNetwork(RULES.index("renju"))
    for side, expected in enumerate((black_moves, white_moves)):
        assert bool(student(board, torch.tensor([side]))[2]) == expected
        assert bool(student.undecided(board, torch.tensor([side]))) == expected


def small_network() -> Any:
    torch.manual_seed(4)
    return build("tower", Encoding(RENJU).shape, Size(4, 1))


def small_teacher() -> RenjuTeacher:
    return RenjuTeacher(small_network()).eval()


def test_a_teacher_sees_the_planes_of_the_game() -> None:
    position, teacher = RENJU.position("h8 i9 i8 g8 j7"), small_teacher()
    boards = torch.zeros(1, 225, dtype=torch.int8)
    for i, step in enumerate([*position.way[1:], position]):
        boards[0, step.last] = 1 + (i & 1)
    planes = torch.zeros(1, 4, 15, 15)
    show_planes(position.state, planes[0].numpy())
    with torch.no_grad():
        policy, chance = teacher(boards, torch.tensor([1]))
        logits, results = teacher.network(planes)
    empty = boards[0] == 0
    assert torch.allclose(policy[0, empty], logits[0, :225][empty])
    assert float(chance) == pytest.approx(float(win_probability(results)))


def test_positions_of_a_teachers_self_play() -> None:
    """Black has as many stones as white, or one more."""
    student = network.LineNetwork(RULES.index("renju"))
    boards, side = self_play(small_teacher(), 500, "cpu", student.undecided)
    black, white = (boards == 1).sum(1), (boards == 2).sum(1)
    assert len(boards) >= 500 and torch.equal(black - white, side) and len(boards.unique(dim=0)) > 450
    assert bool(student.undecided(boards, side).all()) and int(black.min()) >= 1


def test_samples_of_shards(tmp_path: Path) -> None:
    position = RENJU.position("h8 i9 i8")

    def cell(move: str) -> int:
        return RENJU.position(move).last or 0

    state = np.array([flat(position.state), flat(position.play(cell("g8")).state)], np.int64)
    action = np.array([[cell("g8"), cell("h9")], [cell("j7"), -1]], np.int32)
    share, team = np.array([[0.7, 0.3], [1, 0]], np.float32), np.array([1, 0], np.int8)
    first = np.array([-1, -1], np.int8)
    value, count = np.array([0.5, np.nan], np.float32), np.arange(2, dtype=np.int32)
    samples = Samples(state, action, share, first, first.astype(np.float32), value, count + 3, 2 - count, team, count)
    (tmp_path / "one.shard").write_bytes(block(samples, Board(RENJU)))
    read, held_out = read_samples([tmp_path / "one.shard"], RENJU, RULES.index("renju"), 0.5)
    assert read.side.tolist() == [1, 0] and read.policy.tolist() == [cell("g8"), cell("j7")]
    assert np.flatnonzero(read.boards[0] == 1).tolist() == sorted(cell(move) for move in ("h8", "i8"))
    assert np.flatnonzero(read.boards[1] == 2).tolist() == sorted(cell(move) for move in ("i9", "g8"))
    assert read.won.tolist() == [0.625, 0.0] and held_out.tolist() == [True, False]
    with pytest.raises(HansuError, match="cannot be combined"):
        read_samples([tmp_path / "one.shard", tmp_path / "games.npz"], RENJU, 2, 0.5)


def test_a_trained_teacher_provides_its_own_games(hansu: Run, tmp_path: Path) -> None:
    trained, path = small_network(), tmp_path / "network.npz"
    save_network(tmp_path / "teacher.npz", trained, notes_of(trained, "renju", {}))
    words = (
        "--teacher",
        str(tmp_path / "teacher.npz"),
        "--positions",
        "1000",
        "--epochs",
        "1",
        "--extra-positions",
        "1",
    )
    done = hansu("train", "renju", "engine_network", *words, "-o", str(path))
    assert done.returncode == 0 and "the teacher evaluated" in done.stderr, done.stderr
    assert n.read_network(path)["bias"].any()
    words = (*words, "--init", str(path), "--plies", "2", "--learning-rate", "0.01")
    done = hansu("train", "renju", "engine_network", *words, "-o", str(tmp_path / "next.npz"))
    first, second = (n.line_rows(n.read_network(p)).astype(int) for p in (path, tmp_path / "next.npz"))
    assert done.returncode == 0 and 0 < abs(first - second).max() <= 4
    done = hansu("train", "renju", "engine_network", "--teacher", str(tmp_path / "none.npz"), "-o", str(path))
    assert done.returncode == 2 and "there is no file" in done.stderr
    done = hansu("train", "renju", "engine_network", "-o", str(path))
    assert done.returncode == 2 and "no input file" in done.stderr
    done = hansu("train", "renju", "engine_network", *words, "--adapt-epochs", "2", "-o", str(path))
    assert done.returncode == 2 and "leave --adapt-epochs out" in done.stderr


@pytest.mark.parametrize("plies", [1, 3])
def test_extra_positions_are_some_stones_further(games: Path, plies: int) -> None:
    """Both sides place stones in turn on free points, and none in decided positions."""
    torch.manual_seed(4)
    samples, _ = read_samples([games], RENJU, RULES.index("renju"), 0.0)
    boards, side = torch.as_tensor(samples.boards), torch.as_tensor(samples.side)
    student = network.LineNetwork(RULES.index("renju"))
    result = network.play_on(small_teacher(), student, boards, side, plies)
    after, mover = result[:, :225], result[:, 225].long()
    undecided = student.undecided(boards, side)
    assert 0 < undecided.sum() < len(side)
    changed = after != boards
    more = changed.sum(1)
    assert torch.equal(more > 0, undecided) and int(more.max()) == plies
    assert (boards[changed] == 0).all() and torch.equal((side + more) % 2, mover)
    black, white = (after == 1).sum(1), (after == 2).sum(1)
    assert torch.equal(black - white, mover)


def test_variations_of_the_games(hansu: Run, games: Path, tmp_path: Path) -> None:
    """They lie some likely moves off a game that is not held out, and count by their search's score."""
    path = tmp_path / "variations.npz"
    words = ("--minutes", "0.02", "--nodes", "100", "--plies", "3", "--processes", "1", "-o", str(path))
    done = hansu("train", "renju", "engine_variations", str(games), *words)
    assert done.returncode == 0 and "positions" in done.stdout, done.stderr
    rule = RULES.index("renju")
    played = [game for i, game in enumerate(next(read_games([games], rule))) if not is_held_out(i)]
    lines = [game.moves.tolist() for game in played]
    searcher, variations = RenjuSearcher("renju", 15, 1, network=False), next(read_games([path], rule))
    assert len(variations) > 20
    for each in variations:
        assert np.isnan(each.result) and each.laid == len(each.moves) - 1
        same = max(sum(x == y for x, y in zip(each.moves, line, strict=False)) for line in lines)
        assert same >= each.laid - 3
        searcher.set_board([(cell, i & 1) for i, cell in enumerate(each.moves[: each.laid].tolist())])
        assert undecided(searcher, each.laid & 1) and searcher.legal(int(each.moves[-1]), each.laid & 1)
    save(tmp_path / "none.npz", [PlayedGame(rule, 2, 0.5, [112, 113], [0, 0])])
    done = hansu("train", "renju", "engine_variations", str(tmp_path / "none.npz"), *words)
    assert done.returncode == 2 and "no position to vary" in done.stderr
    done = hansu("train", "renju", "engine_variations", str(path), *words[:-1], str(tmp_path / "again.npz"))
    assert done.returncode == 2 and "no position to vary" in done.stderr  # variations are not games
    done = hansu("train", "renju", "engine_network", str(path), "--channels", "0", "-o", str(tmp_path / "network.npz"))
    assert done.returncode == 2 and "at least 15 games" in done.stderr and not (tmp_path / "network.npz").exists()
    samples, held_out = read_samples([path, games], RENJU, rule, 0.5)
    count = len(variations)
    assert not held_out[:count].any() and held_out[count:].any()
    assert samples.won[0] == pytest.approx(
        1 / (1 + np.exp(-np.clip(variations[0].scores[-1] / SCALE, -10, 10))), abs=1e-6
    )
    plain, _ = read_samples([games], RENJU, rule, 0.5)
    assert np.array_equal(samples.won[count:], plain.won) and np.array_equal(samples.boards[count:], plain.boards)


def test_line_weights_are_trained_as_rounded(games: Path) -> None:
    torch.manual_seed(6)
    student = network.LineNetwork(RULES.index("renju"))
    with torch.no_grad():
        student.own.normal_(0, 0.6)  # some beyond what a byte holds
    rows = student.line_weights()
    integers = n.line_rows(student.arrays())[:, LINE_OF]
    off = integers - rows.detach().numpy() * n.ONE
    crowded = (np.arange(CODES)[:, None] // 3 ** np.arange(10) % 3 > 0).sum(1) >= 7
    assert (off[:, ~crowded] == 0).all() and abs(off).max() == 1 and abs(off.mean()) < 0.01
    assert abs(integers).max() == 127
    (rows * torch.randn_like(rows)).sum().backward()
    assert (student.own.grad != 0).float().mean() > 0.99


def test_embedding_sums() -> None:
    """Results and gradients are torch's own."""
    table, numbers = torch.randn(7, 3, requires_grad=True), torch.randint(7, (20, 4))
    sums = network.EmbeddingSum.apply(table, numbers)
    assert torch.allclose(sums, table[numbers].sum(1), atol=1e-6)
    weights = torch.randn_like(sums)
    (gradient,) = torch.autograd.grad((sums * weights).sum(), table)
    (expected,) = torch.autograd.grad((table[numbers].sum(1) * weights).sum(), table)
    assert torch.allclose(gradient, expected, atol=1e-5)


def test_a_network_is_trained_and_plays(hansu: Run, games: Path, tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    done = hansu(
        "train",
        "renju",
        "engine_network",
        str(games),
        "--epochs",
        "4",
        "--batch",
        "64",
        *SMALL_TEACHER,
        "-o",
        str(path),
    )
    assert done.returncode == 0 and "renju" in done.stdout, done.stderr
    epochs = [line for line in done.stderr.splitlines() if line.startswith("epoch")]
    losses = [float(line.split("policy ")[1].split(",")[0]) for line in epochs]
    assert len(losses) == 4 and losses[-1] < losses[0]
    searcher = RenjuSearcher("renju", 15, 1, network=False)
    n.load_network(searcher.memory, n.read_network(path))
    searcher.evaluation([(112, 0)], 1)
    assert abs(static_score(searcher.memory, 1)) < 2000
    report = searcher.search([(112, 0)], 1, Limit(nodes=500), Control())
    assert report.line[0] != 112
