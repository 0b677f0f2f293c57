"""What a hook costs that is refused: as much for a connector that there is as for one that there is not."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import BuiltinFunctionType, FrameType
from typing import Any

import pytest

from footnote_ingest.connectors.inbox import HookDoor
from footnote_ingest.connectors.kinds import SourceResources
from footnote_ingest.connectors.sealed_places import credentials_place, hook_secret_place
from footnote_ingest.connectors.signatures import Scheme, check_signature, new_hook_secret
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.settings.base import Settings
from tests.integration.ingest.statements import statements
from tests.integration.ingest.workshop import Workshop

_WORK = {"decrypt", "b64decode", "loads", "hmac_digest", "hmac_new", "update", "digest", "compare_digest"}
"""What takes its time on the way of a hook: opening secrets, reading them, and signing with them."""

_MOMENT = str(int(now().timestamp()))
_WRONG = {
    "webhook-id": "m",
    "webhook-timestamp": _MOMENT,
    "webhook-signature": "v1,AAAA",
    "x-hub-signature-256": "sha256=00",
    "x-slack-request-timestamp": _MOMENT,
    "x-slack-signature": "v0=00",
    "x-notion-signature": "sha256=00",
    "x-goog-channel-id": "channel",
    "x-goog-message-number": "1",
    "x-goog-channel-token": "00",
}


@contextmanager
def calls() -> Iterator[Counter[str]]:
    """How often each of these is called in the block, by this thread, in Python or in C."""
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        name = ""
        if event == "call":
            name = frame.f_code.co_name
        elif event == "c_call" and isinstance(argument, BuiltinFunctionType):
            name = argument.__name__
        if name in _WORK:
            found[name] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize(
    ("scheme", "kind"),
    [
        ("standard", "push"),
        ("github", "rss"),
        ("slack", "slack"),
        ("notion", "notion"),
        ("google", "google_drive"),
    ],
)
def test_a_wrong_signature_and_an_unknown_connector_are_the_same_work(
    sqlite_workshop: Workshop, scheme: Scheme, kind: str
) -> None:
    """Counted, because a clock cannot tell: statements, and what is opened, read and signed with."""
    database = sqlite_workshop.database
    sources = SourceResources.from_settings(Settings(credentials_key="k" * 32))
    connector_id = new_id()
    given = json.dumps({"token": "xoxb-1", "signing_secret": "0" * 40})
    with database.write() as session:
        session.add(
            ConnectorRow(
                id=connector_id,
                workspace_id=sqlite_workshop.caller.workspace_id,
                avatar_id=sqlite_workshop.caller.avatar_id,
                kind=kind,
                name="Theirs",
                folder="/",
                config={},
                hook_secret=sources.seals.seal(new_hook_secret(), hook_secret_place(connector_id)),
                credentials=sources.seals.seal(given, credentials_place(connector_id)),
            )
        )
    door = HookDoor(sources)

    def refused(name: str) -> tuple[list[str], Counter[str]]:
        with statements(database) as sent, calls() as counted, database.read() as session:
            found = door.keys(session, name, scheme, now())
            hook = check_signature(scheme, _WRONG, b"{}" * 500, found.secrets, now(), timedelta(days=1))
        assert hook is None
        assert (found.connector is not None) == (name == connector_id)
        return [one.text for one in sent], counted

    refused(new_id())  # The first statement of a form is compiled.
    known, unknown = refused(connector_id), refused(new_id())
    assert known == unknown
    assert len([text for text in known[0] if text.startswith("SELECT")]) == 1
    assert known[1]["decrypt"] == (1 if scheme == "slack" else 2)
    assert known[1]["compare_digest"] >= 2
