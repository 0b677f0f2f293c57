"""Qdrant's REST API: JSON out, JSON in, over connections that are kept.

The official client makes a model of every body of the whole API when it is imported. That takes 1.2 s of
processor time and 34 MB in each process (docs/adr/0045).
"""

import math
from typing import Any, TypeAlias

import httpx
import orjson

from footnote_shared.kernel.origin_client import OriginClient
from footnote_shared.vectors.qdrant_errors import StoreRefused, StoreUnreadable

Json: TypeAlias = dict[str, Any]

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_ENCODING = orjson.OPT_SERIALIZE_NUMPY
_ASKS_FOR_PATIENCE = frozenset({429, 503})


class QdrantRest:
    """One server or cluster. Belongs to the event loop that first uses it, and is open until `close`."""

    def __init__(self, url: str, api_key: str, timeout_s: float) -> None:
        self._http = OriginClient(url, by_proxy=httpx.URL(url).host not in _LOOPBACK)
        self._headers = {"content-type": "application/json", **({"api-key": api_key} if api_key else {})}
        self._timeout_s = timeout_s

    async def title(self) -> str:
        """What the server says it is."""
        answer = await self._answer("GET", "/", None)
        return str(answer.get("title", ""))

    async def result(self, method: str, path: str, body: Json | None = None) -> Any:
        """The result of a call that may be made twice.

        Raises StoreRefused, StoreUnreadable, Unreachable, and TimeoutError after the limit of time.
        """
        answer = await self._answer(method, path, body)
        if "result" not in answer:
            raise StoreUnreadable(f"{method} {path} gave no result")
        return answer["result"]

    async def _answer(self, method: str, path: str, body: Json | None) -> Json:
        sent = b"" if body is None else orjson.dumps(body, option=_ENCODING)
        answer = await self._http.request(method, path, sent, self._headers, answer_s=self._timeout_s)
        if not httpx.codes.is_success(answer.status):
            raise StoreRefused(answer.status, _patience(answer.status, answer.headers.get("retry-after", "")))
        try:
            found = orjson.loads(answer.body)
        except orjson.JSONDecodeError as error:
            raise StoreUnreadable(f"{method} {path} gave no JSON") from error
        if not isinstance(found, dict):
            raise StoreUnreadable(f"{method} {path} gave no object")
        return found

    async def close(self) -> None:
        await self._http.close()


def _patience(status: int, header: str) -> float | None:
    """The seconds after which the server wants to be asked again (RFC 9110, section 10.2.3)."""
    if status not in _ASKS_FOR_PATIENCE or not header[:9].isdecimal():
        return None
    return float(math.ceil(float(header[:9])))
