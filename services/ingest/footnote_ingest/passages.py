"""What a file says and how it is cut, without a store: `footnote eval documents` measures this.

The way of a file is that of a worker: the same sandbox, the same limits, the same chunks. It is told in plain
data, because the shell finds this module by name and imports no types of ours.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.runs import is_caption
from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.parsing.elements import Element, Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parse_limits import ParseLimits
from footnote_ingest.sandbox.sandbox import Sandbox
from footnote_ingest.tasks.resources import chunk_limits_of
from footnote_shared.embedding.load import load_tokenizer, token_limit
from footnote_shared.settings.base import Settings

_DEEPEST: Final = 3
"""How far files inside files are followed."""

_FORMS: Final = {"table": "table", "code": "code", "transcript": "transcript"}


class PassageReader:
    """Reads files one after another. Close it, so that its processes end."""

    def __init__(self, settings: Settings) -> None:
        self._sandbox = Sandbox(ParseLimits.from_settings(settings), confinement=settings.parse_confinement)
        self._counter = TokenCounter(load_tokenizer(settings))
        self._limits = chunk_limits_of(settings, token_limit(settings), self._counter)

    def read(self, content: bytes, filename: str, mime: str = "", depth: int = 0) -> Mapping[str, Any]:
        """The `title`, the `passages` and the `attachments` of a file, or its `failure`, a sentence.

        `left_out` are running heads and the like that were left out on purpose.
        A passage has `text`, `kind`, `headings`, `page` and `last_page` (None without pages), and `forms`:
        which of prose, table, code and transcript it is made of. An attachment is told as a file is.
        """
        try:
            said = self._sandbox.parse(content, filename, mime)
        except ParseFailed as failure:
            none: dict[str, Any] = {"left_out": [], "passages": [], "attachments": []}
            return {"failure": failure.reason, "title": filename, **none}
        title = said.title or filename
        ends = [element.char_end for element in said.elements]
        return {
            "failure": None,
            "title": title,
            "left_out": [line for line in said.metadata.get("left_out", "").split("; ") if line],
            "passages": [
                _passage(draft, _within(draft, said, ends))
                for draft in chunk_document(said, self._counter, self._limits, title=title)
            ],
            "attachments": [
                self.read(inner.content, inner.name, inner.mime, depth + 1)
                for inner in (said.attachments if depth < _DEEPEST else ())
            ],
        }

    def close(self) -> None:
        """End the processes that parse."""
        self._sandbox.close()


def _within(draft: ChunkDraft, said: Extracted, ends: Sequence[int]) -> Iterator[Element]:
    """The elements that the chunk holds some of. `ends` are where all elements end, in their order."""
    for at in range(bisect_right(ends, draft.char_start), len(ends)):
        if said.elements[at].char_start >= draft.char_end:
            return
        yield said.elements[at]


def _passage(draft: ChunkDraft, within: Iterable[Element]) -> dict[str, Any]:
    return {
        "text": draft.text,
        "kind": draft.kind,
        "headings": list(draft.heading_path),
        "page": draft.page_start,
        "last_page": draft.page_end,
        "forms": sorted({_form(element) for element in within if _counts(element, draft)}),
    }


def _counts(element: Element, draft: ChunkDraft) -> bool:
    """Whether the element says what kind the chunk is; headings and captions go with what they are about.

    The caption of a table may be a paragraph, as in books.
    """
    caption = element.kind in ("title", "image_caption") or (draft.kind == "table" and is_caption(element))
    return not caption


def _form(element: Element) -> str:
    return _FORMS.get(element.kind, "prose")
