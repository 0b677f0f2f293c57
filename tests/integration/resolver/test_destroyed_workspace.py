"""Turns of a workspace whose key was destroyed end, and cost those of others nothing (spec 7.3)."""

from collections.abc import Sequence

import orjson
import pytest

from footnote_resolver.relay.position import RelayPosition
from footnote_resolver.relay.requests import OutgoingEvent
from footnote_resolver.relay.writer import EventWriter
from footnote_resolver.store.turns import AnnouncedTurn, ended_turns, record_terminal, running_turns
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.keyring import Keyring, destroy
from footnote_shared.security.master_key import GivenMasterKey, make_key_text
from footnote_testing.workspace import make_caller

MASTER = make_key_text()
SAID = "the zanzibar valve"


class KeptStreams(TurnStreams):
    """Keeps what is appended."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, bytes]] = []

    async def append(
        self,
        turn_id: str,
        lease_token: str,
        present: int,
        events: Sequence[tuple[str, bytes]],
        *,
        first_seq: int,
        not_before_ms: int = 0,
        answer_log: bytes = b"",
        last: bool = False,
    ) -> int | None:
        self.kept += events
        return 1


@pytest.fixture
def callers(database: Database) -> list[Principal]:
    database.sealer = Keyring(GivenMasterKey(MASTER), seals=True)
    return [make_caller(database, name)[0] for name in ("gone", "other")]


def turn_of(caller: Principal) -> AnnouncedTurn:
    return AnnouncedTurn(new_id(), caller.workspace_id, new_id())


def destroy_workspace(database: Database, caller: Principal) -> None:
    with database.write() as session:
        destroy(session.connection(), caller.workspace_id)
    # What was looked up before is looked at again within a second.
    database.sealer = Keyring(GivenMasterKey(MASTER), seals=True)


def test_who_looks_for_ends_of_many_turns_finds_those_of_others(
    database: Database, callers: list[Principal]
) -> None:
    turns = [turn_of(caller) for caller in callers]
    for turn in turns:
        with database.write() as session:
            record_terminal(session, turn, "message.completed", f'{{"said": "{SAID}"}}')
    destroy_workspace(database, callers[0])
    with database.read() as session:
        found = ended_turns(session, [turn.turn_id for turn in turns])
    assert found[turns[0].turn_id] is None
    other = found[turns[1].turn_id]
    assert other is not None
    assert SAID in other.terminal


async def test_a_turn_that_ends_after_its_workspace_says_so_and_nothing_else(
    database: Database, callers: list[Principal]
) -> None:
    turn, streams = turn_of(callers[0]), KeptStreams()
    destroy_workspace(database, callers[0])
    said = {"message_id": "m1", "text": SAID}
    writer = EventWriter(turn, "token", streams, database)
    await writer.end(RelayPosition(turn.turn_id), OutgoingEvent("message.completed", said, now()))
    ((kind, line),) = streams.kept
    event = orjson.loads(line)
    assert kind == event["type"] == "turn.failed"
    assert event["data"]["problem"]["code"] == "key_destroyed"
    assert event["data"]["message_id"] == "m1"
    assert SAID.encode() not in line
    with database.read() as session:
        assert running_turns(session) == []
        ended = ended_turns(session, [turn.turn_id])[turn.turn_id]
    assert ended is not None
    assert ended.terminal.encode() == line
