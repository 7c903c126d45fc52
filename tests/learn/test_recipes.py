"""Recipes: options, flags, settings files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from support.commands import Run

from hansu.core import HansuError, registry
from hansu.core.player import option
from hansu.learn.__main__ import main as module_main
from hansu.learn.recipe import Job, Recipe, TrainingResult, flags, pairs, recipe_named, recipes, settings_file


@dataclass
class Baking(Recipe):
    kind: ClassVar[str] = "baking"
    about: ClassVar[str] = "a cake"
    minutes: float = option(30.0, "in the oven", low=1)
    top_heat: bool = option(True, "from above")
    flour: str = option("wheat", "its kind")

    def train(self, game: object, job: Job) -> TrainingResult:
        return TrainingResult()


def test_flags_are_options() -> None:
    words = ["--minutes", "12", "a.pgn", "--no-top-heat", "b.pgn", "--flour=rye and oat"]
    settings, others = flags(words, Baking.options())
    assert settings == {"minutes": "12", "top_heat": "false", "flour": "rye and oat"} and others == ["a.pgn", "b.pgn"]
    recipe = Baking.from_settings(settings)
    assert (recipe.minutes, recipe.top_heat, recipe.flour) == (12.0, False, "rye and oat")
    assert recipe.given == settings
    assert flags(["--top-heat", "x"], Baking.options()) == ({"top_heat": "true"}, ["x"])
    with pytest.raises(HansuError, match="--minutes needs a value"):
        flags(["--minutes", "--no-top-heat"], Baking.options())
    for words in (["--sugar", "3"], ["--sugar"]):
        with pytest.raises(HansuError, match="no option 'sugar'"):
            Baking.from_settings(flags(words, Baking.options())[0])


def test_settings_files(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('minutes = 2.5\ntop_heat = false\nflour = "rye"\nlist = [24, 160]\n')
    assert settings_file(path) == {"minutes": "2.5", "top_heat": "false", "flour": "rye", "list": "24,160"}
    for text, error in (("minutes = ", "not a TOML file"), ("[oven]\nheat = 3", "neither a number nor a string")):
        path.write_text(text)
        with pytest.raises(HansuError, match=error):
            settings_file(path)
    with pytest.raises(HansuError, match="cannot be read"):
        settings_file(tmp_path / "gone.toml")
    assert pairs(["a=1", "b = x=y"]) == {"a": "1", "b": "x=y"}
    with pytest.raises(HansuError, match="invalid setting 'a'"):
        pairs(["a"])


def test_recipes_of_a_game_and_of_every_game(nim_path: Path) -> None:
    for_every_game = ["alphazero", "quantize", "supervised"]
    assert list(recipes(registry.game("connect_four"))) == ["mlp", "svm", "best", *for_every_game]
    assert list(recipes(registry.game(str(nim_path)))) == for_every_game
    with pytest.raises(HansuError, match="no recipe 'alphazeor'") as error:
        recipe_named("alphazeor", registry.game("tree"))
    assert "alphazero" in error.value.hint
    for recipe in recipes(registry.game("connect_four")).values():
        for one in recipe.options():
            assert one.help and not one.help.endswith("."), (recipe.kind, one.name)


def test_the_command_lists_recipes_and_reports_mistakes(hansu: Run, tmp_path: Path) -> None:
    listed = hansu("train", "connect_four")
    assert listed.returncode == 0 and "alphazero" in listed.stdout and "svm" in listed.stdout
    (tmp_path / "s.toml").write_text("chanels = 3\n")
    for words, error in (
        ((), "name a game"),
        (("chess",), "no game 'chess'"),
        (("tictactoe", "alphazero", "--settings", "s.toml"), "did you mean 'channels'"),
        (("tictactoe", "alphazero", "--set", "batch=many"), "must be an integer"),
        (("tictactoe", "alphazero", "--simulations", "8,x"), "simulations=8,x"),
        (("tictactoe", "alphazero", "--extras", "lefft"), "did you mean 'left'"),
        (("tictactoe", "alphazero", "--network", "towers"), "did you mean 'tower'"),
        (("tictactoe", "alphazero", "--opponent", "mnimax"), "did you mean 'minimax'"),
        (("tictactoe", "alphazero", "--resume", "--run", "nowhere"), "nowhere does not contain a run"),
        (("tictactoe", "alphazero", "--init", "gone.npz"), "no file gone.npz"),
        (("tictactoe", "alphazero", "--openings", "gone.txt"), "cannot read gone.txt"),
        (("tictactoe", "alphazero", "--openings", "s.toml"), "'chanels' is not a legal move"),
        (("tictactoe", "alphazero", "--rating-opponents", "random mnimax"), "did you mean 'minimax'"),
        (("tictactoe", "alphazero", "--run", "s.toml"), "name another folder"),
        (("tictactoe", "quantize", "champion.npz"), "hansu train GAME --export champion.npz"),
        (("tictactoe", "quantize"), "no network was given"),
        (("tictactoe", "alphazero", "s.toml"), "needs no input file, but s.toml was given"),
        (("tictactoe", "alphazero", "-o", "champion.onnx"), "name the folder with --run"),
        (("renju", "engine_games", "s.toml"), "needs no input file"),
        (("tictactoe", "supervised"), "no input file"),
        (("--report", "nowhere"), "nowhere does not contain a run"),
        (("--export", "nowhere"), "does not contain a champion"),
    ):
        done = hansu("train", *words, cwd=tmp_path)
        assert done.returncode == 2 and error in done.stderr and "Traceback" not in done.stderr, (words, done.stderr)
        assert [path.name for path in tmp_path.iterdir()] == ["s.toml"], words  # mistakes leave no files


def test_the_help_of_a_recipe(hansu: Run) -> None:
    done = hansu("train", "renju", "engine_variations", "--help")
    assert done.returncode == 0 and "--plies 5 " in done.stdout and "engine_network" not in done.stdout
    assert "hansu train renju engine_variations FILE --minutes 5 -o variations.npz" in done.stdout
    for word in ("Usage: ", "-o FILE", "--from FILE", "--settings FILE", "--set KEY=VALUE", "--adapt-epochs"):
        assert (word in done.stdout) == (word != "--adapt-epochs"), word
    done = hansu("train", "connect_four", "alphazero", "--help")
    assert "-o FILE" not in done.stdout and "--from" not in done.stdout and "--min-window" in done.stdout
    done = hansu("train", "connect_four", "mlp", "--help")
    assert "--no-side " in done.stdout
    done = hansu("train", "renju", "--help")
    assert done.returncode == 0 and "engine_variations" in done.stdout and "supervised" in done.stdout
    for word in ("--help", "-h"):
        done = hansu("train", word)
        assert done.returncode == 0 and "hansu train connect_four alphazero" in " ".join(done.stdout.split())


def test_python_m_accepts_the_same_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    run, words = tmp_path / "run", ["--steps", "2", "--minutes", "5", "--games", "4", "--simulations", "4"]
    words += ["--batch", "8", "--channels", "4", "--blocks", "1", "--gate", "none", "--rating-opponents", "none"]
    assert module_main(["tictactoe", "alphazero", "--run", str(run), *words]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[-1]["files"] and (run / "champion.npz").is_file()
    for wrong, why in (
        (["chess", "alphazero"], "no game 'chess'"),
        (["tictactoe", "alphazeor"], "no recipe"),
        (["tictactoe", "supervised", "-o", str(tmp_path)], "is a folder"),
        (["renju", "engine_games", "a.npz"], "needs no input file"),
    ):
        assert module_main(wrong) == 2
        assert why in json.loads(capsys.readouterr().out)["error"]
    assert [module_main(words) for words in ([], ["renju"], ["--help"], ["renju", "alphazero", "-h"])] == [2, 2, 0, 0]


@pytest.mark.parametrize(
    ("game", "recipe"),
    [
        ("tictactoe", "quantize"), ("tictactoe", "supervised"), ("connect_four", "mlp"), ("connect_four", "svm"),
        ("connect_four", "best"), ("renju", "engine_games"), ("renju", "engine_variations"), ("renju",
        "engine_network"),
        ("ataxx", "engine_games"), ("ataxx", "engine_network"), ("pacman", "better"),
    ],
)  # fmt: skip
def test_a_folder_as_output_is_rejected_before_the_training(game: str, recipe: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    messages: list[str] = []
    data = tmp_path / ("rows.data" if game == "connect_four" else "x.onnx")
    data.write_text("b," * 42 + "win\n")
    with pytest.raises(HansuError, match="is a folder, not a file") as error:
        recipe_named(recipe, registry.game(game)).from_settings({}).train(
            registry.game(game), Job((data,), tmp_path, messages.append)
        )
    assert "-o FILE" in error.value.hint and not messages
    with pytest.raises(HansuError, match="there is no folder") as error:
        Job((data,), tmp_path / "nowhere" / "file", messages.append)
    assert "-o" in error.value.hint
    with pytest.raises(HansuError, match="is also an input file"):
        Job((data,), tmp_path / "." / data.name, messages.append)


@pytest.mark.parametrize("game", ["renju", "ataxx", "connect_four", "tictactoe", "pacman"])
def test_an_existing_default_output_is_not_overwritten(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By any recipe; it is rejected before the training, for which there is no data here."""
    monkeypatch.chdir(tmp_path)
    for kind, recipe in recipes(registry.game(game)).items():
        instance, job = recipe.from_settings({}), Job((Path("gone.onnx"),) if recipe.reads_files else ())
        for usual in instance.usual_files(registry.game(game), job):
            usual.write_bytes(b"mine")
            with pytest.raises(HansuError, match=f"{usual} already exists") as error:
                instance.carry_out(registry.game(game), job)
            assert "-o FILE" in error.value.hint and usual.read_bytes() == b"mine", kind
            usual.unlink()
            assert instance.usual_files(registry.game(game), job)[0].name in error.value.hint
    known = {kind: cls() for kind, cls in recipes(registry.game(game)).items()}
    silent = {kind for kind, instance in known.items() if not instance.usual_files(registry.game(game), Job())}
    assert silent <= {"alphazero", "engine_terms", "better"}


def test_without_a_graphics_card(hansu: Run, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is one")
    done = hansu("train", "tictactoe", "alphazero", "--device", "cuda", cwd=tmp_path)
    assert done.returncode == 2 and "no CUDA device" in done.stderr and not (tmp_path / "runs").exists()


def test_without_torch(tmp_path: Path) -> None:
    """The error names the package and how to install it."""
    import subprocess
    import sys

    code = """
import sys
sys.modules["torch"] = None
from hansu.cli import main
sys.argv = ["hansu", "train", "tictactoe", "alphazero"]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and "needs torch" in done.stderr and "hansu[train]" in done.stderr
