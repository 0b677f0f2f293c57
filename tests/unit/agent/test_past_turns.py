"""What is kept of a conversation: its title, and the turns that a model is shown with all that they did."""

from pathlib import Path

import pytest
from sqlmodel import col, select
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.history import past_turns
from footnote_agent.context.trajectory import ModelReply
from footnote_agent.engines.choose import EngineChoice
from footnote_agent.store.client_chats import begin_chat
from footnote_agent.store.tables import MoveRow, TurnRow
from footnote_agent.store.threads import find_thread
from footnote_agent.tools.tool_context import ToolAnswer
from footnote_agent.turns.start import accept_turn
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.kernel.ids import new_id
from footnote_shared.settings.base import Settings

LONG = "w" * 100


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> ToolDesk:
    return ToolDesk.made(tmp_path_factory.mktemp("desk"))


def test_a_title_is_the_first_eighty_characters_of_the_first_question(desk: ToolDesk) -> None:
    caller = desk.caller
    with desk.database.write() as session:
        told = find_thread(session, caller, begin_chat(session, caller, [(LONG, "Yes.")]))
        accept_turn(
            session,
            Settings(),
            caller,
            desk.thread_id,
            NewTurn(text=LONG),
            EngineChoice("extractive"),
            "me",
            None,
        )
        assert find_thread(session, caller, desk.thread_id).title == LONG[:80]
        assert told.title == LONG[:80]


def test_a_hundred_turns_are_shown_and_the_latest_twenty_with_what_they_did(desk: ToolDesk) -> None:
    caller = desk.caller
    with desk.database.write() as session:
        thread_id = begin_chat(session, caller, [(f"Question {n}?", f"Answer {n}.") for n in range(120)])
        for turn_id in session.exec(select(TurnRow.id).where(col(TurnRow.thread_id) == thread_id)).all():
            session.add(
                MoveRow(
                    turn_id=turn_id,
                    position=0,
                    workspace_id=caller.workspace_id,
                    avatar_id=caller.avatar_id,
                    thread_id=thread_id,
                    move=ModelReply(text="Well.").model_dump(mode="json"),
                )
            )
    with desk.database.read() as reading:
        past = past_turns(reading, caller, thread_id, new_id())
    assert [bool(turn.moves) for turn in past] == [False] * 80 + [True] * 20
    assert past[-1].question == "Question 119?"


class TestReadingAnotherChat:
    @pytest.mark.parametrize(("tokens", "shown"), [(4999, 2), (5000, 1)])
    async def test_shows_the_latest_of_five_thousand_tokens(
        self, tmp_path: Path, tokens: int, shown: int
    ) -> None:
        desk = ToolDesk.made(tmp_path)
        assert await messages_shown(desk, [("Why", "word " * tokens)]) == shown

    @pytest.mark.parametrize(("turns", "note"), [(50, ""), (51, "2 earlier messages are left out.")])
    async def test_shows_a_hundred_messages_and_says_how_many_it_leaves_out(
        self, tmp_path: Path, turns: int, note: str
    ) -> None:
        desk = ToolDesk.made(tmp_path)
        answer = await read_chat_of(desk, [("Who?", "We.")] * turns)
        assert answer.text.endswith(note or "We.")
        assert answer.summary == ("100 of 102 messages" if note else "100 messages")

    async def test_says_nothing_of_messages_without_a_word(self, tmp_path: Path) -> None:
        desk = ToolDesk.made(tmp_path)
        answer = await read_chat_of(desk, [("Who?", " \n"), ("Who?", "We.")])
        assert "left out" not in answer.text


async def messages_shown(desk: ToolDesk, turns: list[tuple[str, str]]) -> int:
    return int((await read_chat_of(desk, turns)).summary.split()[0])


async def read_chat_of(desk: ToolDesk, turns: list[tuple[str, str]]) -> ToolAnswer:
    with desk.database.write() as session:
        chat = begin_chat(session, desk.caller, turns)
    context = desk.context()
    (handle,) = await context.name([HandleTarget("chat", chat, "Chat")])
    return await desk.call(context, "read_chat", chat=handle)
