"""Lists what each message catalog in `src/hansu/languages/` lacks and what no source uses any more.

    python scripts/translations.py

A message without a translation is shown in English; nothing fails.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ERRORS = {"HansuError", "IllegalMove", "PlayerFault", "TooLarge"}
"""Their texts are templates, as those of `Message` are."""


def templates(package: Path = ROOT / "src" / "hansu") -> Iterator[tuple[str, str, set[str]]]:
    """Every template of the sources: where it is, the text, the names of the parts it is given."""
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            count = {"Message": 1}.get(node.func.id, 2 if node.func.id in ERRORS else 0)
            for text in node.args[:count]:
                if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text.value, {f"{k.arg}" for k in node.keywords}


def main() -> int:
    from hansu.core.language import ENGLISH, languages

    known = {text: where for where, text, _ in templates()}
    for code, language in languages().items():
        if code == ENGLISH:
            continue
        missing = [text for text in known if text not in language.messages]
        unused = [text for text in language.messages if text not in known]
        print(f"{code}: {len(language.messages):,} messages, {len(missing)} missing, {len(unused)} unused")
        for text in missing:
            print(f"  missing  {known[text]}  {text!r}")
        for text in unused:
            print(f"  unused   {text!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
