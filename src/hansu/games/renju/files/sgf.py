r"""Games in SGF (FF[4], GM[4]), read and written one at a time: memory does not grow with the file.

    (;FF[4]GM[4]SZ[15]PB[Kim]PW[Lee]RE[B+]    a node: properties with values
     ;B[hh];W[hg]C[a direct opening]          letters for column and row; aa is the TOP left
     ;B[ig](;W[gi])(;W[jh]N[sharper]))        variations; the first one is the game

Also accepted: `B[h8]` (row 1 at the bottom), `B[]` and `B[tt]` for a pass, capital letters, several games in a file,
text before and between them. Inside a value a backslash escapes the next character.

An invalid game is reported with its line, and reading continues at the next bracket.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from hansu.core.variation import MOST_VARIATIONS, Fork, Variation, joined
from hansu.games.renju.files.game_record import (
    BLACK_WINS,
    DRAW,
    MOST_MOVES,
    RESULTS,
    UNKNOWN,
    WHITE_WINS,
    GameRecord,
    InvalidGame,
    Mistake,
    read_move,
)
from hansu.games.renju.notation import COLUMNS, SIZES

GOMOKU = "4"  # the number of the game in SGF
LONGEST_GAME = 4 << 20  # characters; a longer game has an unclosed bracket
MOST_GIVEN_UP = 100  # unclosed games after which the rest of the file is skipped
LARGEST_WITH_TT = 19  # on larger boards tt is a point, not a pass
_BEGIN = re.compile(r"\s*\(\s*;\s*(GM|FF|CA|SZ|AP|PB)\s*\[")
_MARK = re.compile(r"\[(?:[^\]\\]|\\.)*(\]?)|[()]", re.DOTALL)  # a bracket, or a value up to its end or the line's
_OPENING = re.compile(r"\(")  # all other text between games is ignored
_VALUE_END = re.compile(r"(?:[^\]\\]|\\.)*\]", re.DOTALL)
_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z0-9]+)((?:\s*\[(?:[^\]\\]|\\.)*\])+))", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)


Numbered = tuple[int, str]  # the number and the text of a line


class _Tree(NamedTuple):
    """The lines of one game tree, from its first bracket to its last."""

    lines: list[Numbered]

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.lines)

    def where(self, offset: int = 0) -> str:
        """The line of the file at an offset of the text."""
        return f"line {self.lines[0][0] + self.text.count(chr(10), 0, offset)}"


Node = dict[str, list[str]]


def read_sgf(lines: Iterable[str], rule: str = "") -> Iterator[GameRecord | Mistake]:
    """Yield the games of an SGF file; `rule` is the rule of games that do not name one (by default renju)."""
    trees = _Trees(lines)
    while (tree := trees.next()) is not None:
        if isinstance(tree, Mistake):
            yield tree
            continue
        try:
            main, *others = _lines(tree)
            record = _record(main, rule or "renju", tree.where())
            yield replace(record, variations=tuple(_variations(main, others, record.size))) if others else record
        except InvalidGame as error:
            yield Mistake(error.where or tree.where(), error.what)
            trees.again(tree.lines)


class _Trees:
    """Splits a file into game trees by their brackets; text outside of them is skipped."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._source = enumerate(lines, 1)
        self._pending: list[Numbered] = []  # lines to read again, the next one last
        self._given_up = 0

    def _next_line(self) -> Numbered | None:
        return self._pending.pop() if self._pending else next(self._source, None)

    def again(self, lines: list[Numbered]) -> bool:
        """Continue after an invalid game where the next game seems to begin within its lines. False if too many games
        were given up."""
        begin = next((i for i, (_, text) in enumerate(lines) if i and _BEGIN.match(text)), len(lines))
        self._pending.extend(reversed(lines[begin:]))
        self._given_up += begin < len(lines)
        return self._given_up < MOST_GIVEN_UP

    def next(self) -> _Tree | Mistake | None:
        """The next game tree; None at the end of the file."""
        tree_lines: list[Numbered] = []
        depth, in_value, length = 0, False, 0
        while (line := self._next_line()) is not None:
            number, text = line
            begin = at = 0
            if in_value:
                end = _VALUE_END.match(text)
                in_value, at = end is None, end.end() if end else len(text)
            while mark := _MARK.search(text, at) if depth else _OPENING.search(text, at):
                sign, at = mark[0], mark.end()
                if sign[0] == "[":
                    in_value = not mark[1]
                elif sign == "(":
                    begin = begin if depth else mark.start()
                    depth += 1
                elif depth:
                    depth -= 1
                    if depth == 0:
                        tree_lines.append((number, text[begin : mark.end()]))
                        self._pending.append((number, text[mark.end() :]))
                        return _Tree(tree_lines)
            if depth:
                tree_lines.append((number, text[begin:]))
                length += len(text) - begin
            if length > LONGEST_GAME:
                break
        if not tree_lines:
            return None
        if self.again(tree_lines):
            return Mistake(_Tree(tree_lines).where(), "a bracket is never closed")
        self._pending, self._source = [], enumerate(())
        return Mistake(
            _Tree(tree_lines).where(), f"{MOST_GIVEN_UP} games have unclosed brackets; the rest of the file is skipped"
        )


def _lines(tree: _Tree) -> list[list[Node]]:
    """The nodes of every line from the root to a leaf. The first line is the game (the first variation at every
    branching). Lines share their common nodes."""
    lines: list[list[Node]] = []
    line: list[Node] = []
    opened: list[int] = []  # the length of the line at each open bracket
    grown, at, text = False, 0, tree.text
    while at < len(text) and len(lines) <= MOST_VARIATIONS:
        token = _TOKEN.match(text, at)
        if token is None:
            rest = text[at:].lstrip()
            if not rest:
                break
            raise InvalidGame(
                f"expected a bracket, a semicolon or a property, found {rest[:20]!r}",
                tree.where(len(text) - len(rest)),
            )
        at = token.end()
        if token[1] == "(":
            opened.append(len(line))
        elif token[1] == ")":
            if grown:
                lines.append(line.copy())
            del line[opened.pop() if opened else 0 :]
            grown = False
        elif token[1] == ";":
            line.append({})
            grown = True
        elif not line:
            raise InvalidGame(f"the property {token[2]} comes before the first node (;)", tree.where(token.start(2)))
        elif grown or not lines:  # properties after a variation belong to no node
            name = "".join(letter for letter in token[2] if not letter.islower())  # FF[3] has long property names
            values = [_unescaped(value) for value in _VALUE.findall(token[3])]
            line[-1].setdefault(name, []).extend(values)
    if not lines:
        raise InvalidGame("the game has no nodes (;)")
    return lines


def _variations(main: list[Node], others: list[list[Node]], size: int) -> Iterator[Variation]:
    """The variations of the game; invalid ones are left out."""
    for nodes in others:
        own = [node for node in nodes if all(node is not known for known in main)]
        name = next((node["N"][0] for node in own if "N" in node), "")
        with contextlib.suppress(InvalidGame):
            yield Variation(tuple(_moves(nodes, size)), " ".join(name.split()))


def _unescaped(value: str) -> str:
    if "\\" not in value:
        return value
    value = re.sub(r"\\(\r\n|\n\r|\n|\r)", "", value)
    return re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def _record(nodes: list[Node], rule: str, where: str) -> GameRecord:
    root = nodes[0]

    def word(name: str) -> str:
        return " ".join(root.get(name, [""])[0].split())

    if (number := word("GM")) not in ("", GOMOKU):
        raise InvalidGame(f"GM[{number}] is another game; gomoku and renju are GM[4]")
    size = _size(word("SZ"))
    comments: list[tuple[int, str]] = []
    moves = _moves(nodes, size, comments)
    rules = word("RU")
    offers = tuple(_move(value, size) for value in root.get("5A", ()) if re.fullmatch("[A-Za-z]{2}", value.strip()))
    return GameRecord(
        tuple(moves), size, _rule(rules, rule), _result(word("RE")), word("PB"), word("PW"), word("EV"), word("RO"),
        word("PC"), word("DT"), word("ON"), rules if rules.lower() not in ("renju", "gomoku", "standard", "freestyle")
        else "", offers, comments=tuple(comments), where=where,
    )  # fmt: skip


def _moves(nodes: list[Node], size: int, comments: list[tuple[int, str]] | None = None) -> list[int]:
    """The moves along a line. Its comments are appended to `comments`."""
    moves: list[int] = []
    for node in nodes:
        if "AB" in node or "AW" in node or "AE" in node:
            raise InvalidGame("the game sets up stones (AB, AW, AE); only played stones are supported")
        for colour, name in enumerate("BW"):
            for value in node.get(name, ()):
                if colour != len(moves) % 2:
                    expected = "black" if name == "W" else "white"
                    raise InvalidGame(f"{name}[{value[:10]}] is out of turn: {expected} plays move {len(moves) + 1}")
                if len(moves) == MOST_MOVES:
                    raise InvalidGame(f"the game has more than {MOST_MOVES} moves")
                moves.append(_move(value, size))
        if comments is not None:
            comments += [(len(moves), text) for name in ("GC", "C") for text in node.get(name, ()) if text]
    return moves


def _size(text: str) -> int:
    size = re.fullmatch(r"(\d{1,2})(?::(\d{1,2}))?", text or "15")
    if size is None or (size[2] or size[1]) != size[1] or int(size[1]) not in SIZES:
        raise InvalidGame(f"SZ[{text}] is not supported; boards are square, of size {SIZES[0]} to {SIZES[-1]}")
    return int(size[1])


def _move(text: str, size: int) -> int:
    text = text.strip().lower()
    if text in ("", "pass") or (text == "tt" and size <= LARGEST_WITH_TT):
        return size * size
    if re.fullmatch("[a-z]{2}", text):
        x, y = ord(text[0]) - ord("a"), ord(text[1]) - ord("a")
        if x < size and y < size:
            return y * size + x
    return read_move(text, size)


def _result(text: str) -> str:
    text = text.upper().replace(" ", "")
    if text in RESULTS:
        return text
    if text in ("0", "DRAW", "JIGO", "B+DRAW", "W+DRAW", "0.5-0.5"):
        return DRAW
    return BLACK_WINS if text.startswith("B+") else WHITE_WINS if text.startswith("W+") else UNKNOWN


def _rule(text: str, usual: str) -> str:
    """The rule that RU names. (Most values of RU name an opening rule.)"""
    text = text.lower()
    if "freestyle" in text or "free style" in text:
        return "freestyle"
    if "gomoku" in text or "standard" in text or "swap2" in text:
        return "standard"
    return "renju" if "renju" in text else usual


def sgf_text(game: GameRecord) -> str:
    """One game as text, with an empty line at its end."""
    results = {"1-0": "B+", "0-1": "W+", "1/2-1/2": "Draw", "*": ""}
    properties = [
        ("FF", "4"), ("CA", "UTF-8"), ("GM", GOMOKU), ("SZ", str(game.size)), ("AP", "hansu"),
        ("PB", game.black), ("PW", game.white), ("RE", results[game.result]), ("EV", game.event), ("RO", game.round),
        ("PC", game.place), ("DT", game.date), ("RU", game.opening_rule or game.rule), ("ON", game.opening),
    ]  # fmt: skip
    lines = ["(;" + "".join(f"{name}[{_escaped(value)}]" for name, value in properties if value)]
    if game.offers:
        lines[0] += "5A" + "".join(f"[{_letters(cell, game.size)}]" for cell in game.offers)
    comments = [""] * (len(game.moves) + 1)  # by the number of moves before them
    for count, text in game.comments:
        at = min(count, len(game.moves))
        comments[at] += ("\n" if comments[at] else "") + text
    if comments[0]:
        lines[0] += f"C[{_escaped(comments[0])}]"
    if game.variations:
        return "\n".join([*lines, _branches(game, comments)]) + ")\n\n"
    nodes = [_node(ply, move, game.size, comments[ply + 1]) for ply, move in enumerate(game.moves)]
    lines += ["".join(nodes[i : i + 10]) for i in range(0, len(nodes), 10)]
    return "\n".join(lines) + ")\n\n"


def _node(ply: int, move: int, size: int, comment: str = "", name: str = "") -> str:
    more = [(key, text) for key, text in (("N", name), ("C", comment)) if text]
    return f";{'BW'[ply % 2]}[{_letters(move, size)}]" + "".join(f"{key}[{_escaped(text)}]" for key, text in more)


def _branches(game: GameRecord, comments: list[str]) -> str:
    """All lines of a game, the main line first at every branching. Only the main line has comments."""
    parts: list[str] = []
    stack: list[tuple[Fork, int, bool] | str] = [(joined(game.moves, game.variations), 0, True)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        at, ply, main = item
        while len(at.following) == 1:
            at, ply = at.following[0], ply + 1
            parts.append(_node(ply - 1, at.action, game.size, comments[ply] if main else "", at.name))
        for i, after in reversed(list(enumerate(at.following))):
            comment = comments[ply + 1] if main and i == 0 else ""
            node = _node(ply, after.action, game.size, comment, after.name)
            stack += [")", (after, ply + 1, main and i == 0), f"\n({node}"]
    return "".join(parts)


def _letters(move: int, size: int) -> str:
    return COLUMNS[move % size] + COLUMNS[move // size] if move < size * size else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("]", "\\]")
