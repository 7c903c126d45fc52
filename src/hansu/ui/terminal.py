"""Play in the terminal: the board, a prompt in the game's notation, the opponent's reasons."""

from __future__ import annotations

import random

from hansu.arena.preparation import Preparations, StandIn
from hansu.arena.roster import kinds, player
from hansu.arena.turn import ask, take_back
from hansu.core.errors import HansuError, PlayerFault
from hansu.core.limit import Limit
from hansu.core.player import Player
from hansu.core.position import Position
from hansu.search.chance import step_chance
from hansu.ui.console import out, show

HELP = """type a move, or
  moves            list the legal moves
  hint [PLAYER]    ask a player what it would do
  undo             take back your last move
  opponent PLAYER  let another player take the machine's seat
  resign           give up
  quit             leave"""


class Session:
    """One game between two seats, each a person or a player."""

    def __init__(
        self, position: Position, first: str, second: str, limit: Limit, seed: int,
        preparations: Preparations | None = None,
    ) -> None:  # fmt: skip
        self.position = position
        self.limit = limit
        self._chance = random.Random(seed)
        self._preparations = preparations  # None: a machine is compiled when it is to move, and waited for
        self.seats: list[Player | None] = [self._seat(first), self._seat(second)]  # None: a person
        self._helper: Player | None = None

    def _seat(self, spec: str) -> Player | None:
        if spec.strip() == "human":
            return None
        made = player(spec, self.position.game)
        if self._preparations is not None:
            self._preparations.of(self.position.game, made)
        return made

    def run(self) -> None:
        try:
            self._run()
        finally:
            for seat in self.seats:
                if seat is not None:
                    seat.close()
            if self._preparations is not None:
                self._preparations.close()

    def _run(self) -> None:
        self.position = step_chance(self.position, self._chance)
        while not self.position.over:
            show(self.position)
            seat = self.position.team
            who = self.seats[seat]
            if who is None:
                if not self._ask(seat):
                    return
            elif not self._machine(seat, who):
                return
        show(self.position)
        out().print(f"[bold]{self.position.game.result_text(self.position.state)}[/bold]")

    def _machine(self, seat: int, who: Player) -> bool:
        game = self.position.game
        try:
            decision = ask(self._ready(who), self.position, self.limit)
            move = self.position.move_text(decision.action)
            self._advance(decision.action)
        except PlayerFault as fault:
            out().print(f"{fault.what}; {game.seats[seat]} loses", style="yellow", markup=False)
            return False
        out().print(f"{game.seats[seat]} ({who.name}) plays {move}", markup=False)
        if decision.why:
            out().print(f"  {decision.why}", style="dim", markup=False)
        return True

    def _ready(self, who: Player) -> Player:
        """The player, or somebody who moves for it while it is prepared."""
        waits = None if self._preparations is None else self._preparations.of(self.position.game, who)
        return who if waits is None else StandIn(who, waits)

    def _advance(self, action: object) -> None:
        self.position = step_chance(self.position.play(action), self._chance)

    def _ask(self, seat: int) -> bool:
        """One line from a person; False ends the session."""
        name = self.position.game.seats[seat]
        try:
            text = input(f"{name}> ").strip()
        except EOFError:
            print()
            return False
        word, _, rest = text.partition(" ")
        try:
            match word.lower():
                case "":
                    return True
                case "quit" | "exit" | "q":
                    return False
                case "resign":
                    out().print(f"{name} resigns: {self.position.game.seats[1 - seat]} wins")
                    return False
                case "help" | "?":
                    out().print(HELP, markup=False)
                case "moves":
                    out().print(self.position.game.legal_text(self.position.state, most=400), markup=False)
                case "undo":
                    self._undo()
                case "hint":
                    self._hint(rest)
                case "opponent":
                    self._replace(1 - seat, rest)
                case _:
                    self._advance(self.position.game.action(self.position.state, text))
        except HansuError as error:
            out().print(f"{error.what}\n  {error.hint}" if error.hint else error.what, style="yellow", markup=False)
        return True

    def _undo(self) -> None:
        """Back to the last position in which a person was to move."""
        before = take_back(self.position, [seat is None for seat in self.seats])
        if before is None:
            raise HansuError("there is nothing to take back")
        self.position = before

    def _hint(self, spec: str) -> None:
        helper = player(spec, self.position.game) if spec else self._default_helper()
        decision = ask(helper, self.position, self.limit if self.limit != Limit() else Limit(time=1.0))
        move = self.position.move_text(decision.action)
        out().print(decision.why if decision.why.startswith(move) else f"{move}: {decision.why}", markup=False)
        if spec:
            helper.close()

    def _default_helper(self) -> Player:
        machine = next((seat for seat in self.seats if seat is not None), None)
        if machine is not None:
            return machine
        if self._helper is None:
            self._helper = kinds(self.position.game)["iterative"]()
        return self._helper

    def _replace(self, seat: int, spec: str) -> None:
        if not spec:
            raise HansuError(
                "say who: opponent mcts:simulations=1000", f"players: {', '.join(kinds(self.position.game))}"
            )
        new = self._seat(spec)
        old = self.seats[seat]
        if old is not None:
            old.close()
        self.seats[seat] = new
        out().print(f"{self.position.game.seats[seat]} is now {new.name if new else 'a person'}", markup=False)
