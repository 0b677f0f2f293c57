"""One request to an OpenAI-compatible endpoint that hears or sees a file, and what its failures mean."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx

from footnote_shared.egress.errors import SiteFailed
from footnote_shared.egress.retry_after import retry_after
from footnote_shared.egress.unpacking import SiteUnpacker
from footnote_shared.egress.web_authorities import web_authorities
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import CallerError, Misconfigured, Unavailable
from footnote_shared.kernel.unpacking import ACCEPTED
from footnote_shared.settings.models import ModelEndpoint

_CONNECT_S = 5.0
_MOST_BYTES = 64 * 2**20
"""Largest answer: what is said in a day is far less."""

_PATIENCE_S = 2.0
"""Seconds after which a model that says no time is asked again at the earliest."""

_OPERATORS = {
    401: "its key is wrong or missing",
    402: "its account has no credit",
    403: "its key may not do this",
    404: "its name or its address is wrong",
}


class FileRefused(CallerError):
    """The model does not take this file, or makes nothing of it. The same bytes would not help."""


class MediaEndpoint:
    """A model behind an OpenAI-compatible endpoint. `part` is what it is called where it is away.

    An answer has `timeout_s` to begin, and once it has begun as long again to end.
    """

    def __init__(
        self,
        endpoint: ModelEndpoint,
        part: str,
        timeout_s: float,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.model = endpoint.model
        self._part = part
        self._timeout_s = timeout_s
        self._base_url = httpx.URL(endpoint.base_url.rstrip("/"))
        key = endpoint.api_key.get_secret_value()
        self._headers = {"Accept-Encoding": ACCEPTED} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._transport = transport

    def post(self, path: str, **body: Any) -> bytes:
        """The answer to a request, whose `body` is in httpx's terms.

        Raises FileRefused, Misconfigured where the operator has to act, and Unavailable.
        """
        try:
            status, headers, content = asyncio.run(self._answer(path, body))
        except TimeoutError as error:
            raise Unavailable(self._part, f"The model {self._part} answers too slowly.") from error
        except (httpx.HTTPError, SiteFailed) as error:
            raise Unavailable(self._part, f"The model {self._part} does not answer.") from error
        if status in _OPERATORS:
            raise Misconfigured(f"The model {self._part} refuses requests: {_OPERATORS[status]}.")
        if status in (408, 429) or status >= 500:
            asked = retry_after(headers.get("retry-after"), now)
            raise Unavailable(
                self._part,
                f"The model {self._part} is overloaded or has failed ({status}).",
                retry_after=_PATIENCE_S if asked is None else asked,
            )
        if not httpx.codes.is_success(status):
            raise FileRefused(f"The model {self._part} does not take this file ({status}).")
        return content

    async def _answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, httpx.Headers, bytes]:
        """Each byte has its own limit of time, so an answer of single bytes needs one for all of them."""
        timeout = httpx.Timeout(self._timeout_s, connect=_CONNECT_S)
        content = bytearray()
        async with (
            httpx.AsyncClient(
                base_url=self._base_url,
                headers=self._headers,
                timeout=timeout,
                trust_env=False,
                transport=self._transport,
                verify=web_authorities(),
            ) as http,
            asyncio.timeout(self._timeout_s) as limit,
            http.stream("POST", path, **body) as response,
        ):
            limit.reschedule(asyncio.get_running_loop().time() + self._timeout_s)
            unpacker = SiteUnpacker(response.headers.get("content-encoding", ""))
            async for packed in response.aiter_raw():
                for piece in unpacker.unpack(packed):
                    content += piece
                    if len(content) > _MOST_BYTES:
                        raise FileRefused(f"The model {self._part} answered without end.")
            unpacker.check_end()
            return response.status_code, response.headers, bytes(content)
