"""The settings of a run, each with its meaning, and presets by the size of a game.

What nobody sets (None) is filled in by `filled`: small games get small networks and short searches, a graphics card
gets large batches.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.options import did_you_mean
from hansu.core.player import option
from hansu.core.said import said

GATES = ("none", "sprt", "5of7")
EXTRAS = ("left", "score")


@dataclass
class Settings:
    run: str = option("", said("the run's folder; runs/GAME if not given", "학습 폴더, 없으면 runs/게임"))
    resume: bool = option(False, said("go on with the run in that folder", "그 폴더의 학습을 이어 감"))
    minutes: float = option(10.0, said("of training in all, what was done before a --resume counted in",
                                       "전체 학습 시간(분), 이어 가기 전의 시간도 셈"), low=0.01)  # fmt: skip
    steps: int = option(
        0, said("of the learner at most; 0: until the time is over", "학습 단계의 상한, 0이면 시간까지"), low=0
    )
    device: str = option("auto", said("where the network runs", "신경망을 돌릴 곳"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, said("of weights, games and batches", "가중치, 대국, 묶음의 난수 씨앗"), low=0)
    threads: int | None = option(None, said("cores that search", "탐색에 쓸 코어 수"), low=1)

    # The network.
    network: str = option("tower", said("its kind: tower, omok, sidus", "신경망 종류: tower, omok, sidus"))
    channels: int | None = option(None, said("of its convolutions", "합성곱 채널 수"), low=1)
    blocks: int | None = option(None, said("residual blocks", "잔차 블록 수"), low=1)
    pooling: int = option(0, said("every so many blocks one looks at the whole board; 0: none does",
                                  "몇 블록마다 판 전체를 볼지, 0이면 없음"), low=0)  # fmt: skip
    extras: str = option("", said("what else it learns to answer: left, score, or both with a comma",
                                  "더 배울 답: left, score (쉼표로 둘 다)"))  # fmt: skip
    begin: str = option("", said("a network to begin with (.npz) instead of chance", "처음 신경망 (.npz)"))
    compile: bool = option(False, said("let torch compile the playing network (CUDA; minutes at the start)",
                                       "대국용 신경망을 torch로 컴파일 (CUDA, 시작에 몇 분)"))  # fmt: skip

    # Self-play.
    games: int | None = option(None, said("played side by side in a group", "한 묶음에서 동시에 두는 판 수"), low=1)
    groups: int | None = option(None, said("of games, taking turns between cores and network",
                                           "코어와 신경망을 번갈아 쓰는 묶음 수"), low=1, high=4)  # fmt: skip
    algorithm: str = option("gumbel", said("of the tree search", "나무 탐색 방법"), choices=("puct", "gumbel"))
    simulations: str | None = option(None, said("a move; first,last rises through the run",
                                                "한 수의 시뮬레이션 수, 처음,끝으로 적으면 점점 늘어남"))  # fmt: skip
    fast_share: float = option(0.0, said("of moves that are searched briefly and not learnt from",
                                         "짧게 탐색하고 배우지 않는 수의 비율"), low=0.0, high=0.95)  # fmt: skip
    fast_simulations: int = option(16, said("of such a move", "그런 수의 시뮬레이션 수"), low=2)
    temperature: float = option(1.0, said("of the first moves of a game", "초반 수의 온도"), low=0.0)
    temperature_plies: int | None = option(None, said("so many", "초반 수의 개수"), low=0)
    random_share: float = option(0.25, said("of games that begin with random moves", "무작위 수로 시작하는 판의 비율"),
                                 low=0.0, high=1.0)  # fmt: skip
    random_plies: int | None = option(None, said("at most so many", "무작위 수의 최대 개수"), low=0)
    openings: str = option("", said("a file of positions to begin from, one a line", "시작 국면 파일, 한 줄에 하나"))
    resign: float = option(0.0, said("give up below minus this; 0: never. A tenth of games go on to check",
                                     "이 값 아래면 기권, 0이면 안 함, 열에 하나는 확인하려고 끝까지 둠"),
                           low=0.0, high=1.0)  # fmt: skip
    longest: int = option(1000, said("plies; a longer game is drawn", "이보다 긴 판은 무승부"), low=2)
    against: str = option("", said("a player to play some games against: alphabeta:depth=3", "일부 판의 상대"))
    share: float = option(0.2, said("of the games that are played against it", "그 상대와 두는 판의 비율"),
                          low=0.01, high=0.95)  # fmt: skip

    # Samples and learning.
    window: int | None = option(None, said("newest positions learnt from, at the end", "마지막에 배우는 국면 수"),
                                low=1)  # fmt: skip
    least_window: int | None = option(None, said("the same at the beginning", "처음에 배우는 국면 수"), low=1)
    keep: int | None = option(None, said("positions kept on disk; 0: all", "디스크에 남길 국면 수, 0이면 모두"), low=0)
    batch: int | None = option(None, said("positions of a step", "한 단계의 국면 수"), low=2)
    reuse: float = option(4.0, said("how often a position is learnt from", "한 국면을 배우는 횟수"), low=0.1)
    rate: float | None = option(None, said("of learning, at its highest", "가장 높을 때의 학습률"), low=1e-7)
    warmup: int = option(100, said("steps until it is reached", "거기에 이르는 단계 수"), low=0)
    decay: float = option(1e-4, said("of weights", "가중치 감쇠"), low=0.0)
    clip: float = option(2.0, said("the largest norm of a gradient", "기울기의 최대 크기"), low=1e-3)
    average: float = option(0.999, said("of the averaged weights, kept in a step", "평균 가중치가 한 단계에 남는 비율"),
                            low=0.0, high=0.99999)  # fmt: skip
    search_value: float = option(0.25, said("the search's share in the value to be learnt, the rest is the result",
                                            "배울 값에서 탐색값의 비율, 나머지는 결과"), low=0.0, high=1.0)  # fmt: skip
    symmetries: bool = option(True, said("turn and mirror the board by chance", "판을 무작위로 돌리고 뒤집음"))

    # Who is better.
    gate: str = option("none", said("what a network must show to become champion", "챔피언이 되는 조건"), choices=GATES)
    gate_minutes: float = option(1.0, said("between its matches", "승부 사이의 시간(분)"), low=0.0)
    references: str | None = option(None, said("players to be measured against, with spaces between; none: nobody",
                                               "기력을 잴 상대들, 사이는 빈칸, none이면 없음"))  # fmt: skip
    rating_games: int = option(16, said("against each, each time", "한 번에 상대마다 두는 판 수"), low=2)
    rating_minutes: float = option(1.0, said("between the measurements", "재는 간격(분)"), low=0.0)
    rating_simulations: int = option(32, said("a move of the network's side then, and in gates",
                                              "그때와 승부에서 신경망 쪽의 시뮬레이션 수"), low=2)  # fmt: skip

    checkpoint_seconds: float = option(60.0, said("between checkpoints", "저장 간격(초)"), low=0.0)
    log_seconds: float = option(5.0, said("between lines of the log", "기록 간격(초)"), low=0.0)


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
            what = said(f"extras={extra} is unknown", f"extras={extra}: 모르는 값입니다")
            raise HansuError(what, did_you_mean(extra, EXTRAS, "extras"))
    return made


def preset_for(game: Game, device: str) -> dict[str, Any]:
    cells = board_cells(game)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
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
            "games": 128, "groups": 1, "threads": 1, "batch": 256, "window": 300_000, "least_window": 10_000,
            "rate": 3e-3,
        }  # fmt: skip
    return preset | {
        "channels": 2 * preset["channels"], "blocks": 2 * preset["blocks"], "simulations": "24,128", "games": 4096,
        "groups": 2, "threads": cores, "batch": 4096, "window": 3_000_000, "least_window": 200_000, "rate": 2e-3,
    }  # fmt: skip


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
        what = said(f"simulations={text} cannot be read", f"simulations={text}를 읽을 수 없습니다")
        raise HansuError(what, said("one number above 1, or two: 24,160", "1보다 큰 수 하나나 둘: 24,160")) from None
    return numbers[0], numbers[-1]


def extras_of(settings: Settings) -> tuple[str, ...]:
    return tuple(part.strip() for part in settings.extras.split(",") if part.strip())


def references_of(settings: Settings) -> tuple[str, ...]:
    text = settings.references or ""
    return () if text.strip() in ("", "none") else tuple(text.split())
