"""A reranker behind HTTP: a server of one's own, or a provider's."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from footnote_retriever.rerankers.wire_shapes import SHAPES, RerankShape, scores_in
from footnote_shared.contracts.search import Reranker as RerankerName
from footnote_shared.egress.client import EgressClient, FetchAsked, Fetched, FetchLimits
from footnote_shared.egress.policy import EgressPolicy, policy_of
from footnote_shared.egress.retry_after import retry_after
from footnote_shared.egress.targets import origin_of, read_target
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError, Misconfigured, TooMany, Unavailable
from footnote_shared.settings.base import Settings

_LONGEST_ANSWER = 2 * 2**20
_AT_ONCE = 4
"""Requests of one search that are on their way at the same time."""

_TRY_LATER = (408, 424, 429)
"""TEI says 424 where its model fails."""

_LONGEST_REST_S = 60.0
"""Seconds that a server which asks for a rest is left alone at most. After them it is asked again."""


@dataclass(frozen=True, slots=True)
class RerankEndpoint:
    """Where a reranker is asked, in which shape, and with how much at once.

    `most_chars` are sent of each text, `most_texts` in one request, and each request has `total_s` seconds.
    """

    shape: RerankShape
    url: str
    model: str
    key: str = field(repr=False)
    most_texts: int
    most_chars: int
    total_s: float


class HttpReranker:
    """One per process. It keeps its connections, so it belongs to one event loop."""

    name: RerankerName = "http"

    def __init__(
        self, endpoint: RerankEndpoint, client: EgressClient, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` gives seconds, for how long a server is left alone."""
        self._endpoint = endpoint
        self._client = client
        self._clock = clock
        self._rests_until = clock()

    @property
    def address(self) -> str:
        """Where it is asked."""
        return self._endpoint.url + self._endpoint.shape.path

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raises Misconfigured where an operator has to act, TryLater else, and what fetches raise.

        While the server is left alone it is not asked.
        """
        if self._clock() < self._rests_until:
            raise TooMany("The reranker asked to be left alone for a while.", retry_after=1.0)
        size = self._endpoint.most_texts
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        slots = asyncio.Semaphore(_AT_ONCE)
        try:
            async with asyncio.TaskGroup() as group:
                asked = [group.create_task(self._batch(query, batch, slots)) for batch in batches]
        except* FootnoteError as failed:
            # The first failure has ended the other requests of the group.
            failure = failed.exceptions[0]
        else:
            return [score for task in asked for score in task.result()]
        raise failure

    async def _batch(self, query: str, texts: Sequence[str], slots: asyncio.Semaphore) -> list[float]:
        endpoint = self._endpoint
        # Text from outside can hold half a surrogate pair, which JSON in UTF-8 cannot.
        cut = [_sendable(text[: endpoint.most_chars]) for text in texts]
        body = endpoint.shape.body(endpoint.model, _sendable(query), cut)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if endpoint.key:
            headers["Authorization"] = f"Bearer {endpoint.key}"
        asked = FetchAsked(self.address, "POST", headers, body.model_dump_json().encode())
        limits = FetchLimits(_LONGEST_ANSWER, endpoint.total_s, redirects=0)
        async with slots:
            answer = await self._client.send(asked, limits)
        if answer.status != 200:
            raise self._refusal(answer)
        return scores_in(answer.body, endpoint.shape, len(texts))

    def _refusal(self, answer: Fetched) -> FootnoteError:
        """Whose turn it is. What the server says of it may hold our texts, so it goes nowhere."""
        status = answer.status
        if status in (401, 403):
            return Misconfigured(f"The reranker refuses the key ({status}): see FOOTNOTE_RERANKER_HTTP_KEY.")
        if status == 413:
            return Misconfigured(
                "The reranker takes fewer texts at once, or shorter ones (413): lower "
                "FOOTNOTE_RERANKER_HTTP_BATCH or FOOTNOTE_RERANKER_HTTP_CHARS."
            )
        if status in _TRY_LATER or status >= 500:
            wait = retry_after(answer.headers.get("retry-after"), now)
            if wait is not None:
                self._rests_until = self._clock() + min(wait, _LONGEST_REST_S)
            kind = "is asked too often" if status == 429 else "fails"
            return Unavailable("rerank", f"The reranker {kind} ({status}).", retry_after=wait or 1.0)
        return Misconfigured(
            f"The reranker refuses the request ({status}): see FOOTNOTE_RERANKER_HTTP, its address and model."
        )

    async def close(self) -> None:
        await self._client.aclose()


def http_reranker(settings: Settings, clock: Callable[[], float] = time.monotonic) -> HttpReranker | None:
    """The one that the settings name; None where they name none. Raises Misconfigured."""
    if not settings.reranker_http:
        return None
    shape = SHAPES[settings.reranker_http]
    url = (settings.reranker_http_url or shape.address).rstrip("/")
    if not url:
        raise Misconfigured("FOOTNOTE_RERANKER_HTTP_URL has to name the address of the reranker.")
    if shape.names_model and not settings.reranker_http_model:
        raise Misconfigured(
            f"FOOTNOTE_RERANKER_HTTP_MODEL has to name the model: {settings.reranker_http} serves several."
        )
    key = settings.reranker_http_key.get_secret_value().strip()
    if not (key.isascii() and key.isprintable()):
        raise Misconfigured("FOOTNOTE_RERANKER_HTTP_KEY holds characters that no header can hold.")
    try:
        _, host, port = origin_of(read_target(url))
    except FootnoteError as error:
        raise Misconfigured(f"FOOTNOTE_RERANKER_HTTP_URL: {error.detail}") from error
    policy = policy_of(settings)
    trusting = EgressPolicy(policy.ports, policy.allowed, frozenset({(host, port)}))
    endpoint = RerankEndpoint(
        shape,
        url,
        settings.reranker_http_model,
        key,
        settings.reranker_http_batch or shape.most_texts,
        settings.reranker_http_chars,
        settings.reranker_timeout_s,
    )
    return HttpReranker(endpoint, EgressClient(trusting), clock)


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
