"""Client of the retriever service."""

from footnote_shared.clients.base import ServiceClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchRequest, SearchResult


class RetrieverClient(ServiceClient):
    service = "retriever"

    async def search(self, principal: Principal, request: SearchRequest) -> SearchResult:
        return await self.call(principal, "POST", "/v1/search", SearchResult, body=request)
