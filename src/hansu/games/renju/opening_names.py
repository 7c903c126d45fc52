"""The names of the 26 openings, which the first three stones form.

The second stone is adjacent to the first, orthogonally (a direct opening, d) or diagonally (an indirect opening, i).
The third stone lies within two cells of the first. The board is turned so that the second stone lies above the first,
or above it to the right. Then the third stone of opening number n lies at n:

    direct           indirect
    .  .  1  2  3    .  .  .  .  1
    .  .  O  4  5    .  .  .  O  2
    .  .  X  6  7    .  .  X  6  3
    .  .  8  9 10    . 11  9  7  4
    .  . 11 12 13   13 12 10  8  5

Source: the patterns and numbers of the Renju International Federation. The Korean names are the Korean readings of the
characters.
"""

from __future__ import annotations

from dataclasses import dataclass

from hansu.core import Message
from hansu.games.renju.openings import turned


@dataclass(frozen=True)
class OpeningName:
    """An opening's code and name."""

    code: str  # d1 to d13, i1 to i13
    name: Message  # the reading of the characters: Japanese, or Korean in the Korean text
    characters: str

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


_NAMES = """
d1 Kansei 寒星 한성 | d2 Keigetsu 渓月 계월 | d3 Sosei 疎星 소성
d4 Kagetsu 花月 화월 | d5 Zangetsu 残月 잔월 | d6 Ugetsu 雨月 우월
d7 Kinsei 金星 금성 | d8 Shogetsu 松月 송월 | d9 Kyugetsu 丘月 구월
d10 Shingetsu 新月 신월 | d11 Zuisei 瑞星 서성 | d12 Sangetsu 山月 산월
d13 Yusei 遊星 유성 | i1 Chosei 長星 장성 | i2 Kyogetsu 峡月 협월
i3 Kosei 恒星 항성 | i4 Suigetsu 水月 수월 | i5 Ryusei 流星 유성
i6 Ungetsu 雲月 운월 | i7 Hogetsu 浦月 포월 | i8 Rangetsu 嵐月 남월
i9 Gingetsu 銀月 은월 | i10 Myojo 明星 명성 | i11 Shagetsu 斜月 사월
i12 Meigetsu 名月 명월 | i13 Suisei 彗星 혜성
"""
NAMES = {
    code: OpeningName(code, Message({"en": name, "ko": korean}), characters)
    for code, name, characters, korean in (
        entry.split() for line in _NAMES.strip().splitlines() for entry in line.split(" | ")
    )
}

# The third stone relative to the first (right, down), in the order of the numbers.
DIRECT = ((0, -2), (1, -2), (2, -2), (1, -1), (2, -1), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2))
INDIRECT = ((2, -2), (2, -1), (2, 0), (2, 1), (2, 2), (1, 0), (1, 1), (1, 2), (0, 1), (0, 2), (-1, 1), (-1, 2), (-2, 2))


def opening_name(cells: tuple[int, ...], size: int) -> OpeningName | None:
    """The opening that the first three stones of a game form; None if they form none of the 26."""
    first, second, third = ((cell % size, cell // size) for cell in cells[:3])
    if size % 2 == 0 or first != (size // 2, size // 2):
        return None
    for k in range(8):
        second_turned = turned(second[0] - first[0], second[1] - first[1], k)
        third_turned = turned(third[0] - first[0], third[1] - first[1], k)
        for letter, direction, places in (("d", (0, -1), DIRECT), ("i", (1, -1), INDIRECT)):
            if second_turned == direction and third_turned in places:
                return NAMES[f"{letter}{places.index(third_turned) + 1}"]
    return None
