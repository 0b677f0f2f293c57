"""The same text once. Neighbours stay apart: a citation names one chunk, a merged passage would name none."""

from collections.abc import Sequence

from footnote_retriever.funnel.candidates import Live


def same_text_once(found: Sequence[Live]) -> list[Live]:
    """The first candidate of each text, in the order given. White space makes no text different."""
    seen: set[str] = set()
    kept: list[Live] = []
    for live in found:
        content = live.chunk.content_hash or live.chunk.text_hash
        if content not in seen:
            seen.add(content)
            kept.append(live)
    return kept
