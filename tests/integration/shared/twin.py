"""A creating request as a service handles it, and a runner of a race that makes such requests.

`python -m tests.integration.shared.twin GO URL KEY...`, started by `footnote_testing.starting_line`, makes
one request per key and prints the names that it got.
"""

import sys

from footnote_shared.contracts.base import WireModel
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.db.idempotency import KeyedRequest, answer_once
from footnote_shared.db.tables import WorkspaceRow
from footnote_shared.kernel.ids import new_id
from footnote_testing.starting_line import wait_for_start

CALLER = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"write"}))


class Made(WireModel):
    """The answer to a request: a name that no other answer has."""

    name: str


def create(
    database: Database, key: str | None, body: str = "a workspace", caller: Principal = CALLER
) -> tuple[Made, bool]:
    """Make one creating request, which adds a row under a name of its own."""
    with database.write() as session:

        def work() -> Made:
            made = Made(name=new_id())
            session.add(WorkspaceRow(name=made.name))
            return made

        return answer_once(session, KeyedRequest.of(caller, key, "POST /v1/workspaces", body), Made, work)


def main(go: str, url: str, *keys: str) -> None:
    database = Database(url)
    wait_for_start(go)
    for key in keys:
        print(create(database, key)[0].name, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
