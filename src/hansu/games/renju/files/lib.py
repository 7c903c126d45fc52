"""RenLib libraries (.lib): a binary tree of moves with comments.

    FF "RenLib" FF  major minor  FF * 10             header of 20 bytes; old files start with their first move instead
    point  flags  [extension]  [comment]  [label]    a node; each node is followed by its children

    point    16 * (row - 1) + column, from 1 at the top left; 0 is the root, elsewhere a pass
    flags    80  a sibling follows after this branch             08  a comment: pairs of bytes up to a zero
             40  no children: the branch ends here               04  the start position of the program
             20  an old comment: up to a byte above 7F           02  no move, only a place for a label
             10  a mark                                          01  an extension of two bytes; 01 in its
                                                                     second: a label, written like a comment
    In a comment the byte 08 separates the one-line title from the rest.

Every line from the root to a leaf is read as a game. A title such as `Kim - Lee 1-0` names the players and the result,
anywhere in the tree (`?` for an unknown player). Games are written as one tree with such titles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from hansu.core import HansuError
from hansu.games.renju.files.game_record import (
    BLACK_WINS,
    DRAW,
    UNKNOWN,
    WHITE_WINS,
    GameRecord,
    InvalidGame,
    Mistake,
    move_text,
)

SIZE = 15
HEAD = b"\xffRenLib\xff"
HEAD_LENGTH = 20
VERSION = (3, 4)
CENTRE = 0x78
SIBLING, LEAF, OLD_COMMENT, MARK, COMMENT, START, NO_MOVE, EXTENSION = 0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01
LABEL = 0x01  # a bit of the extension
TITLE_END = "\b"
DEEPEST = 500
LONGEST_TEXT = 1 << 16
RESULTS = {"1-0": BLACK_WINS, "0-1": WHITE_WINS, "0.5-0.5": DRAW, "1/2-1/2": DRAW, "*": UNKNOWN}
NOBODY = f"? - ? {UNKNOWN}"
_TITLE = re.compile(r"(.*?) - (.*) (1-0|0-1|0\.5-0\.5|1/2-1/2|\*)")


class _Bytes:
    """A stream with its position."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.at = 0

    def pair(self) -> bytes:
        """The next two bytes; fewer at the end of the file."""
        raw = self._stream.read(2)
        self.at += len(raw)
        return raw

    def text(self, old: bool) -> str:
        """A comment or a label, with its last pair."""
        text = bytearray()
        while len(pair := self.pair()) == 2:
            for byte in pair:
                if old:
                    text.append(byte & 0x7F)
                    if byte & 0x80:
                        return _decoded(text)
                elif byte == 0:
                    return _decoded(text)
                else:
                    text.append(byte)
            if len(text) > LONGEST_TEXT:
                raise InvalidGame(f"a comment is longer than {LONGEST_TEXT:,} bytes", f"byte {self.at}")
        raise InvalidGame("the file ends inside a comment", f"byte {self.at}")


def _decoded(raw: bytearray) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass
class _Step:
    """A node on the path to the current one."""

    move: int  # -1: the root, or only a label
    at: int
    comment: str = ""


def read_lib(stream: BinaryIO) -> Iterator[GameRecord | Mistake]:
    """Yield the games of a RenLib library."""
    source = _Bytes(stream)
    head = stream.read(HEAD_LENGTH)
    source.at = len(head)
    if head[: len(HEAD)] != HEAD:
        if head[:1] != bytes([CENTRE]):
            yield Mistake("byte 0", "not a RenLib library: it starts with neither RenLib's header nor the centre")
            return
        stream.seek(0)
        source.at = 0
    elif len(head) < HEAD_LENGTH:
        yield Mistake("byte 0", f"the file ends inside its header of {HEAD_LENGTH} bytes")
        return
    elif (head[8], head[9]) > VERSION:
        supported = f"{VERSION[0]}.{VERSION[1]}"
        yield Mistake("byte 8", f"format version {head[8]}.{head[9]} is newer than {supported}, the latest supported")
        return
    try:
        yield from _games(source)
    except InvalidGame as error:  # the rest of the tree cannot be read
        yield Mistake(error.where, error.what)


def _games(source: _Bytes) -> Iterator[GameRecord | Mistake]:
    path: list[_Step] = []
    branchings: list[int] = []  # depths at which a sibling follows
    bad_above = DEEPEST + 1  # the depth of a move on a taken point; deeper nodes form no game
    done = False
    while len(pair := source.pair()) == 2:
        at = source.at - 2
        if done:
            raise InvalidGame("there are bytes after the end of the tree", f"byte {at}")
        point, flags = pair
        extension = source.pair() if flags & EXTENSION else b"\0\0"
        comment = ""
        if flags & (COMMENT | OLD_COMMENT):
            comment = source.text(not flags & COMMENT)
        if extension[1:] and extension[1] & LABEL:
            source.text(False)
        row, column = divmod(point, 16)
        if point and (column == 0 or row >= SIZE):
            raise InvalidGame(f"{point:#04x} is not a point of the {SIZE}×{SIZE} board", f"byte {at}")
        is_root = not path and point == 0
        move = -1 if is_root or flags & NO_MOVE else row * SIZE + column - 1 if point else SIZE * SIZE
        depth = len(path)
        if depth == DEEPEST:
            raise InvalidGame(f"the tree is deeper than {DEEPEST} moves", f"byte {at}")
        taken = 0 <= move < SIZE * SIZE and any(step.move == move for step in path)
        path.append(_Step(move, at, comment))
        if taken and depth < bad_above:
            bad_above = depth
            yield Mistake(f"byte {at}", f"{move_text(move, SIZE)} is already taken")
        titles = list(_titles(comment)) if bad_above > depth else []
        for title in titles:
            yield _record(path, title)
        if not flags & LEAF:
            if flags & SIBLING:
                branchings.append(depth)
            continue
        if not titles and bad_above > depth and move >= 0:
            yield _record(path, None)
        if flags & SIBLING:
            branchings.append(depth)
        if branchings:
            del path[branchings.pop() :]
            if len(path) <= bad_above:
                bad_above = DEEPEST + 1
        else:
            done = True
    if path and not done:
        raise InvalidGame("the file ends inside the tree", f"byte {source.at}")
    if not path:
        raise InvalidGame("the library has no moves", f"byte {source.at}")


def _titles(comment: str) -> Iterator[re.Match[str]]:
    for line in comment.replace(TITLE_END, "\n").split("\n"):
        if title := _TITLE.fullmatch(line.strip()):
            yield title


def _record(path: list[_Step], title: re.Match[str] | None) -> GameRecord:
    moves = tuple(step.move for step in path if step.move >= 0)
    comments = []
    count = 0
    for step in path:
        count += step.move >= 0
        lines = step.comment.replace(TITLE_END, "\n").split("\n")
        text = "\n".join(line for line in lines if not _TITLE.fullmatch(line.strip())).strip()
        if text:
            comments.append((count, text))
    where = f"byte {path[-1].at}"
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
    """A node of the tree that is written."""

    children: dict[int, _Node] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)  # of the games that end here
    comments: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        # A leaf without a title is read as a game of unknown players, too.
        titles = [] if self.titles == [NOBODY] and not self.children else self.titles
        rest = titles[1:] + self.comments
        return (titles[0] if titles else "") + (TITLE_END + "\n".join(rest) if rest else "")


def write_lib(games: Iterable[GameRecord], out: BinaryIO) -> int:
    """Write the tree of some games and return their number. The tree is held in memory."""
    root = _Node()
    count = 0
    for game in games:
        if game.size != SIZE:
            raise HansuError(
                "a .lib file holds only 15×15 games, not {size}×{size}",
                "choose another format, such as .sgf",
                size=game.size,
            )
        if not game.moves:
            continue  # the tree has no node for it
        node = root
        for count_before in range(len(game.moves) + 1):
            if count_before:
                node = node.children.setdefault(game.moves[count_before - 1], _Node())
            for text in (_not_a_title(text) for at, text in game.comments if at == count_before):
                if text not in node.comments:
                    node.comments.append(text)
        title = f"{game.black or '?'} - {game.white or '?'} {game.result}"
        node.titles.append(" ".join(title.replace(TITLE_END, " ").split()))
        count += 1
    out.write(HEAD + bytes(VERSION) + b"\xff" * (HEAD_LENGTH - len(HEAD) - 2))
    stack: list[tuple[int, _Node, bool]] = [(0, root, False)]
    while stack:
        point, node, sibling = stack.pop()
        text = node.text
        flags = SIBLING * sibling | LEAF * (not node.children) | COMMENT * bool(text)
        out.write(bytes([point, flags]))
        if text:
            raw = text.replace("\0", "").encode("utf-8") + b"\0"
            out.write(raw + b"\0" * (len(raw) % 2))
        children = sorted((_point(move), move) for move in node.children)
        for number, (child, move) in enumerate(reversed(children)):
            stack.append((child, node.children[move], number > 0))
    return count


def _point(move: int) -> int:
    return 0 if move == SIZE * SIZE else move // SIZE * 16 + move % SIZE + 1


def _not_a_title(text: str) -> str:
    """A comment, changed so that no line reads as a title."""
    lines = text.replace(TITLE_END, " ").split("\n")
    return "\n".join(f"{line}." if _TITLE.fullmatch(line.strip()) else line for line in lines)
