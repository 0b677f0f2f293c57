"""The first items of a connector that nobody has made yet: what its sync would begin with.

The request waits in a thread for a system that may be slow or hostile. So previews have limits of their own,
and one process has few of them at once.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from threading import BoundedSemaphore

from footnote_ingest.connectors.errors import SourceTrouble
from footnote_ingest.connectors.kinds import Asked, SourceResources, opened_source
from footnote_ingest.connectors.outside import WAITED_FOR, WAITED_FOR_S
from footnote_ingest.connectors.portion import unfit
from footnote_ingest.connectors.protocol import ItemSource, SourceItem
from footnote_shared.contracts.connectors import ConnectorKind, ConnectorPreview, PreviewedItem
from footnote_shared.kernel.errors import CallerError, TooMany

_SHOWN = 10
_LONGEST_TEXT = 500
_AT_ONCE = BoundedSemaphore(4)
_MOST_PAGES = 5
"""Pages of the source that are looked at: some begin with pages that hold no items."""


def preview(resources: SourceResources, kind: ConnectorKind, asked: Asked) -> ConnectorPreview:
    """The first items by name, and what its owner would have to do. Nothing is fetched and nothing kept.

    The configuration was checked (`check_asked`). A kind without a source has no items to show. Raises
    TooMany where this process looks at as many systems as it may.
    """
    outside = replace(resources.outside, limits=WAITED_FOR, within_s=WAITED_FOR_S)
    source = opened_source(replace(resources, outside=outside), kind, asked)
    if source is None:
        return ConnectorPreview(items=[])
    with _one_of_few():
        return _looked_at(source)


@contextmanager
def _one_of_few() -> Iterator[None]:
    if not _AT_ONCE.acquire(blocking=False):
        raise TooMany("Several connectors are looked at already.", retry_after=WAITED_FOR_S / 4)
    try:
        yield
    finally:
        _AT_ONCE.release()


def _looked_at(source: ItemSource) -> ConnectorPreview:
    found: list[SourceItem] = []
    problem, more, cursor = None, True, None
    with closing(source):
        try:
            for _ in range(_MOST_PAGES):
                page = source.sync(cursor)
                found += [item for item in page.items if not item.deleted]
                more, cursor = page.more, page.cursor
                if not more or len(found) > _SHOWN:
                    break
        except SourceTrouble as trouble:
            problem = trouble.reason
        except CallerError as refused:
            problem = refused.detail
    items = [_shown(item) for item in found[:_SHOWN]]
    return ConnectorPreview(items=items, more=more or len(found) > _SHOWN, problem=problem)


def _shown(item: SourceItem) -> PreviewedItem:
    return PreviewedItem(
        id=_text(item.id),
        title=None if item.title is None else _text(item.title),
        url=None if item.url is None else _text(item.url),
        folder=_text(item.folder),
        author=None if item.author is None else _text(item.author),
        updated_at=item.updated_at,
        left_out=unfit(item) or item.left_out,
    )


def _text(said: str) -> str:
    """What the other system says, at the length and in the characters of an answer."""
    return said[:_LONGEST_TEXT].encode("utf-8", "backslashreplace").decode()
