"""A document's timeline as one reader sees it."""

from footnote_ingest.documents.access import OPENED, first_shown
from footnote_ingest.documents.view import transition_view
from footnote_ingest.store import documents
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.documents import Transition
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession


def timeline_for(
    session: ReadSession, principal: Principal, row: DocumentRow, after: int = 0
) -> list[Transition]:
    """The rows after the given number, in order. `row` is a document that the principal sees.

    What was said before it was opened to others is its owner's: it holds names that they never saw. They
    see when it went from which stage to which.
    """
    rows = documents.timeline(session, row.id, after)
    shown = [transition_view(one) for one in rows]
    if not shown or not first_shown(row, principal):
        return shown
    opened = documents.last_saying(session, row.id, OPENED)
    return [
        one if opened is not None and one.seq >= opened else one.model_copy(update={"detail": None})
        for one in shown
    ]
