"""Writes the web app's messages as types for its scripts: python scripts/web_types.py [--check]

`src/hansu/ui/web/messages.py` says what page and server tell each other; `messages.d.ts` beside it says the same to the
type checker of `static/*.js` (`make lint`). `--check` only says whether it is up to date.
"""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from hansu.core import MoveValue, Report
from hansu.ui.web.messages import client_messages, server_messages

FILE = Path(__file__).parents[1] / "src" / "hansu" / "ui" / "web" / "messages.d.ts"
HEAD = "// The messages of messages.py, written by scripts/web_types.py. Do not edit.\n"
WORDS = "export type Words = Record<string, string>; // a text by language\n"
VALUE = """export interface Value {
  value?: number | null;
  proved?: boolean;
  plies?: number;
  bound?: "<=" | ">=";
}
"""
REPORTED = {  # what is not a number in a report as JSON
    "line": "Array<string>", "moves": "Array<MoveValue>", "chances": "[number, number, number] | null",
    "shares": "Array<number>",
}  # fmt: skip
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def types() -> str:
    """Every message and its parts, a report, a union of what the server tells and one of what a page asks."""
    told = server_messages.json_schema(mode="serialization")
    asked = client_messages.json_schema()
    models = asked["$defs"] | told["$defs"]
    parts = [_model(name, models[name], always=name not in asked["$defs"]) for name in sorted(models)]
    unions = [f"export type ServerMessage = {_type(told)};", f"export type ClientMessage = {_type(asked)};"]
    why = {"move?": "string | null", "why?": "string | Words"}
    return "\n".join(
        [HEAD, WORDS, *parts, VALUE, _reported(MoveValue, {"move": "string"}), _reported(Report, why), *unions, ""]
    )


def _reported(of: type, more: dict[str, str]) -> str:
    """A dataclass of `hansu.core.report` as its JSON: what is not known is not there."""
    own = {f"{f.name}?": REPORTED.get(f.name, "number") for f in fields(of) if f.name not in ("value", "action")}
    lines = [f"  {name}: {kind};" for name, kind in (more | own).items()]
    return "\n".join([f"export interface {of.__name__} extends Value {{", *lines, "}", ""])


def _model(name: str, schema: dict[str, Any], always: bool) -> str:
    """`always`: what the server tells has all its fields, what a page asks needs only those without a default."""
    needed = set(schema["properties"] if always else schema.get("required", ()))
    fields = [f"  {field}{'' if field in needed else '?'}: {_type(of)};" for field, of in schema["properties"].items()]
    return "\n".join([f"export interface {name} {{", *fields, "}", ""])


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(dict.fromkeys(_type(one) for one in schema[several]))
    if "const" in schema or "enum" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        return " | ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in values)
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(_type(one) for one in schema['prefixItems'])}]"
        return f"Array<{_type(schema['items'])}>"
    if kind == "object" and schema.get("title") == "Report":
        return "Report"
    if kind == "object":
        of = schema.get("additionalProperties", True)
        return f"Record<string, {_type(of) if isinstance(of, dict) else 'any'}>"
    return PLAIN[kind] if kind else "any"


def main() -> None:
    if "--check" in sys.argv[1:]:
        if not FILE.is_file() or FILE.read_text(encoding="utf-8") != types():
            raise SystemExit(f"{FILE.name} is not up to date: python scripts/web_types.py")
        return
    FILE.write_text(types(), encoding="utf-8")


if __name__ == "__main__":
    main()
