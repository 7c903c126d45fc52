"""An open game: its board, its players, and how machines play."""

from __future__ import annotations

from dataclasses import dataclass

from hansu.core import Limit, Message, Player, Position
from hansu.scene.svg import svg
from hansu.ui.web.board import Board
from hansu.ui.web.board_text import pieces
from hansu.ui.web.catalogue import Catalogue
from hansu.ui.web.messages import File, Limits, Move, Open, Players, State, VariationLine
from hansu.ui.web.seats import Seats, SessionPlayers
from hansu.ui.web.translations import Refused


@dataclass
class OpenGame:
    """Synchronous, like `Board`."""

    board: Board
    seats: Seats
    catalogue: Catalogue
    limits: Limits
    auto: bool
    pace: float

    @classmethod
    def of(cls, request: Open, players: SessionPlayers) -> OpenGame:
        """The game that a page requests; raises if part of the request is not allowed."""
        game = players.catalogue.game(request.game)
        board = Board(game, request.start, request.moves, request.resigned, request.overtime)
        seats = Seats(players, game, request.first, request.second)
        return cls(board, seats, players.catalogue, request.limit, request.auto, request.pace)

    def machine(self, stepped: bool = False) -> Player | None:
        """The machine to move: if machines move by themselves, or for a single step."""
        board = self.board
        if not board.at_end or board.mover < 0 or not (self.auto or stepped):
            return None
        return self.seats.seated[board.mover].player

    @property
    def follows_a_machine(self) -> bool:
        """Was the last move, apart from chance, a machine's? Then the next one waits, so that the page can draw it."""
        people = self.seats.people
        last = next((seat for seat in reversed(self.board.movers) if seat >= 0), None)
        return not any(people) if last is None else not people[last]

    def move(self, request: Move) -> None:
        """A person's move."""
        if request.ply is not None and request.ply != self.board.ply:
            raise Refused("illegal", Message("this move was meant for another position"))
        if self.machine() is not None:
            raise Refused("illegal", Message("it is the machine's turn"))
        self.board.play(request.action, request.move)

    def change_players(self, request: Players) -> None:
        self.seats.change(request.first, request.second)
        if request.limit is not None:
            self.limits = request.limit

    def resign(self, seat: int | None, overtime: bool = False) -> None:
        """The person to move, or the only person, resigns or runs out of time."""
        people, mover = self.seats.people, self.board.mover
        if seat is None:
            seat = mover if mover >= 0 and people[mover] else people.index(True) if any(people) else None
        if seat is None:
            raise Refused("refused", Message("nobody here can resign"))
        self.board.resign(seat, overtime)

    def question(self) -> Position:
        """The shown position, if there is a move to think about."""
        at = self.board.shown
        if at.over:
            raise Refused("refused", Message("the game is over here"))
        if at.team < 0:
            raise Refused("refused", Message("chance moves here"))
        return at

    def file(self, format: str, variations: list[VariationLine], request_id: int | None) -> File:
        """The game in a file format."""
        game = self.board.game
        text = self.board.file(format, self.seats.names, self.catalogue.spec_of(game), variations)
        mime = "application/json" if format == "json" else "text/plain"
        return File(re=request_id, name=f"{game.name}.{format}", mime=mime, text=text)

    def state(self, request_id: int | None) -> State:
        """The message that describes the game."""
        board = self.board
        since = board.unsent()
        scene = board.shown.scene
        return State(
            re=request_id, game=self.catalogue.spec_of(board.game), start=board.start, since=since,
            moves=board.moves[since:], movers=board.movers[since:], notes=board.notes(since), plies=board.plies,
            ply=board.ply, svg=svg(scene, sheet=False), width=scene.width, height=scene.height, position=board.text(),
            pieces=pieces(self.catalogue.square_names(board.game), board.game.tones, scene),
            mover=board.mover, agent=-1 if board.mover < 0 else board.shown.mover, choices=board.choices(),
            last=board.last_move(), over=board.over, result=board.ending(), seats=self.seats.messages(),
            limit=self.limits, auto=self.auto, pace=self.pace, searching=self.machine() is not None,
        )  # fmt: skip


def limit_of(limits: Limits) -> Limit:
    return Limit(limits.depth, limits.nodes, limits.time)
