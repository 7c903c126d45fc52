"""For the documentation site: its first pages are the two READMEs, which lie beside docs/. Links out of docs/ lead to
no page of it, so they are only named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PAGES = {"index.md": "README.md", "korean.md": "README.ko.md"}


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each README, its links as they are seen from docs/."""
    for page, readme in PAGES.items():
        text = (ROOT / readme).read_text(encoding="utf-8").replace("](docs/", "](")
        for other, source in PAGES.items():
            text = text.replace(f"]({source})", f"]({other})")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """What is linked outside of docs/ is named, not linked."""
    outside = r"\.\./[^)]+|LICENSE|(?:CONTRIBUTING|SECURITY|CHANGELOG)\.md|(?:examples|benchmarks)[^)]*"
    return re.sub(rf"\[([^\]]+)\]\((?:{outside})\)", r"\1", markdown)
