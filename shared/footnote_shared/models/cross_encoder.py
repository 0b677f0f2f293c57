"""Cross-encoders: models that read a query and a text together and say how well they fit (sentence-transformers)."""

import math
from collections.abc import Sequence
from typing import Protocol

from footnote_shared.kernel.errors import Misconfigured, Unavailable

_BATCH = 16


class PairScorer(Protocol):
    """Scores texts against a query; higher fits better. Safe to call from several threads, one at a time."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite score per text. Raises `Unavailable("rerank")` when the model fails."""


class CrossEncoderModel:
    """A sentence-transformers CrossEncoder with a single output."""

    def __init__(self, name: str, device: str) -> None:
        # Heavy: the import alone takes seconds and hundreds of MiB, and few deployments have a reranker.
        from sentence_transformers import CrossEncoder  # noqa: PLC0415

        try:
            self._model = CrossEncoder(name, device=device)
        except (OSError, ValueError, RuntimeError) as error:
            raise Misconfigured(f"The reranker model {name} cannot be loaded: {error}") from error
        if self._model.num_labels != 1:
            raise Misconfigured(
                f"The reranker model {name} has {self._model.num_labels} outputs; one is needed."
            )

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        try:
            found = self._model.predict(
                [(query, text) for text in texts], batch_size=_BATCH, show_progress_bar=False
            )
        except (RuntimeError, ValueError, IndexError) as error:
            raise Unavailable("rerank", "The reranker failed.") from error
        scores = [float(score) for score in found]
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise Unavailable("rerank", "The reranker gave no usable scores.")
        return scores


def load_cross_encoder(name: str, device: str) -> PairScorer:
    """Load a model from a folder or by its hub name. Raises Misconfigured when that is not possible."""
    return CrossEncoderModel(name, device)
