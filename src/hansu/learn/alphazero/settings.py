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
from hansu.core.message import Message
from hansu.core.options import did_you_mean
from hansu.core.player import option

GATES = ("none", "sprt", "5of7")
EXTRAS = ("left", "score")


@dataclass
class AlphaZeroSettings:
    run: str = option("", Message("the run's folder; runs/GAME if not given"))
    resume: bool = option(False, Message("go on with the run in that folder"))
    minutes: float = option(10.0, Message("of training in all, what was done before a --resume counted in"), low=0.01)
    steps: int = option(0, Message("of the learner at most; 0: until the time is over"), low=0)
    device: str = option("auto", Message("where the network runs"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Message("of weights, games and batches"), low=0)
    threads: int | None = option(None, Message("cores that search"), low=1)

    # The network.
    network: str = option("tower", Message("its kind: tower, omok, sidus"))
    channels: int | None = option(None, Message("of its convolutions"), low=1)
    blocks: int | None = option(None, Message("residual blocks"), low=1)
    pooling: int = option(0, Message("every so many blocks one looks at the whole board; 0: none does"), low=0)
    extras: str = option("", Message("what else it learns to answer: left, score, or both with a comma"))
    init: str = option("", Message("a network to begin with (.npz or .onnx) instead of chance"), old="begin")
    compile: bool = option(False, Message("let torch compile the playing network (CUDA; minutes at the start)"))

    # Self-play.
    games: int | None = option(None, Message("played side by side in a group"), low=1)
    groups: int | None = option(None, Message("of games, taking turns between cores and network"), low=1, high=4)
    algorithm: str = option("gumbel", Message("of the tree search"), choices=("puct", "gumbel"))
    simulations: str | None = option(None, Message("a move; first,last rises through the run"))
    prune: int = option(0, Message("keep so many of the most probable moves; 0: all"), low=0)
    fast_share: float = option(
        0.0, Message("of moves that are searched briefly and not learnt from"), low=0.0, high=0.95
    )
    fast_simulations: int = option(16, Message("of such a move"), low=2)
    temperature: float = option(1.0, Message("of the first moves of a game"), low=0.0)
    temperature_plies: int | None = option(None, Message("so many"), low=0)
    random_share: float = option(0.25, Message("of games that begin with random moves"), low=0.0, high=1.0)
    random_plies: int | None = option(None, Message("at most so many"), low=0)
    restart_share: float = option(
        0.0,
        Message("of games that begin where an earlier one ended otherwise than expected"),
        low=0.0,
        high=0.95,
        old="revisit_share",
    )
    openings: str = option("", Message("a file of positions to begin from, one a line"))
    resign: float = option(
        0.0, Message("give up below minus this; 0: never. A tenth of games go on to check"), low=0.0, high=1.0
    )
    max_plies: int = option(1000, Message("plies; a longer game is drawn"), low=2, old="longest")
    opponent: str = option("", Message("a player to play some games against: alphabeta:depth=3"), old="against")
    opponent_share: float = option(
        0.2, Message("of the games that are played against it"), low=0.01, high=0.95, old="share"
    )

    # Samples and learning.
    window: int | None = option(None, Message("newest positions learnt from, at the end"), low=1)
    min_window: int | None = option(None, Message("the same at the beginning"), low=1, old="least_window")
    keep: int | None = option(None, Message("positions kept on disk; 0: all"), low=0)
    batch: int | None = option(None, Message("positions of a step"), low=2)
    reuse: float = option(4.0, Message("how often a position is learnt from"), low=0.1)
    learning_rate: float | None = option(None, Message("of learning, at its highest"), low=1e-7, old="rate")
    warmup: int = option(100, Message("steps until it is reached"), low=0)
    weight_decay: float = option(1e-4, Message("of weights"), low=0.0, old="decay")
    gradient_clip: float = option(2.0, Message("the largest norm of a gradient"), low=1e-3, old="clip")
    ema: float = option(0.999, Message("of the averaged weights, kept in a step"), low=0.0, high=0.99999, old="average")
    search_value: float = option(
        0.25, Message("the search's share in the value to be learnt, the rest is the result"), low=0.0, high=1.0
    )
    symmetries: bool = option(True, Message("turn and mirror the board by chance"))

    # Who is better.
    gate: str = option("none", Message("what a network must show to become champion"), choices=GATES)
    gate_minutes: float = option(1.0, Message("between its matches"), low=0.0)
    rating_opponents: str | None = option(
        None, Message("players to be measured against, with spaces between; none: nobody"), old="references"
    )
    rating_games: int = option(16, Message("against each, each time"), low=2)
    rating_minutes: float = option(1.0, Message("between the measurements"), low=0.0)
    rating_simulations: int = option(32, Message("a move of the network's side then, and in gates"), low=2)

    # Beyond one machine.
    cluster: str = option("", Message("where games are played: local, or the address of a Ray cluster; empty: here"))
    actors: int = option(0, Message("that play there at most; 0: as many as there is room for"), low=0)
    actor_cores: float = option(1.0, Message("of an actor without a graphics card"), low=0.01)

    checkpoint_seconds: float = option(60.0, Message("between checkpoints"), low=0.0)
    log_seconds: float = option(5.0, Message("between lines of the log"), low=0.0)


def filled(settings: AlphaZeroSettings, game: Game, device: str) -> AlphaZeroSettings:
    """With everything set: what was not is chosen by the game's size and the device."""
    preset = preset_for(game, device)
    missing = {f.name: preset[f.name] for f in fields(settings) if getattr(settings, f.name) is None}
    made = replace(settings, **missing)
    if made.keep is None:
        made = replace(made, keep=made.window)
    simulations_of(made)
    for extra in extras_of(made):
        if extra not in EXTRAS:
            raise HansuError("extras={extra} is unknown", did_you_mean(extra, EXTRAS, "extras"), extra=extra)
    return made


def for_actor(
    settings: AlphaZeroSettings, given: Iterable[str], game: Game, device: str, threads: int
) -> AlphaZeroSettings:
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
    preset |= {"keep": None, "rating_opponents": "mcts:simulations=200"}
    if device != "cuda":
        return preset | {
            "games": 128,
            "groups": 1,
            "threads": 1,
            "batch": 256,
            "window": 300_000,
            "min_window": 10_000,
            "learning_rate": 3e-3,
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
        "min_window": 200_000,
        "learning_rate": 2e-3,
    }


def board_cells(game: Game) -> int:
    """How large the board is that a network sees; bits of plain numbers count as a small one."""
    if game.plane_shape is None:
        return 64
    return int(game.plane_shape[1] * game.plane_shape[2])


def simulations_of(settings: AlphaZeroSettings) -> tuple[int, int]:
    """At the beginning of the run and at its end."""
    text = settings.simulations or ""
    try:
        numbers = [int(part) for part in text.split(",")]
        if not 1 <= len(numbers) <= 2 or min(numbers) < 2:
            raise ValueError
    except ValueError:
        raise HansuError("simulations={text} cannot be read", "one number above 1, or two: 24,160", text=text) from None
    return numbers[0], numbers[-1]


def extras_of(settings: AlphaZeroSettings) -> tuple[str, ...]:
    return tuple(part.strip() for part in settings.extras.split(",") if part.strip())


def references_of(settings: AlphaZeroSettings) -> tuple[str, ...]:
    text = settings.rating_opponents or ""
    return () if text.strip() in ("", "none") else tuple(text.split())
