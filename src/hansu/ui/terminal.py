"""Play in the terminal: the board, a prompt in the game's notation, the opponent's reasons."""

from __future__ import annotations

import random
from contextlib import nullcontext

from rich.text import Text

from hansu.arena.levels import strength
from hansu.arena.roster import adviser, kinds, player
from hansu.arena.turn import ask, take_back
from hansu.arena.warmup import FallbackPlayer, WarmupQueue
from hansu.core.control import Control
from hansu.core.errors import HansuError, PlayerFault
from hansu.core.generic import CHANCE
from hansu.core.limit import Limit
from hansu.core.message import Message, joined
from hansu.core.player import Decision, Player
from hansu.core.position import Position
from hansu.core.terminal_language import localize
from hansu.search.chance import step_chance
from hansu.search.players.level import LEVELS, Level
from hansu.ui.console import out, show
from hansu.ui.interrupt import interruptible
from hansu.ui.search_progress import shown

MOVE_NOW, ANSWER_NOW = Message("Ctrl-C: move now"), Message("Ctrl-C: answer now")
END_GAME = Message("Ctrl-C: end the game")
HELP = Message(
    """type a move, or
  moves            list the legal moves
  hint [PLAYER]    suggest a move, by the game's best adviser or by a player
  undo             take back your last move
  opponent PLAYER  replace the opponent
  resign           resign the game
  quit             leave the program"""
)


class TerminalSession:
    """One game between two seats, each a person or a player."""

    def __init__(
        self, position: Position, first: str, second: str, limit: Limit, seed: int,
        warmups: WarmupQueue | None = None,
    ) -> None:  # fmt: skip
        self.position = position
        self.limit = limit
        self._chance = random.Random(seed)
        self._warmups = warmups  # None: a machine is compiled when it is to move
        self.seats: list[Player | None] = [self._seat(first), self._seat(second)]  # None: a person
        self._helper: Player | None = None

    def _seat(self, spec: str) -> Player | None:
        if spec.strip() == "human":
            return None
        seated = player(spec, self.position.game)
        seated.find_files(self.position)
        if self._warmups is not None:
            self._warmups.request(self.position.game, seated)
        return seated

    def run(self) -> None:
        """Play until the game is over or a person leaves."""
        try:
            self._run()
        finally:
            for seat in self.seats:
                if seat is not None:
                    seat.close()
            if self._warmups is not None:
                self._warmups.close()

    def _run(self) -> None:
        self._show_levels()
        self._let_chance_move(self.position)
        while not self.position.over:
            show(self.position.scene)
            seat = self.position.team
            who = self.seats[seat]
            if who is None:
                if not self._ask(seat):
                    return
            elif not self._machine(seat, who):
                return
        show(self.position.scene)
        out().print(localize(self.position.result_text), style="bold", markup=False)

    def _show_levels(self) -> None:
        """Print the opponent's level, and how to change it."""
        game = self.position.game
        for name, who in zip(game.seats, self.seats, strict=False):
            if isinstance(who, Level) and None in self.seats:
                known = strength(game, who.strength)
                described = Message("{name}, {strength}", name=who.name, strength=known) if known else who.name
                what = Message(
                    "{seat} is {who}; change it with `opponent level:1` to `opponent level:{most}`",
                    seat=name, who=described, most=LEVELS,
                )  # fmt: skip
                out().print(localize(what), style="dim", markup=False)

    def _machine(self, seat: int, who: Player) -> bool:
        game = self.position.game
        try:
            decision = self._decide(who, self.limit, MOVE_NOW)
            move = self.position.move_text(decision.action)
        except PlayerFault as fault:
            what = Message("{fault}; {seat} loses", fault=fault.what, seat=game.seats[seat])
            out().print(localize(what), style="yellow", markup=False)
            return False
        _print(Message("{seat} ({name}) plays {move}", seat=game.seats[seat], name=who.name, move=move))
        if decision.why:
            out().print(f"  {localize(decision.why)}", style="dim", markup=False)
        self._advance(decision.action)
        return True

    def _decide(self, who: Player, limit: Limit, now: Message) -> Decision:
        """A player's decision. A person who waits can interrupt the search; between machines Ctrl-C ends the game."""
        control = Control()

        def picture(seconds: float) -> Text:
            text = Message("{name} is thinking, {seconds:.0f} s", name=who.name, seconds=seconds)
            if search is not None:  # some players ignore the stop request, such as a student's
                text = joined("; ", [text, END_GAME if search.interrupted else now])
            return Text(localize(text), style="dim", no_wrap=True)

        with interruptible(control) if None in self.seats else nullcontext() as search, shown(picture):
            return ask(self._ready(who), self.position, limit, control)

    def _ready(self, who: Player) -> Player:
        """The player, or a stand-in while it is being compiled."""
        warmup = None if self._warmups is None else self._warmups.request(self.position.game, who)
        return who if warmup is None else FallbackPlayer(who, warmup)

    def _advance(self, action: object) -> None:
        self._let_chance_move(self.position.play(action))

    def _let_chance_move(self, position: Position) -> None:
        """Let chance move, and print its moves: the board alone does not show why a turn has ended."""
        self.position = step_chance(position, self._chance)
        for at in [*self.position.way, self.position][len(position.history) + 1 :]:
            if at.previous is not None and at.previous.mover == CHANCE:
                _print(Message("chance plays {move}", move=at.previous.move_text(at.last)))

    def _ask(self, seat: int) -> bool:
        """One line from a person; False ends the session."""
        name = self.position.game.seats[seat]
        try:
            text = input(f"{localize(name)}> ").strip()
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
                    _print(
                        Message("{loser} resigns: {winner} wins", loser=name, winner=self.position.game.seats[1 - seat])
                    )
                    return False
                case "help" | "?":
                    _print(HELP)
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
            text = f"{localize(error.what)}\n  {localize(error.hint)}" if error.hint else localize(error.what)
            out().print(text, style="yellow", markup=False)
        return True

    def _undo(self) -> None:
        """Back to the last position in which a person was to move."""
        before = take_back(self.position, [seat is None for seat in self.seats])
        if before is None:
            raise HansuError("there is nothing to take back")
        self.position = before

    def _hint(self, spec: str) -> None:
        helper = player(spec, self.position.game) if spec else self._default_helper()
        decision = self._decide(helper, self.limit if self.limit != Limit() else Limit(time=1.0), ANSWER_NOW)
        move = self.position.move_text(decision.action)
        why = localize(decision.why)
        out().print(why if why.startswith(move) else f"{move}: {why}", markup=False)
        if spec:
            helper.close()

    def _default_helper(self) -> Player:
        """The game's best adviser; the opponent may be weak."""
        if self._helper is None:
            self._helper = player(adviser(self.position.game), self.position.game)
        return self._helper

    def _replace(self, seat: int, spec: str) -> None:
        if not spec:
            names = ", ".join(kinds(self.position.game))
            raise HansuError("name a player, such as: opponent level:5", "one of: {names}", names=names)
        new = self._seat(spec)
        old = self.seats[seat]
        if old is not None:
            old.close()
        self.seats[seat] = new
        name = new.name if new else Message("a person")
        _print(Message("{seat} is now {name}", seat=self.position.game.seats[seat], name=name))


def _print(text: str) -> None:
    out().print(localize(text), markup=False)
