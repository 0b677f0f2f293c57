"""The search engines of the web that an operator can choose: what each is asked, and what it answers.

SearXNG (docs.searxng.org, search API), Brave (Web Search API), Tavily (`POST /search`) and the server that
comes with ddgs (`ddgs api`, ADR 0101). Pure.
"""

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footnote_shared.egress.client import FetchAsked
from footnote_shared.egress.errors import FetchRefused, SiteFailed
from footnote_shared.egress.targets import read_target

HITS_AT_MOST = 8
_LOOKED_AT = 100
_SNIPPET_CHARS = 800
_TITLE_CHARS = 200
_URL_CHARS = 2000
_DDGS_NOTHING = "Search failed: No results found."


@dataclass(frozen=True, slots=True)
class WebHit:
    """A page that a search has found, with the part of its text that the engine shows."""

    url: str
    title: str
    text: str
    date: datetime | None = None


@dataclass(frozen=True, slots=True)
class WebProvider:
    """`asked` makes the request from the address, the key and the query; `hits` reads the answer.

    One without an address is a server of the operator's own. `found_nothing` tells from a status and a body
    whether a failure says no more than that nothing was found.
    """

    address: str
    asked: Callable[[str, str, str], FetchAsked]
    hits: Callable[[bytes], list[WebHit]]
    wants_key: bool = True
    found_nothing: Callable[[int, bytes], bool] = lambda status, body: False


class _Answered(BaseModel):
    model_config = ConfigDict(extra="ignore")


Shape = TypeVar("Shape", bound=_Answered)


class _SearxngResult(_Answered):
    url: str | None = ""
    title: str | None = ""
    content: str | None = ""
    publishedDate: str | None = None  # noqa: N815 - as SearXNG calls it


class _Searxng(_Answered):
    results: list[_SearxngResult] = Field(default_factory=list)


class _BraveResult(_Answered):
    url: str | None = ""
    title: str | None = ""
    description: str | None = ""
    page_age: str | None = None
    extra_snippets: list[str] = Field(default_factory=list)


class _BraveWeb(_Answered):
    results: list[_BraveResult] = Field(default_factory=list)


class _Brave(_Answered):
    web: _BraveWeb | None = None


class _TavilyResult(_Answered):
    url: str | None = ""
    title: str | None = ""
    content: str | None = ""
    published_date: str | None = None


class _TavilyAnswer(_Answered):
    results: list[_TavilyResult] = Field(default_factory=list)


class _DdgsResult(_Answered):
    title: str | None = ""
    href: str | None = ""
    body: str | None = ""


class _Ddgs(_Answered):
    results: list[_DdgsResult] = Field(default_factory=list)


class _DdgsFailure(_Answered):
    detail: str = ""


class _TavilyQuestion(BaseModel):
    query: str
    max_results: int = HITS_AT_MOST
    search_depth: str = "basic"


def _ask_searxng(address: str, key: str, query: str) -> FetchAsked:
    parameters = urlencode({"q": query, "format": "json", "safesearch": "1"})
    return FetchAsked(f"{address}/search?{parameters}", headers={"Accept": "application/json"})


def _ask_brave(address: str, key: str, query: str) -> FetchAsked:
    parameters = urlencode({"q": query, "count": HITS_AT_MOST})
    headers = {"Accept": "application/json", "X-Subscription-Token": key}
    return FetchAsked(f"{address}/res/v1/web/search?{parameters}", headers=headers)


def _ask_tavily(address: str, key: str, query: str) -> FetchAsked:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = _TavilyQuestion(query=query).model_dump_json().encode()
    return FetchAsked(f"{address}/search", "POST", headers, body)


def _ask_ddgs(address: str, key: str, query: str) -> FetchAsked:
    parameters = urlencode({"query": query, "max_results": HITS_AT_MOST, "safesearch": "moderate"})
    return FetchAsked(f"{address}/search/text?{parameters}", headers={"Accept": "application/json"})


def _of_searxng(body: bytes) -> list[WebHit]:
    found = _read(_Searxng, body).results
    return _kept([(one.url, one.title, one.content or "", one.publishedDate) for one in found])


def _of_brave(body: bytes) -> list[WebHit]:
    found = _read(_Brave, body).web
    return _kept(
        [
            (one.url, one.title, " ".join([one.description or "", *one.extra_snippets]), one.page_age)
            for one in (found.results if found else ())
        ]
    )


def _of_tavily(body: bytes) -> list[WebHit]:
    found = _read(_TavilyAnswer, body).results
    return _kept([(one.url, one.title, one.content or "", one.published_date) for one in found])


def _of_ddgs(body: bytes) -> list[WebHit]:
    found = _read(_Ddgs, body).results
    return _kept([(one.href, one.title, one.body or "", None) for one in found])


def _ddgs_found_nothing(status: int, body: bytes) -> bool:
    """It has no other word for that than a failure."""
    if status != 500:
        return False
    try:
        return _DdgsFailure.model_validate_json(body).detail == _DDGS_NOTHING
    except ValidationError:
        return False


PROVIDERS: Mapping[str, WebProvider] = {
    "searxng": WebProvider("", _ask_searxng, _of_searxng, wants_key=False),
    "brave": WebProvider("https://api.search.brave.com", _ask_brave, _of_brave),
    "tavily": WebProvider("https://api.tavily.com", _ask_tavily, _of_tavily),
    "ddgs": WebProvider("", _ask_ddgs, _of_ddgs, wants_key=False, found_nothing=_ddgs_found_nothing),
}


def _read(shape: type[Shape], body: bytes) -> Shape:
    try:
        return shape.model_validate_json(body)
    except ValidationError as error:
        raise SiteFailed("The web search answers in a form that is not known.") from error


def _kept(found: list[tuple[str | None, str | None, str, str | None]]) -> list[WebHit]:
    """The first hits whose address can be fetched, each page once. Engines leave out what they lack."""
    hits: dict[str, WebHit] = {}
    for written, title, text, date in found[:_LOOKED_AT]:
        if len(hits) == HITS_AT_MOST:
            break
        try:
            url = str(read_target(written or ""))
        except FetchRefused:
            continue
        named = _plain(title or "", _TITLE_CHARS) or url[:_TITLE_CHARS]
        if len(url) <= _URL_CHARS:
            hits.setdefault(url, WebHit(url, named, _plain(text, _SNIPPET_CHARS) or named, _moment(date)))
    return list(hits.values())


def _plain(text: str, most: int) -> str:
    """One line without the marks by which engines show what they have found."""
    for mark in ("<strong>", "</strong>", "<b>", "</b>", "<em>", "</em>"):
        text = text.replace(mark, "")
    return " ".join(html.unescape(text[: 2 * most]).split())[:most]


def _moment(written: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(written or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
