"""An answer as a client of the OpenAI interface reads it: numbers, annotations, a list of sources. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from footnote_agent.context.client_chat import SOURCES_HEADING
from footnote_agent.context.plain_name import plain_name
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.kernel.citation_tokens import TOKEN
from footnote_shared.kernel.counted import counted

_WEB = re.compile(r"https?://[^\s<>\"'()\[\]]{1,2000}", re.IGNORECASE)


@dataclass(slots=True)
class CitedText:
    """The text that a client has so far, and where in it which number stands."""

    text: str = ""
    numbered: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, piece: str) -> str:
        """A further piece, with tokens as numbers."""
        shown: list[str] = []
        length, done = len(self.text), 0
        for token in TOKEN.finditer(piece):
            shown += (piece[done : token.start()], f"[{token[1]}]")
            length += len(shown[-2]) + len(shown[-1])
            self.numbered.append((int(token[1]), length - len(shown[-1]), length))
            done = token.end()
        shown.append(piece[done:])
        said = "".join(shown)
        self.text += said
        return said

    def withdrawn_in(self, final: str) -> list[int]:
        """The numbers that the client has and the final text has not, once for each place."""
        kept = Counter(int(token[1]) for token in TOKEN.finditer(final))
        return sorted((Counter(n for n, _, _ in self.numbered) - kept).elements())

    def annotations(self, entries: Sequence[CitationEntry]) -> list[dict[str, Any]]:
        """A `url_citation` for each place of a number whose source has an address on the web."""
        with_url = {entry.n: (url, entry) for entry in entries if (url := _address(entry)) is not None}
        return [
            {
                "type": "url_citation",
                "url_citation": {
                    "start_index": start,
                    "end_index": end,
                    "title": plain_name(with_url[n][1].display.title),
                    "url": with_url[n][0],
                },
            }
            for n, start, end in self.numbered
            if n in with_url
        ]


def list_of_sources(entries: Sequence[CitationEntry], withdrawn: Sequence[int] = ()) -> str:
    """What ends an answer with citations: a line for each source, without markup of its own.

    `withdrawn`: a number for each place at which the client has it, and the answer has it no longer.
    """
    lines = [f"- [{entry.n}] {source_line(entry)}" for entry in entries]
    cited = {entry.n for entry in entries}
    for n, places in Counter(withdrawn).items():
        where = f" in {counted(places, 'place')}" if n in cited else ""
        lines.append(f"- [{n}] withdrawn{where}: the passage does not support the sentence")
    return f"\n\n{SOURCES_HEADING}\n\n" + "\n".join(lines) if lines else ""


def source_line(entry: CitationEntry) -> str:
    """Title, source, place and address of a source, on one line."""
    if entry.status is not None:
        return "This source cannot be shown to you now."
    parts = [plain_name(part) for part in _parts(entry) if part]
    url = _address(entry)
    return " · ".join([*dict.fromkeys(parts), *([url] if url else [])])


def _parts(entry: CitationEntry) -> Iterator[str]:
    display = entry.display
    yield display.title
    yield display.source
    yield " > ".join(display.heading_path or ())
    if display.page_start is not None:
        last = display.page_end
        yield f"p. {display.page_start}" + (f"-{last}" if last not in (None, display.page_start) else "")


def _address(entry: CitationEntry) -> str | None:
    url = entry.display.url if entry.status is None else None
    return url if url is not None and _WEB.fullmatch(url) else None
