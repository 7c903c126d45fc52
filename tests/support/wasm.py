"""Specialized functions as WebAssembly, run in Node."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hansu.compile.memory_image import MemoryImage
from hansu.compile.wasm import module

START = 1 << 20  # where the memory that a test fills begins
RUNNER = Path(__file__).with_name("run_wasm.mjs")
NODE = shutil.which("node")


def run(
    path: Path, image: MemoryImage, calls: Sequence[tuple[str, Sequence[float]]], read: Sequence[tuple[int, int]] = ()
) -> tuple[list[Any], list[bytes]]:
    """The results of calls, one after the other, and memory (address, bytes) afterwards."""
    assert NODE is not None
    task = {
        "module": str(path), "start": START, "end": image.end, "read": read,
        "memory": [[at, base64.b64encode(content).decode()] for at, content in image.parts()],
        "calls": [{"name": name, "arguments": list(arguments)} for name, arguments in calls],
    }  # fmt: skip
    done = subprocess.run([NODE, str(RUNNER)], input=json.dumps(task), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return [each["value"] for each in answer["results"]], [base64.b64decode(part) for part in answer["read"]]


def built(path: Path, functions: Mapping[str, tuple[Callable[..., Any], Sequence[Any]]], state: type) -> Path:
    path.write_bytes(module(functions, state))
    return path
