"""The WebAssembly target: specialized functions as one module for browsers and Node.

    module({"play": (play, (state, 0)), ...}, type(state)) -> bytes

Every exported function takes and returns plain numbers. A state is passed by the address of its words (int64 each, in
the order of `flat`), and a function that returns a state writes its words to the address `out`, its first parameter:

    play(out: i32, state: i32, action: i32)        legal(state: i32, action: i32) -> f64

Integers are i32 parameters, floats f64; results are f64, exact up to 2**53. The module imports `env.log` and its like
where a function needs them, and exports its memory.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hansu.compile.llvm_ir import Function, Lowered, lower
from hansu.core.errors import HansuError

TRIPLE = "wasm32-unknown-unknown"
LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
LINKING_SECONDS = 120


def module(functions: Mapping[str, tuple[Callable[..., Any], Sequence[Any]]], state: type) -> bytes:
    """One WebAssembly module with these functions for a state class; each comes with example arguments."""
    linker = find_linker()  # before the work
    lowered = lower(functions, state)
    wrappers = [_wrapper(name, lowered.functions[name], arguments, state) for name, (_, arguments) in functions.items()]
    return link(_object(lowered, wrappers, list(functions)), list(functions), linker)


def find_linker() -> list[str]:
    """The command of a WebAssembly linker: LLVM's `wasm-ld`, or the one in the package `ziglang`."""
    for name in ("wasm-ld", *(f"wasm-ld-{version}" for version in range(30, 13, -1))):
        if path := shutil.which(name):
            return [path]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    raise HansuError(
        "WebAssembly needs a linker, and there is no wasm-ld",
        "pip install 'hansu[export]', or install lld (Debian: apt install lld; macOS: brew install lld)",
    )


def _object(lowered: Lowered, wrappers: list[str], exports: list[str]) -> bytes:
    """A WebAssembly object file of the functions behind their wrappers."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    text = re.sub(r'target datalayout = ".*"', f'target datalayout = "{LAYOUT}"', lowered.text)
    text = re.sub(r'target triple = ".*"', f'target triple = "{TRIPLE}"', text)
    made = llvm.parse_assembly(text + "\n".join(wrappers))
    made.verify()
    for value in [*made.functions, *made.global_variables]:
        if not value.is_declaration and value.name not in exports:
            value.linkage = "internal"
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(made, passes)
    return bytes(machine.emit_object(made))


def link(code: bytes, exports: Sequence[str], linker: Sequence[str]) -> bytes:
    """The module of one object file; what it does not define is imported from `env`."""
    with tempfile.TemporaryDirectory(prefix="hansu-wasm-") as folder:
        source, target = Path(folder) / "module.o", Path(folder) / "module.wasm"
        source.write_bytes(code)
        flags = ["--no-entry", "--allow-undefined", "--strip-all", "--export=__heap_base"]
        command = [*linker, *flags, *(f"--export={name}" for name in exports), str(source), "-o", str(target)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LINKING_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise HansuError("{linker} cannot be run: {error}", linker=linker[0], error=error) from None
        if done.returncode:
            raise HansuError("{linker} failed: {reason}", linker=linker[0], reason=done.stderr.strip()[-500:])
        return target.read_bytes()


def _wrapper(name: str, function: Function, arguments: Sequence[Any], state: type) -> str:
    """LLVM IR of the exported function, which unpacks states from memory and returns a plain number."""
    parameters: list[str] = []
    body = [f"%result = alloca {function.result}", "%exception = alloca ptr"]
    passed = ["ptr %result", "ptr %exception"]
    types = iter(function.arguments)
    gives_state = function.result[0] in "[{"
    if gives_state:
        parameters.append("i32 %out")
    for number, argument in enumerate(arguments):
        parameter = f"%p{number}"
        if isinstance(argument, tuple):
            parameters.append(f"i32 {parameter}")
            for word in range(len(_words(argument))):
                kind = next(types)
                at, value = f"{parameter}_{word}a", f"{parameter}_{word}"
                body.append(f"{at}o = add i32 {parameter}, {8 * word}")
                body.append(f"{at} = inttoptr i32 {at}o to ptr")
                body.append(f"{value}w = load i64, ptr {at}")
                body.append(f"{value} = {_cast('i64', kind, value + 'w')}")
                passed.append(f"{kind} {value}")
            continue
        if hasattr(argument, "ctypes"):  # a contiguous array in one dimension, passed by its address
            kinds = [next(types) for _ in range(7)]
            parameters.append(f"i32 {parameter}")
            body.append(f"{parameter}v = inttoptr i32 {parameter} to ptr")
            length, size = len(argument), argument.itemsize
            values = ("null", "null", length, size, f"{parameter}v", length, size)
            passed += [f"{kind} {value}" for kind, value in zip(kinds, values, strict=True)]
            continue
        kind = next(types)
        if kind in ("double", "float"):
            parameters.append(f"double {parameter}")
            body.append(f"{parameter}v = {_cast('double', kind, parameter)}")
        else:
            parameters.append(f"i32 {parameter}")
            body.append(f"{parameter}v = {_cast('i32', kind, parameter)}")
        passed.append(f"{kind} {parameter}v")
    body.append(f"%status = call i32 @{function.symbol}({', '.join(passed)})")
    if gives_state:
        for word, (path, kind) in enumerate(_leaves(function.result)):
            indices = "".join(f", i32 {index}" for index in path)
            body.append(f"%r{word}p = getelementptr {function.result}, ptr %result, i32 0{indices}")
            body.append(f"%r{word} = load {kind}, ptr %r{word}p")
            body.append(f"%r{word}w = {_cast(kind, 'i64', f'%r{word}')}")
            body.append(f"%r{word}o = add i32 %out, {8 * word}")
            body.append(f"%r{word}a = inttoptr i32 %r{word}o to ptr")
            body.append(f"store i64 %r{word}w, ptr %r{word}a")
        body.append("ret void")
    elif function.result == "ptr":
        body.append("ret void")
    else:
        body.append(f"%value = load {function.result}, ptr %result")
        body.append(f"%number = {_cast(function.result, 'double', '%value')}")
        body.append("ret double %number")
    result = "void" if gives_state or function.result == "ptr" else "double"
    lines = "\n".join(f"  {line}" for line in body)
    return f"\ndefine {result} @{name}({', '.join(parameters)}) {{\n{lines}\n}}\n"


def _words(value: Any) -> list[Any]:
    """The words of a state, tuples inside it taken apart."""
    if isinstance(value, tuple):
        return [word for part in value for word in _words(part)]
    return [value]


def _cast(source: str, target: str, value: str) -> str:
    """An instruction that turns a number of one LLVM type into another."""
    if source == target:
        return f"bitcast {source} {value} to {target}"
    floats = ("float", "double")
    if source in floats and target in floats:
        return f"{'fpext' if source == 'float' else 'fptrunc'} {source} {value} to {target}"
    if target in floats:
        # A bool is one byte without a sign.
        return f"{'uitofp' if source in ('i1', 'i8') else 'sitofp'} {source} {value} to {target}"
    narrower = int(target[1:]) < int(source[1:])
    widen = "zext" if source in ("i1", "i8") else "sext"
    return f"{'trunc' if narrower else widen} {source} {value} to {target}"


def _leaves(kind: str, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    """The numbers inside an LLVM struct or array type, each with the indices that lead to it."""
    if array := re.fullmatch(r"\[(\d+) x (.*)\]", kind):
        for index in range(int(array[1])):
            yield from _leaves(array[2], (*path, index))
    elif kind.startswith("{"):
        for index, part in enumerate(_parts(kind[1:-1])):
            yield from _leaves(part, (*path, index))
    else:
        yield path, kind


def _parts(text: str) -> list[str]:
    """The types between the commas of a struct."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]
