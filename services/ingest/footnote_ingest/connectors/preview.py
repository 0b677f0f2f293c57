"""The first items of a connector that nobody has made yet: what its sync would begin with."""

from contextlib import closing

from footnote_ingest.connectors.errors import SourceTrouble
from footnote_ingest.connectors.kinds import Asked, SourceResources, opened_source
from footnote_ingest.connectors.portion import unfit
from footnote_ingest.connectors.protocol import SourceItem
from footnote_shared.contracts.connectors import ConnectorKind, ConnectorPreview, PreviewedItem
from footnote_shared.kernel.errors import CallerError

_SHOWN = 10
_MOST_PAGES = 5
"""Pages of the source that are looked at: some begin with pages that hold no items."""


def preview(resources: SourceResources, kind: ConnectorKind, asked: Asked) -> ConnectorPreview:
    """The first items by name, and what its owner would have to do. Nothing is fetched and nothing kept.

    The configuration was checked (`check_asked`). A kind without a source has no items to show.
    """
    source = opened_source(resources, kind, asked)
    if source is None:
        return ConnectorPreview(items=[])
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
        id=item.id.encode("utf-8", "backslashreplace").decode(),
        title=item.title,
        url=item.url,
        folder=item.folder,
        author=item.author,
        updated_at=item.updated_at,
        left_out=unfit(item) or item.left_out,
    )
