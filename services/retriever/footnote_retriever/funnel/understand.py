"""The step "understand": what the query names becomes a scope beside that of the request.

The scope holds for this search alone. Ingest answers for names that it knows, among what the caller sees.
"""

from collections.abc import Sequence
from typing import Any

from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.named_scope import FoundScope, NamedScope
from footnote_shared.contracts.search import SearchScope
from footnote_shared.kernel.query_operators import UnderstoodQuery


async def named_scope(ingest: IngestClient, caller: Principal, asked: UnderstoodQuery) -> SearchScope | None:
    """The scope that a query names; None if it names none.

    A name that nothing has gives an empty list, which matches nothing. Raises `Unavailable("ingest")` where
    ingest does not answer: without the scope the answer would be one to another query.
    """
    if not asked.names and not asked.dated:
        return None
    found = FoundScope()
    if asked.names:
        names = NamedScope(titles=list(asked.titles), folders=list(asked.folders), types=list(asked.types))
        found = await ingest.named(caller, names)
    return SearchScope(
        document_ids=found.document_ids,
        folder_ids=found.folder_ids,
        source_types=None if found.source_types is None else [str(one) for one in found.source_types],
        document_types=found.document_types,
        created_from=asked.created_from,
        created_to=asked.created_to,
    )


def notes_of(asked: UnderstoodQuery, named: SearchScope | None, identifiers: Sequence[str]) -> dict[str, Any]:
    """What the step says: the words that are ranked by, and each operator that was read."""
    notes: dict[str, Any] = {"text": asked.text}
    for name in ("phrases", "left_out", "titles", "folders", "types"):
        if values := getattr(asked, name):
            notes[name] = list(values)
    if asked.created_from is not None:
        notes["from"] = asked.created_from.isoformat()
    if asked.created_to is not None:
        notes["to"] = asked.created_to.isoformat()
    if identifiers:
        notes["identifiers"] = list(dict.fromkeys(identifiers))
    if named is not None and named.document_ids is not None:
        notes["documents"] = len(named.document_ids)
    return notes
