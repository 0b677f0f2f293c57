"""The heads of theorems in LaTeX: what a page prints where the file says only `\\begin{lemma}[Zorn]`."""

import re
from collections.abc import Container, Iterator

from footnote_ingest.parsing.markup.latex_code import CODE
from footnote_ingest.parsing.markup.latex_words import UNREAD

_BEGIN = re.compile(r"\\begin\{([A-Za-z]{1,40})(\*?)\}(?:[ \t]?\[([^\[\]\n]{0,200})\])?")
_NEW = re.compile(
    r"\\newtheorem\*?[ \t]?\{([A-Za-z]{1,40})\*?\}[ \t]?(?:\[[^\[\]\n]{0,60}\])?[ \t]?\{([^{}\\\n]{1,60})\}"
)
_DECLARED = re.compile(r"\\declaretheorem(?:\[([^\[\]]{0,300})\])?\{([A-Za-z]{1,40})\}")
_NAME = re.compile(r"(?:^|,)\s*name\s*=\s*\{?([^,{}]{1,60})")
_HEADS = {
    name: name.capitalize()
    for name in (
        "theorem",
        "lemma",
        "corollary",
        "proposition",
        "definition",
        "conjecture",
        "remark",
        "proof",
    )
}
"""What classes of journals and amsthm define."""


def with_theorem_heads(text: str, code: Container[str] = CODE) -> str:
    """The text with the head of each theorem written out, such as "Lemma (Zorn).", without its number.

    `code` are the environments in which nothing is a theorem.
    """
    if "\\begin{" not in text:
        return text
    heads = {**_HEADS, **dict(_defined(text))}
    parts: list[str] = []
    done = at = 0
    while (found := _BEGIN.search(text, at)) is not None:
        at = found.end()
        name = found[1]
        if name + found[2] in UNREAD or name + found[2] in code:
            end = text.find(f"\\end{{{name}{found[2]}}}", at)
            at = len(text) if end < 0 else end
        elif name in heads:
            parts += [
                text[done : found.start()],
                f"\\begin{{{name}{found[2]}}}{{}}",
                _head(heads[name], found),
            ]
            done = at
    return "".join(parts) + text[done:]


def _head(head: str, found: re.Match[str]) -> str:
    said = (found[3] or "").strip()
    if not said:
        return f"{head}. "
    # What a proof is called stands in the place of its name.
    return f"{said}. " if found[1] == "proof" else f"{head} ({said}). "


def _defined(text: str) -> Iterator[tuple[str, str]]:
    for found in _NEW.finditer(text):
        yield found[1], found[2].strip()
    for found in _DECLARED.finditer(text):
        named = _NAME.search(found[1] or "")
        yield found[2], named[1].strip() if named is not None else found[2].capitalize()
