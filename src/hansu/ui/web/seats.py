"""The players of a game: its two seats, and helpers for hints and analyses."""

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
    """The memory shared by all players' tables."""

    def __init__(self, bounds: Bounds) -> None:
        self._most = bounds.memory_bytes
        self._lock = threading.Lock()
        self.spent = 0

    def take(self, amount: int) -> None:
        """Reserve some bytes; raises if there is not enough left."""
        with self._lock:
            if self.spent + amount > self._most:
                what = Message("the server has no memory left for players")
                hint = Message("choose smaller tables, or try again later")
                raise Refused("busy", what, hint)
            self.spent += amount

    def release(self, amount: int) -> None:
        with self._lock:
            self.spent -= amount


@dataclass(eq=False)
class Seated:
    """One player and the memory it holds; a person if `player` is None."""

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
        """The spec of the player whose search tree shows how this one thinks."""
        drawn = None if self.player is None else self.player.drawn_as(game)
        if drawn is None:
            return None
        return self.spec if drawn is self.player else drawn.name


class SessionPlayers:
    """All players of one session. Players that are still being created when it is closed are closed, too."""

    def __init__(self, catalogue: Catalogue, budget: MemoryBudget) -> None:
        self.catalogue = catalogue
        self._budget = budget
        self._lock = threading.Lock()
        self._all: set[Seated] = set()
        self._closed = False

    def create(self, spec: str, game: Game) -> Seated:
        """A new player within the memory limits."""
        player = self.catalogue.player(spec, game)
        one = Seated(spec, player)
        try:
            held = player.acting(game).table_bytes
            if held > self.catalogue.bounds.player_bytes:
                what = Message("{spec} needs too much memory", spec=spec)
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
            self.release(one)
        return one

    def renew(self, one: Seated, game: Game) -> None:
        """Replace the player by a new one with the same spec."""
        player = self.catalogue.player(one.spec, game)
        with self._lock:
            one.player, closed = player, self._closed
        if closed:
            player.close()

    def release(self, one: Seated) -> None:
        with self._lock:
            held, one.held = one.held, 0
            self._all.discard(one)
        if one.player is not None:
            one.player.close()
        self._budget.release(held)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            everyone = list(self._all)
        for one in everyone:
            self.release(one)


class Seats:
    """The players of one game. One search at a time uses a player; a player that does not stop is replaced."""

    def __init__(self, players: SessionPlayers, game: Game, first: str, second: str) -> None:
        self._players = players
        self._game = game
        self.seated: list[Seated] = []
        self._helpers: dict[str, Seated] = {}
        try:
            for spec in (first, second):
                self.seated.append(self._create(spec))
        except BaseException:
            self.close()
            raise

    def change(self, first: str | None, second: str | None) -> None:
        """Change players; if one of them is rejected, nothing changes."""
        new: dict[int, Seated] = {}
        try:
            for seat, spec in enumerate((first, second)):
                if spec is not None and spec.strip() != self.seated[seat].spec:
                    new[seat] = self._create(spec)
        except BaseException:
            for one in new.values():
                self._players.release(one)
            raise
        for seat, one in new.items():
            self._players.release(self.seated[seat])
            self.seated[seat] = one

    def swap(self) -> None:
        """Swap the seats and start a new game for both players."""
        self.seated.reverse()
        for one in self.seated:
            if one.player is not None:
                one.player.new_game()

    def helper(self, spec: str) -> Player:
        """A player for hints and analyses; it is kept for the next request."""
        if spec == HUMAN:
            raise Refused("refused", Message("a person cannot give hints or analyse"))
        if spec not in self._helpers:
            while len(self._helpers) >= MOST_HELPERS:
                self._players.release(self._helpers.pop(next(iter(self._helpers))))
            self._helpers[spec] = self._create(spec)
        player = self._helpers[spec].player
        assert player is not None
        return player

    def renew(self, player: Player) -> None:
        """Replace a player that a search still holds."""
        for one in [*self.seated, *self._helpers.values()]:
            if one.player is player:
                self._players.renew(one, self._game)

    @property
    def people(self) -> list[bool]:
        return [one.player is None for one in self.seated]

    @property
    def names(self) -> tuple[str, str]:
        return self.seated[0].label, self.seated[1].label

    def messages(self) -> list[SeatMessage]:
        """Both seats for a `state` message."""
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
            self._players.release(one)
        self._helpers = {}

    def _create(self, spec: str) -> Seated:
        spec = spec.strip()
        return Seated(HUMAN) if spec == HUMAN else self._players.create(spec, self._game)
