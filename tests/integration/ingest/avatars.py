"""Several avatars of one workspace, and what each of them gets to see."""

from typing import Any

from fastapi.testclient import TestClient

from footnote_shared.contracts.identity import Principal
from footnote_shared.security.api_keys import make_avatar, make_key
from footnote_shared.vectors.filters import Filter
from footnote_shared.vectors.visibility import visible_to
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import Workshop


class Avatar:
    """A further avatar of the workspace, with a key of its own."""

    def __init__(self, served: Served, name: str = "second", groups: tuple[str, ...] = ()) -> None:
        with served.workshop.database.write() as session:
            made = make_avatar(session, served.principal.workspace_id, name)
            key = make_key(session, made, name, ["read", "write"], groups)
        self.principal = Principal(
            workspace_id=made.workspace_id,
            avatar_id=made.avatar_id,
            scopes=frozenset({"read", "write"}),
            groups=groups,
        )
        self.http = served.new_client()
        self.http.headers["Authorization"] = f"Bearer {key}"


def change(http: TestClient, document_id: str, **changes: Any) -> dict[str, Any]:
    answer = http.patch(f"/v1/documents/{document_id}", json=changes)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def points(workshop: Workshop, who: Principal) -> set[str]:
    """Documents of which a search by vectors alone could find points."""
    return documents_within(workshop, visible_to(who))


def documents_within(workshop: Workshop, condition: Filter) -> set[str]:
    return {ref.document_id for page in workshop.lane.pages(condition) for ref in page}
