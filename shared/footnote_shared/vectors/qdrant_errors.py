"""Errors of the Qdrant client as ours, which say who must act."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from footnote_shared.kernel.errors import FootnoteError, Misconfigured, NoAnswer, OurFault, Unavailable
from footnote_shared.vectors.shard_keys import UnknownShardKey

T = TypeVar("T")

PART = "qdrant"
FOREIGN = (ApiException, QdrantException)
_RETRY_AFTER_S = (0.1, 0.4)


async def answered(call: Callable[[], Awaitable[T]]) -> T:
    """What the store answers. Transport failures and answers of 5xx are tried again after 0.1 s and 0.4 s."""
    for wait in (*_RETRY_AFTER_S, None):
        try:
            return await call()
        except FOREIGN as error:
            if wait is None or not worth_retrying(error):
                raise translate(error) from error
            await asyncio.sleep(wait)
    raise OurFault("unreachable: the last try returns or raises")


def translate(error: Exception) -> FootnoteError:
    """Our error for one of `FOREIGN`. Its detail reveals nothing of the request."""
    if isinstance(error, ResourceExhaustedResponse):
        return Unavailable(PART, "The vector store asks for fewer requests.", retry_after=error.retry_after_s)
    if isinstance(error, UnexpectedResponse):
        # "Shard key ... not found", "Shard key not specified": the client keeps an answer as bytes alone.
        if error.status_code in (400, 404) and b"hard key" in error.content:
            return UnknownShardKey("The vector store divides this lane otherwise than was thought.")
        return _of_status(error.status_code or 0)
    if isinstance(error, ResponseHandlingException):
        if isinstance(error.source, httpx.TimeoutException):
            return NoAnswer(PART, "The vector store did not answer in time.")
        if isinstance(error.source, httpx.TransportError):
            return Unavailable(PART, "The vector store cannot be reached.")
        return OurFault("The vector store answered something that its client cannot read.")
    return OurFault("The vector store's client failed.")


def worth_retrying(error: Exception) -> bool:
    """Whether the same call may succeed in a moment. A call that timed out is not worth another try."""
    if isinstance(error, ResponseHandlingException) and isinstance(error.source, httpx.TimeoutException):
        return isinstance(error.source, httpx.ConnectTimeout)
    return isinstance(translate(error), Unavailable)


def _of_status(status: int) -> FootnoteError:
    if status in (401, 403):
        return Misconfigured("Qdrant refuses the API key: check FOOTNOTE_QDRANT_API_KEY.")
    if status == 404:
        return Misconfigured(
            "Qdrant has no such lane: it was never opened, or its collection has been removed."
        )
    if status in (408, 429) or status >= 500:
        return Unavailable(PART, f"The vector store answered with status {status}.")
    return OurFault(f"The vector store refused a request of ours with status {status}.")
