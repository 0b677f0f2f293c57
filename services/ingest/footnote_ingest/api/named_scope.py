"""The route by which the retriever reads `title:`, `folder:` and `type:` in a query."""

from fastapi import APIRouter

from footnote_ingest.documents.paths import has_controls
from footnote_ingest.documents.type_names import types_named
from footnote_ingest.store import named_scope as store
from footnote_shared.contracts.named_scope import FoundScope, NamedScope
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Neighbour, ReadUnit

router = APIRouter(tags=["documents"])

_MOST_IDS = 10_000
"""Ids that a scope may have."""


@router.post(
    "/v1/documents:named",
    summary="For the retriever: what the names in a query stand for. An API key finds nothing here",
    response_model_exclude_none=True,
)
@body_limit(LARGE_BODY)
def named(body: NamedScope, principal: Neighbour, session: ReadUnit) -> FoundScope:
    """A name that nothing has stands for nothing: its list is empty, and such a scope matches nothing."""
    found: dict[str, list[str]] = {}
    if body.titles:
        titles = [name for name in body.titles if not has_controls(name)]
        ids = store.documents_titled(session, principal, titles, _MOST_IDS + 1) if titles else []
        found["document_ids"] = _bounded("title", ids)
    if body.folders:
        folders = [name for name in body.folders if not has_controls(name)]
        ids = store.folders_named(session, principal, folders, _MOST_IDS + 1) if folders else []
        found["folder_ids"] = _bounded("folder", ids)
    if body.types:
        known = [types_named(name.lower()) for name in body.types]
        sources = sorted({str(source) for one, _ in known for source in one})
        mimes = sorted({mime for _, one in known for mime in one})
        # A document has one of both, so asking for either alone leaves the other free.
        found.update({"source_types": sources} if sources or not mimes else {})
        found.update({"document_types": mimes} if mimes else {})
    return FoundScope.model_validate(found)


def _bounded(operator: str, ids: list[str]) -> list[str]:
    if len(ids) > _MOST_IDS:
        message = f"More than {_MOST_IDS:,} match {operator}: in the query. Name them more closely."
        raise InvalidRequest(message, errors=[FieldError("query", message)])
    return ids
