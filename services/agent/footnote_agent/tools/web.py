"""Searching the web, and reading a page of it (spec 5.5). A page has one number, however it is found."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed
from footnote_agent.tools.web_access import WebAccess
from footnote_agent.tools.web_page_reader import PageUnreadable
from footnote_shared.contracts.evidence import Display, EvidenceItem
from footnote_shared.egress.errors import FetchRefused
from footnote_shared.egress.targets import read_target
from footnote_shared.kernel.counted import counted

_PART_CHARS = 8000
_AROUND = "\"'`*_~<>()[]{}.,;:!?"
_WORDS_LOOKED_AT = 20_000


async def web_search(
    context: ToolContext,
    query: Annotated[str, Field(min_length=1, max_length=400, description="What to look for, in words.")],
) -> ToolAnswer:
    """Search the web, for what the user's documents cannot say. Returns pages with numbers and handles."""
    web = _web(context)
    if web.search is None:
        raise ToolFailed("No web search is configured here. scrape_webpage reads an address of the user's.")
    hits = await web.search.find(query)
    if not hits:
        return ToolAnswer("The web search finds nothing. Try other words.", "nothing found")
    items = [_item(hit.url, hit.title, hit.text, hit.date) for hit in hits]
    shown = await context.show(items, "excerpt", "web_results")
    targets = [HandleTarget("page", hit.url, hit.title) for hit in hits]
    handles = await context.name(targets)
    named = (f"{handle} = {plain_name(target.name)}" for handle, target in zip(handles, targets, strict=True))
    return ToolAnswer(f"{shown.text}\nHandles: {'; '.join(named)}", counted(len(hits), "page"), shown.shown)


async def scrape_webpage(
    context: ToolContext,
    url: Annotated[
        str,
        Field(
            max_length=2000,
            description="The handle of a page, such as W1, or an address that the user has written.",
        ),
    ],
    part: Annotated[int, Field(ge=1, le=50, description="Which part of a long page. Absent: the first.")] = 1,
) -> ToolAnswer:
    """Read a page of the web. Its text is shown under the number of the page."""
    web = _web(context)
    address, title = await _address(context, url)
    context.tell(context.progress("reading", f"Reading {_host(address)}"))
    try:
        status, page = await web.read(address)
    except PageUnreadable as unreadable:
        raise ToolFailed(str(unreadable)) from unreadable
    if page is None:
        raise ToolFailed(f"The site answers {status} for this page. Try another one.")
    parts = list(_parts(page.text))
    if part > len(parts):
        raise ToolFailed(f"The page has {len(parts)} parts." if parts else "The page holds no text.")
    item = _item(address, page.title or title, parts[part - 1], _day(page.date))
    shown = await context.show([item], "full", "web_results")
    more = f"\nPart {part} of {len(parts)}." if len(parts) > 1 else ""
    return ToolAnswer(shown.text + more, plain_name(item.display.title), shown.shown)


async def _address(context: ToolContext, written: str) -> tuple[str, str]:
    """The address of a page and the name that it is known by.

    A model authors no address: whatever it read could make it send what it knows to a foreign host. So a page
    is one that a search has found, or one that the user has named.
    """
    if "." not in written:
        target = await context.target(written, "page")
        return target.id, target.name
    try:
        address = str(read_target(written if "://" in written else f"https://{written}"))
    except FetchRefused as refused:
        raise ToolFailed(refused.detail) from refused
    said = [context.turn.text, *(turn.question for turn in context.turn.past)]
    if _bare(address) not in {_bare(word) for text in said for word in _words(text)}:
        raise ToolFailed(
            "Only pages that a search has found, by their handle, and addresses that the user wrote are read."
        )
    return address, _host(address)


def _words(text: str) -> Iterator[str]:
    for word in text.split(maxsplit=_WORDS_LOOKED_AT)[:_WORDS_LOOKED_AT]:
        if "." in word and len(word) <= 2 * _PART_CHARS:
            # An address in Markdown stands behind the text of its link.
            yield word.strip(_AROUND)
            yield word.rpartition("](")[2].strip(_AROUND)


def _bare(address: str) -> str:
    """The address as people say it: without its scheme and a slash at the end."""
    _, found, rest = address.partition("://")
    host, slash, path = (rest if found else address).partition("/")
    return f"{host.lower()}{slash}{path}".partition("#")[0].rstrip("/")


def _parts(text: str) -> Iterator[str]:
    """The text in parts that end with a line where they can."""
    text = text.strip()
    at = 0
    while at < len(text):
        end = at + _PART_CHARS
        if end < len(text):
            end = max(text.rfind("\n", at + _PART_CHARS // 2, end), 0) or end
        if part := text[at:end].strip():
            yield part
        at = end


def _item(url: str, title: str, text: str, date: datetime | None) -> EvidenceItem:
    display = Display(title=title[:300], source=_host(url), url=url, date=date)
    return EvidenceItem(source_type="web_result", locator={"url": url}, display=display, text=text)


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0][:200]


def _day(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written).replace(tzinfo=UTC)
    except ValueError:
        return None


def _web(context: ToolContext) -> WebAccess:
    if context.resources.web is None:
        raise ToolFailed("The web cannot be reached from here.")
    return context.resources.web
