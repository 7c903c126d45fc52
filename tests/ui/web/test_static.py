"""The files of the page, read as text: no word too few or too many, nothing from elsewhere, nothing inline."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from support.commands import ROOT

import hansu.ui.web
from hansu.core.language import languages

STATIC = Path(hansu.ui.web.__file__).parent / "static"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
PAGES = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.html")}
STYLES = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.css")}


def test_every_word_that_is_asked_for_is_there() -> None:
    known = languages()["en"].page
    asked = {key for text in SCRIPTS.values() for key in re.findall(r'\bt\("(\w+)"', text)}
    assert len(asked) > 80
    assert asked <= set(known)
    counted = {key for text in SCRIPTS.values() for key in re.findall(r'\bcount\("(\w+)"', text)}
    assert {f"{key}_{number}" for key in counted for number in ("one", "many")} <= set(known)


def test_no_word_is_left_over() -> None:
    """A key that no script names, not even as a part of a made name, is dead."""
    code = "\n".join(SCRIPTS.values())
    made = re.findall(r"\bt\(`(\w*)\$\{[^}]*\}(\w*)`", code)
    for key in languages()["en"].page:
        by_parts = any(key.startswith(a) and key.endswith(b) and (a or b) for a, b in made)
        assert f'"{key}"' in code or by_parts or key.removesuffix("_one").removesuffix("_many") in code, key


def test_nothing_comes_from_elsewhere() -> None:
    for name, text in {**SCRIPTS, **PAGES, **STYLES}.items():
        for url in re.findall(r"https?://[^\s\"'`)]+", text):
            assert url == "http://www.w3.org/2000/svg", f"{name}: {url}"


def test_nothing_is_inline() -> None:
    """The content security policy would not let it run."""
    for name, text in PAGES.items():
        assert not re.search(r"\sstyle=|<style|\son\w+=", text), name
        assert re.findall(r"<script[^>]*>([^<]*)</script>", text) in ([], [""]), name
    for name, text in SCRIPTS.items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            name
        )
        assert 'setAttribute("style"' not in text, name


def test_every_import_is_there_and_used() -> None:
    for name, whole in SCRIPTS.items():
        text = re.sub(r"/\*\*.*?\*/", "", whole, flags=re.DOTALL)  # types are imported in comments
        for names, source in re.findall(r'import (?:(\{[^}]*\}|\* as \w+|\w+) from )?"\./([\w.]+)"', text):
            assert source in SCRIPTS, f"{name} imports {source}"
            for one in re.findall(r"\w+", names.replace("* as", "")):
                assert len(re.findall(rf"\b{one}\b", text)) > 1, f"{name} imports {one} and does not use it"
            if names.startswith("{"):
                for one in re.findall(r"\w+", names):
                    assert re.search(rf"export (?:async )?(?:function|class|const|let) {one}\b", SCRIPTS[source]), one


def test_the_types_of_the_messages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "web_types.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_lines_can_be_read() -> None:
    for name, text in {**SCRIPTS, **STYLES}.items():
        if not name.startswith("icons") and not name.endswith(".css"):
            assert max(map(len, text.splitlines())) <= 120, name
        assert len(text.splitlines()) <= 500, name


def test_every_block_of_the_styles_is_closed() -> None:
    """What begins a line is in no block. (A brace too many silently takes the next rule with it.)"""
    for name, text in STYLES.items():
        depth = 0
        for line in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines():
            assert not line or line[0] in " }" or depth == 0, f"{name}: {line}"
            depth += line.count("{") - line.count("}")
            assert depth >= 0, f"{name}: {line}"
        assert depth == 0, name


def test_every_script_is_reached() -> None:
    """From main.js, by imports."""
    seen, ways = set(), ["main.js"]
    while ways:
        name = ways.pop()
        if name not in seen:
            seen.add(name)
            code = re.sub(r"/\*\*.*?\*/", "", SCRIPTS[name], flags=re.DOTALL)
            ways += re.findall(r'from "\./([\w.]+)"', code)
    assert seen == set(SCRIPTS)
