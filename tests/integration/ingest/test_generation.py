"""When the generation of a workspace grows: whenever a search could find something else than before."""

from footnote_ingest.store.generations import generation
from tests.integration.ingest.avatars import change
from tests.integration.ingest.served import Served


def now_in(served: Served) -> int:
    with served.workshop.database.read() as session:
        return generation(session, served.principal.workspace_id)


def test_it_grows_with_a_change_and_again_when_its_points_have_followed(served: Served) -> None:
    document = served.upload("a.txt", b"Tea is grown in the hills.")["id"]
    before = now_in(served)
    served.work()
    live = now_in(served)
    assert live > before
    change(served.http, document, folder="/elsewhere")
    moved = now_in(served)
    assert moved > live
    served.workshop.make_settling_due(document)
    served.work()
    followed = now_in(served)
    assert followed > moved
    served.http.delete(f"/v1/documents/{document}")
    deleted = now_in(served)
    assert deleted > followed
    served.workshop.make_settling_due(document)
    served.work()
    assert now_in(served) > deleted


def test_reading_leaves_it_as_it_is(served: Served) -> None:
    document = served.upload("a.txt", b"Tea is grown in the hills.")["id"]
    served.work()
    before = now_in(served)
    served.http.get(f"/v1/documents/{document}")
    served.http.get("/v1/documents")
    served.work()
    assert now_in(served) == before
