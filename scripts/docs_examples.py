"""For the documentation site's reference: examples in docstrings (`>>> ...` and what follows) are shown as code."""

from __future__ import annotations

from typing import Any

import griffe


class Examples(griffe.Extension):  # type: ignore[misc]
    """Called by griffe for everything that it reads."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put examples between fences."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """A docstring with each example, up to the next empty line, as a block of code.

    >>> print(fenced("Adds.\\n\\n>>> 1 + 1\\n2\\n\\nThat is all."))
    Adds.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    <BLANKLINE>
    That is all.
    """
    made, inside = [], False
    for line in text.split("\n"):
        if not inside and line.startswith(">>>"):
            made.append("```pycon")
            inside = True
        elif inside and not line.strip():
            made.append("```")
            inside = False
        made.append(line)
    return "\n".join([*made, "```"] if inside else made)
