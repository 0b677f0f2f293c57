"""The rerankers that the settings name."""

import json
from collections.abc import Mapping

from footnote_retriever.rerankers.cross_encoder import LocalReranker, load_pair_scorer
from footnote_retriever.rerankers.http_reranker import http_reranker
from footnote_retriever.rerankers.protocol import Reranker
from footnote_shared.contracts.search import Reranker as RerankerName
from footnote_shared.models.cross_encoder import PairScorer
from footnote_shared.settings.base import Settings


def configured_rerankers(settings: Settings) -> Mapping[RerankerName, Reranker]:
    """By name, in the order in which `auto` prefers them; never `late`. A local model begins to load.

    Call it in the event loop that searches. Raises Misconfigured.
    """
    found: dict[RerankerName, Reranker] = {}
    if settings.reranker_model:
        local = LocalReranker(
            "cross_encoder",
            lambda: load_pair_scorer(
                settings.reranker_model, settings.reranker_device, settings.reranker_runtime
            ),
        )
        local.begin_loading()
        found[local.name] = local
    over_http = http_reranker(settings)
    if over_http is not None:
        found[over_http.name] = over_http
    if settings.reranker_late:
        late = LocalReranker("late", lambda: _max_sim(settings))
        late.begin_loading()
        found[late.name] = late
    return found


def _max_sim(settings: Settings) -> PairScorer:
    # The runtime takes 18 MB to import, and few ask for this.
    from footnote_shared.embedding.token_vectors import load_max_sim  # noqa: PLC0415

    return load_max_sim(settings)


def rerankers_mark(settings: Settings) -> str:
    """What differs where rerankers may give other scores. It holds no key."""
    return json.dumps(
        [
            settings.reranker_model,
            settings.reranker_device,
            settings.reranker_runtime,
            settings.reranker_http,
            settings.reranker_http_url,
            settings.reranker_http_model,
            settings.reranker_http_chars,
            [settings.reranker_late, settings.embedding_model] if settings.reranker_late else None,
        ]
    )
