"""Connect Four's solver, book, data and commands, against a slow oracle and public scores."""

from __future__ import annotations

import gzip
import random
from functools import lru_cache
from pathlib import Path

import pytest
from support.commands import ROOT, Run, stopped_from_outside

from hansu.arena.roster import player
from hansu.core import HansuError, Limit, registry
from hansu.games.connect_four.rules import four
from hansu.games.connect_four.solver import batch, book
from hansu.games.connect_four.solver.engine import SolverSearcher, new_table
from hansu.games.connect_four.solver.search import answer_above, odd_threat, wins
from hansu.games.connect_four.solver.standard_board import drop, key_of, mirror, positions, read_columns, wins_now
from hansu.games.connect_four.training import data

SHARED = ROOT.parent / "shared" / "data"
SETS = SHARED / "connect_four_sets"
GAME = registry.game("connect_four")
needs_shared = pytest.mark.skipif(not SETS.exists(), reason="needs the public positions")
needs_book = pytest.mark.skipif(not book.SHIPPED.exists(), reason="no book is shipped")


@pytest.fixture(scope="module")
def searcher() -> SolverSearcher:
    searcher = SolverSearcher(new_table(32))
    searcher.precompile()
    return searcher


Board = tuple[str, ...]


def after(board: Board, column: int, stone: str) -> Board:
    return board[:column] + (board[column] + stone,) + board[column + 1 :]


def completes(board: Board, column: int, stone: str) -> bool:
    """Does the stone dropped in the column complete four?"""
    row, put = len(board[column]), after(board, column, stone)
    for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
        run = [(column + k * dc, row + k * dr) for k in range(-3, 4)]
        owned = "".join("+" if 0 <= c < 7 and 0 <= r < len(put[c]) and put[c][r] == stone else "." for c, r in run)
        if "++++" in owned:
            return True
    return False


@lru_cache(None)
def oracle(board: Board) -> int:
    """The score by plain minimax; a board is seven strings of x and o."""
    ply = sum(map(len, board))
    stone = "xo"[ply % 2]
    scores = [
        22 - (ply + 2) // 2 if completes(board, column, stone) else -oracle(after(board, column, stone))
        for column in range(7)
        if len(board[column]) < 6
    ]
    return max(scores, default=0)


def value_of(board: Board, column: int) -> int:
    """The mover's score of dropping a stone in a column."""
    ply = sum(map(len, board))
    stone = "xo"[ply % 2]
    return 22 - (ply + 2) // 2 if completes(board, column, stone) else -oracle(after(board, column, stone))


def random_board(rng: random.Random, plies: int) -> tuple[Board, str]:
    """An unfinished board with this number of stones and its columns; nobody completes four on the way."""
    while True:
        board, moves = ("",) * 7, ""
        while len(moves) < plies:
            stone = "xo"[len(moves) % 2]
            quiet = [c for c in range(7) if len(board[c]) < 6 and not completes(board, c, stone)]
            if not quiet:
                break
            column = rng.choice(quiet)
            board, moves = after(board, column, stone), moves + str(column + 1)
        else:
            return board, moves


def test_scores_near_the_end_equal_the_oracle(searcher: SolverSearcher) -> None:
    rng = random.Random(4)
    for _ in range(250):
        board, moves = random_board(rng, rng.randint(32, 41))
        mine, mask = read_columns(moves)
        score = searcher.score(mine, mask)
        assert score == oracle(board), moves
        assert searcher.score(mine, mask, weak=True) == (score > 0) - (score < 0)
        assert searcher.score(mirror(mine), mirror(mask)) == score
        column = searcher.best_column(mine, mask, score)
        stone = "xo"[len(moves) % 2]
        assert score == (
            22 - (len(moves) + 2) // 2 if completes(board, column, stone) else -oracle(after(board, column, stone))
        )


def test_static_bounds_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both strategies in plain Python against the oracle."""
    monkeypatch.setattr(
        "hansu.games.connect_four.solver.search.square_of", lambda word: (word & -word).bit_length() - 1
    )
    rng, bounds = random.Random(7), [0, 0]
    while min(bounds) < 40:
        board, moves = random_board(rng, rng.randint(32, 40))
        mine, mask = read_columns(moves)
        if wins_now(mine, mask):
            continue  # the search never uses the bounds then
        theirs = mine ^ mask
        if len(moves) % 2 == 0:
            bound = answer_above(mine, theirs, mask, wins(theirs), -3)
            assert bound == 99 or oracle(board) <= bound, moves
            bounds[0] += bound < 99
        else:
            bound = odd_threat(theirs, mine, mask, wins(theirs))
            assert bound == -99 or -oracle(board) >= bound, moves
            bounds[1] += bound > -99


def read_set(name: str) -> list[tuple[str, int]]:
    lines = (SETS / f"Test_{name}").read_text().split("\n")
    return [(line.split()[0], int(line.split()[1])) for line in lines if line.strip()]


@needs_shared
@pytest.mark.parametrize(
    ("name", "step"), [("L3_R1", 4), ("L2_R1", 4), ("L2_R2", 20), ("L1_R1", 10), ("L1_R2", 200), ("L1_R3", 1000)]
)
def test_public_scores(searcher: SolverSearcher, name: str, step: int) -> None:
    for moves, score in read_set(name)[::step]:
        searcher.empty()
        assert searcher.score(*read_columns(moves)) == score, moves


@needs_shared
@pytest.mark.long
@pytest.mark.parametrize("name", ["L3_R1", "L2_R1", "L2_R2", "L1_R1", "L1_R2", "L1_R3"])
def test_all_public_scores(searcher: SolverSearcher, name: str) -> None:
    for moves, score in read_set(name):
        assert searcher.score(*read_columns(moves)) == score, moves


@pytest.mark.long
def test_the_empty_board_is_won_with_the_last_stone() -> None:
    assert SolverSearcher(new_table(256)).score(0, 0) == 1


def test_a_search_can_be_stopped() -> None:
    searcher = SolverSearcher(new_table(8))
    searcher.precompile()
    searcher.nodes = 0
    with stopped_from_outside(searcher):
        searcher.score(0, 0)  # takes many seconds without a stop
    assert searcher.stopped
    searcher.go_on()
    assert searcher.score(*read_columns("121212")) == 18


def test_scores_after_many_epochs() -> None:
    searcher = SolverSearcher(new_table(1))
    for _ in range(3000):
        searcher.empty()
    _, moves = random_board(random.Random(1), 28)
    first = searcher.score(*read_columns(moves))
    searcher.empty()
    assert searcher.score(*read_columns(moves)) == first


# The player


def test_the_solver_reports_every_column() -> None:
    rng = random.Random(2)
    solver = player("solver", GAME)
    for _ in range(12):
        board, moves = random_board(rng, rng.randint(31, 36))
        position = GAME.position(moves)
        decision = solver.decide(position)
        sign = 1 if position.mover == 0 else -1
        expected = {c: sign * value_of(board, c) for c in position.actions}
        assert {m.action: m.value for m in decision.report.moves} == expected
        assert decision.report.proved and decision.report.value == sign * max(sign * v for v in expected.values())
        at = position
        for action in decision.report.line:  # best play leads to the reported result
            at = at.play(action)
        assert at.over and at.score == (decision.report.value > 0) - (decision.report.value < 0)
        stones = (42 - len(at.history)) // 2 + 1
        assert decision.report.value == 0 or abs(decision.report.value) == stones


def test_the_explanation_names_winner_and_plies() -> None:
    solver = player("solver", GAME)
    assert "1: X wins at once" in solver.decide(GAME.position("121212")).why
    assert "4: X wins in 41 plies" in solver.decide(GAME.first).why
    assert "a draw with best play" in solver.decide(GAME.position("3")).why


def test_the_solver_respects_its_limits() -> None:
    solver = player("solver:book=false", GAME)
    for limit in (Limit(time=0.05), Limit(nodes=10_000)):
        decision = solver.decide(GAME.position("44"), limit)
        assert (
            not decision.report.proved and "no time" in decision.why and decision.action in GAME.position("44").actions
        )
    assert solver.decide(GAME.position("12121"), Limit(time=0.01)).action == 0


def never_loses_value(searcher: SolverSearcher, games_count: int, fewest: int, most: int, seed: int) -> None:
    """From random positions, against a random opponent: each move of the solver keeps the score."""
    rng = random.Random(seed)
    solver = player("solver:all_columns=false", GAME)
    for number in range(games_count):
        _, moves = random_board(rng, rng.randint(fewest, most))
        position = GAME.position(moves)
        seat = number % 2
        best = None
        while not position.over:
            mine, mask = position.state.mine, position.state.mine | position.state.theirs
            if position.mover == seat:
                score = searcher.score(mine, mask)
                best = score if best is None else max(best, score)
                assert score == best, f"{position.text}: {score}, before {best}"
                position = position.play(solver.decide(position).action)
                if position.over:
                    continue
                s = position.state
                assert -searcher.score(s.mine, s.mine | s.theirs) == score
                if len(position.history) >= 32:
                    assert -oracle(letters(position.history)) == score
            else:
                position = position.play(rng.choice(position.actions))
        if best is not None:
            result = position.score if seat == 0 else -position.score
            assert result == (best > 0) - (best < 0)


def letters(history: tuple[int, ...]) -> Board:
    board: Board = ("",) * 7
    for ply, column in enumerate(history):
        board = after(board, column, "xo"[ply % 2])
    return board


def test_perfect_play(searcher: SolverSearcher) -> None:
    never_loses_value(searcher, 1000, 18, 34, seed=11)


@pytest.mark.long
def test_perfect_play_over_thousands_of_games(searcher: SolverSearcher) -> None:
    never_loses_value(searcher, 3000, 12, 34, seed=12)


# The book


def test_a_book_is_computed_backwards(tmp_path: Path) -> None:
    """Random scores for all positions of 4 stones: earlier ones must follow by minimax."""
    rng = random.Random(5)
    known = {}
    for mine, mask in positions(4):
        known[key_of(mine, mask)] = rng.randint(-18, 18), 0
    count = book.write(tmp_path / "book.npz", known, 4)
    assert count == 568 + 121 + 25 + 4 + 1
    opening_book = book.OpeningBook(tmp_path / "book.npz")

    def value(mine: int, mask: int) -> int:
        if mask.bit_count() == 4:
            return known[key_of(mine, mask)][0]
        return max(-value(mine ^ mask, mask | drop(mask, column)) for column in range(7))

    for text in ("", "4", "12", "443", "771"):
        mine, mask = read_columns(text)
        score, column = opening_book.look(mine, mask)
        assert score == value(mine, mask) == -value(mine ^ mask, mask | drop(mask, column))
        mirrored, mirrored_column = opening_book.look(mirror(mine), mirror(mask))
        assert mirrored == score == -value(mirror(mine ^ mask), mirror(mask) | drop(mirror(mask), mirrored_column))
    assert opening_book.look(*read_columns("44444")) is None


def test_a_damaged_book_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "book.npz"
    path.write_bytes(b"no book at all")
    with pytest.raises(HansuError, match="not an opening book"):
        book.OpeningBook(path)


def test_an_interrupted_run_resumes(tmp_path: Path, searcher: SolverSearcher) -> None:
    rng = random.Random(6)
    todo = [read_columns(random_board(rng, 26)[1]) for _ in range(24)]
    part = tmp_path / "work.part"
    expected = batch.solve_resumably(todo, part, 2, 1, False, None)
    lines = part.read_text().splitlines(keepends=True)
    assert len(lines) == len({key_of(*words) for words in todo})
    part.write_text("".join(lines[:10]) + lines[10][:-3])  # the last line is incomplete
    reports: list[tuple[int, int]] = []
    again = batch.solve_resumably(todo, part, 1, 1, False, lambda done, total: reports.append((done, total)))
    assert reports[0][0] >= 10 and reports[-1][0] == len(expected)
    assert {k: s for k, (s, _) in again.items()} == {k: s for k, (s, _) in expected.items()}
    for mine, mask in todo:
        score, column = again[key_of(mine, mask)]
        if key_of(mine, mask) != mine + mask:
            column = 6 - column
        cell = drop(mask, column)
        assert score == searcher.score(mine, mask)
        assert cell & wins_now(mine, mask) or score == -searcher.score(mine ^ mask, mask | cell)
    part.write_text("hello\n")
    with pytest.raises(HansuError, match="line 1"):
        batch.solve_resumably(todo, part, 1, 1, False, None)


@needs_book
def test_the_shipped_book_has_the_published_openings() -> None:
    """The known scores of the seven first moves, and an entry for every position of up to 8 stones."""
    opening_book = book.OpeningBook()
    scores = [-opening_book.look(0, drop(0, column))[0] for column in range(7)]
    assert scores == [-2, -1, 0, 1, 0, -1, -2]
    assert opening_book.look(0, 0) == (1, 3)
    assert len(opening_book.keys) == sum(1 for stones in range(9) for _ in positions(stones))
    assert book.SHIPPED.stat().st_size <= 4 << 20


@needs_book
def test_the_shipped_book_agrees_with_the_solver_and_the_public_scores(searcher: SolverSearcher) -> None:
    opening_book = book.OpeningBook()
    last = [words for number, words in enumerate(positions(8)) if number % 9000 == 5]
    for mine, mask in last:
        score, column = opening_book.look(mine, mask)
        assert score == searcher.score(mine, mask)
        cell = drop(mask, column)
        assert cell and (four(mine | cell, 6) or searcher.score(mine ^ mask, mask | cell) == -score)
    if SETS.exists():
        short = [(m, s) for name in ("L1_R1", "L1_R2", "L1_R3") for m, s in read_set(name) if len(m) <= 8]
        assert len(short) > 100
        assert all(opening_book.look(*read_columns(moves))[0] == score for moves, score in short)


# The command `hansu solve`


def test_solve_command(hansu: Run) -> None:
    lines_in = "121212\n4444444\n9\n\n12121212\n1212121\n3 3,4 4\n"
    done = hansu("solve", "connect_four", "--weak", "--warm", input=lines_in)
    assert done.returncode == 2, "some lines are invalid"
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["121212", "4444444", "9", "12121212", "1212121", "3344"]
    assert lines[0].split()[1] == "1" and len(lines[0].split()) == 4
    assert "column 4 is full" in lines[1] and "not a column" in lines[2]
    assert "already over" in lines[3] and "over in this position" in lines[4]
    assert lines[5].split()[1] == "1" and int(lines[5].split()[2]) > 0
    assert hansu("solve", "connect_four", "--weak", input="121212\n").returncode == 0
    done = hansu("solve", "connect_four", "121212", "3 3,4 4", "--weak", input="9\n")
    assert done.returncode == 0 and [line.split()[0] for line in done.stdout.splitlines()] == ["121212", "3344"]


def test_output_is_in_the_order_of_the_input() -> None:
    from hansu.games.connect_four.solver.solve_lines import solve_lines

    rng = random.Random(9)
    lines_in = [random_board(rng, rng.randint(24, 36))[1] for _ in range(30)]
    one = [line.split()[:2] for line in solve_lines(lines_in, None, False, False, 1, 1)]
    assert [line.split()[:2] for line in solve_lines(lines_in, None, False, False, 1, 3)] == one
    assert [name for name, _ in one] == lines_in


# The data


def test_the_selected_positions() -> None:
    selected = list(data.selected())
    assert len(list(positions(8))) == 91_295 and len(selected) == 67_557
    if SHARED.exists():
        with gzip.open(SHARED / "connect-4.data.gz", "rt") as file:
            public = {line.rsplit(",", 1)[0] for line in file if line.strip()}
        assert {data.row_text(*words, 0).rsplit(",", 1)[0] for words in selected} == public


@needs_shared
def test_labels_of_the_data(searcher: SolverSearcher) -> None:
    with gzip.open(SHARED / "connect-4.data.gz", "rt") as file:
        public = {line.rsplit(",", 1)[0]: line.strip() for line in file if line.strip()}
    for mine, mask in list(data.selected())[::2500]:
        row = data.row_text(mine, mask, searcher.score(mine, mask, weak=True))
        assert row == public[row.rsplit(",", 1)[0]]


@needs_shared
@pytest.mark.long
def test_the_whole_data_equals_the_public_file(tmp_path: Path) -> None:
    assert data.make(tmp_path / "made.data", 2, 512) == 67_557
    with gzip.open(SHARED / "connect-4.data.gz", "rt") as file:
        public = sorted(line.strip() for line in file if line.strip())
    assert sorted((tmp_path / "made.data").read_text().split()) == public


ROW = data.row_text(*read_columns("44444433"), 1)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (ROW.rsplit(",", 1)[0], "line 2: expected 43 comma-separated fields"),
        (ROW.replace("win", "maybe"), "line 2: expected win, draw or loss"),
        (ROW.replace("x", "y", 1), "line 2: expected b, x or o"),
        (ROW.replace("x", "b", 1), "line 2: a stone above an empty cell"),
        (",".join(["x"] + ["b"] * 41 + ["win"]), "line 2: 1 x and 0 o"),
    ],
)
def test_invalid_data_files(tmp_path: Path, bad: str, message: str) -> None:
    path = tmp_path / "rows.data"
    path.write_text(f"{ROW}\n{bad}\n{ROW}\n")
    with pytest.raises(HansuError, match=message):
        data.read(path)


def test_unreadable_data_files(tmp_path: Path) -> None:
    with pytest.raises(HansuError, match="cannot read"):
        data.read(tmp_path / "nothing.data")
    (tmp_path / "cut.data.gz").write_bytes(gzip.compress(f"{ROW}\n".encode() * 500)[:-20])
    with pytest.raises(HansuError, match="cannot read"):
        data.read(tmp_path / "cut.data.gz")
    (tmp_path / "empty.data").write_text("\n")
    with pytest.raises(HansuError, match="no rows"):
        data.read(tmp_path / "empty.data")
