"""What the general players say of their moves, in words."""

from __future__ import annotations

from hansu.core.generic import Action
from hansu.core.position import Position
from hansu.core.report import Value
from hansu.core.said import Said, korean, said

TO_THE_END = said("to the end", "끝까지 읽음")


def looked(chosen: str, how_far: Said, worth: Said) -> Said:
    """Why a search chose a move: how far it looked, and what it saw there."""
    return said(f"{chosen} after looking {how_far}: {worth}", f"{korean(chosen)}: {how_far.ko}, {worth.ko}")


def no_time(position: Position, action: Action) -> Said:
    move = position.move_text(action)
    return said(f"{move} is the first legal move; there was no time", f"{move}: 시간이 없어 처음 보이는 수를 둡니다")


def value_text(position: Position, value: Value) -> Said:
    """A value in words."""
    seat = position.game.seats[0 if value > 0 else -1]
    if value.proved:
        if not value:
            return said("proved to end level", "비긴다는 것이 증명되었습니다")
        size = f"{abs(value):g}"
        return said(f"proved, {size} for {seat}", f"{korean(seat)} 쪽 {size}, 증명된 값입니다")
    if not value:
        return said("looks level", "형세가 팽팽해 보입니다")
    size = f"{abs(value):.3g}"
    return said(f"looks {size} in favour of {seat}", f"{korean(seat)} 쪽이 {size}만큼 좋아 보입니다")
