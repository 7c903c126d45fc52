"""The settings of a run, each with its meaning, and presets by the size of a game.

What nobody sets (None) is filled in by `filled`: small games get small networks and short searches, a graphics card
gets large batches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.machine import cores
from hansu.core.message import Phrase
from hansu.core.options import did_you_mean
from hansu.core.player import option

GATES = ("none", "sprt", "5of7")
EXTRAS = ("left", "score")


@dataclass
class Settings:
    run: str = option("", Phrase("the run's folder; runs/GAME if not given"))
    resume: bool = option(False, Phrase("go on with the run in that folder"))
    minutes: float = option(10.0, Phrase("of training in all, what was done before a --resume counted in"), low=0.01)
    steps: int = option(0, Phrase("of the learner at most; 0: until the time is over"), low=0)
    device: str = option("auto", Phrase("where the network runs"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Phrase("of weights, games and batches"), low=0)
    threads: int | None = option(None, Phrase("cores that search"), low=1)

    # The network.
    network: str = option("tower", Phrase("its kind: tower, omok, sidus"))
    channels: int | None = option(None, Phrase("of its convolutions"), low=1)
    blocks: int | None = option(None, Phrase("residual blocks"), low=1)
    pooling: int = option(0, Phrase("every so many blocks one looks at the whole board; 0: none does"), low=0)
    extras: str = option("", Phrase("what else it learns to answer: left, score, or both with a comma"))
    begin: str = option("", Phrase("a network to begin with (.npz or .onnx) instead of chance"))
    compile: bool = option(False, Phrase("let torch compile the playing network (CUDA; minutes at the start)"))

    # Self-play.
    games: int | None = option(None, Phrase("played side by side in a group"), low=1)
    groups: int | None = option(None, Phrase("of games, taking turns between cores and network"), low=1, high=4)
    algorithm: str = option("gumbel", Phrase("of the tree search"), choices=("puct", "gumbel"))
    simulations: str | None = option(None, Phrase("a move; first,last rises through the run"))
    prune: int = option(0, Phrase("keep so many of the most probable moves; 0: all"), low=0)
    fast_share: float = option(
        0.0, Phrase("of moves that are searched briefly and not learnt from"), low=0.0, high=0.95
    )
    fast_simulations: int = option(16, Phrase("of such a move"), low=2)
    temperature: float = option(1.0, Phrase("of the first moves of a game"), low=0.0)
    temperature_plies: int | None = option(None, Phrase("so many"), low=0)
    random_share: float = option(0.25, Phrase("of games that begin with random moves"), low=0.0, high=1.0)
    random_plies: int | None = option(None, Phrase("at most so many"), low=0)
    revisit_share: float = option(
        0.0, Phrase("of games that begin where an earlier one ended otherwise than expected"), low=0.0, high=0.95
    )
    openings: str = option("", Phrase("a file of positions to begin from, one a line"))
    resign: float = option(
        0.0, Phrase("give up below minus this; 0: never. A tenth of games go on to check"), low=0.0, high=1.0
    )
    longest: int = option(1000, Phrase("plies; a longer game is drawn"), low=2)
    against: str = option("", Phrase("a player to play some games against: alphabeta:depth=3"))
    share: float = option(0.2, Phrase("of the games that are played against it"), low=0.01, high=0.95)

    # Samples and learning.
    window: int | None = option(None, Phrase("newest positions learnt from, at the end"), low=1)
    least_window: int | None = option(None, Phrase("the same at the beginning"), low=1)
    keep: int | None = option(None, Phrase("positions kept on disk; 0: all"), low=0)
    batch: int | None = option(None, Phrase("positions of a step"), low=2)
    reuse: float = option(4.0, Phrase("how often a position is learnt from"), low=0.1)
    rate: float | None = option(None, Phrase("of learning, at its highest"), low=1e-7)
    warmup: int = option(100, Phrase("steps until it is reached"), low=0)
    decay: float = option(1e-4, Phrase("of weights"), low=0.0)
    clip: float = option(2.0, Phrase("the largest norm of a gradient"), low=1e-3)
    average: float = option(0.999, Phrase("of the averaged weights, kept in a step"), low=0.0, high=0.99999)
    search_value: float = option(
        0.25, Phrase("the search's share in the value to be learnt, the rest is the result"), low=0.0, high=1.0
    )
    symmetries: bool = option(True, Phrase("turn and mirror the board by chance"))

    # Who is better.
    gate: str = option("none", Phrase("what a network must show to become champion"), choices=GATES)
    gate_minutes: float = option(1.0, Phrase("between its matches"), low=0.0)
    references: str | None = option(None, Phrase("players to be measured against, with spaces between; none: nobody"))
    rating_games: int = option(16, Phrase("against each, each time"), low=2)
    rating_minutes: float = option(1.0, Phrase("between the measurements"), low=0.0)
    rating_simulations: int = option(32, Phrase("a move of the network's side then, and in gates"), low=2)

    # Beyond one machine.
    cluster: str = option("", Phrase("where games are played: local, or the address of a Ray cluster; empty: here"))
    actors: int = option(0, Phrase("that play there at most; 0: as many as there is room for"), low=0)
    actor_cores: float = option(1.0, Phrase("of an actor without a graphics card"), low=0.01)

    checkpoint_seconds: float = option(60.0, Phrase("between checkpoints"), low=0.0)
    log_seconds: float = option(5.0, Phrase("between lines of the log"), low=0.0)


def filled(settings: Settings, game: Game, device: str) -> Settings:
    """With everything set: what was not is chosen by the game's size and the device."""
    preset = preset_for(game, device)
    missing = {f.name: preset[f.name] for f in fields(settings) if getattr(settings, f.name) is None}
    made = replace(settings, **missing)
    if made.keep is None:
        made = replace(made, keep=made.window)
    simulations_of(made)
    for extra in extras_of(made):
        if extra not in EXTRAS:
            what = Phrase("extras={extra} is unknown", extra=extra)
            raise HansuError(what, did_you_mean(extra, EXTRAS, "extras"))
    return made


def for_actor(settings: Settings, given: Iterable[str], game: Game, device: str, threads: int) -> Settings:
    """The settings of an actor on another machine: those of the run, but how many games it plays side by side is chosen
    for its own device, unless somebody gave it."""
    preset = {**preset_for(game, device), "threads": threads}
    own = {name: preset[name] for name in ("games", "groups", "threads") if name not in given}
    return replace(settings, device=device, **own)


def preset_for(game: Game, device: str) -> dict[str, Any]:
    cells = board_cells(game)
    preset: dict[str, Any]
    if cells <= 16 or game.small:
        preset = {"channels": 32, "blocks": 2, "simulations": "16", "temperature_plies": 4, "random_plies": 3}
    elif cells <= 64:
        preset = {"channels": 32, "blocks": 3, "simulations": "16,32", "temperature_plies": 12, "random_plies": 8}
    else:
        preset = {"channels": 48, "blocks": 4, "simulations": "16,48", "temperature_plies": 16, "random_plies": 6}
    preset |= {"keep": None, "references": "mcts:simulations=200"}
    if device != "cuda":
        return preset | {
            "games": 128,
            "groups": 1,
            "threads": 1,
            "batch": 256,
            "window": 300_000,
            "least_window": 10_000,
            "rate": 3e-3,
        }
    return preset | {
        "channels": 2 * preset["channels"],
        "blocks": 2 * preset["blocks"],
        "simulations": "24,128",
        "games": 4096,
        "groups": 2,
        "threads": cores(),
        "batch": 4096,
        "window": 3_000_000,
        "least_window": 200_000,
        "rate": 2e-3,
    }


def board_cells(game: Game) -> int:
    """How large the board is that a network sees; bits of plain numbers count as a small one."""
    if game.plane_shape is None:
        return 64
    return int(game.plane_shape[1] * game.plane_shape[2])


def simulations_of(settings: Settings) -> tuple[int, int]:
    """At the beginning of the run and at its end."""
    text = settings.simulations or ""
    try:
        numbers = [int(part) for part in text.split(",")]
        if not 1 <= len(numbers) <= 2 or min(numbers) < 2:
            raise ValueError
    except ValueError:
        what = Phrase("simulations={text} cannot be read", text=text)
        raise HansuError(what, Phrase("one number above 1, or two: 24,160")) from None
    return numbers[0], numbers[-1]


def extras_of(settings: Settings) -> tuple[str, ...]:
    return tuple(part.strip() for part in settings.extras.split(",") if part.strip())


def references_of(settings: Settings) -> tuple[str, ...]:
    text = settings.references or ""
    return () if text.strip() in ("", "none") else tuple(text.split())
