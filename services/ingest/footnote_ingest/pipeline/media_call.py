"""One request to an OpenAI-compatible endpoint that hears or sees a file, and what its failures mean."""

import time
from typing import Any

import httpx

from footnote_shared.egress.retry_after import retry_after
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import CallerError, Misconfigured, Unavailable
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
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.model = endpoint.model
        self._part = part
        self._timeout_s = timeout_s
        key = endpoint.api_key.get_secret_value()
        self._http = httpx.Client(
            base_url=endpoint.base_url.rstrip("/"),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(timeout_s, connect=_CONNECT_S),
            trust_env=False,
            transport=transport,
        )

    def post(self, path: str, **body: Any) -> bytes:
        """The answer to a request, whose `body` is in httpx's terms.

        Raises FileRefused, Misconfigured where the operator has to act, and Unavailable.
        """
        content = bytearray()
        try:
            with self._http.stream("POST", path, **body) as response:
                ends_at = time.monotonic() + self._timeout_s
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > _MOST_BYTES:
                        raise FileRefused(f"The model {self._part} answered without end.")
                    # Each piece has its own limit of time, and an answer of single bytes would have none.
                    if time.monotonic() > ends_at:
                        raise Unavailable(self._part, f"The model {self._part} answers too slowly.")
        except httpx.HTTPError as error:
            raise Unavailable(self._part, f"The model {self._part} does not answer.") from error
        status = response.status_code
        if status in _OPERATORS:
            raise Misconfigured(f"The model {self._part} refuses requests: {_OPERATORS[status]}.")
        if status in (408, 429) or status >= 500:
            asked = retry_after(response.headers.get("retry-after"), now)
            raise Unavailable(
                self._part,
                f"The model {self._part} is overloaded or has failed ({status}).",
                retry_after=_PATIENCE_S if asked is None else asked,
            )
        if not response.is_success:
            raise FileRefused(f"The model {self._part} does not take this file ({status}).")
        return bytes(content)

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self._http.close()
