"""`footnote doctor --reconcile`: compare the stores of a running server, a portion with each request."""

from collections import Counter

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn

from footnote_cli.api_client import connect
from footnote_cli.render import console, errors, outside, print_json

_ROUTE = "/v1/documents:reconcile"
_PARTS = {
    "stuck": "work that is stuck",
    "rows": "rows of documents",
    "files": "files that nothing refers to",
    "texts": "texts that nothing refers to",
    "vectors": "vectors that no document needs",
    "documents": "documents that lack something",
    "fact_vectors": "vectors of facts that are no more",
    "facts": "facts that lack vectors",
}
_DIFFERENCES = {
    "vectors_without_row": "vectors that no document needs: removed",
    "vectors_outdated": "documents whose vectors told another folder or other readers: being told anew",
    "rows_left": "documents with rows that nothing needs: being removed",
    "parts_without_document": "attachments of deleted documents: deleted",
    "passages_lost": "documents that lacked passages: being indexed anew",
    "readers_differed": "documents that were compared with other groups than their source names: corrected",
    "kept_texts_differed": "documents whose earlier texts were counted wrongly: counted again",
    "rows_without_vector": "documents that lacked vectors: being indexed anew",
    "texts_lost": "documents whose text was lost: being indexed anew",
    "rows_without_bytes": "documents that lack vectors or text and whose bytes are gone: hand them in again",
    "originals_lost": "documents that are searched and whose file is gone: hand them in again",
    "blobs_without_row": "blobs that nothing refers to: removed",
    "facts_without_row": "vectors of facts that are no more: removed",
    "facts_without_vector": "documents whose facts lacked vectors: being brought in again",
    "documents_stuck": "documents that were stuck: sent again",
    "documents_failed": "documents whose workers died each time: failed, see footnote docs --status failed",
    "removals_stuck": "deletions that were stuck: sent again",
}
_NOT_REPAIRED = ("rows_without_bytes", "originals_lost")


def reconcile(begin_at: str | None, *, as_json: bool) -> None:
    """Compare everything, and say what was done.

    Ends with 1 where bytes are gone. Whatever interrupts it, what was repaired until then stays so, and the
    place where it goes on is said.
    """
    api = connect()
    found: Counter[str] = Counter()
    cursor, is_done = begin_at, False
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    try:
        with Progress(*columns, console=errors, disable=as_json) as progress:
            task = progress.add_task("")
            looked: Counter[str] = Counter()
            while not is_done:
                portion = api.post(_ROUTE, {} if cursor is None else {"cursor": cursor})
                part = portion["part"]
                looked[part] += portion["looked_at"]
                found.update({name: portion.get(name, 0) for name in _DIFFERENCES})
                said = f"{_PARTS.get(part, part)}: {looked[part]:,} looked at, {found.total():,} found in all"
                progress.update(task, description=outside(said))
                cursor = portion.get("next_cursor")
                is_done = cursor is None
    finally:
        if not is_done and cursor is not None:
            errors.print(f"Go on with: footnote doctor --reconcile --from {outside(cursor)}")
    if as_json:
        print_json({name: found[name] for name in _DIFFERENCES})
    else:
        for name, meaning in _DIFFERENCES.items():
            console.print(f"{found[name]:6} {meaning}")
    raise typer.Exit(1 if any(found[name] for name in _NOT_REPAIRED) else 0)
