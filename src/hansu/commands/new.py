"""`hansu new`: write a template of a game or a player."""

from __future__ import annotations

import keyword
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from hansu.commands._panels import BUILD
from hansu.core.errors import HansuError
from hansu.core.file_errors import not_written
from hansu.core.message import Message

TEMPLATES = Path(__file__).parent / "templates"


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Write a template of your own game or player.", no_args_is_help=True)
    group.command("game")(new_game)
    group.command("player")(new_player)
    app.add_typer(group, name="new", rich_help_panel=BUILD)


Name = Annotated[str, typer.Argument(help="Name or path of the new file: my_game, games/my_game.py")]


def new_game(name: Name) -> None:
    """Write a small complete game, with picture, symmetries and network input, to change step by step.

    [dim]For example:[/dim] hansu new game my_game
    """
    from hansu.core.terminal_language import localize

    file = write("game", name)
    path = with_slash(file)
    print(localize(Message("wrote {path}; now try", path=file)))
    print(f"  hansu check {path}\n  hansu play {path}\n  hansu serve {path}")


def new_player(name: Name) -> None:
    """Write a player that plays any game.

    [dim]For example:[/dim] hansu new player my_player
    """
    from hansu.core.terminal_language import localize

    file = write("player", name)
    player = f"{with_slash(file)}:{class_name(file.stem)}"
    print(localize(Message("wrote {path}; now try", path=file)))
    print(f"  hansu match tictactoe {player} random --games 20\n  hansu play tictactoe --second {player}")


def write(kind: str, name: str) -> Path:
    """Write the file of that name from a template."""
    file = Path(name if name.endswith(".py") else f"{name}.py")
    word = file.stem
    if not (word.isidentifier() and word.isascii()) or keyword.iskeyword(word):
        raise HansuError(
            "{word!r} cannot be the name of a Python file", "use letters, digits and _, as in my_game", word=word
        )
    if not file.parent.is_dir():
        raise HansuError("there is no folder {folder}", folder=file.parent)
    template = Template((TEMPLATES / f"{kind}.txt").read_text(encoding="utf-8"))
    title = word.replace("_", " ").strip().capitalize()
    text = template.substitute(name=word, Class=class_name(word), title=title)
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise HansuError("{path} exists already", "choose another name, or remove the file first", path=file) from None
    except OSError as error:
        raise not_written(file, error) from None
    return file


def with_slash(file: Path) -> str:
    """A path with a slash, which commands recognize as a path."""
    return str(file) if file.is_absolute() else f"./{file}"


def class_name(word: str) -> str:
    """`my_game` -> `MyGame`."""
    name = "".join(part[:1].upper() + part[1:] for part in word.split("_"))
    return name if name.isidentifier() else f"My{name}"
