"""Identifiers: what people search for exactly as it is written, and what a reader of words takes apart.

Examples are `ERR-4042`, `v1.2.3`, `C++`, `app/main.py`, `anna@example.org`, `4.2.7` and `max_connections`.
"""

import re

_RUN = re.compile(r"[0-9A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff@#._+/\\:&\-]+")
"""Letters that are written with spaces between words, digits, and the marks that identifiers have inside."""

_JOINT = re.compile(r"[^0-9A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff]")
_BEFORE = ":/\\&+_"
"""Marks with which no identifier begins. It may begin with others, as `.env`, `#12` and `--all` do."""

_BEHIND = ".:-/\\&@_"
"""Marks with which no identifier ends. It may end with others, as `C++` and `F#` do."""

_PARTS = re.compile(r"[/\\@]")
_TELLING = re.compile(r"[0-9@_#+\\.]|::|^--")
"""Marks that words of prose do not have inside."""

_LONGEST = 200


def identifiers_in(text: str) -> list[str]:
    """Every identifier of the text in lower case, in order, as often as it stands there.

    The parts of a path or an address that are identifiers themselves follow the whole, so that `main.py` is
    found in `app/main.py`. Compounds of prose, such as `well-known` and `and/or`, are none. Time is linear.
    """
    found: list[str] = []
    for run in _RUN.findall(text):
        if run.isalnum():
            # Most runs are plain words, which hold no mark that could join the parts of an identifier.
            continue
        whole = _core(run)
        if _is_identifier(whole):
            found.append(whole.casefold())
            parts = [_core(part) for part in _PARTS.split(whole)]
            if len(parts) > 1:
                found += [part.casefold() for part in parts if _is_identifier(part)]
    return found


def _core(run: str) -> str:
    return run.lstrip(_BEFORE).rstrip(_BEHIND)


def _is_identifier(core: str) -> bool:
    if not 2 <= len(core) <= _LONGEST or not _JOINT.search(core):
        return False
    words = [word for word in _JOINT.split(core) if word]
    if not words:
        return False
    if _TELLING.search(core):
        # Rows of single letters are abbreviations: e.g., i.e., p.m.
        return not ("." in core and len(words) > 1 and all(len(w) == 1 and w.isalpha() for w in words))
    return len(words) > 1 and core.upper() == core
