"""The `hansu` command: collects the commands of `commands/` and of every game, and turns mistakes into messages."""

from __future__ import annotations

import errno
import importlib
import io
import os
import pkgutil
import sys
import traceback
import warnings
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from hansu import commands
from hansu.core.errors import HansuError
from hansu.core.message import Message

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


class _Commands(TyperGroup):
    """Typer ends a command that was interrupted without a word."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError):
            _end_stopped()


app = typer.Typer(
    name="hansu",
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""
[bold]한 수[/bold] - game AI that anyone can read, run, play and train.

[dim]Try:[/dim]

  hansu serve --open                              every game in the browser

  hansu play tictactoe --second minimax           you against minimax

  hansu analyze tree start --player alphabeta     a small tree

  hansu match tictactoe mcts alphabeta --games 20

  hansu trace tree -o tree.svg                    watch a search

  hansu games                                     what there is

  hansu new game my_game                          a file to start from; then hansu check ./my_game.py

  hansu docs                                      guides and examples
""",
)


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks (anywhere on the line; or HANSU_DEBUG=1)."),
    lang: str = typer.Option("", "--lang", help="Speak a language, en or ko (anywhere; else that of the locale)."),
) -> None:
    if version:
        from hansu import __version__

        print(__version__)
        raise typer.Exit


def build() -> typer.Typer:
    """Every module of `commands/` adds its own; a game adds its own through its `commands` hook."""
    for module in sorted(m.name for m in pkgutil.iter_modules(commands.__path__)):
        if module.startswith("_"):
            continue
        importlib.import_module(f"hansu.commands.{module}").add_to(app)
    from hansu.commands._game_commands import GameCommands
    from hansu.core import registry

    own = GameCommands(app)
    for name in registry.names():
        add = registry.built_in(name).commands
        if add is not None:
            add(own)
    return app


def main() -> None:
    """Run. `--debug`, to see tracebacks, and `--lang` may stand anywhere on the line."""
    _open_what_is_closed()
    debug = "--debug" in sys.argv or bool(os.environ.get("HANSU_DEBUG"))
    sys.argv = [word for word in sys.argv if word != "--debug"]
    from hansu.ui.interrupt import stop_searches_on_interrupt

    stop_searches_on_interrupt()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without our letters gets question marks, not a crash
    from hansu.core.installed_docs import located
    from hansu.core.terminal_language import chosen_from, localize

    warnings.showwarning = lambda message, *_: _say(f"warning: {message}")
    try:
        sys.argv[1:] = chosen_from(sys.argv[1:])
        _run()
    except HansuError as error:
        if debug:
            raise
        _say(f"error: {localize(error.what)}")
        if error.hint:
            _say(f"       {located(localize(error.hint))}")
        sys.exit(2)
    except (KeyboardInterrupt, EOFError):
        _end_stopped()
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        _write_to_nowhere()
        sys.exit(0)
    except MemoryError:
        if debug:
            raise
        _say("error: there is not enough memory for this")
        sys.exit(2)
    except Exception as error:
        if debug:
            raise
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            _write_to_nowhere()
            _say(f"error: cannot write to {error.filename or 'standard output'}: {error.strerror}")
            sys.exit(2)
        if found := _place_in_a_game_file(error):
            file, where = found
            _say(f"error: {where}: {type(error).__name__}: {error}")
            _say(f"       its rules need mending; hansu check {file} tells what is wrong, --debug shows more")
            sys.exit(2)
        _say(f"error: hansu itself failed: {type(error).__name__}: {error}")
        _say("       this is a bug; run the same command with --debug to see where")
        sys.exit(1)


def _run() -> None:
    """What was printed is written out here, where it can still be said that there is no room for it."""
    code: str | int | None = 0
    try:
        build()(standalone_mode=True)
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    sys.exit(code)


def _end_stopped() -> NoReturn:
    """On a line of its own: the terminal has written ^C where the cursor was."""
    from hansu.core.terminal_language import localize

    _say(f"\n{localize(Message('stopped'))}")
    sys.exit(130)


def _open_what_is_closed() -> None:
    """A standard stream that we were started without leads nowhere: else the next file opened would take its place."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _write_to_nowhere() -> None:
    """What is left in the buffer of standard output cannot be written, and Python would try once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _place_in_a_game_file(error: Exception) -> tuple[str, str] | None:
    """The file of a user's own game, and the line there that raised; None if no such file was loaded."""
    files = [str(module.__file__) for name, module in sys.modules.items() if name.startswith("hansu_user_")]
    if not files:
        return None
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    if not frames:
        return files[0], files[0]
    return frames[-1].filename, f"{frames[-1].filename}, line {frames[-1].lineno}"


def _say(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # there is nobody to tell
