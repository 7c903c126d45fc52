"""Every `hansu ...` line in any document names a command that there is, with options that it has. (Those of some are
run, too: tests/test_house.py.)"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from conftest import ROOT

from hansu.cli import build

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def lines(document: Path) -> Iterator[str]:
    """The `hansu` lines of the blocks of a shell, without what is around them."""
    text = document.read_text(encoding="utf-8").replace("\\\n", " ")
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if found := re.search(r"(?:^|\$ |\| )(hansu .*)", line):
                yield re.split(r"\s[|<>#&]|\s\d>", found[1])[0].strip()


@pytest.fixture(scope="module")
def command() -> Any:
    return typer.main.get_command(build())


def parse(command: Any, words: list[str]) -> None:
    """As the command line does, without running anything; raises where it would not be understood."""
    name = "hansu"
    with command.make_context(name, list(words), resilient_parsing=False) as context:
        while hasattr(context.command, "resolve_command"):
            left = [*context._protected_args, *context.args] if hasattr(context, "_protected_args") else context.args
            assert left, f"{name} needs a command"
            name, found, rest = context.command.resolve_command(context, left)
            context = found.make_context(name, list(rest), parent=context)


@pytest.mark.parametrize("document", [path for path in DOCUMENTS if list(lines(path))], ids=lambda path: path.name)
def test_commands_are_understood(document: Path, command: Any) -> None:
    for line in lines(document):
        words = [word for word in shlex.split(line)[1:] if word not in ("...", "--debug")]
        try:
            parse(command, words)
        except Exception as error:
            told = getattr(error, "format_message", lambda error=error: repr(error))()
            raise AssertionError(f"{line}: {told}") from error


def test_what_is_not_understood_is_found(command: Any) -> None:
    for line in ("chek nim.py", "check", "check nim.py --sped", "perft tree --depth x", "new"):
        with pytest.raises((Exception, SystemExit)):  # whatever the library of the command line raises
            parse(command, line.split())
