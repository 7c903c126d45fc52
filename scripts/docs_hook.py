"""Hooks of the documentation site: the two READMEs become its first pages, and links out of docs/ become plain text."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {"index.md": "README.md", "korean.md": "README.ko.md"}


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each README, its links as they are seen from docs/."""
    for page, readme in PAGES.items():
        text = (ROOT / readme).read_text(encoding="utf-8").replace("](docs/", "](")
        for other, source in PAGES.items():
            text = text.replace(f"]({source})", f"]({other})")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links that lead out of docs/ (to sources, examples, other files of the repository) become plain text."""
    folder = posixpath.dirname(page.file.src_uri)

    def linked(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        path = posixpath.normpath(posixpath.join(folder, target))
        inside = re.match(r"\w+:|#", target) or path in PAGES or (not path.startswith("..") and (DOCS / path).is_file())
        return match[0] if inside else text

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(?:#[^)]*)?\)", linked, markdown)
