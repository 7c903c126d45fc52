"""`hansu new`: a file to start from."""

from __future__ import annotations

import keyword
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from hansu.core.errors import HansuError
from hansu.core.file_errors import not_written
from hansu.core.message import Message

TEMPLATES = Path(__file__).parent / "templates"


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Write a file to start from: a game or a player of your own.", no_args_is_help=True)
    group.command("game")(new_game)
    group.command("player")(new_player)
    app.add_typer(group, name="new")


Name = Annotated[str, typer.Argument(help="What to call it: my_game, or a path such as games/my_game.py")]


def new_game(name: Name) -> None:
    """Write a whole small game, with picture, symmetries and a network's input, to change step by step.

    [dim]For example:[/dim] hansu new game my_game
    """
    from hansu.core.terminal_language import localize

    file = written("game", name)
    named = spelled(file)
    print(localize(Message("wrote {path}; now try", path=file)))
    print(f"  hansu check {named}\n  hansu play {named}\n  hansu serve {named}")


def new_player(name: Name) -> None:
    """Write a player that plays any game.

    [dim]For example:[/dim] hansu new player my_player
    """
    from hansu.core.terminal_language import localize

    file = written("player", name)
    player = f"{spelled(file)}:{class_name(file.stem)}"
    print(localize(Message("wrote {path}; now try", path=file)))
    print(f"  hansu match tictactoe {player} random --games 20\n  hansu play tictactoe --second {player}")


def written(kind: str, name: str) -> Path:
    """The file of that name, made of a template."""
    file = Path(name if name.endswith(".py") else f"{name}.py")
    word = file.stem
    if not (word.isidentifier() and word.isascii()) or keyword.iskeyword(word):
        raise HansuError(
            "{word!r} cannot be the name of a Python file", "letters, digits and _, as in my_game", word=word
        )
    if not file.parent.is_dir():
        raise HansuError("there is no folder {folder}", folder=file.parent)
    made = Template((TEMPLATES / f"{kind}.txt").read_text(encoding="utf-8"))
    title = word.replace("_", " ").strip().capitalize()
    text = made.substitute(name=word, Class=class_name(word), title=title)
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise HansuError("there is a {path} already", "choose another name, or remove it first", path=file) from None
    except OSError as error:
        raise not_written(file, error) from None
    return file


def spelled(file: Path) -> str:
    """A path as commands know one when they see it: with a slash."""
    return str(file) if file.is_absolute() else f"./{file}"


def class_name(word: str) -> str:
    """`my_game` -> `MyGame`."""
    made = "".join(part[:1].upper() + part[1:] for part in word.split("_"))
    return made if made.isidentifier() else f"My{made}"
