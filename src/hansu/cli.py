"""The `hansu` command: collects the commands of `commands/` and of every game, and reports errors as messages."""

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
from hansu.commands._panels import OTHER, PANELS
from hansu.core.errors import HansuError
from hansu.core.message import Message

UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


class _Commands(TyperGroup):
    """Lists commands by panel, and reports an interrupt, which Typer does not."""

    def list_commands(self, ctx: Any) -> list[str]:
        panels = {name: getattr(self.commands[name], "rich_help_panel", OTHER) for name in super().list_commands(ctx)}
        return sorted(panels, key=lambda name: PANELS.index(panels[name]))

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError):
            _exit_interrupted()


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

  hansu serve --open                              play in the browser

  hansu play tictactoe --second minimax           play against minimax

  hansu analyze tree start --player alphabeta     search a small tree

  hansu match tictactoe mcts alphabeta --games 20 compare two players

  hansu trace tree -o tree.svg                    draw a search

  hansu games                                     list the games

  hansu new game my_game                          start your own game; then hansu check ./my_game.py

  hansu docs                                      list the guides and examples
""",
)


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
    debug: bool = typer.Option(
        False, "--debug", help="Show tracebacks; can stand anywhere on the line. HANSU_DEBUG=1 does the same."
    ),
    lang: str = typer.Option(
        "", "--lang", help="Language, en or ko; can stand anywhere on the line. By default that of the locale."
    ),
) -> None:
    if version:
        from hansu import __version__

        print(__version__)
        raise typer.Exit


def build() -> typer.Typer:
    """The app with the commands of all modules in `commands/`, and those that games add by their `commands` hook."""
    for module in sorted(m.name for m in pkgutil.iter_modules(commands.__path__)):
        if module.startswith("_"):
            continue
        importlib.import_module(f"hansu.commands.{module}").add_to(app)
    from hansu.commands import _export
    from hansu.commands._game_commands import GameCommands
    from hansu.core import registry

    game_commands = GameCommands(app)
    _export.add_to(game_commands)
    for name in registry.names():
        add = registry.built_in(name).commands
        if add is not None:
            add(game_commands)
    return app


def main() -> None:
    """Run the command line. `--debug` and `--lang` can stand anywhere on it."""
    _open_closed_streams()
    debug = "--debug" in sys.argv or bool(os.environ.get("HANSU_DEBUG"))
    sys.argv = [word for word in sys.argv if word != "--debug"]
    from hansu.ui.interrupt import stop_searches_on_interrupt

    stop_searches_on_interrupt()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # unknown letters become question marks
    from hansu.core.installed_docs import located
    from hansu.core.terminal_language import chosen_from, localize

    warnings.showwarning = lambda message, *_: _print_error(f"warning: {message}")
    try:
        sys.argv[1:] = chosen_from(sys.argv[1:])
        _run()
    except HansuError as error:
        if debug:
            raise
        _print_error(f"error: {localize(error.what)}")
        if error.hint:
            _print_error(f"       {located(localize(error.hint))}")
        sys.exit(2)
    except (KeyboardInterrupt, EOFError):
        _exit_interrupted()
    except BrokenPipeError:  # the reader of the output has exited, as `head` does
        _discard_output()
        sys.exit(0)
    except MemoryError:
        if debug:
            raise
        _print_error("error: out of memory")
        sys.exit(2)
    except Exception as error:
        if debug:
            raise
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            _discard_output()
            _print_error(f"error: cannot write to {error.filename or 'standard output'}: {error.strerror}")
            sys.exit(2)
        if place := _place_in_game_file(error):
            file, where = place
            _print_error(f"error: {where}: {type(error).__name__}: {error}")
            _print_error(
                f"       the rules have a mistake; hansu check {file} looks for it, --debug shows the traceback"
            )
            sys.exit(2)
        _print_error(f"error: hansu itself failed: {type(error).__name__}: {error}")
        _print_error("       this is a bug; run the same command with --debug to see where")
        sys.exit(1)


def _run() -> None:
    """Run, and flush the output here, where a write error can still be reported."""
    code: str | int | None = 0
    try:
        build()(standalone_mode=True)
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    sys.exit(code)


def _exit_interrupted() -> NoReturn:
    """Report the interrupt on a new line, because the terminal has printed ^C."""
    from hansu.core.terminal_language import localize

    _print_error(f"\n{localize(Message('stopped'))}")
    sys.exit(130)


def _open_closed_streams() -> None:
    """Open closed standard streams on the null device. Otherwise the next file opened would take their number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _discard_output() -> None:
    """Redirect standard output to the null device, since Python flushes its buffer again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _place_in_game_file(error: Exception) -> tuple[str, str] | None:
    """A user's game file and its line that raised the error; None if no such file is loaded."""
    files = [str(module.__file__) for name, module in sys.modules.items() if name.startswith("hansu_user_")]
    if not files:
        return None
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    if not frames:
        return files[0], files[0]
    return frames[-1].filename, f"{frames[-1].filename}, line {frames[-1].lineno}"


def _print_error(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # no reader is left
