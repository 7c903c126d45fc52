"""The options of an `alphazero` run, and presets by the size of a game.

`filled` replaces options that were not set (None): small games get small networks and short searches, a graphics card
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
    run: str = option("", Message("folder of the run; runs/GAME if not given"))
    resume: bool = option(False, Message("continue the run in its folder"))
    minutes: float = option(10.0, Message("minutes of training in total, including those before --resume"), low=0.01)
    steps: int = option(0, Message("most training steps (0: train until the time is over)"), low=0)
    device: str = option("auto", Message("device that runs the network"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Message("random seed of weights, games and batches"), low=0)
    threads: int | None = option(None, Message("number of search threads"), low=1)

    # The network.
    network: str = option("tower", Message("network architecture: tower, omok or sidus"))
    channels: int | None = option(None, Message("channels of the network's convolutions"), low=1)
    blocks: int | None = option(None, Message("number of residual blocks"), low=1)
    pooling: int = option(0, Message("add global pooling to every n-th residual block (0: to none)"), low=0)
    extras: str = option("", Message("extra network outputs to train: left, score, or left,score"))
    init: str = option("", Message("a network (.npz or .onnx) to start from instead of random weights"), old="begin")
    compile: bool = option(False, Message("compile the playing network with torch.compile (CUDA; takes minutes)"))

    # Self-play.
    games: int | None = option(None, Message("games played at once in each group"), low=1)
    groups: int | None = option(
        None, Message("groups of games that alternate between the cores and the network"), low=1, high=4
    )
    algorithm: str = option("gumbel", Message("tree search algorithm of self-play"), choices=("puct", "gumbel"))
    simulations: str | None = option(
        None, Message("simulations per move; two numbers, as 24,160, rise from the first to the second during the run")
    )
    prune: int = option(0, Message("search only the n most probable moves of a position (0: all)"), low=0)
    fast_share: float = option(
        0.0, Message("share of moves that get a short search and are not trained on"), low=0.0, high=0.95
    )
    fast_simulations: int = option(16, Message("simulations of a short search (see --fast-share)"), low=2)
    temperature: float = option(1.0, Message("temperature of the first moves of a self-play game"), low=0.0)
    temperature_plies: int | None = option(None, Message("number of first plies that use --temperature"), low=0)
    random_share: float = option(0.25, Message("share of games that begin with random moves"), low=0.0, high=1.0)
    random_plies: int | None = option(None, Message("most random plies at the start of a game"), low=0)
    restart_share: float = option(
        0.0, Message("share of games that begin where an earlier result contradicted the search"), low=0.0, high=0.95,
        old="revisit_share",
    )  # fmt: skip
    openings: str = option("", Message("a file of start positions, one per line"))
    resign: float = option(
        0.0, Message("resign below minus this value (0: never); a tenth of games are played on as a check"), low=0.0,
        high=1.0,
    )  # fmt: skip
    max_plies: int = option(1000, Message("plies after which a game is a draw"), low=2, old="longest")
    opponent: str = option("", Message("a player for some of the training games, as alphabeta:depth=3"), old="against")
    opponent_share: float = option(
        0.2, Message("share of training games against --opponent"), low=0.01, high=0.95, old="share"
    )

    # Samples and training.
    window: int | None = option(None, Message("size of the replay buffer at the end, in positions"), low=1)
    min_window: int | None = option(
        None, Message("size of the replay buffer at the start, in positions"), low=1, old="least_window"
    )
    keep: int | None = option(None, Message("newest positions kept on disk (0: all)"), low=0)
    batch: int | None = option(None, Message("positions per training step"), low=2)
    reuse: float = option(4.0, Message("how often each position is trained on, on average"), low=0.1)
    learning_rate: float | None = option(None, Message("peak learning rate"), low=1e-7, old="rate")
    warmup: int = option(100, Message("steps in which the learning rate rises to its peak"), low=0)
    weight_decay: float = option(1e-4, Message("weight decay of the optimizer"), low=0.0, old="decay")
    gradient_clip: float = option(2.0, Message("largest norm of a gradient"), low=1e-3, old="clip")
    ema: float = option(0.999, Message("decay per step of the averaged weights"), low=0.0, high=0.99999, old="average")
    search_value: float = option(
        0.25, Message("weight of the search's value in the value target; the rest is the game's result"), low=0.0,
        high=1.0,
    )  # fmt: skip
    symmetries: bool = option(True, Message("augment training with random symmetries of the board"))

    # Measuring strength.
    gate: str = option("none", Message("test that a network must pass to become champion"), choices=GATES)
    gate_minutes: float = option(1.0, Message("minutes between matches for the championship"), low=0.0)
    rating_opponents: str | None = option(
        None, Message("players that Elo is measured against, separated by spaces, or none"), old="references"
    )
    rating_games: int = option(16, Message("games against each rating opponent per measurement"), low=2)
    rating_minutes: float = option(1.0, Message("minutes between Elo measurements"), low=0.0)
    rating_simulations: int = option(
        32, Message("simulations per move of the network in gate and rating matches"), low=2
    )

    # Several machines.
    cluster: str = option("", Message("where to play: local, or the address of a Ray cluster (empty: in this process)"))
    actors: int = option(0, Message("most actors on the cluster (0: as many as it has resources for)"), low=0)
    actor_cores: float = option(1.0, Message("cores of an actor without a graphics card"), low=0.01)

    checkpoint_seconds: float = option(60.0, Message("seconds between checkpoints"), low=0.0)
    log_seconds: float = option(5.0, Message("seconds between rows of the log"), low=0.0)


def filled(settings: AlphaZeroSettings, game: Game, device: str) -> AlphaZeroSettings:
    """The settings, with missing ones chosen by the game's size and the device."""
    preset = preset_for(game, device)
    missing = {f.name: preset[f.name] for f in fields(settings) if getattr(settings, f.name) is None}
    settings = replace(settings, **missing)
    if settings.keep is None:
        settings = replace(settings, keep=settings.window)
    simulations_of(settings)  # checks it
    for extra in extras_of(settings):
        if extra not in EXTRAS:
            raise HansuError("unknown extra output: extras={extra}", did_you_mean(extra, EXTRAS, "extras"), extra=extra)
    return settings


def for_actor(
    settings: AlphaZeroSettings, given: Iterable[str], game: Game, device: str, threads: int
) -> AlphaZeroSettings:
    """The run's settings for an actor on another machine. The number of its games is chosen for its own device, unless
    it is among the options `given`."""
    preset = {**preset_for(game, device), "threads": threads}
    missing = {name: preset[name] for name in ("games", "groups", "threads") if name not in given}
    return replace(settings, device=device, **missing)


def preset_for(game: Game, device: str) -> dict[str, Any]:
    """Defaults for a game of this size on this device."""
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
    """The number of cells of the network's input. Games without planes of their own count as small boards."""
    if game.plane_shape is None:
        return 64
    return int(game.plane_shape[1] * game.plane_shape[2])


def simulations_of(settings: AlphaZeroSettings) -> tuple[int, int]:
    """Simulations per move at the start and at the end of the run."""
    text = settings.simulations or ""
    try:
        numbers = [int(part) for part in text.split(",")]
        if not 1 <= len(numbers) <= 2 or min(numbers) < 2:
            raise ValueError
    except ValueError:
        raise HansuError(
            "simulations={text} is invalid", "give one number above 1, or two, as 24,160", text=text
        ) from None
    return numbers[0], numbers[-1]


def extras_of(settings: AlphaZeroSettings) -> tuple[str, ...]:
    """The names of the extra outputs."""
    return tuple(part.strip() for part in settings.extras.split(",") if part.strip())


def rating_opponents_of(settings: AlphaZeroSettings) -> tuple[str, ...]:
    """The players' names."""
    text = settings.rating_opponents or ""
    return () if text.strip() in ("", "none") else tuple(text.split())
