"""The folder of a run: locks, logs, checkpoints, shards, and their failures."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.sample_arrays import equal, some

from hansu.core import HansuError, registry
from hansu.learn import run as run_module
from hansu.learn.run import Run, ShardWriter, read_arrays, save_arrays
from hansu.learn.run_report import write_report
from hansu.learn.samples import Board, Samples


def opened(folder: Path) -> Run:
    run = Run(folder)
    run.begin({"game": "tictactoe"})
    return run


def test_two_runs_in_one_folder_are_rejected(tmp_path: Path) -> None:
    run = opened(tmp_path / "a")
    with pytest.raises(HansuError, match=r"another run is active in .*\(process \d+"):
        Run(tmp_path / "a").resume()
    run.close()
    again = Run(tmp_path / "a")
    assert again.resume() == {"game": "tictactoe"}
    again.close()
    with pytest.raises(HansuError, match="already contains a run") as error:
        Run(tmp_path / "a").begin({})
    assert "--resume" in error.value.hint


def test_a_killed_run_leaves_no_lock(tmp_path: Path) -> None:
    code = f"""
import os, signal, pathlib
from hansu.learn.run import Run
run = Run(pathlib.Path({str(tmp_path / "a")!r}))
run.begin({{}})
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    run = Run(tmp_path / "a")
    run.resume()
    run.close()


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(HansuError, match="does not contain a run"):
        Run(tmp_path / "nothing").resume()
    for content in (b"{ half a", b"[]", b"7", b"[" * 100_000, b"\xff\xfe", b""):
        (tmp_path / "run.json").write_bytes(content)
        with pytest.raises(HansuError, match=r"cannot (be )?read|does not describe a run"):
            Run(tmp_path).resume()


def drawn(folder: Path, facts: dict[str, Any], row: dict[str, Any], named: str = "") -> str:
    """The report of a run with these files."""
    folder.mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps(facts))
    (folder / "log.jsonl").write_text(json.dumps(row) + "\n")
    return write_report(folder, registry.game(named) if named else None).read_text()


PLAYED = {"kind": "game", "first": "start", "moves": [], "seconds": 1.0}


def test_a_report_runs_no_file(tmp_path: Path, nim_path: Path) -> None:
    """A run's files are data: positions of a user's game are drawn only if the user names the game."""
    mine, ran = tmp_path / "mine.py", tmp_path / "ran"
    mine.write_text(f"open({str(ran)!r}, 'w').close()\n" + nim_path.read_text())
    picture = 'class="game"'
    assert picture in drawn(tmp_path / "a", {"game": "tictactoe"}, PLAYED)
    for spec in (str(mine), f"{mine}:heap=3", f"tree:file={mine}"):
        assert picture not in drawn(tmp_path / "b", {"game": spec}, PLAYED)
        assert picture not in drawn(tmp_path / "b", {"game": spec}, PLAYED, "tictactoe")
    assert not ran.exists()
    assert picture in drawn(tmp_path / "b", {"game": f"{mine}:heap=3"}, PLAYED, str(mine))
    assert ran.exists()


def test_reports_of_invalid_files(tmp_path: Path) -> None:
    """A report or an error; and the files' texts are escaped in the report."""
    page = drawn(tmp_path / "a", {"game": "<b>", "settings": {"<script>": "<script>"}}, {"kind": "progress"})
    assert "<b>" not in page and page.count("<script>") == 1
    odd: list[Any] = [None, 7, -1e300, "x", [], ["x"], {}, {"x": []}, True]
    for value in odd:
        for facts in ({"game": value}, {"settings": value}, {"parameters": value}, {"recipe": value}):
            for row in (PLAYED, {**PLAYED, "first": value}, {**PLAYED, "moves": value}, {**PLAYED, "seconds": value}):
                with suppress(HansuError):
                    drawn(tmp_path / "a", facts, row)
        for name in ("seconds", "games", "policy_loss", "simulations_a_second", "elo", "name"):
            for kind in ("progress", "rating"):
                with suppress(HansuError):
                    drawn(tmp_path / "a", {}, {"kind": kind, "seconds": 1.0, name: value})


@pytest.mark.parametrize("key", ["opponent", "rating_opponents"])
def test_a_resumed_run_starts_no_program(tmp_path: Path, key: str) -> None:
    """Unless the user names the program."""
    pytest.importorskip("torch")
    from hansu.learn.alphazero.training import check_no_programs

    game, run, program = registry.game("ataxx"), Run(tmp_path), "uai:cmd=/bin/true"
    check_no_programs(run, {"given": {key: "mcts:simulations=5 engine"}}, {}, game)
    check_no_programs(run, {"given": {key: program}}, {key: program}, game)
    with pytest.raises(HansuError, match="name a program"):
        check_no_programs(run, {"given": {key: f"random {program}"}}, {}, game)
    for odd in (None, [], {"against": 7}, "x"):
        with pytest.raises(HansuError, match="does not contain the files of a run"):
            check_no_programs(run, {"given": odd}, {}, game)


def test_a_truncated_log(tmp_path: Path) -> None:
    run = opened(tmp_path)
    run.log({"kind": "progress", "games": 3})
    run.log({"kind": "progress", "games": 4})
    run.close()
    path = tmp_path / "log.jsonl"
    path.write_text(path.read_text() + '{"kind": "progress", "ga')
    assert [row["games"] for row in Run(tmp_path).read_log()] == [3, 4]


def test_the_last_checkpoints_and_the_last_valid_one(tmp_path: Path) -> None:
    run = opened(tmp_path)
    assert run.last_checkpoint() is None
    for steps in range(5):
        run.save_checkpoint({"w": np.full(1000, steps)}, {"steps": steps})
    names = sorted(path.name for path in run.checkpoints.iterdir())
    assert names == ["000000002.npz", "000000003.npz", "000000004.npz"]
    newest = run.checkpoints / names[-1]
    content = newest.read_bytes()
    for damaged in (content[:500], content[:-30], content[:2000] + b"x" + content[2001:], b""):
        newest.write_bytes(damaged)
        checkpoint = run.last_checkpoint()
        assert checkpoint is not None
        arrays, facts, problems = checkpoint
        assert facts == {"steps": 3} and (arrays["w"] == 3).all()
        assert len(problems) == 1 and names[-1] in problems[0]
    for path in run.checkpoints.iterdir():
        path.write_bytes(b"nothing")
    with pytest.raises(HansuError, match="no checkpoint is usable"):
        run.last_checkpoint()
    run.close()


def test_arrays_never_unpickle(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", facts=np.array([{"a": 1}], dtype=object))
    with pytest.raises(HansuError, match="cannot be used"):
        read_arrays(tmp_path / "a.npz")


def test_shards_grow_and_the_oldest_are_deleted(tmp_path: Path) -> None:
    run, board = opened(tmp_path), Board(registry.game("tictactoe"))
    writer = ShardWriter(run, board, size=100, keep=150)
    parts = [some(board, 40, seed) for seed in range(12)]
    for part in parts[:2]:
        writer.add(part)
    assert [path.suffix for path in run.shards()] == [".part"]
    for part in parts[2:]:
        writer.add(part)
    read, damaged = run.read_samples(board, 10_000)
    assert not damaged and all(equal(a, b) for a, b in zip(parts[-len(read) :], read, strict=True))
    assert 150 <= sum(map(len, read)) < 400
    newest, _ = run.read_samples(board, 50)
    assert 50 <= sum(map(len, newest)) <= 120 and equal(newest[-1], parts[-1])
    writer.close()
    run.close()


def test_a_truncated_shard(tmp_path: Path) -> None:
    """The complete blocks of a killed run are read; the next process writes to another file."""
    run, board = opened(tmp_path), Board(registry.game("tictactoe"))
    writer = ShardWriter(run, board, size=1000, keep=0)
    parts = [some(board, 40, seed) for seed in range(3)]
    for part in parts[:2]:
        writer.add(part)
    [growing] = run.shards()
    growing.write_bytes(growing.read_bytes()[:-5])
    run.close()

    run = Run(tmp_path)
    run.resume()
    read, damaged = run.read_samples(board, 1000)
    assert [damage.what for damage in damaged] == ["cut off"] and equal(Samples.join(read), parts[0])
    writer = ShardWriter(run, board, size=1000, keep=0)
    writer.add(parts[2])
    writer.close()
    read, _ = run.read_samples(board, 1000)
    assert len(read) == 2 and equal(read[1], parts[2]) and len(run.shards()) == 2
    run.close()


def test_a_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = opened(tmp_path)
    run.save_checkpoint({"w": np.zeros(10)}, {"steps": 1})

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(run_module.os, "fsync", full)
    with pytest.raises(HansuError, match="the disk is full") as error:
        run.save_checkpoint({"w": np.zeros(10)}, {"steps": 2})
    assert "--resume" in error.value.hint
    monkeypatch.undo()
    assert [path.name for path in run.checkpoints.iterdir()] == ["000000001.npz"]  # no partial file is left
    run.close()


def test_a_failed_start_leaves_the_folder_unchanged(tmp_path: Path) -> None:
    existing = tmp_path / "existing"
    (existing / "samples").mkdir(parents=True)
    (existing / "notes.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    for folder in (tmp_path / "new" / "er" / "run", existing):
        for stopped in (HansuError("rejected"), KeyboardInterrupt()):
            run = Run(folder)
            with pytest.raises(type(stopped)), run.starting():
                run.begin({})
                run.log({"kind": "damage"})
                save_arrays(run.champion, {}, {})
                raise stopped
            assert sorted(tmp_path.rglob("*")) == before
    run = opened(existing)  # the next start succeeds
    with pytest.raises(HansuError, match="another run is active"), (other := Run(existing)).starting():
        other.resume()
    assert run.exists and run.log_path.is_file()
    run.close()
    with pytest.raises(HansuError, match="rejected"), (again := Run(existing)).starting():
        again.resume()
        raise HansuError("rejected")
    assert run.exists and run.log_path.is_file()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HansuError, match="is a file, not a folder") as error:
        Run(tmp_path / "file").begin({})
    assert "name another folder" in error.value.hint
    with pytest.raises(HansuError, match="cannot write") as error:
        Run(tmp_path / "file" / "run").begin({})
    assert "free some space" not in error.value.hint
    with pytest.raises(HansuError, match="cannot write"):
        save_arrays(tmp_path / "file" / "a.npz", {}, {})
