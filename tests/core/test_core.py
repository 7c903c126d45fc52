"""The core: interpreted and compiled code, tables, the cache, options, positions, limits."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import ROOT, stopped_from_outside

from hansu.arena.roster import player
from hansu.compile import compiled, kernel
from hansu.compile.columns import aligned, apart, double, fetch, real, set_real, set_whole, whole, word, words_at
from hansu.core import (
    Control,
    Game,
    HansuError,
    IllegalMove,
    Limit,
    Option,
    Table,
    bits,
    flat,
    item,
    labels,
    lowest,
    mix,
    monotonic_ns,
    next_bit,
    next_random,
    over,
    pack,
    pick,
    popcount,
    registry,
    rules,
    score,
    table,
    unpack,
    with_item,
)
from hansu.core.bits import greatest, in_parallel, prange, prefetch
from hansu.core.options import read_settings, split_spec
from hansu.scene import Scene
from hansu.search.players import AlphaBeta

WORD = st.integers(0, 2**63 - 1)


class Words(NamedTuple):
    a: int
    b: tuple[int, int, int]


def _nothing(s, *_):
    return 0


rules(Words, play=_nothing, over=_nothing, score=_nothing, mover=_nothing, legal=_nothing, action_count=1)


def bit_results(s, i):
    return popcount(s.a), lowest(s.a), next_bit(s.a, i), item(s.b, i), with_item(s.b, i, s.a), mix(s)


@settings(deadline=None)  # the first example compiles
@given(WORD, st.tuples(WORD, WORD, WORD), st.integers(0, 2))
def test_intrinsics_agree_with_plain_functions(a: int, b: tuple[int, int, int], i: int) -> None:
    s = Words(a, b)
    assert compiled(bit_results, Words)(s, i) == bit_results(s, i)


def clock_reading(s):
    return monotonic_ns()


def test_compiled_code_reads_the_same_clock() -> None:
    read = compiled(clock_reading, Words)
    read(Words(0, (0, 0, 0)))
    before, between, after = time.monotonic_ns(), read(Words(0, (0, 0, 0))), time.monotonic_ns()
    assert before <= between <= after or between == 0


@given(WORD)
def test_bit_functions_agree_with_strings(x: int) -> None:
    assert popcount(x) == bin(x).count("1")
    assert lowest(x) == (bin(x)[::-1].index("1") if x else -1)
    indices, i = [], next_bit(x, -1)
    while i >= 0:
        indices.append(i)
        i = next_bit(x, i)
    assert indices == [i for i in range(63) if x >> i & 1]


@kernel
def index_of_greatest(numbers: Any, start: int, eights: int) -> int:
    prefetch(numbers, start)
    return greatest(numbers, start, eights)


def test_index_of_the_greatest_number() -> None:
    chance = np.random.default_rng(4)
    for spread in (2, 1 << 62):  # with ties and without
        numbers = chance.integers(-spread, spread, 40)
        numbers[7] = np.iinfo(np.int64).min
        for start in range(32):
            for eights in range(1, (40 - start) // 8 + 1):
                expected = max(range(start, start + 8 * eights), key=lambda i: (numbers[i], -i))
                assert index_of_greatest(numbers, start, eights) == expected
                assert index_of_greatest.plain(numbers, start, eights) == expected


def test_pick_is_uniform() -> None:
    seed, counts = [42], [0] * 7
    for _ in range(7000):
        counts[pick(seed, 7)] += 1
    assert min(counts) > 850 and max(counts) < 1150


def test_equal_tables_share_a_block_while_one_is_alive() -> None:
    first, again, other = Table([1, 2, 3], ["x"]), Table([1, 2, 3], ["x"]), Table([1, 2, 3], ["y"])
    assert first is again and first.handle != other.handle
    assert table(first.handle) == (1, 2, 3) and labels(first.handle) == ("x",)
    handle = other.handle
    del other
    with pytest.raises(HansuError, match="no longer exist"):
        table(handle)


@kernel
def doubled(x):
    return helper(x) + 1


def helper(x):
    return 2 * x


@kernel
def through_another(x):
    return doubled(x) + popcount(x)


def test_kernels_compile_their_callees() -> None:
    assert doubled(20) == 41
    assert through_another(7) == 18
    assert doubled.plain(3) == 7


class Nested(NamedTuple):
    words: tuple[int, int, int]
    inner: tuple[tuple[int, int], int]
    last: int


def through_a_row(s, row):
    pack(s, row)
    return unpack(s, row)


def test_states_are_packed_and_unpacked() -> None:
    s = Nested((1, -2, 3), ((4, 2**62), -(2**63)), 6)
    row, column = np.zeros(7, np.int64), np.zeros((7, 3), np.int64)
    rules(Nested, play=_nothing, over=_nothing, score=_nothing, mover=_nothing, legal=_nothing, action_count=1)
    for run in (through_a_row, compiled(through_a_row, Nested)):
        row[:], column[:] = 0, 0
        assert run(s, row) == s and type(run(s, row)) is Nested and type(run(s, row).inner[0]) is tuple
        assert row.tolist() == list(flat(s))
    assert through_a_row(s, column[:, 1]) == s and column[:, 1].tolist() == list(flat(s)) and not column[:, 0].any()


@kernel
def three_draws(seed):
    return next_random(seed), next_random(seed), next_random(seed)


def test_random_numbers_are_equal_compiled() -> None:
    """Products of ints overflow on purpose; Numba tells LLVM that they never do."""
    words, plain = np.array([5]), [5]
    for _ in range(100):
        assert three_draws(words) == three_draws.plain(plain)
        assert int(words[0]) == plain[0]


@kernel
def through_columns(columns, i):
    set_whole(columns, 1, i, whole(columns, 1, i) - 5)
    set_real(columns, 2, i, real(columns, 2, i) / 3)
    words = words_at(word(columns, 4), 2)
    words[1] = 2**40
    return word(columns, 0), double(columns, 3, i)


def test_columns_read_the_same_memory_interpreted_and_compiled() -> None:
    for run in (through_columns, through_columns.plain):
        wholes, reals = np.arange(4, dtype=np.int32), np.ones(4, np.float32)
        doubles, words = np.linspace(0, 1, 4), np.zeros(2, np.int64)
        columns = np.array([77, *(a.ctypes.data for a in (wholes, reals, doubles, words))], np.int64)
        assert run(int(columns.ctypes.data), 2) == (77, doubles[2])
        assert wholes.tolist() == [0, 1, -3, 3] and words.tolist() == [0, 2**40]
        assert reals.tolist() == [1, 1, np.float32(1 / 3), 1]


CLOSE, FAR = apart(0, 2), apart(1, 2)


@kernel
def through_records(columns, i):
    fetch(columns, FAR, i)
    set_real(columns, FAR, i, 0.5)
    set_whole(columns, CLOSE, i, whole(columns, CLOSE, i) + 7)
    return real(columns, FAR, i)


def test_columns_may_be_fields_of_structured_arrays() -> None:
    for run in (through_records, through_records.plain):
        records = aligned(2, 4, {"close": "int32", "far": "float32"})
        assert records.ctypes.data % 64 == 0 and records.shape == (2, 4)
        columns = np.array([records[name][1:].ctypes.data for name in ("close", "far")], np.int64)
        assert run(int(columns.ctypes.data), 3) == 0.5
        assert records["close"].tolist() == [[0] * 4, [0, 0, 0, 7]]
        assert records["far"].tolist() == [[0] * 4, [0, 0, 0, 0.5]]


class Pair(NamedTuple):
    a: int
    b: int


def test_two_lambdas_on_one_line_are_two_functions() -> None:
    """Numba's own cache confuses them: same name, same line, same bytecode."""
    words = {"play": lambda s, a: s, "mover": lambda s: 0, "legal": lambda s, a: True}
    # fmt: off
    rules(Pair, over=lambda s: s.a, score=lambda s: s.b, action_count=1, **words)
    # fmt: on
    assert compiled(over_and_score, Pair)(Pair(1, 2)) == (1, 2)
    rules(Pair, over=lambda s: s.b, score=lambda s: s.a, action_count=1, **words)
    assert compiled(over_and_score, Pair)(Pair(1, 2)) == (2, 1)


def over_and_score(s):
    return over(s), score(s)


def uses_a_module(s):
    return bits.popcount(s.a)


def test_compile_errors_are_explained() -> None:
    with pytest.raises(HansuError, match=r"cannot be compiled.*traps"):
        compiled(uses_a_module, Pair)(Pair(1, 2))


EDITED = """
from typing import NamedTuple
from hansu.core import Game, rules
from edited_helper import result
class S(NamedTuple):
    n: int
def legal(s, a): return a == 0
def play(s, a): return S(s.n + 1)
def over(s): return s.n == 1
def score(s): return {score}
def mover(s): return 0
rules(S, legal=legal, play=play, over=over, score=score, mover=mover, action_count=1)
GAME = Game(name="edited", title={{"en": "e", "ko": "e"}}, about={{"en": "e", "ko": "e"}}, state=S,
            start=lambda: S(0), small=True)
"""


def value_in_a_new_process(path: Path, env: dict[str, str]) -> float:
    code = (
        "import sys, hansu; g = hansu.game(sys.argv[1])\nprint(hansu.player('minimax', g).decide(g.first).report.value)"
    )
    process = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, env=env)
    assert process.returncode == 0, process.stderr
    return float(process.stdout)


def test_an_edited_rule_takes_effect_in_the_next_process(tmp_path: Path) -> None:
    """In the game's own file and in a file that it imports."""
    game, neighbour = tmp_path / "edited.py", tmp_path / "edited_helper.py"
    env = {**os.environ, "HANSU_CACHE": str(tmp_path / "cache")}
    neighbour.write_text("def result():\n    return 3\n")
    game.write_text(EDITED.format(score="1"))
    assert value_in_a_new_process(game, env) == 1
    assert value_in_a_new_process(game, env) == 1
    game.write_text(EDITED.format(score="2"))
    assert value_in_a_new_process(game, env) == 2
    game.write_text(EDITED.format(score="result()"))
    assert value_in_a_new_process(game, env) == 3
    stamp = neighbour.stat().st_mtime
    neighbour.write_text("def result():\n    return 4\n")
    os.utime(neighbour, (stamp, stamp))  # the modification time stays the same
    assert value_in_a_new_process(game, env) == 4


def test_an_edited_rule_of_the_package_takes_effect(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src" / "hansu", tmp_path / "hansu", ignore=shutil.ignore_patterns("__pycache__"))
    env = {**os.environ, "HANSU_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    code = (
        "import hansu; at = hansu.game('tictactoe').position('1 2 4 3');"
        "print(hansu.player('minimax', at.game).decide(at).report.value)"
    )

    def value() -> float:
        process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=tmp_path)
        assert process.returncode == 0, process.stderr
        return float(process.stdout)

    assert value() == 1
    rules_file = tmp_path / "hansu" / "games" / "tictactoe.py"
    text = rules_file.read_text()
    assert "return 1 if mover(s) == 1 else -1" in text
    rules_file.write_text(text.replace("return 1 if mover(s) == 1 else -1", "return 7 if mover(s) == 1 else -7"))
    assert value() == 7


def test_games_run_without_a_writable_cache(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file in place of a folder")
    env = {**os.environ, "HANSU_CACHE": str(blocked / "below")}
    game = tmp_path / "edited.py"
    (tmp_path / "edited_helper.py").write_text("def result():\n    return 3\n")
    game.write_text(EDITED.format(score="1"))
    assert value_in_a_new_process(game, env) == 1


def test_a_search_can_be_stopped_from_another_thread() -> None:
    game = registry.game("tictactoe")
    searcher = player("mcts", game)
    searcher.decide(game.first)  # compiles
    control = Control()
    with stopped_from_outside(control):
        decision = searcher.decide(game.first, Limit(time=86_400), control)
    assert control.stopped and decision.report.nodes > 0


def test_progress_is_reported() -> None:
    game = registry.game("tictactoe")
    reports = []
    player("iterative", game).decide(game.first, Limit(depth=5), Control(reports.append))
    assert [report.depth for report in reports] == [1, 2, 3, 4, 5]
    assert all(report.line and report.nodes > 0 for report in reports)


def test_a_time_limit_ends_a_search() -> None:
    game = registry.game("tictactoe")
    for spec in ("mcts", "mcts:interpreted=true"):
        decision = player(spec, game).decide(game.first, Limit(time=0.2))
        assert decision.report.nodes > 0


def test_the_seed_chooses_among_equal_moves() -> None:
    game = registry.game("tictactoe")
    chosen = {player(f"alphabeta:seed={seed}", game).decide(game.first).action for seed in range(12)}
    assert len(chosen) > 3  # every first move draws
    assert (
        player("minimax:seed=3", game).decide(game.first).action
        == player("minimax:seed=3", game).decide(game.first).action
    )


def test_positions_reject_illegal_moves_and_keep_their_history() -> None:
    game = registry.game("tictactoe")
    at = game.position("1, 5,9")
    assert at.moves == ("1", "5", "9") and at.history == (0, 4, 8) and at.origin == game.first
    assert str(game.position(at.text)) != ""
    for bad in (0, 9, -1, "x"):
        with pytest.raises(IllegalMove):
            at.play(bad)
    with pytest.raises(IllegalMove, match="legal: 2, 3, 4"):
        at.play_move("1")
    over = game.position("1 4 2 5 3")
    assert over.over and over.score == 1 and over.actions == ()
    with pytest.raises(IllegalMove, match="over"):
        over.play_move("9")


class Wide(NamedTuple):
    """The game ends after one of thousands of moves."""

    chosen: int


rules(
    Wide,
    play=lambda s, a: Wide(a),
    over=lambda s: s.chosen >= 0,
    score=lambda s: s.chosen,
    mover=lambda s: 0,
    legal=lambda s, a: a % 2 == 0,
    action_count=12_000,
)


def test_thousands_of_root_moves_are_reported() -> None:
    game = Game(
        name="wide", title="Wide", about="one move", state=Wide, start=lambda: Wide(-1), seats=("one", "other"),
        move_text=lambda s, a: str(a), look=lambda position: Scene(1, 1, (), "wide"), score_range=12_000.0,
    )  # fmt: skip
    report = AlphaBeta(depth=1).decide(game.first).report
    assert len(report.moves) == 6_000 and report.value == 11_998 and report.line == (11_998,)


def test_a_move_is_checked_without_listing_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing all moves of a Renju board takes a hundred times longer than checking one."""
    at = registry.game("renju").first
    monkeypatch.setattr("hansu.core.position.actions", None)
    for move in ("h8", "h9", "i10"):
        at = at.play_move(move)
    assert at.moves == ("h8", "h9", "i10")


def test_specs() -> None:
    assert split_spec("alphabeta:depth=4,ties=false") == ("alphabeta", {"depth": "4", "ties": "false"})
    assert split_spec("triangles:points=0 0,3 1,seed=2") == ("triangles", {"points": "0 0,3 1", "seed": "2"})
    for bad in ("a:", "a:b", "a:x=1,x=2"):
        with pytest.raises(HansuError):
            split_spec(bad)
    options = (Option("n", int, 1, "", low=1, high=5), Option("b", bool, True, ""), Option("f", float, 1.0, ""))
    assert read_settings(options, {"n": "3", "b": "no", "f": "0.5"}, "t") == {"n": 3, "b": False, "f": 0.5}
    for wrong in ({"n": "6"}, {"n": "x"}, {"b": "maybe"}, {"m": "1"}, {"f": "nan"}):
        with pytest.raises(HansuError):
            read_settings(options, wrong, "t")


def test_limits() -> None:
    assert Limit.read("depth=4,time=0.5") == Limit(depth=4, time=0.5)
    assert str(Limit(nodes=1000)) == "nodes=1000"
    for bad in ("depth=0", "speed=3", "time=-1", "time=inf", "4"):
        with pytest.raises(HansuError):
            Limit.read(bad)


class Counter:
    """A foreign state class (interpreted only): actions are words."""

    def __init__(self, n: int = 0, turn: int = 0) -> None:
        self.n, self.turn = n, turn

    def __hash__(self) -> int:
        return hash((self.n, self.turn))


rules(
    Counter,
    actions=lambda s: iter(["one", "two"] if s.n < 6 else ["one"]),
    play=lambda s, a: Counter(s.n + (1 if a == "one" else 2), 1 - s.turn),
    over=lambda s: s.n == 7,
    score=lambda s: 1 if s.turn == 1 else -1,  # whoever reaches seven wins
    mover=lambda s: s.turn,
)


@pytest.mark.parametrize("kind", ["minimax", "alphabeta", "expectimax", "iterative", "mcts"])
def test_foreign_classes_run_interpreted(kind: str) -> None:
    from hansu.core import Game

    game = Game(name="count", title={"en": "c", "ko": "c"}, about={"en": "c", "ko": "c"}, state=Counter,
                start=Counter, small=True)  # fmt: skip
    decision = player(kind, game).decide(game.first)
    assert decision.action == "one"  # reaching 1, 4, 7 wins
    if kind != "expectimax":
        assert decision.report.value is not None and decision.report.value > 0.9


class Row(tuple):
    """A foreign state class whose actions change their order at the next move."""


rules(
    Row, actions=lambda s: iter(sorted(s, key=lambda word: (len(s) * len(word)) % 5)),
    play=lambda s, a: Row(word for word in s if word != a), over=lambda s: not s,
    score=lambda s: -1, mover=lambda s: len(s) % 2, legal=lambda s, a: a in s,
)  # fmt: skip


def test_the_table_of_iterative_fits_foreign_actions_at_the_next_move() -> None:
    from hansu.core import Game

    game = Game(name="row", title={"en": "r", "ko": "r"}, about={"en": "r", "ko": "r"}, state=Row,
                start=lambda: (Row(("a", "bb", "ccc", "dddd")), None), small=True)  # fmt: skip
    searcher, at = player("iterative", game), game.first
    while not at.over:
        decision = searcher.decide(at)
        assert decision.action in at.actions and set(decision.report.line) <= set(at.actions)
        at = at.play(at.actions[-1])


def test_foreign_classes_cannot_be_compiled() -> None:
    from hansu.search.perft import perft

    with pytest.raises(HansuError, match="interpreted"):
        compiled(perft, Counter)


@pytest.mark.parametrize(
    ("words", "error"),
    [({}, "lacks"), ({"play": lambda s: s}, "must take 2"), ({"paly": lambda s, a: s}, "unknown word")],
)
def test_invalid_rules_are_reported(words: dict[str, object], error: str) -> None:
    class Empty(NamedTuple):
        n: int

    with pytest.raises(HansuError, match=error):
        rules(Empty, **words)  # type: ignore[arg-type]


def test_the_random_player_is_reproducible() -> None:
    game = registry.game("tictactoe")
    first, second = (player("random:seed=5", game) for _ in range(2))
    position = game.first
    for _ in range(5):
        action = first.decide(position).action
        assert action == second.decide(position).action
        position = position.play(action)


def thirds(s: Any, out: Any, lo: int, hi: int) -> None:
    for i in range(lo, hi):
        out[i] = popcount(s.board) * i


@in_parallel
def parallel_thirds(s: Any, out: Any, shares: int) -> None:
    for k in prange(shares):
        thirds(s, out, k * 10, k * 10 + 10)


class Bits(NamedTuple):
    board: int


rules(Bits, legal=lambda s, a: a == 0, play=lambda s, a: s, over=lambda s: False, score=lambda s: 0,
      mover=lambda s: 0, action_count=1)  # fmt: skip


def test_parallel_loops() -> None:
    plain, fast = np.zeros(30, np.int64), np.zeros(30, np.int64)
    parallel_thirds(Bits(7), plain, 3)
    compiled(parallel_thirds, Bits)(Bits(7), fast, 3)
    assert (plain == 3 * np.arange(30)).all() and (fast == plain).all()


def test_a_stopped_search_evaluates_only_root_moves() -> None:
    """Interpreted, deep in the tree of a large board."""
    from hansu.search.minimax import minimax
    from hansu.search.watch import Watch

    counted = 0

    class Wide(NamedTuple):
        plies: int

    def evaluate(s: Wide) -> float:
        nonlocal counted
        counted += 1
        if counted == 3:
            watch.control.stop()
        return 0.25

    rules(Wide, legal=lambda s, a: 0 <= a < 50, play=lambda s, a: Wide(s.plies + 1), over=lambda s: False,
          score=lambda s: 0, mover=lambda s: s.plies % 2, evaluate=evaluate, action_count=50)  # fmt: skip
    watch = Watch(Control())
    assert minimax(Wide(0), 30, False, 0, watch) == 0.25
    assert counted <= 3 + 50  # not 50 for each of thirty plies
