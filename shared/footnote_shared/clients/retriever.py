"""Client of the retriever service."""

from urllib.parse import quote

from footnote_shared.clients.base import ServiceClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Preset, SearchRequest, SearchResult

_SEARCH_S = 30.0
"""How long a search may take, in seconds. The retriever has shorter limits for each of its parts, and what it
says of the part that is silent is worth waiting for."""


class RetrieverClient(ServiceClient):
    service = "retriever"

    async def search(self, principal: Principal, request: SearchRequest) -> SearchResult:
        return await self.call(
            principal, "POST", "/v1/search", SearchResult, body=request, answer_s=_SEARCH_S
        )

    async def preset(self, principal: Principal, name: str) -> Preset:
        """A preset that is built in or of the caller's workspace. Raises NotFound for an unknown name."""
        return await self.call(principal, "GET", f"/v1/presets/{quote(name, safe='')}", Preset)
