"""Every `hansu ...` line in any document names a command that there is, with options that it has, a game, players, a
position and a limit that make sense together, or a recipe and its options; every `make ...` a target, every
`python ...` a file. The `sh` blocks are run besides (tests/test_examples.py, tests/test_learning_docs.py); what stands
in a `console` block takes minutes, waits for somebody or needs files, so it is only read here.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from support.commands import ROOT

from hansu.arena.roster import path_of, player
from hansu.cli import build
from hansu.core import HansuError, Limit, registry
from hansu.learn.recipe import flags, recipe_named

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


SEATS = ("player", "first", "second", "a", "b", "new", "old")  # what commands call one player


def lines(document: Path, program: str = "hansu") -> Iterator[str]:
    """The lines of a program in the blocks of a shell, without what is around them."""
    text = document.read_text(encoding="utf-8").replace("\\\n", " ")
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if found := re.search(rf"(?:^|\$ |\| )({program} .*)", line):
                yield re.split(r"\s[|<>#&]|\s\d>", found[1])[0].strip()


@pytest.fixture(scope="module")
def command() -> Any:
    return typer.main.get_command(build())


def parse(command: Any, words: list[str]) -> typer.Context:
    """As the command line does, without running anything; raises where it would not be understood."""
    name = "hansu"
    with command.make_context(name, list(words), resilient_parsing=False) as context:
        while hasattr(context.command, "resolve_command"):
            left = [*context._protected_args, *context.args] if hasattr(context, "_protected_args") else context.args
            assert left, f"{name} needs a command"
            name, found, rest = context.command.resolve_command(context, left)
            context = found.make_context(name, list(rest), parent=context)
    return context  # type: ignore[no-any-return]


def make_sense(context: typer.Context) -> None:
    """Raises where a game, a position, a player, a limit or a recipe is not there, or does not belong together. Files
    that a reader is to write first are taken on trust."""
    given = {name: value for name, value in context.params.items() if value}
    above = context.parent.command.name if context.parent is not None else None
    spec = given.get("game") or (context.command.name if above in ("solve", "export", "kaggle") else None)
    if spec is None or (".py" in spec and not (ROOT / re.sub(r"\.py.*", ".py", spec)).is_file()):
        return
    game = registry.game(str(ROOT / spec) if ".py" in spec else spec)
    if "position" in given:
        game.position(given["position"])
    if "limit" in given:
        Limit.read(given["limit"])
    for one in [given[seat] for seat in SEATS if seat in given] + given.get("players", []):
        name, _, limit = one.partition("@")
        Limit.read(limit)
        if name != "human" and not path_of(name) and ".onnx" not in name:
            player(name, game).close()
    if "recipe" in given:
        recipe = recipe_named(given["recipe"], game)
        recipe.from_settings(flags(context.args, recipe.options())[0])


@pytest.mark.parametrize("document", [path for path in DOCUMENTS if list(lines(path))], ids=lambda path: path.name)
def test_commands_are_understood(document: Path, command: Any) -> None:
    for line in lines(document):
        words = [word for word in shlex.split(line)[1:] if word not in ("...", "--debug")]
        try:
            make_sense(parse(command, words))
        except Exception as error:
            told = getattr(error, "format_message", lambda error=error: repr(error))()
            raise AssertionError(f"{line}: {told}") from error


def test_what_is_not_understood_is_found(command: Any) -> None:
    for line in ("chek nim.py", "check", "check nim.py --sped", "perft tree --depth x", "new"):
        with pytest.raises((Exception, SystemExit)):  # whatever the library of the command line raises
            parse(command, line.split())


@pytest.mark.parametrize(
    "line",
    [
        "analyze ches start",
        "analyze tictactoe 1,1",
        "match tictactoe minimax minmax",
        "play renju --second alphabeta:deph=3",
        "analyze ataxx start --player engine --limit tme=1",
        "train connect_four alphazer",
        "train connect_four alphazero --chanels 3",
        "tournament connect_four random level:99",
    ],
)
def test_what_makes_no_sense_is_found(line: str, command: Any) -> None:
    context = parse(command, line.split())
    with pytest.raises(HansuError):
        make_sense(context)


UNFINISHED = ("MissingParameter", "BadOptionUsage")  # what is raised where something is left out


def test_commands_in_the_text_are_understood(command: Any) -> None:
    """`hansu match --save` may leave out what does not matter there. Words in capitals are to be filled in."""
    seen = 0
    for document in DOCUMENTS:
        for line in re.findall(r"(?<!`)`(hansu [a-z][^`>]*)`", document.read_text(encoding="utf-8")):
            words = shlex.split(line)[1:]
            if any(word == "..." or re.search("[A-Z]{2}|^[A-Z]$", word) for word in words):
                continue
            seen += 1
            try:
                make_sense(parse(command, words))
            except Exception as error:
                assert type(error).__name__ in UNFINISHED, f"{document.name}: {line}: {error!r}"
    assert seen > 20


def test_other_programs_are_given_what_is_there() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    made = {word for document in DOCUMENTS for line in lines(document, "make") for word in line.split()[1:]}
    assert made and made <= targets
    for document in DOCUMENTS:
        for line in lines(document, "python"):
            words = line.split()[1:]
            if words[0] == "-m":
                assert importlib.util.find_spec(words[1]) is not None, line
            else:
                assert (ROOT / words[0]).is_file() or (ROOT / words[0] / "__main__.py").is_file(), line
