"""HTML pages that a command writes to a file: one file, no server, no script.

Texts of documents, queries and models come from outside. Each goes through `words`, and the page forbids
itself to load or run anything.
"""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from footnote_cli.render import errors, neutral, outside
from footnote_shared.kernel.errors import InvalidRequest

_LONGEST = 300
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 } h2 { margin-top: 2.5rem }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #e2e8f0; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } .sure { font-weight: 700 }
.miss { color: #9b2c2c } .note { color: #4a5568 } .gone td { color: #718096 }
svg { max-width: 100%; height: auto } svg text { font-size: 12px }
"""


def words(text: str) -> str:
    """A text from outside as text of the page, on one line, cut where it is very long."""
    flat = neutral(text)
    return escape(flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…")


def svg(width: float, height: float, marks: Iterable[str]) -> str:
    """A picture of these marks."""
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img">{"".join(marks)}</svg>'
    )


def html_page(title: str, parts: Iterable[str]) -> str:
    """The page. `title` comes from outside; `parts` are HTML."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{words(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body>\n{chr(10).join(parts)}\n</body></html>\n"
    )


def write_page(file: Path, page: str) -> None:
    """Write the page and say where it is. Raises InvalidRequest where that cannot be done."""
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be written: {error.strerror}.") from error
    errors.print(outside(f"The page is {file}"))
