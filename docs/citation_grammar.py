"""Writes `citation-grammar.md`, the readable form of the table that the tests of the normaliser run through.

python docs/citation_grammar.py
"""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("citation-grammar.json")
PAGE = Path(__file__).with_name("citation-grammar.md")

_INTRODUCTION = """# The citation grammar, by example

This page shows what the normaliser (spec 2.4) makes of what a model writes. `citation_grammar.py` makes it
from `citation-grammar.json`. The tests run every line, cut in every way, and compare the report as well.
Where the live stream and the whole message differ, a line gives both and says why; the second is what is
stored. Unless a line says otherwise, the known numbers are {known}, and the highest number issued is
{highest}. `⏎` is a newline, `→` a tab, `·` a space at an end. There are {count} cases.
"""
_ELLIPSIS = 90


def render(table: dict[str, Any]) -> str:
    """The page for the table."""
    says = {rule["name"]: rule["says"] for rule in table["rules"]}
    parts = [
        _INTRODUCTION.format(
            known=", ".join(map(str, table["known"])), highest=table["highest"], count=len(table["cases"])
        )
    ]
    for rule, cases in groupby(table["cases"], key=lambda case: str(case["rule"])):
        parts.append(
            f"\n## {rule[0].upper()}{rule[1:]}\n\n{says[rule]}\n\n"
            "| written | put out | dropped | |\n|---|---|---|---|\n"
        )
        parts += [_row(case) for case in cases]
    return "".join(parts)


def _row(case: dict[str, Any]) -> str:
    out = "the same" if case["live"] == case["input"] else _code(case["live"])
    if "final" in case:
        out = f"live: {out}<br>whole: {_code(case['final'])}"
    known = (
        f"known: {', '.join(map(str, case['known']))}, highest {case['highest']}" if "known" in case else ""
    )
    cut = "broken off" if case.get("cut") else ""
    notes = "; ".join(filter(None, (case.get("note", ""), cut, known)))
    return f"| {_code(case['input'])} | {out} | {', '.join(map(str, case.get('dropped', [])))} | {notes} |\n"


def _code(text: str) -> str:
    if not text:
        return "nothing"
    if len(text) > _ELLIPSIS:
        text = f"{text[: _ELLIPSIS // 2]}…{text[-_ELLIPSIS // 2 :]}"
    core = text.strip(" ")
    text = (
        "·" * (len(text) - len(text.lstrip(" ")))
        + core
        + ("·" * (len(text) - len(text.rstrip(" "))) if core else "")
    )
    shown = "".join(_visible(character) for character in text)
    fence = "`" * (max((len(list(run)) for mark, run in groupby(shown) if mark == "`"), default=0) + 1)
    space = " " if "`" in shown else ""
    return f"{fence}{space}{shown}{space}{fence}".replace("|", "\\|")


def _visible(character: str) -> str:
    signs = {"\n": "⏎", "\t": "→", "\r": "␍"}
    return signs.get(character) or (character if character.isprintable() else f"<U+{ord(character):04X}>")


if __name__ == "__main__":
    PAGE.write_text(render(json.loads(TABLE.read_text("utf-8"))), "utf-8")
