"""Keeping memory out of the evidence: what names it is refused with a word (spec 2.1).

Searches leave memory out by themselves, in the index and in SQL. This is for whoever names it all the same.
"""

from collections.abc import Iterable, Sequence

from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import is_memory
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.errors import FieldError, InvalidRequest, NotFound
from footnote_shared.kernel.ids import is_id

IS_MEMORY = "This is memory, which is no evidence: it is not searched, and it gets no number."


async def memory_ids(ingest: IngestClient, caller: Principal, document_ids: Iterable[str]) -> set[str]:
    """Those of the documents that are memory, of 200 at most."""
    wanted = [one for one in dict.fromkeys(document_ids) if is_id(one)]
    if not wanted:
        return set()
    return {found.id for found in await ingest.documents_of(caller, wanted) if is_memory(found.folder)}


async def memory_mentions(ingest: IngestClient, caller: Principal, mentions: Sequence[Mention]) -> list[int]:
    """The positions of the mentions that name memory: a document of it, or one of its folders."""
    documents = await memory_ids(ingest, caller, (one.id for one in mentions if one.type == "document"))
    found: list[int] = []
    for at, mention in enumerate(mentions):
        if mention.type == "document":
            named = mention.id in documents
        else:
            named = mention.type == "folder" and await _is_memory_folder(ingest, caller, mention.id)
        if named:
            found.append(at)
    return found


async def refuse_memory(ingest: IngestClient, caller: Principal, mentions: Sequence[Mention]) -> None:
    """Raises InvalidRequest where a mention names memory."""
    wrong = [
        FieldError(f"mentions.{at}", IS_MEMORY) for at in await memory_mentions(ingest, caller, mentions)
    ]
    if wrong:
        raise InvalidRequest(IS_MEMORY, errors=wrong)


async def _is_memory_folder(ingest: IngestClient, caller: Principal, folder_id: str) -> bool:
    if not is_id(folder_id):
        return False
    try:
        return is_memory((await ingest.folder(caller, folder_id)).path)
    except NotFound:
        return False
