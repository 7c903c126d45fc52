"""RenLib's libraries (.lib): a tree of moves with comments, in bytes.

    FF "RenLib" FF  major minor  FF * 10          20 bytes; old files begin with their first move instead
    point  flags  [extension]  [comment]  [label]    a node, and so on, each before its children

    point    16 * (row - 1) + column, from 1 at the top left; 0 is the root, later a pass
    flags    80  a sibling follows when this branch is done      08  a comment: pairs of bytes up to a zero
             40  no children: the branch ends here               04  where the program starts
             20  an old comment: up to a byte above 7F           02  no move, only a place for a label
             10  a mark                                          01  an extension of two bytes; 01 in its
                                                                     second: a label, written like a comment
    Inside a comment the byte 08 parts its one-line title from the rest.

Every line from the root to the end of a branch is read as a game. Games that are written share the tree; what a title
like `Kim - Lee 1-0` says of the players and the result is read back, wherever in the tree it stands (`?`: not known).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from hansu.core import HansuError
from hansu.games.renju.files.game_record import BLACK_WINS, DRAW, UNKNOWN, WHITE_WINS, GameRecord, InvalidGame, Mistake

SIZE = 15
HEAD = b"\xffRenLib\xff"
HEAD_LENGTH = 20
VERSION = (3, 4)
CENTRE = 0x78
SIBLING, LEAF, OLD_COMMENT, MARK, COMMENT, START, NO_MOVE, EXTENSION = 0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01
LABEL = 0x01  # in the extension
TITLE_END = "\b"
DEEPEST = 500
LONGEST_TEXT = 1 << 16
RESULTS = {"1-0": BLACK_WINS, "0-1": WHITE_WINS, "0.5-0.5": DRAW, "1/2-1/2": DRAW, "*": UNKNOWN}
NOBODY = f"? - ? {UNKNOWN}"
_TITLE = re.compile(r"(.*?) - (.*) (1-0|0-1|0\.5-0\.5|1/2-1/2|\*)")


class _Bytes:
    """A stream that knows where it is."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.at = 0

    def pair(self) -> bytes:
        """Two bytes, fewer at the end."""
        found = self._stream.read(2)
        self.at += len(found)
        return found

    def text(self, old: bool) -> str:
        """A comment or a label, to the end of its pairs."""
        kept = bytearray()
        while len(pair := self.pair()) == 2:
            for byte in pair:
                if old:
                    kept.append(byte & 0x7F)
                    if byte & 0x80:
                        return _decoded(kept)
                elif byte == 0:
                    return _decoded(kept)
                else:
                    kept.append(byte)
            if len(kept) > LONGEST_TEXT:
                raise InvalidGame("a comment that never ends", f"byte {self.at}")
        raise InvalidGame("the file ends in a comment", f"byte {self.at}")


def _decoded(raw: bytearray) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass
class _Step:
    """A node on the way to the one that is read."""

    move: int  # -1: the root, or only a label
    at: int
    comment: str = ""


def read_lib(stream: BinaryIO) -> Iterator[GameRecord | Mistake]:
    source = _Bytes(stream)
    head = stream.read(HEAD_LENGTH)
    source.at = len(head)
    if head[: len(HEAD)] != HEAD:
        if head[:1] != bytes([CENTRE]):
            yield Mistake("byte 0", "no library of RenLib's")
            return
        stream.seek(0)
        source.at = 0
    elif len(head) < HEAD_LENGTH:
        yield Mistake("byte 0", "the file ends in its head")
        return
    elif (head[8], head[9]) > VERSION:
        yield Mistake("byte 8", f"version {head[8]}.{head[9]} is newer than {VERSION[0]}.{VERSION[1]}")
        return
    try:
        yield from _games(source)
    except InvalidGame as error:  # what follows cannot be told from what went before
        yield Mistake(error.where, error.what)


def _games(source: _Bytes) -> Iterator[GameRecord | Mistake]:
    way: list[_Step] = []
    branchings: list[int] = []  # depths at which a sibling is still to come
    bad_above = DEEPEST + 1  # the depth of a move on a point that is taken: its branch is no game
    done = False
    while len(pair := source.pair()) == 2:
        at = source.at - 2
        if done:
            raise InvalidGame("something follows the end of the tree", f"byte {at}")
        point, flags = pair
        extension = source.pair() if flags & EXTENSION else b"\0\0"
        comment = ""
        if flags & (COMMENT | OLD_COMMENT):
            comment = source.text(not flags & COMMENT)
        if extension[1:] and extension[1] & LABEL:
            source.text(False)
        row, column = divmod(point, 16)
        if point and (column == 0 or row >= SIZE):
            raise InvalidGame(f"{point:#04x} is no point of the board", f"byte {at}")
        is_root = not way and point == 0
        move = -1 if is_root or flags & NO_MOVE else row * SIZE + column - 1 if point else SIZE * SIZE
        depth = len(way)
        if depth == DEEPEST:
            raise InvalidGame("a tree that is deeper than any game", f"byte {at}")
        taken = 0 <= move < SIZE * SIZE and any(step.move == move for step in way)
        way.append(_Step(move, at, comment))
        if taken and depth < bad_above:
            bad_above = depth
            yield Mistake(f"byte {at}", "a move on a point that is taken")
        titles = list(_titles(comment)) if bad_above > depth else []
        for title in titles:
            yield _record(way, title)
        if not flags & LEAF:
            if flags & SIBLING:
                branchings.append(depth)
            continue
        if not titles and bad_above > depth and move >= 0:
            yield _record(way, None)
        if flags & SIBLING:
            branchings.append(depth)
        if branchings:
            del way[branchings.pop() :]
            if len(way) <= bad_above:
                bad_above = DEEPEST + 1
        else:
            done = True
    if way and not done:
        raise InvalidGame("the file ends inside the tree", f"byte {source.at}")
    if not way:
        raise InvalidGame("a library without a move", f"byte {source.at}")


def _titles(comment: str) -> Iterator[re.Match[str]]:
    for line in comment.replace(TITLE_END, "\n").split("\n"):
        if found := _TITLE.fullmatch(line.strip()):
            yield found


def _record(way: list[_Step], title: re.Match[str] | None) -> GameRecord:
    moves = tuple(step.move for step in way if step.move >= 0)
    comments = []
    made = 0
    for step in way:
        made += step.move >= 0
        lines = step.comment.replace(TITLE_END, "\n").split("\n")
        text = "\n".join(line for line in lines if not _TITLE.fullmatch(line.strip())).strip()
        if text:
            comments.append((made, text))
    where = f"byte {way[-1].at}"
    if title is None:
        return GameRecord(moves, SIZE, comments=tuple(comments), where=where)
    return GameRecord(
        moves, SIZE, result=RESULTS[title[3]], black=_name(title[1]), white=_name(title[2]),
        comments=tuple(comments), where=where,
    )  # fmt: skip


def _name(text: str) -> str:
    return "" if text.strip() == "?" else text.strip()


@dataclass
class _Node:
    children: dict[int, _Node] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)  # of the games that end here
    comments: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        titles = (
            [] if self.titles == [NOBODY] and not self.children else self.titles
        )  # the end of a branch says as much
        rest = titles[1:] + self.comments
        return (titles[0] if titles else "") + (TITLE_END + "\n".join(rest) if rest else "")


def write_lib(games: Iterable[GameRecord], out: BinaryIO) -> int:
    """Write the tree of some games and give their number. The tree is held in memory."""
    root = _Node()
    count = 0
    for game in games:
        if game.size != SIZE:
            raise HansuError(f"a .lib file holds games on 15×15, not on {game.size}×{game.size}")
        if not game.moves:
            continue  # there is nothing to hang it on
        node = root
        for made in range(len(game.moves) + 1):
            if made:
                node = node.children.setdefault(game.moves[made - 1], _Node())
            for text in (_not_a_title(text) for at, text in game.comments if at == made):
                if text not in node.comments:
                    node.comments.append(text)
        title = f"{game.black or '?'} - {game.white or '?'} {game.result}"
        node.titles.append(" ".join(title.replace(TITLE_END, " ").split()))
        count += 1
    out.write(HEAD + bytes(VERSION) + b"\xff" * (HEAD_LENGTH - len(HEAD) - 2))
    waiting: list[tuple[int, _Node, bool]] = [(0, root, False)]  # what is written next stands last
    while waiting:
        point, node, sibling = waiting.pop()
        text = node.text
        flags = SIBLING * sibling | LEAF * (not node.children) | COMMENT * bool(text)
        out.write(bytes([point, flags]))
        if text:
            raw = text.replace("\0", "").encode("utf-8") + b"\0"
            out.write(raw + b"\0" * (len(raw) % 2))
        children = sorted((_point(move), move) for move in node.children)
        for number, (child, move) in enumerate(reversed(children)):
            waiting.append((child, node.children[move], number > 0))
    return count


def _point(move: int) -> int:
    return 0 if move == SIZE * SIZE else move // SIZE * 16 + move % SIZE + 1


def _not_a_title(text: str) -> str:
    """A comment that is not taken for a title."""
    lines = text.replace(TITLE_END, " ").split("\n")
    return "\n".join(f"{line}." if _TITLE.fullmatch(line.strip()) else line for line in lines)
