"""The step "budget": the passages of one search into its tokens, as its settings say (spec 4.2.10)."""

from collections.abc import Sequence
from dataclasses import dataclass

from footnote_retriever.funnel.budget import CountTokens, Taken, Text, fit
from footnote_retriever.funnel.candidates import Live, is_plain
from footnote_retriever.funnel.shorten import Shortenable, best_parts
from footnote_shared.contracts.search import SearchSettings

_WHOLE = frozenset({"table", "code"})
"""Kinds of chunks of which a part says something else than the whole."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """What passes the gate, best first, on its way into the budget."""

    query: str
    live: Sequence[Live]
    settings: SearchSettings
    count: CountTokens

    @property
    def counts(self) -> bool:
        """Whether tokens have to be counted, which takes milliseconds."""
        known = [one.chunk.tokens for one in self.live if one.chunk.tokens is not None]
        return len(known) < len(self.live) or (
            self.settings.clip and sum(known) > self.settings.context_tokens
        )

    def taken(self) -> list[Taken]:
        """All passages if they have room together. Else as much as has, in their order."""
        budget = self.settings.context_tokens
        texts = [Text(one.chunk.text, one.chunk.tokens, one.chunk.language) for one in self.live]
        if self.settings.clip and self.settings.shorten:
            if any(text.tokens is None for text in texts):
                texts = [text._replace(tokens=self.count(text.text)) for text in texts]
            if sum(text.tokens or 0 for text in texts) > budget:
                parts = best_parts(self.query, list(map(_shortenable, self.live)), budget, self.count)
                if parts:
                    return parts
        return fit(texts, budget, self.count, clip=self.settings.clip)


def _shortenable(live: Live) -> Shortenable:
    chunk = live.chunk
    whole = chunk.kind in _WHOLE or not is_plain(chunk)
    return Shortenable(chunk.text, chunk.document_id, chunk.char_start, chunk.language, whole)
