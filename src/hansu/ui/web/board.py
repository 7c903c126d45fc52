"""The game on a page's board: every position so far, the shown one, and the players' comments.

Plain and synchronous; a session calls it from one thread at a time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from hansu.arena.turn import take_back
from hansu.core import Action, Decision, Editor, Game, IllegalMove, Message, Position, Record
from hansu.core.record import read_variation, thought
from hansu.scene.svg import svg
from hansu.search.chance import step_chance
from hansu.ui.web.catalogue import exports
from hansu.ui.web.messages import (
    MOST_MOVES,
    MOST_TEXT,
    Choice,
    Ending,
    ForbiddenReply,
    Frame,
    Note,
    Piece,
    Squares,
    VariationLine,
)
from hansu.ui.web.translations import Refused, words

OVER = Message("the game is over")


class MoveComment(NamedTuple):
    """A machine's move: who decided, and the decision with its report."""

    player: str
    decision: Decision


class Board:
    """`positions[i]` is the position after `i` plies; `ply` is the shown one."""

    def __init__(
        self, game: Game, start: str, moves: Sequence[str], resigned: int | None = None, overtime: bool = False
    ) -> None:
        self.game = game
        self.start = start.strip() or "start"
        self.resigned = resigned  # the seat that resigned,
        self.overtime = overtime  # or ran out of time on the page's clock
        self.moves: list[str] = []
        self.movers: list[int] = []
        self.comments: list[MoveComment | None] = []  # of each ply; None for a person and for chance
        self._chance = random.Random()
        first = game.position(self.start)
        if first.previous is not None:  # given by moves: they become part of the game
            self.start = "start"
        self.positions = [first.origin]
        for action in first.history:
            self._add(self.positions[-1].play(action), None)
        for move in moves:
            self._add(self.positions[-1].play_move(move), None)
        self._let_chance_move()
        self.ply = self.plies
        self._since = 0

    # State.

    @property
    def plies(self) -> int:
        return len(self.moves)

    @property
    def shown(self) -> Position:
        return self.positions[self.ply]

    @property
    def last(self) -> Position:
        return self.positions[-1]

    @property
    def at_end(self) -> bool:
        """Is the last position shown?"""
        return self.ply == self.plies

    @property
    def finished(self) -> bool:
        """Has the whole game ended? (An earlier ply may be shown.)"""
        return self.last.over or self.resigned is not None or self.plies >= MOST_MOVES

    @property
    def over(self) -> bool:
        """Is the game over at the shown ply?"""
        return self.shown.over or (self.at_end and self.finished)

    @property
    def mover(self) -> int:
        """The seat to move at the shown ply; -1 if the game is over or chance moves."""
        return -1 if self.over else self.shown.team

    @property
    def outcome(self) -> int | None:
        """+1, 0 or -1 for the first seat; None while the game goes on."""
        if self.resigned is not None:
            return 1 if self.resigned else -1
        if not self.last.over:
            return None
        return (self.last.score > 0) - (self.last.score < 0)

    # Changes.

    def play(self, number: int | None, move: str | None) -> None:
        """Play a move at the shown ply; later moves are dropped."""
        at = self.shown
        if self.mover < 0:
            raise Refused("illegal", OVER)
        if number is not None:
            action = action_of(at, number)
            if action is None:
                hint = f"legal: {self.game.legal_text(at.state)}"
                raise IllegalMove("action {number} is not legal here", hint, number=number)
        else:
            assert move is not None
            action = self.game.action(at.state, move)
        self._cut(self.ply)
        self._add(self.last.play(action), None)
        self._moved()

    def extend(self, turn: Sequence[MoveComment]) -> None:
        """Play a machine's moves at the shown ply."""
        self._cut(self.ply)
        for comment in turn:
            self._add(self.last.play(comment.decision.action), comment)
        self._moved()

    def _moved(self) -> None:
        """Let chance move, and show the last ply."""
        self._let_chance_move()
        self.ply = self.plies

    def undo(self, people: Sequence[bool]) -> None:
        """Go back to the last position where a person was to move; by one ply if there is no person."""
        if self.resigned is not None:
            self.resigned = None
            return
        before = take_back(self.shown, people)
        if before is None:
            raise Refused("refused", Message("there is nothing to take back"))
        self.ply = next(ply for ply, position in enumerate(self.positions) if position is before)
        self._cut(self.ply)

    def jump(self, ply: int) -> None:
        """Show the position at a ply."""
        self._at(ply)
        self.ply = ply

    def _at(self, ply: int) -> Position:
        if ply > self.plies:
            what = Message("the game has only {plies} plies", plies=self.plies)
            raise Refused("refused", what)
        return self.positions[ply]

    def resign(self, seat: int, overtime: bool = False) -> None:
        """End the game: this seat resigns or has run out of time."""
        if self.finished:
            raise Refused("refused", OVER)
        self.ply = self.plies
        self.resigned, self.overtime = seat, overtime

    def _add(self, after: Position, comment: MoveComment | None) -> None:
        if self.plies >= MOST_MOVES:
            what = Message("a game has {most} plies at most", most=MOST_MOVES)
            raise Refused("too_large", what)
        before = self.positions[-1]
        self.moves.append(before.move_text(after.last))
        self.movers.append(before.team)
        self.comments.append(comment)
        self.positions.append(after)

    def _let_chance_move(self) -> None:
        after = step_chance(self.last, self._chance)
        new = []
        while after is not self.last and after.previous is not None:
            new.append(after)
            after = after.previous
        for position in reversed(new):
            self._add(position, None)

    def _cut(self, ply: int) -> None:
        """Drop everything after a ply."""
        if ply < self.plies:
            del self.moves[ply:], self.movers[ply:], self.comments[ply:], self.positions[ply + 1 :]
            self.resigned = None
        self._since = min(self._since, ply)

    # Messages.

    def unsent(self) -> int:
        """The first ply that the page does not have yet; it counts as sent from now on."""
        since, self._since = self._since, self.plies
        return since

    def notes(self, since: int) -> list[Note | None]:
        """The comments from a ply on, as messages."""
        return [
            None if comment is None else Note(player=comment.player, found=thought(at, comment.decision))
            for at, comment in zip(self.positions[since:-1], self.comments[since:], strict=True)
        ]

    def choices(self) -> list[Choice]:
        if self.mover < 0:
            return []
        return [self._choice(self.shown, action) for action in self.shown.actions]

    def last_move(self) -> Choice | None:
        if self.ply == 0:
            return None
        return self._choice(self.positions[self.ply - 1], self.shown.last)

    def _choice(self, at: Position, action: Action) -> Choice:
        touch = self.game.touch(at.state, action) if self.game.touch is not None else ()
        move = at.move_text(action)
        key: Any = next((key for key, steered in self.game.controls.keys.items() if steered == move), None)
        return Choice(action=number_of(at, action), move=move, touch=list(touch), key=key)

    def text(self) -> str | None:
        """The shown position as text; None if it is too long to be opened again."""
        if self.game.position_text is not None:
            return self.game.position_text(self.shown.state)
        length = sum(len(move) + 1 for move in self.moves[: self.ply])
        return (" ".join(self.moves[: self.ply]) or "start") if length <= MOST_TEXT else None

    def ending(self) -> Ending | None:
        """The result, at the last ply of a finished game."""
        if not (self.at_end and self.finished):
            return None
        seats = self.game.seats
        text: str
        if self.resigned is not None:
            loser, winner = seats[self.resigned], seats[1 - self.resigned]
            text = Message("{loser} resigns: {winner} wins", loser=loser, winner=winner)
            if self.overtime:
                text = Message("{loser} is out of time: {winner} wins", loser=loser, winner=winner)
            how: Any = "time" if self.overtime else "resigned"
            return Ending(text=words(text), winner=1 if self.resigned == 0 else 0, score=None, how=how)
        if not self.last.over:
            text = Message("stopped after {plies} plies", plies=self.plies)
            return Ending(text=words(text), winner=None, score=None, how="too_long")
        outcome = self.outcome
        winner_seat = None if not outcome else 0 if outcome > 0 else 1
        text = self.last.result_text
        return Ending(text=words(text), winner=winner_seat, score=self.last.score, how="played")  # type: ignore[arg-type]

    def frames(self, line: Sequence[str], ply: int) -> list[Frame]:
        """Pictures along a line from the position at a ply, until the game is over."""
        at, frames = self._at(ply), []
        for move in line:
            if at.over:
                break
            mover = at.team
            at = at.play_move(move)
            frames.append(Frame(move=move, mover=mover, svg=svg(at.scene, sheet=False)))
        return frames

    def squares(self, request_id: int | None) -> Squares:
        """The shown position square by square, for the position editor."""
        editor, at = self._editor(), self.shown
        squares = editor.squares(at.state)
        return Squares(
            re=request_id, ply=self.ply, squares=[(x, y) for x, y, _ in squares],
            letters="".join(letter for _, _, letter in squares),
            pieces=[Piece(letter=letter, tone=tone) for letter, tone in editor.pieces.items()],
            mover=max(at.team, 0), movers=editor.movers,
        )  # fmt: skip

    def arranged(self, letters: str, mover: int) -> str:
        """The text of an edited position: one letter for each square."""
        editor = self._editor()
        count = len(editor.squares(self.shown.state))
        if len(letters) != count or not set(letters) <= set(editor.pieces):
            what = Message(
                "expected {count} squares, each one of {pieces}", count=count, pieces=" ".join(editor.pieces)
            )
            raise Refused("refused", what)
        return editor.text(letters, mover)

    def forbidden(self, request_id: int | None, x: float, y: float) -> ForbiddenReply:
        """The rule that forbids a point of the shown position, if there is one."""
        rule = self.game.controls.forbidden
        why = None if rule is None or self.over else rule(self.shown.state, x, y)
        return ForbiddenReply(re=request_id, why=None if why is None else words(why))

    def _editor(self) -> Editor:
        if self.game.controls.editor is None:
            what = Message("positions of this game cannot be edited square by square")
            raise Refused("refused", what, Message("enter a position as text"))
        return self.game.controls.editor

    def picture(self, dark: bool) -> str:
        """The shown position as a self-contained SVG."""
        return svg(self.shown.scene, dark=dark)

    def file(self, format: str, players: tuple[str, str], spec: str, variations: Sequence[VariationLine] = ()) -> str:
        """The game as text in a file format; `spec` names the game in JSON."""
        if format in self.game.files.writers:
            return self.game.files.writers[format](self.record(players, variations))
        if format == "txt":
            return " ".join(self.moves) + "\n"
        if format == "json":
            record = {**self.record(players, variations).as_json(moves=True), "game": spec}
            return json.dumps(record, ensure_ascii=False, indent=1) + "\n"
        what = Message("there is no format {format!r}", format=format)
        raise Refused("refused", what, ", ".join(exports(self.game)))

    def record(self, players: tuple[str, str], variations: Sequence[VariationLine] = ()) -> Record:
        """The whole game with the reports of its machines."""
        others = tuple(read_variation(self.positions[0], one.moves, one.name) for one in variations)
        decisions = tuple(None if comment is None else comment.decision for comment in self.comments)
        return Record(
            last=self.last,
            players=players,
            decisions=decisions,
            outcome=self.outcome,
            resigned=self.resigned,
            variations=others,
        )


def number_of(position: Position, action: Action) -> int:
    """The number of an action in messages: an int action itself, else its index among the legal actions."""
    return int(action) if isinstance(action, int) else position.actions.index(action)


def action_of(position: Position, number: int) -> Action | None:
    """The legal action with this number in messages; None if there is none."""
    legal = enumerate(position.actions)
    return next((action for i, action in legal if (action if isinstance(action, int) else i) == number), None)
