"""Who plays: the two seats of a game and the helpers that a page asks for advice."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from hansu.core import Game, HansuError, Player
from hansu.core.message import Message
from hansu.ui.web.catalogue import Catalogue
from hansu.ui.web.limits import Bounds
from hansu.ui.web.messages import Seat as SeatMessage
from hansu.ui.web.translations import Refused, words

HUMAN = "human"
MOST_HELPERS = 2


class MemoryBudget:
    """The memory that all players' tables share."""

    def __init__(self, bounds: Bounds) -> None:
        self._most = bounds.memory_bytes
        self._lock = threading.Lock()
        self.spent = 0

    def take(self, amount: int) -> None:
        with self._lock:
            if self.spent + amount > self._most:
                what = Message("the server's memory for players is used up")
                hint = Message("choose smaller tables, or try later")
                raise Refused("busy", what, hint)
            self.spent += amount

    def give_back(self, amount: int) -> None:
        with self._lock:
            self.spent -= amount


@dataclass(eq=False)
class Seated:
    """One player with the memory that it holds; no player: a person."""

    spec: str
    player: Player | None = None
    held: int = 0

    @property
    def human(self) -> bool:
        return self.player is None

    @property
    def label(self) -> str:
        return HUMAN if self.player is None else self.player.name

    def drawn_as(self, game: Game) -> str | None:
        """The spec of whoever's search shows how it thinks."""
        drawn = None if self.player is None else self.player.drawn_as(game)
        if drawn is None:
            return None
        return self.spec if drawn is self.player else drawn.name


class SessionPlayers:
    """All players that one session holds. Once it is closed, whatever is still being made for it is closed, too."""

    def __init__(self, catalogue: Catalogue, budget: MemoryBudget) -> None:
        self.catalogue = catalogue
        self._budget = budget
        self._lock = threading.Lock()
        self._all: set[Seated] = set()
        self._closed = False

    def made(self, spec: str, game: Game) -> Seated:
        player = self.catalogue.player(spec, game)
        one = Seated(spec, player)
        try:
            held = player.acting(game).table_bytes
            if held > self.catalogue.bounds.player_bytes:
                what = Message("{spec} takes too much memory", spec=spec)
                raise Refused("too_large", what)
            self._budget.take(held)
        except HansuError:
            player.close()
            raise
        one.held = held
        with self._lock:
            closed = self._closed
            self._all.add(one)
        if closed:
            self.give_back(one)
        return one

    def renew(self, one: Seated, game: Game) -> None:
        """A new player of the same kind."""
        player = self.catalogue.player(one.spec, game)
        with self._lock:
            one.player, closed = player, self._closed
        if closed:
            player.close()

    def give_back(self, one: Seated) -> None:
        with self._lock:
            held, one.held = one.held, 0
            self._all.discard(one)
        if one.player is not None:
            one.player.close()
        self._budget.give_back(held)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            everyone = list(self._all)
        for one in everyone:
            self.give_back(one)


class Seats:
    """The players of one game. A player is used by one search at a time; one that does not let go is replaced."""

    def __init__(self, players: SessionPlayers, game: Game, first: str, second: str) -> None:
        self._players = players
        self._game = game
        self.seated: list[Seated] = []
        self._helpers: dict[str, Seated] = {}
        try:
            for spec in (first, second):
                self.seated.append(self._made(spec))
        except BaseException:
            self.close()
            raise

    def change(self, first: str | None, second: str | None) -> None:
        """Other players; nothing changes where one of them is refused."""
        wanted = [
            one if spec is None or spec.strip() == one.spec else None
            for one, spec in zip(self.seated, (first, second), strict=True)
        ]
        made: dict[int, Seated] = {}
        try:
            for seat, spec in enumerate((first, second)):
                if wanted[seat] is None and spec is not None:
                    made[seat] = self._made(spec)
        except BaseException:
            for one in made.values():
                self._players.give_back(one)
            raise
        for seat, one in made.items():
            self._players.give_back(self.seated[seat])
            self.seated[seat] = one

    def swap(self) -> None:
        self.seated.reverse()
        for one in self.seated:
            if one.player is not None:
                one.player.new_game()

    def helper(self, spec: str) -> Player:
        """A player for hints and analyses, kept for the next question."""
        if spec == HUMAN:
            raise Refused("refused", Message("a person cannot be asked"))
        if spec not in self._helpers:
            while len(self._helpers) >= MOST_HELPERS:
                self._players.give_back(self._helpers.pop(next(iter(self._helpers))))
            self._helpers[spec] = self._made(spec)
        player = self._helpers[spec].player
        assert player is not None
        return player

    def renew(self, player: Player) -> None:
        """Put a new player in the place of one that a search still holds."""
        for one in [*self.seated, *self._helpers.values()]:
            if one.player is player:
                self._players.renew(one, self._game)

    @property
    def people(self) -> list[bool]:
        return [one.player is None for one in self.seated]

    @property
    def names(self) -> tuple[str, str]:
        return self.seated[0].label, self.seated[1].label

    def told(self) -> list[SeatMessage]:
        return [
            SeatMessage(
                name=words(name),
                tone=tone,
                player=one.spec,
                label=one.label,
                human=one.human,
                xray=one.drawn_as(self._game),
            )
            for name, tone, one in zip(
                (self._game.seats[0], self._game.seats[-1]), self._game.tones, self.seated, strict=True
            )
        ]

    def close(self) -> None:
        for one in [*self.seated, *self._helpers.values()]:
            self._players.give_back(one)
        self._helpers = {}

    def _made(self, spec: str) -> Seated:
        spec = spec.strip()
        return Seated(HUMAN) if spec == HUMAN else self._players.made(spec, self._game)
