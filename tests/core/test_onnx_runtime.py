"""Networks run without telemetry: nothing is written into the user's folders, and no name is looked up."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import ROOT, Run


def test_a_network_leaves_no_files(hansu: Run, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "LOCALAPPDATA": str(tmp_path)}
    env = {**os.environ, "HANSU_CACHE": str(tmp_path / "hansu"), **home}
    done = hansu("analyze", "tictactoe", "start", "--player", "policy", "--json", env=env)
    assert done.returncode == 0, done.stderr
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert [file for file in files if file.parts[0] != "hansu"] == []


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_a_network_opens_no_internet_socket(tmp_path: Path) -> None:
    log = tmp_path / "calls"
    command = [sys.executable, "-m", "hansu", "analyze", "tictactoe", "start", "--player", "policy"]
    strace = ["strace", "-f", "-e", "trace=socket,connect,sendto", "-o", str(log), *command]
    done = subprocess.run(strace, capture_output=True, text=True, cwd=ROOT, timeout=240)
    if "ptrace" in done.stderr:
        pytest.skip("this machine does not allow strace")
    assert done.returncode == 0, done.stderr
    assert "AF_INET" not in log.read_text(encoding="utf-8")


def test_nobody_imports_it_otherwise() -> None:
    for file in (ROOT / "src" / "hansu").rglob("*.py"):
        assert file.name == "onnx_runtime.py" or not re.search(
            r"^\s*(import|from) onnxruntime", file.read_text(encoding="utf-8"), re.MULTILINE
        ), file
