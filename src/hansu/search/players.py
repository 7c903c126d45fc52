"""The general players: each algorithm of this room as a `Player`, for any game."""

from __future__ import annotations

import random
import time
from abc import abstractmethod
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

from hansu.core.bits import mix
from hansu.core.compiled import compiled
from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.generic import CHANCE, Action, State
from hansu.core.limit import Limit
from hansu.core.player import Decision, MoveValue, Player, option
from hansu.core.position import Position
from hansu.core.said import Said, korean, said
from hansu.search.alphabeta import alphabeta
from hansu.search.expectimax import expectimax
from hansu.search.foreign import Book, Numbered, is_foreign
from hansu.search.iterative import Memory, deepen, new_memory
from hansu.search.mcts import mcts, new_tree
from hansu.search.minimax import minimax
from hansu.search.tree import MOST_VISITS, Tree
from hansu.search.watch import Findings, Trace, Watch, read_words


@dataclass
class Random(Player):
    """Any legal move."""

    kind: ClassVar[str] = "random"
    about: ClassVar[str] = said("plays any legal move", "둘 수 있는 수 가운데 아무거나 둡니다")
    seed: int | None = option(None, said("makes its choices repeatable", "같은 번호면 같은 수를 고릅니다"))

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        return Decision(
            self._chance.choice(position.actions),
            why=said("any move is as good as another to it", "어느 수나 똑같다고 봅니다"),
        )


@dataclass
class TreeSearch(Player):
    """What minimax, expectimax and alpha-beta share: depth, deepening under a time limit, words for the result."""

    depth: int | None = option(None, said("plies to look ahead", "몇 수 앞까지 읽을지"), low=1, high=10_000)
    rounds: int | None = option(
        None,
        said(
            "depth in rounds instead: every agent moves once",
            "깊이를 라운드로: 모든 에이전트가 한 번씩 두는 것이 한 라운드",
        ),
        low=1,
        high=10_000,
    )
    seed: int | None = option(
        None,
        said(
            "choose among equally good moves by chance, repeatably",
            "똑같이 좋은 수 가운데 무작위로 (같은 번호면 같은 수)",
        ),
    )
    interpreted: bool = option(
        False, said("run as plain Python (slow, the lecture's way)", "순수 파이썬으로 실행 (느림, 강의 방식)")
    )

    def __post_init__(self) -> None:
        if self.depth is not None and self.rounds is not None:
            both = said(
                f"{self.kind}: give depth or rounds, not both", f"{self.kind}: depth와 rounds 중 하나만 정하세요"
            )
            raise HansuError(both)

    @abstractmethod
    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        """Call the algorithm's function (compiled or not) on the root."""

    @property
    @abstractmethod
    def _algorithm(self) -> Any: ...

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        if position.mover == CHANCE:
            raise HansuError("a chance node has no player to decide for it")
        depth, why_depth = self._depth(position, limit)
        self._prepare(position, control)
        started = time.perf_counter()
        with control.deadline(limit.time):
            if limit.time is None and limit.nodes is None:
                value, found = self.search(position, depth, control)
                reached = depth
            else:
                value, found, reached = self._deepen(position, depth, limit, control)
        proved = found.evaluations == 0 and not control.stopped and bool(found.line)
        action, chosen = self._choice(position, value, found)
        if proved or reached < 0:
            how_far = TO_THE_END
        elif self.rounds is not None:
            how_far = said(f"{reached} rounds ahead", f"{reached}라운드 앞까지 읽음")
        else:
            how_far = said(f"{reached} plies ahead{why_depth}", f"{reached}수 앞까지 읽음{korean(why_depth)}")
        words = looked(chosen, how_far, value_text(position, value, proved))
        return Decision(
            action, value, words, found.line or (action,), self._move_values(position, found), found.nodes,
            found.deepest, time.perf_counter() - started, proved,
        )  # fmt: skip

    def _prepare(self, position: Position, control: Control) -> None:
        """Compile before the clock starts."""
        if not (self.interpreted or is_foreign(position.state)):
            search = compiled(self._algorithm, type(position.state)).prepare
            self._run(search, position.state, 1, control.address)

    def _depth(self, position: Position, limit: Limit) -> tuple[int, str]:
        """How deep to look, -1 for no limit, and what to say of it."""
        if self.rounds is not None and limit.depth is not None:
            what = said(
                f"{self.name} counts rounds, the limit plies", f"{self.name}: 라운드로 세지만 제한은 수로 셉니다"
            )
            raise HansuError(what, said("limit it by time or nodes", "시간이나 노드 수로 제한하세요"))
        asked = [d for d in (self.depth, self.rounds, limit.depth) if d is not None]
        if asked:
            return min(asked), ""
        if position.game.small or limit.time is not None or limit.nodes is not None:
            return -1, ""
        return position.game.default_depth, said(" (the game's default)", "(게임의 기본값)")

    def _deepen(self, position: Position, depth: int, limit: Limit, control: Control) -> tuple[float, Findings, int]:
        """Depth 1, 2, ... until the limit; the last search that was finished counts, and the nodes of all."""
        kept: tuple[float, Findings, int] | None = None
        spent = 0
        reached = 0
        while depth < 0 or reached < depth:
            reached += 1
            left = None if limit.nodes is None else max(limit.nodes - spent, 1)
            value, found = self.search(position, reached, control, node_limit=left)
            spent += found.nodes
            stopped = control.stopped or (left is not None and found.nodes >= left)
            if stopped and kept is not None:
                break
            kept = value, found, reached
            control.report(reached, spent, value, found.line)
            if stopped or found.evaluations == 0:
                break
        assert kept is not None
        value, found, reached = kept
        return value, Findings(spent, found.evaluations, found.deepest, found.root_moves, found.line), reached

    def search(
        self, position: Position, depth: int, control: Control, node_limit: int | None = None,
        trace: Trace | None = None,
    ) -> tuple[float, Findings]:  # fmt: skip
        """One run of the algorithm from this position."""
        s = position.state
        if self.interpreted or trace is not None or is_foreign(s):
            watch = Watch(control, node_limit)
            watch.trace = trace
            try:
                return self._run(self._algorithm, s, depth, watch), watch.read()
            except RecursionError:
                raise HansuError("the game is too long for Python's stack", f"give {self.kind} a depth") from None
        control.clear(node_limit)
        value = self._run(compiled(self._algorithm, type(s)), s, depth, control.address)
        return float(value), read_words(control.words)

    def _choice(self, position: Position, value: float, found: Findings) -> tuple[Action, str]:
        text = position.move_text
        if not found.root_moves:  # stopped before the first move was judged
            return position.actions[0], no_time(position, position.actions[0])
        # Expectimax gives the others no choice in the tree; at the root the mover has one: the lowest value.
        wanted = value if found.line else min(v for _, v in found.root_moves)
        best = [a for a, v in found.root_moves if v == wanted]
        if self.seed is not None and len(best) > 1:
            action = random.Random(self.seed * 1_000_003 + len(position.history)).choice(best)
            how_many = len(best)
            chosen = f"{text(action)} (똑같이 좋은 {how_many}수 가운데 하나)"
            return action, said(f"{text(action)}, one of {how_many} equally good moves,", chosen)
        action = found.line[0] if found.line else best[0]
        return action, text(action)

    def _move_values(self, position: Position, found: Findings) -> tuple[MoveValue, ...]:
        return tuple(MoveValue(a, v) for a, v in found.root_moves)


@dataclass
class Minimax(TreeSearch):
    """The lecture's first agent."""

    kind: ClassVar[str] = "minimax"
    about: ClassVar[str] = said(
        "looks at every line; expects the best reply", "모든 수순을 읽고, 상대가 최선으로 응수한다고 봅니다"
    )
    _algorithm = staticmethod(minimax)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        return search(s, depth, self.rounds is not None, 0, watch)  # type: ignore[no-any-return]


@dataclass
class Expectimax(TreeSearch):
    """The lecture's agent for an opponent that errs."""

    kind: ClassVar[str] = "expectimax"
    about: ClassVar[str] = said(
        "looks at every line; expects each reply equally often",
        "모든 수순을 읽고, 상대의 응수가 모두 같은 확률이라고 봅니다",
    )
    _algorithm = staticmethod(expectimax)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        return search(s, depth, self.rounds is not None, 0, watch)  # type: ignore[no-any-return]


@dataclass
class AlphaBeta(TreeSearch):
    """Minimax that skips what cannot matter."""

    kind: ClassVar[str] = "alphabeta"
    about: ClassVar[str] = said("minimax that skips what cannot matter", "결과에 영향이 없는 가지를 건너뛰는 미니맥스")
    ties: bool = option(
        True,
        said(
            "cut at beta <= alpha (the lecture's rule); false: only at beta < alpha",
            "beta <= alpha에서 자르기 (강의의 규칙), 끄면 beta < alpha에서만",
        ),
    )
    _algorithm = staticmethod(alphabeta)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        # Equal moves can only be told from worse ones by the rule that does not cut at a tie.
        ties = self.ties and self.seed is None
        return search(s, depth, self.rounds is not None, -inf, inf, ties, 0, watch)  # type: ignore[no-any-return]

    def _move_values(self, position: Position, found: Findings) -> tuple[MoveValue, ...]:
        return with_bounds(position, found)


@dataclass
class Iterative(Player):
    """Alpha-beta, deeper and deeper, with a memory."""

    kind: ClassVar[str] = "iterative"
    about: ClassVar[str] = said(
        "alpha-beta, one ply deeper each time, with a table of known positions",
        "한 수씩 깊어지는 알파-베타, 아는 국면은 표에 적어 둡니다",
    )
    depth: int | None = option(
        None, said("plies to look ahead at most", "최대 몇 수 앞까지 읽을지"), low=1, high=10_000
    )
    slots: int = option(1 << 18, said("positions that the table holds", "표에 담을 국면의 수"), low=2, high=1 << 28)
    interpreted: bool = option(False, said("run as plain Python", "순수 파이썬으로 실행"))
    _memory: Memory | None = field(default=None, init=False, repr=False, compare=False)
    _board: Any = field(default=None, init=False, repr=False, compare=False)
    _book: Book = field(default_factory=Book, init=False, repr=False, compare=False)  # the table's actions, by number

    def new_game(self) -> None:
        self._memory = None

    def _memory_for(self, position: Position) -> Memory:
        """The table, emptied when the board is another: a position's key does not tell boards apart."""
        board = (position.game.spec, position.tables)
        if self._memory is None or self._board != board:
            self._memory, self._board, self._book = new_memory(self.slots), board, Book()
        return self._memory

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        unlimited = limit == Limit() and self.depth is None
        asked = [d for d in (self.depth, limit.depth) if d is not None]
        deepest = min(asked, default=position.game.default_depth if unlimited and not position.game.small else 10_000)
        memory = self._memory_for(position)
        s, book = position.state, None
        if is_foreign(s):
            book = self._book
            s = Numbered(s, book)
        elif not self.interpreted:
            compiled(deepen, type(s)).prepare(s, 1, -inf, inf, 0, memory, control.address)
        started = time.perf_counter()
        best: tuple[float, Findings, int] | None = None
        spent = 0
        with control.deadline(limit.time):
            for depth in range(1, deepest + 1):
                left = None if limit.nodes is None else max(limit.nodes - spent, 1)
                value, found = self._search(s, depth, memory, control, left)
                spent += found.nodes
                stopped = control.stopped or (left is not None and found.nodes >= left)
                # The best move so far is searched first, so an unfinished iteration that judged it is an improvement.
                if found.line:
                    best = value, found, depth - stopped
                if not stopped:
                    control.report(depth, spent, value, self._named(found.line, book))
                if stopped or found.evaluations == 0:
                    break
        if best is None:
            action = position.actions[0]
            why = no_time(position, action)
            return Decision(action, None, why, (action,), (), spent, 0, time.perf_counter() - started)
        value, found, reached = best
        proved = found.evaluations == 0 and not stopped
        line = self._named(found.line, book)
        how_far = TO_THE_END if proved else said(f"{reached} plies ahead", f"{reached}수 앞까지 읽음")
        why = looked(position.move_text(line[0]), how_far, value_text(position, value, proved))
        named = Findings(spent, 0, 0, tuple((self._named((a,), book)[0], v) for a, v in found.root_moves), line)
        return Decision(line[0], value, why, line, with_bounds(position, named), spent, reached,
                        time.perf_counter() - started, proved)  # fmt: skip

    def _search(
        self, s: State, depth: int, memory: Memory, control: Control, node_limit: int | None
    ) -> tuple[float, Findings]:
        if self.interpreted or is_foreign(s):
            watch = Watch(control, node_limit)
            return deepen(s, depth, -inf, inf, 0, memory, watch), watch.read()
        control.clear(node_limit)
        value = compiled(deepen, type(s))(s, depth, -inf, inf, 0, memory, control.address)
        return float(value), read_words(control.words)

    @staticmethod
    def _named(line: tuple[Action, ...], book: Book | None) -> tuple[Action, ...]:
        return line if book is None else tuple(book.actions[a] for a in line)


@dataclass
class Mcts(Player):
    """UCT with random playouts."""

    kind: ClassVar[str] = "mcts"
    about: ClassVar[str] = said(
        "plays many random games and follows what wins (UCT)",
        "무작위 대국을 많이 두어 보고 이기는 쪽을 따라갑니다 (UCT)",
    )
    simulations: int = option(
        10_000,
        said("playouts a move, where no limit is given", "제한이 없을 때 한 수에 두어 볼 대국 수"),
        low=1,
        high=MOST_VISITS,
    )
    exploration: float = option(
        1.0, said("how much it tries moves that look worse", "나빠 보이는 수를 얼마나 시도할지"), low=0, high=100
    )
    playout_plies: int = option(
        2_000,
        said("a playout that is longer is judged by the evaluation", "이보다 긴 무작위 대국은 평가 함수로 판단"),
        low=0,
        high=1 << 30,
    )
    room: int = option(
        1 << 20, said("nodes that the tree may have", "트리가 가질 수 있는 노드 수"), low=1_024, high=1 << 28
    )
    seed: int = option(1, said("makes its playouts repeatable", "같은 번호면 같은 무작위 대국"), low=0, high=1 << 62)
    interpreted: bool = option(False, said("run as plain Python", "순수 파이썬으로 실행"))

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        import numpy as np

        limit, control = limit or Limit(), control or Control()
        simulations = min(limit.nodes or (MOST_VISITS if limit.time is not None else self.simulations), MOST_VISITS)
        s, book = position.state, None
        if is_foreign(s):
            book = Book()
            s = Numbered(s, book)
        tree = new_tree(self.room)
        first_seed = mix((self.seed, len(position.history)))
        run: Any
        seed: Any
        watch: Any
        if self.interpreted or book is not None:
            run, seed, watch = mcts, [first_seed], Watch(control)
        else:
            control.clear()
            run, seed, watch = compiled(mcts, type(s)), np.array([first_seed], dtype=np.int64), control.address
            run.prepare(s, tree.handle, 1, self.exploration, position.game.score_range, self.playout_plies, seed, watch)
        started = time.perf_counter()
        with control.deadline(limit.time):
            target = min(1_000, simulations)
            while True:  # in portions, so that there is something to report
                run(
                    s, tree.handle, target, self.exploration, position.game.score_range, self.playout_plies, seed, watch
                )
                done = int(tree.visits[0])
                if done < target or target >= simulations:
                    break
                control.report(self._depth(watch, control), done, self._value(position, tree), self._line(tree, book))
                target = min(2 * target, simulations)
        return self._decision(position, tree, book, self._depth(watch, control), time.perf_counter() - started)

    @staticmethod
    def _depth(watch: Any, control: Control) -> int:
        return watch.deepest if isinstance(watch, Watch) else read_words(control.words).deepest

    def _decision(self, position: Position, tree: Tree, book: Book | None, depth: int, seconds: float) -> Decision:
        done = int(tree.visits[0])
        line = self._line(tree, book)
        if not line:
            action = position.actions[0]
            return Decision(action, why=no_time(position, action))
        unit = position.game.score_range
        start, end = int(tree.first[0]), int(tree.first[0] + tree.count[0])
        moves = tuple(
            MoveValue(
                self._name(tree, child, book),
                float(tree.sign[child] * tree.mean[child]) * unit if tree.visits[child] else None,
                int(tree.visits[child]),
            )
            for child in range(start, end)
        )
        share = max(move.visits or 0 for move in moves) / max(done, 1)
        value = self._value(position, tree)
        move, worth = position.move_text(line[0]), value_text(position, value, False)
        why = said(
            f"{move} had {share:.0%} of {done:,} playouts: {worth}",
            f"{move}: 무작위 대국 {done:,}번 가운데 {share:.0%}, {worth.ko}",
        )
        return Decision(line[0], value, why, line, moves, done, depth, seconds)

    @staticmethod
    def _name(tree: Tree, node: int, book: Book | None) -> Action:
        number = int(tree.action[node])
        return number if book is None else book.actions[number]

    @staticmethod
    def _most_visited(tree: Tree, node: int) -> int:
        start, count = int(tree.first[node]), int(tree.count[node])
        if start <= 0:
            return 0
        visits = tree.visits[start : start + count]
        return start + int(visits.argmax()) if visits.max() > 0 else 0

    def _line(self, tree: Tree, book: Book | None) -> tuple[Action, ...]:
        line: list[Action] = []
        node = self._most_visited(tree, 0)
        while node and len(line) < 16:
            line.append(self._name(tree, node, book))
            node = self._most_visited(tree, node)
        return tuple(line)

    def _value(self, position: Position, tree: Tree) -> float:
        """What the chosen move is worth, from player 0's side."""
        child = self._most_visited(tree, 0)
        return float(tree.sign[child] * tree.mean[child]) * position.game.score_range


def with_bounds(position: Position, found: Findings) -> tuple[MoveValue, ...]:
    """Root values of an alpha-beta search: a move that did not raise the best so far only has a bound."""
    sign = 1 if position.team == 0 else -1
    best = -inf
    moves = []
    for a, v in found.root_moves:
        better = sign * v > best
        moves.append(MoveValue(a, v, bound="" if better else ("<=" if sign > 0 else ">=")))
        best = max(best, sign * v)
    return tuple(moves)


TO_THE_END = said("to the end", "끝까지 읽음")


def looked(chosen: str, how_far: Said, worth: Said) -> Said:
    """Why a search chose a move: how far it looked, and what it saw there."""
    return said(f"{chosen} after looking {how_far}: {worth}", f"{korean(chosen)}: {how_far.ko}, {worth.ko}")


def no_time(position: Position, action: Action) -> Said:
    move = position.move_text(action)
    return said(f"{move} is the first legal move; there was no time", f"{move}: 시간이 없어 처음 보이는 수를 둡니다")


def value_text(position: Position, value: float, proved: bool) -> Said:
    """A value from player 0's side in words."""
    seat = position.game.seats[0 if value > 0 else -1]
    size = f"{abs(value):g}" if proved else f"{abs(value):.3g}"
    if proved:
        if value == 0:
            return said("proved to end level", "비긴다는 것이 증명되었습니다")
        return said(f"proved, {size} for {seat}", f"{korean(seat)} 쪽 {size}, 증명된 값입니다")
    if value == 0:
        return said("looks level", "형세가 팽팽해 보입니다")
    return said(f"looks {size} in favour of {seat}", f"{korean(seat)} 쪽이 {size}만큼 좋아 보입니다")


GENERAL: dict[str, type[Player]] = {
    player.kind: player for player in (Random, Minimax, Expectimax, AlphaBeta, Iterative, Mcts)
}
