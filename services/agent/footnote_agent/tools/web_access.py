"""The ways of one agent into the web: a search engine that the operator has chosen, and pages."""

from dataclasses import dataclass

from footnote_agent.tools.web_page_reader import PageText, WebPageReader
from footnote_agent.tools.web_providers import PROVIDERS, WebHit, WebProvider
from footnote_shared.egress.client import EgressClient, FetchLimits
from footnote_shared.egress.errors import SiteFailed
from footnote_shared.egress.policy import EgressPolicy, policy_of
from footnote_shared.egress.targets import origin_of, read_target
from footnote_shared.kernel.errors import FootnoteError, Misconfigured, TooMany
from footnote_shared.settings.base import Settings

_SEARCH_LIMITS = FetchLimits(max_bytes=2 * 2**20, total_s=12.0, redirects=0)
_PAGE_LIMITS = FetchLimits(max_bytes=3 * 2**20, total_s=15.0, redirects=5)


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A search engine at its address. The operator has named it, so it may stand in the own network."""

    client: EgressClient
    provider: WebProvider
    address: str
    key: str

    async def find(self, query: str) -> list[WebHit]:
        """The pages that the engine finds, best first. Raises what says who must act."""
        answer = await self.client.send(self.provider.asked(self.address, self.key, query), _SEARCH_LIMITS)
        if self.provider.found_nothing(answer.status, answer.body):
            return []
        if answer.status != 200:
            raise _refusal(answer.status)
        return self.provider.hits(answer.body)


@dataclass(frozen=True, slots=True)
class WebAccess:
    """`search` is None where no engine is configured; pages that a user names can be read all the same."""

    pages: EgressClient
    reader: WebPageReader
    search: WebSearch | None = None

    async def read(self, url: str) -> tuple[int, PageText | None]:
        """The status of a page, and its text where that is 200.

        Raises PageUnreadable, and what fetches raise.
        """
        page = await self.pages.fetch(url, _PAGE_LIMITS)
        return page.status, await self.reader.read(page) if page.status == 200 else None

    async def aclose(self) -> None:
        await self.pages.aclose()
        if self.search is not None:
            await self.search.client.aclose()


def web_access(settings: Settings) -> WebAccess | None:
    """The ways that the settings open; None where they open none. Raises Misconfigured."""
    if not settings.web_search and not settings.web_pages:
        return None
    policy = policy_of(settings)
    search = _search(settings, policy) if settings.web_search else None
    return WebAccess(EgressClient(policy), WebPageReader.made(), search)


def _search(settings: Settings, policy: EgressPolicy) -> WebSearch:
    provider = PROVIDERS[settings.web_search]
    address = (settings.web_search_url or provider.address).rstrip("/")
    if not address:
        raise Misconfigured(
            f"FOOTNOTE_WEB_SEARCH_URL has to name the address of your server of {settings.web_search}."
        )
    key = settings.web_search_key.get_secret_value()
    if not key and provider.wants_key:
        raise Misconfigured(f"FOOTNOTE_WEB_SEARCH_KEY is needed for {settings.web_search}.")
    try:
        _, host, port = origin_of(read_target(address))
    except FootnoteError as error:
        raise Misconfigured(f"FOOTNOTE_WEB_SEARCH_URL: {error.detail}") from error
    trusting = EgressPolicy(policy.ports, policy.allowed, frozenset({(host, port)}))
    return WebSearch(EgressClient(trusting), provider, address, key)


def _refusal(status: int) -> FootnoteError:
    if status in (401, 403):
        return Misconfigured("The web search refuses the key, or the form JSON. An operator must look.")
    if status == 429:
        return TooMany("The web search takes no more questions for now.", retry_after=30.0)
    return SiteFailed(f"The web search answers {status}.")
