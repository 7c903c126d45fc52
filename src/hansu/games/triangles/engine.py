"""The strong player: alpha-beta that proves results near the end, and plans against opponents it can foresee.

1.  Alpha-beta with iterative deepening (see `search`). From some number of moves on it goes for the end at once. A
    proved win is played.
2.  Where no win is proved and the opponent has so far drawn just what a player of the report would (see `plan`), the
    rest of the time goes into plans against that player. A plan that wins is followed for as long as the opponent does
    as foreseen.
3.  Else the proved or the deepest value decides.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar

from hansu.core import Control, Decision, Limit, MoveValue, Phrase, Player, Position, Report, Value, option, table
from hansu.core.control import EVALUATIONS, NODE_LIMIT, NODES
from hansu.core.report import AT_MOST, EXACT
from hansu.games.triangles.desk import COUNT, Desk, Net, desk_of, draw, take_back
from hansu.games.triangles.parts import Names, new_names
from hansu.games.triangles.plan import NOTHING, Desktop, new_desktop, plan_run
from hansu.games.triangles.rule import Parity, Rule, report_move
from hansu.games.triangles.search import INFINITY, TO_THE_END, UNIT, Memory, best_line, new_memory, ring, search

DEFAULT_SECONDS = 1.0
END_FROM = 22  # moves left from which a search to the end is tried
SHALLOW = 3  # plies searched before that, for an order of the moves and something to fall back on
SEARCH_SHARE = 0.35  # of the time or nodes, where a plan is looked for as well ...
EARLY_SHARE = 0.1  # ... and where the end is out of reach
EVIDENCE = 2  # foreseen moves of the opponent before a plan is preferred to a proved draw
MODELS = {False: Rule.kind, True: Parity.kind}


@dataclass
class Finding:
    """What alpha-beta found; values in units of the search, from the mover's side."""

    action: int
    value: int | None = None
    depth: int = 0
    proved: bool = False
    moves: dict[int, tuple[int, bool]] = field(default_factory=dict)  # value, and whether it is more than a bound


@dataclass
class Plan:
    """A line that begins with our move at ply `at` of the game, and what it gains from there."""

    at: int
    line: tuple[int, ...]
    value: int


@dataclass
class Engine(Player):
    """Everything hansu knows of the game."""

    kind: ClassVar[str] = "engine"
    about: ClassVar[str] = Phrase("alpha-beta that proves results near the end; plans against players it can foresee")
    depth: int | None = option(None, Phrase("plies to look ahead at most"), low=1, high=200)
    slots: int = option(1 << 20, Phrase("positions that its table holds"), low=2, high=1 << 28, bytes_each=32)
    model: str = option(
        "report",
        Phrase("plan against the report's players where the opponent plays like one"),
        choices=("report", "none"),
    )

    def __post_init__(self) -> None:
        self.new_game()

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    def new_game(self) -> None:
        self._memory: Memory | None = None
        self._names: Names | None = None
        self._desktop: Desktop | None = None
        self._board: tuple[int, ...] = ()
        self._plans: dict[bool, Plan] = {}
        self._seen: tuple[int, ...] | None = None  # the history at its last decision
        self._since = 0  # the ply from which on the opponent is watched

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        if table(position.state.board) is not self._board:
            self.new_game()
            self._board = table(position.state.board)
        if self._seen is None or position.history[: len(self._seen)] != self._seen:
            self._since = len(position.history)  # what was drawn before may be an opening that nobody chose
        self._seen = position.history
        net, desk = desk_of(position.state)
        memory = self._memory = self._memory or new_memory(self.slots)
        names = self._names = self._names or new_names(1 << 18)
        desktop = self._desktop = self._desktop or new_desktop(net)
        search.prepare(net, desk, 1, 0, 1, 1, memory, names, control.address)
        plan_run.prepare(net, desk, False, 0, desktop, control.address)
        report_move.prepare(net, desk, False, desktop.work)
        started = time.perf_counter()
        control.clear()
        words = control.words
        depths = [d for d in (self.depth, limit.depth) if d is not None]
        seconds = limit.time if limit != Limit() or depths else DEFAULT_SECONDS
        foreseen = self._foreseen(position) if self.model == "report" and (seconds or limit.nodes) else {}
        share = 1.0
        if foreseen:
            share = SEARCH_SHARE if net.totals[0] - desk.facts[COUNT] <= END_FROM else EARLY_SHARE
        with control.deadline(seconds):
            words[NODE_LIMIT] = max(round(limit.nodes * share), 1) if limit.nodes else 0
            with control.phase(seconds and seconds * share):
                found = self._deepen(position, net, desk, min(depths, default=TO_THE_END), control)
            words[NODE_LIMIT] = limit.nodes or 0
            lead = -position.state.lead if position.mover else position.state.lead
            plan = None
            if foreseen and not (found.proved and lead + (found.value or 0) // UNIT > 0):
                plan = self._plan(position, net, desk, foreseen, 1 - lead, control)
            line: tuple[int, ...] = (found.action,)
            if found.proved and found.value is not None:
                line = best_line(net, desk, found.value, memory, names, control) or line
        return self._decision(position, found, line, plan, lead, int(words[NODES]), time.perf_counter() - started)

    def _deepen(self, position: Position, net: Net, desk: Desk, deepest: int, control: Control) -> Finding:
        """Depth 1, 2, ...: the last depth that was finished counts, or an unfinished one that judged the best move."""
        words = control.words
        order = sorted(ring(net, desk), key=lambda e: int(desk.risk[e] - 8 * desk.gain[e]))
        found = Finding(order[0])
        left = int(net.totals[0] - desk.facts[COUNT])
        depths: Iterable[int] = range(1, min(deepest, left) + 1)
        if left <= END_FROM and deepest >= left:
            depths = [*range(1, min(SHALLOW, left - 1) + 1), TO_THE_END]
        for depth in depths:
            words[EVALUATIONS] = 0
            moves = self._root(net, desk, order, depth, control)
            stopped = control.halted
            if moves:
                best = max(moves, key=lambda e: (moves[e][1], moves[e][0]))
                proved = not stopped and words[EVALUATIONS] == 0
                found = Finding(best, moves[best][0], found.depth if stopped else depth, bool(proved), moves)
            if stopped:
                break
            lead = -position.state.lead if position.mover else position.state.lead
            value = Value.seen_from(position.team, lead + (found.value or 0) / UNIT, proved=found.proved)
            control.tell(Report(value=value, line=(found.action,), depth=min(depth, left), nodes=int(words[NODES])))
            if found.proved:
                break
            order.sort(key=lambda e: (e != found.action, -moves[e][0]))
        found.depth = min(found.depth, left)
        return found

    def _root(
        self, net: Net, desk: Desk, order: list[int], depth: int, control: Control
    ) -> dict[int, tuple[int, bool]]:
        """Every move's value at this depth, or a bound where it is no better than one before; fewer where stopped."""
        moves: dict[int, tuple[int, bool]] = {}
        low = -INFINITY
        address = control.address

        def below(gained: int, alpha: int, beta: int) -> int:
            return gained - int(
                search(net, desk, depth - 1, gained - beta, gained - alpha, 1, self._memory, self._names, address)
            )

        for e in order:
            gained = UNIT * int(draw(net, desk, e))
            value = below(gained, low, INFINITY if not moves else low + 1)
            if moves and value > low:
                value = below(gained, low, INFINITY)
            take_back(net, desk, e)
            if control.halted:
                break
            moves[e] = value, value > low
            low = max(low, value)
        return moves

    def _foreseen(self, position: Position) -> dict[bool, int]:
        """For each model that would have drawn all that the opponent drew since we play: how many moves those are."""
        net, desk = desk_of(position.origin.state)
        desktop = self._desktop = self._desktop or new_desktop(net)
        agreed = {False: 0, True: 0}
        turn = position.origin.mover
        for ply, e in enumerate(position.history):
            if ply >= self._since and turn != position.mover and len(ring(net, desk)) > 1:
                for careful in list(agreed):
                    agreed[careful] += 1
                    if report_move(net, desk, careful, desktop.work) != e:
                        del agreed[careful]
            draw(net, desk, e)
            turn = 1 - turn
        return agreed

    def _plan(
        self, position: Position, net: Net, desk: Desk, foreseen: dict[bool, int], enough: int, control: Control
    ) -> tuple[bool, Plan, int] | None:
        """The best plan against a model that fits, with the model and the evidence for it. The careful model is harder
        to beat, so a plan that wins against it comes first; runs take turns between the models without such a plan."""
        at = len(position.history)
        for careful, plan in list(self._plans.items()):
            past = at - plan.at
            if careful not in foreseen or position.history[plan.at :] != plan.line[:past]:
                del self._plans[careful]
            else:
                gained = _gained(position, past)
                self._plans[careful] = Plan(at, plan.line[past:], plan.value - gained)
        desktop = self._desktop
        assert desktop is not None
        while not control.halted:
            open_models = [c for c in foreseen if c not in self._plans or self._plans[c].value < enough]
            if not open_models:
                break
            for careful in open_models:
                value = int(plan_run(net, desk, careful, enough, desktop, control.address))
                if value > NOTHING and (careful not in self._plans or value > self._plans[careful].value):
                    line = tuple(int(e) for e in desktop.best[1 : desktop.best[0] + 1])
                    self._plans[careful] = Plan(at, line, value)
        if not self._plans:
            return None
        careful = max(self._plans, key=lambda c: (min(self._plans[c].value, enough), c))
        return careful, self._plans[careful], foreseen[careful]

    def _decision(
        self, position: Position, found: Finding, line: tuple[int, ...], plan: tuple[bool, Plan, int] | None, lead: int,
        nodes: int, seconds: float,
    ) -> Decision:  # fmt: skip
        team = position.team
        moves = tuple(
            MoveValue(action=e, value=Value.seen_from(team, lead + value / UNIT, bound=EXACT if exact else AT_MOST))
            for e, (value, exact) in found.moves.items()
        )
        value = None
        if found.value is not None:
            value = Value.seen_from(team, lead + found.value / UNIT, proved=found.proved)
        report = Report(value=value, line=line, moves=moves, depth=found.depth, nodes=nodes, seconds=seconds)
        if plan is not None:
            careful, foreseen, evidence = plan
            end = lead + foreseen.value
            if found.proved:
                proved_end = lead + (found.value or 0) // UNIT
                better = end > proved_end and (proved_end < 0 or evidence >= EVIDENCE)
            else:  # with the last move in hand right play is likely to win, so only a sure plan is preferred to it
                better = end > 0 or len(foreseen.line) % 2 == 0
            if better:  # the value stays that of the search: the plan's is for one opponent only
                model, outcome = MODELS[careful], _outcome(end)
                why = Phrase("{outcome} if the opponent plays like {model}", outcome=outcome, model=model)
                if evidence:
                    why = Phrase(
                        "{outcome} if the opponent plays like {model}, as it did so far", outcome=outcome, model=model
                    )
                unproved = None if value is None else Value(value)
                return Decision(
                    action=foreseen.line[0], why=why, report=replace(report, value=unproved, line=foreseen.line)
                )
        if found.value is None:
            move = position.move_text(found.action)
            why = Phrase("{move} is a likely move; there was no time", move=move)
            return Decision(action=found.action, why=why, report=report)
        end_now = lead + found.value / UNIT
        why = Phrase("{lead:+.3g} triangles {depth} plies ahead", lead=end_now, depth=found.depth)
        if found.proved:
            why = Phrase("proved: {outcome}", outcome=_outcome(end_now))
        return Decision(action=line[0], why=why, report=report)


def _outcome(end: float) -> Phrase:
    """A final lead in words."""
    if end == 0:
        return Phrase("a draw")
    return Phrase("wins by {points:g}", points=end) if end > 0 else Phrase("loses by {points:g}", points=-end)


def _gained(position: Position, plies: int) -> int:
    """How much the mover's lead grew in the last plies."""
    before = position
    for _ in range(plies):
        assert before.previous is not None
        before = before.previous
    change = position.state.lead - before.state.lead
    return -change if position.mover else change  # type: ignore[no-any-return]
