"""Numbering evidence: what is short is read and rendered on the event loop, and what is long beside it."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from footnote_resolver.api.citations import post_citations
from footnote_resolver.api.dependencies import ResolverResources
from footnote_shared.contracts.evidence import Display, EvidenceItem, RegisterRequest
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.ids import new_id

CALLER = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"write"}))


class NotedItems(list[EvidenceItem]):
    """Items that note the threads in which somebody goes through them."""

    threads: set[int]

    def __iter__(self) -> Iterator[EvidenceItem]:
        self.threads.add(threading.get_ident())
        return super().__iter__()


class FirstNumbers:
    """A database in which each item gets its place as its number."""

    def __init__(self, count: int) -> None:
        self._count = count

    async def write_together_async(self, work: Callable[[Any], list[int]]) -> list[int]:
        return list(range(1, self._count + 1))


class OnlyDatabase(ResolverResources):
    def __init__(self, count: int) -> None:
        object.__setattr__(self, "database", FirstNumbers(count))


def item(characters: int) -> EvidenceItem:
    locator = {"document_id": new_id(), "chunk_id": new_id()}
    return EvidenceItem(
        source_type="kb_chunk", locator=locator, display=Display(title="gull"), text="g" * characters
    )


def placed(title: str = "gull", headings: int = 0) -> EvidenceItem:
    """Little evidence with a long or deep place."""
    page = {"url": "https://example.org/gulls"}
    display = Display(title=title, heading_path=["h"] * headings)
    return EvidenceItem(source_type="web_result", locator=page, display=display, text="ggg")


@pytest.mark.parametrize(
    ("given", "beside"),
    [
        ([item(4_000), item(4_000)], False),
        ([item(4_000), item(4_001)], True),
        ([placed(), placed(title="[1]" * 4_000)], False),
        ([placed(), placed(title="[1]" * 5_500)], True),
        ([placed(), placed(headings=5_000)], True),
        ([placed() for _ in range(120)], True),
    ],
)
async def test_long_evidence_is_read_beside_the_event_loop(given: list[EvidenceItem], beside: bool) -> None:
    items = NotedItems(given)
    items.threads = set()
    request = RegisterRequest.model_construct(
        items=items, view="excerpt", wrap=None, turn_id="t", agent="orchestrator"
    )
    result = await post_citations("c", request, CALLER, OnlyDatabase(len(given)))
    assert result.numbers == list(range(1, len(given) + 1))
    assert "[2] ggg" in result.rendered
    assert (items.threads != {threading.get_ident()}) is beside
