"""The port to rerankers."""

from collections.abc import Sequence
from typing import Protocol

from footnote_shared.contracts.search import Reranker as RerankerName


class Reranker(Protocol):
    """Reads query and text together. `name` is the value of the setting `reranker` that asks for it."""

    name: RerankerName

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite score per text, higher is better. Raises a FootnoteError when it cannot."""

    async def close(self) -> None:
        """Give back what the reranker holds."""
