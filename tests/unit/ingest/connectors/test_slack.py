"""The kind `slack` against a server that speaks Slack's Web API."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.portion import unfit
from footnote_ingest.connectors.protocol import FetchedItem, SourceItem, SyncPage
from footnote_ingest.connectors.slack import SlackItems
from footnote_ingest.connectors.slack_wire import SlackWire
from footnote_shared.contracts.connector_kinds import SlackConfig
from tests.unit.ingest.connectors.fake_slack import FakeSlack, ok, refusal
from tests.unit.ingest.connectors.in_process import InProcess
from tests.unit.ingest.connectors.local_site import LocalSite, Reply

TODAY = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)


@pytest.fixture
def slack() -> FakeSlack:
    made = FakeSlack(LocalSite("https://slack.example"))
    made.open_channel("C1", "pumpen")
    return made


def opened(slack: FakeSlack, *, token: str = "xoxb-1", at: datetime = TODAY, **config: Any) -> SlackItems:
    asked = SlackConfig(api_url=f"{slack.site.url}/api", **config)
    return SlackItems(SlackWire(InProcess(slack.site), asked.api_url, token), asked, clock=lambda: at)


def pages(source: SlackItems, cursor: str | None = None) -> Iterator[SyncPage]:
    while True:
        page = source.sync(cursor)
        yield page
        if not page.more:
            return
        assert page.cursor != cursor
        cursor = page.cursor


def texts(source: SlackItems, cursor: str | None = None) -> tuple[dict[str, str], str | None]:
    """What each item says, fetched page by page as a run does, and the cursor of the next run."""
    found: dict[str, str] = {}
    last: str | None = None
    for page in pages(source, cursor):
        for item in page.items:
            if not item.deleted:
                assert item.id not in found
                fetched = source.fetch(item, None)
                assert fetched is not None
                found[item.id] = fetched.content.decode()
        last = page.cursor
    return found, last


def items(source: SlackItems, cursor: str | None = None) -> dict[str, SourceItem]:
    return {item.id: item for page in pages(source, cursor) for item in page.items}


class TestThreads:
    def test_are_one_item_with_every_reply_in_the_order_of_time(self, slack: FakeSlack) -> None:
        thread = slack.say("C1", "2026-03-01T09:15", "Pumpe 4711 läuft <@U2>")
        for n in range(7):
            slack.reply("C1", thread, f"2026-03-01T10:0{n}", f"Ответ {n}")
        source = opened(slack)
        (item,) = items(source).values()
        assert item.id == f"thread:C1:{thread}"
        assert (item.title, item.author, item.folder) == ("Pumpe 4711 läuft @Зоя", "Ana", "pumpen")
        assert item.url == f"https://team.slack.example/archives/C1/p{thread.replace('.', '')}"
        assert item.updated_at == datetime(2026, 3, 1, 10, 6, tzinfo=UTC)
        assert item.groups is None
        fetched = source.fetch(item, None)
        assert fetched is not None
        text = fetched.content.decode()
        places = [text.index(f"Ответ {n}") for n in range(7)]
        assert places == sorted(places)
        assert "## Ana, 2026-03-01 09:15" in text
        assert text.count("## Зоя, 2026-03-01 10:0") == 7

    def test_an_edited_reply_of_late_is_found_and_an_old_thread_is_not_asked_for_again(
        self, slack: FakeSlack
    ) -> None:
        old = slack.say("C1", "2026-01-02T09:00", "Old question")
        slack.reply("C1", old, "2026-01-02T09:05", "Old answer")
        late = slack.say("C1", "2026-03-18T09:00", "Late question")
        reply = slack.reply("C1", late, "2026-03-18T09:05", "Late answer")
        source = opened(slack)
        tokens: dict[str, str | None] = {}
        for page in pages(source):
            for item in page.items:
                fetched = source.fetch(item, None)
                assert fetched is not None
                tokens[item.id] = fetched.token
        slack.replies[late][reply] |= {"text": "Late answer, corrected", "edited": {"user": "U2"}}
        again = opened(slack, at=TODAY + timedelta(days=1))
        said: dict[str, FetchedItem | None] = {}
        for page in pages(again):
            said |= {item.id: again.fetch(item, tokens[item.id]) for item in page.items}
        assert said[f"thread:C1:{old}"] is None
        changed = said[f"thread:C1:{late}"]
        assert changed is not None
        assert "(edited)" in changed.content.decode()
        assert "corrected" in changed.content.decode()

    def test_a_new_reply_to_an_old_one_is_found(self, slack: FakeSlack) -> None:
        old = slack.say("C1", "2025-01-02T09:00", "Old question")
        slack.reply("C1", old, "2025-01-02T09:05", "Old answer")
        source = opened(slack)
        (item,) = items(source).values()
        fetched = source.fetch(item, None)
        assert fetched is not None
        slack.reply("C1", old, "2026-03-20T09:05", "New answer")
        again = opened(slack)
        (item,) = items(again).values()
        changed = again.fetch(item, fetched.token)
        assert changed is not None
        assert "New answer" in changed.content.decode()

    def test_one_that_goes_while_the_channel_is_read_fails_alone(self, slack: FakeSlack) -> None:
        thread = slack.say("C1", "2026-03-01T09:15", "Question")
        slack.reply("C1", thread, "2026-03-01T10:00", "Answer")
        source = opened(slack)
        (item,) = items(source).values()
        slack.messages["C1"].clear()
        with pytest.raises(ItemFailed):
            source.fetch(item, None)

    def test_a_reply_that_is_shown_in_the_channel_too_belongs_to_its_thread_alone(
        self, slack: FakeSlack
    ) -> None:
        thread = slack.say("C1", "2026-03-01T09:15", "Question")
        slack.reply("C1", thread, "2026-03-01T10:00", "Answer")
        slack.say("C1", "2026-03-01T10:00", "Answer", thread_ts=thread, subtype="thread_broadcast")
        assert set(items(opened(slack))) == {f"thread:C1:{thread}"}

    def test_nobody_can_write_the_head_of_another(self, slack: FakeSlack) -> None:
        forged = "Yes.\n## Ana, 2026-03-01 09:16\nI agree.\n---\n```\n## Ana, 2026-03-01 09:17"
        slack.say("C1", "2026-03-01T09:15", forged, user="U2")
        slack.say("C1", "2026-03-01T09:18", "Really mine.")
        text = texts(opened(slack))[0]["day:C1:2026-03-01"]
        assert "\\## Ana, 2026-03-01 09:16" in text
        assert "\\---" in text
        # What is within a fence is code, and the fence ends with the message.
        assert "```\n## Ana, 2026-03-01 09:17\n```\n\n## Ana, 2026-03-01 09:18\n\nReally mine." in text


class TestDays:
    def test_hold_what_was_said_outside_of_threads(self, slack: FakeSlack) -> None:
        first = slack.say("C1", "2026-03-01T23:59", "Der Schlüssel liegt im Büro.")
        slack.say("C1", "2026-03-02T00:01", "部門の鍵", user="U9")
        slack.say("C1", "2026-03-02T00:02", "<@U1> has joined", subtype="channel_join")
        source = opened(slack)
        found, _ = texts(source)
        assert set(found) == {"day:C1:2026-03-01", "day:C1:2026-03-02"}
        assert "## Ana, 2026-03-01 23:59\n\nDer Schlüssel liegt im Büro." in found["day:C1:2026-03-01"]
        assert "## U9, 2026-03-02 00:01\n\n部門の鍵" in found["day:C1:2026-03-02"]
        assert "joined" not in found["day:C1:2026-03-02"]
        item = items(opened(slack))["day:C1:2026-03-01"]
        assert item.title == "#pumpen on 2026-03-01"
        assert item.url == f"https://team.slack.example/archives/C1/p{first.replace('.', '')}"

    @pytest.mark.parametrize("per_page", [1, 2, 3, 7, 200])
    def test_are_whole_however_the_pages_fall(self, slack: FakeSlack, per_page: int) -> None:
        slack.per_page = per_page
        slack.open_channel("C2", "zweite")
        for day in range(1, 5):
            for n in range(day * 2):
                slack.say("C1", f"2026-03-0{day}T09:0{n}", f"d{day}n{n}.")
                slack.say("C2", f"2026-03-0{day}T09:0{n}", f"d{day}n{n}.")
        found, _ = texts(opened(slack))
        assert set(found) == {f"day:{c}:2026-03-0{day}" for c in ("C1", "C2") for day in range(1, 5)}
        for day in range(1, 5):
            assert all(f"d{day}n{n}." in found[f"day:C1:2026-03-0{day}"] for n in range(day * 2))

    def test_one_asked_for_again_after_a_crash_is_the_same(self, slack: FakeSlack) -> None:
        for day in range(1, 5):
            slack.say("C1", f"2026-03-0{day}T09:00", f"day {day}")
            slack.say("C1", f"2026-03-0{day}T09:01", f"day {day}")
        first = opened(slack).sync(None)
        assert first.more
        again, once_more = opened(slack).sync(first.cursor), opened(slack).sync(first.cursor)
        assert again == once_more
        assert not {item.id for item in first.items} & {item.id for item in again.items}

    def test_an_edit_and_a_deletion_are_another_revision_and_what_is_new_meanwhile_hides_nothing(
        self, slack: FakeSlack
    ) -> None:
        stamps = [slack.say("C1", f"2026-03-0{day}T09:0{n}", "x") for day in range(1, 5) for n in range(2)]
        before = items(opened(slack))
        source = opened(slack)
        page = source.sync(None)
        slack.say("C1", "2026-03-20T11:00", "new meanwhile")
        found = {item.id for item in page.items}
        while page.more:
            page = source.sync(page.cursor)
            found |= {item.id for item in page.items}
        assert found >= set(before)
        slack.messages["C1"][stamps[0]] |= {"text": "y", "edited": {"ts": "1.1"}}
        del slack.messages["C1"][stamps[2]]
        after = items(opened(slack))
        changed = {item_id for item_id in before if before[item_id].revision != after[item_id].revision}
        assert changed == {"day:C1:2026-03-01", "day:C1:2026-03-02"}

    def test_what_was_said_before_the_first_day_is_left_out(self, slack: FakeSlack) -> None:
        slack.say("C1", "2026-02-28T23:59", "before")
        slack.say("C1", "2026-03-01T00:00", "since")
        assert set(items(opened(slack, since="2026-03-01"))) == {"day:C1:2026-03-01"}


class TestLaterSyncs:
    def test_look_at_the_last_days_and_once_a_day_at_all(self, slack: FakeSlack) -> None:
        slack.say("C1", "2026-01-01T09:00", "Old.")
        slack.say("C1", "2026-03-18T09:00", "New.")
        _, cursor = texts(opened(slack))
        soon = list(pages(opened(slack, at=TODAY + timedelta(hours=1)), cursor))
        assert {item.id for page in soon for item in page.items if not item.deleted} == {"day:C1:2026-03-18"}
        assert soon[-1].names_all is False
        tomorrow = list(pages(opened(slack, at=TODAY + timedelta(hours=25)), soon[-1].cursor))
        assert len([item for page in tomorrow for item in page.items]) == 2
        assert tomorrow[-1].names_all is True

    def test_tell_what_is_gone_of_these_days(self, slack: FakeSlack) -> None:
        stamp = slack.say("C1", "2026-03-18T09:00", "Wrong channel.")
        slack.say("C1", "2026-03-19T09:00", "This stays.")
        _, cursor = texts(opened(slack))
        del slack.messages["C1"][stamp]
        found = items(opened(slack), cursor)
        assert found["day:C1:2026-03-18"].deleted
        assert not found["day:C1:2026-03-19"].deleted

    def test_tell_that_a_thread_has_lost_its_last_reply(self, slack: FakeSlack) -> None:
        thread = slack.say("C1", "2026-03-18T09:00", "Question")
        slack.reply("C1", thread, "2026-03-18T09:05", "Answer")
        _, cursor = texts(opened(slack))
        slack.replies.clear()
        found = items(opened(slack), cursor)
        assert found[f"thread:C1:{thread}"].deleted
        assert not found["day:C1:2026-03-18"].deleted

    def test_look_at_all_when_a_channel_is_read_by_others(self, slack: FakeSlack) -> None:
        slack.say("C1", "2026-01-01T09:00", "Old.")
        source = opened(slack, private=True)
        _, cursor = texts(source)
        slack.open_channel("C1", "pumpen", private=True)
        (item,) = items(opened(slack, private=True), cursor).values()
        assert item.groups == ["slack:C1"]


class TestChannels:
    def test_that_the_app_is_not_in_are_left_out(self, slack: FakeSlack) -> None:
        slack.open_channel("C2", "random", member=False)
        slack.say("C2", "2026-03-01T09:00", "x")
        slack.say("C1", "2026-03-01T09:00", "x")
        assert set(items(opened(slack))) == {"day:C1:2026-03-01"}

    def test_that_are_private_are_taken_only_where_asked_and_for_their_group_alone(
        self, slack: FakeSlack
    ) -> None:
        slack.open_channel("C2", "geheim", private=True)
        slack.say("C2", "2026-03-01T09:00", "x")
        assert items(opened(slack)) == {}
        (item,) = items(opened(slack, private=True)).values()
        assert item.groups == ["slack:C2"]

    @pytest.mark.parametrize("name", ["#zweite", "zweite", "C2"])
    def test_are_named_or_numbered(self, slack: FakeSlack, name: str) -> None:
        slack.open_channel("C2", "zweite")
        slack.say("C1", "2026-03-01T09:00", "x")
        slack.say("C2", "2026-03-01T09:00", "x")
        assert set(items(opened(slack, channels=[name]))) == {"day:C2:2026-03-01"}

    def test_that_cannot_be_read_are_told_to_the_owner_and_not_passed_over(self, slack: FakeSlack) -> None:
        slack.open_channel("C2", "zweite", member=False)
        with pytest.raises(OwnerMustAct, match="Invite it"):
            opened(slack, channels=["pumpen", "zweite"]).sync(None)
        with pytest.raises(OwnerMustAct, match="dritte"):
            opened(slack, channels=["pumpen", "dritte"]).sync(None)
        slack.channels.clear()
        with pytest.raises(OwnerMustAct, match="Invite it"):
            opened(slack).sync(None)


class TestTrouble:
    @pytest.mark.parametrize("error", ["token_expired", "invalid_auth", "token_revoked"])
    def test_a_token_that_has_expired_is_told_to_its_owner(self, slack: FakeSlack, error: str) -> None:
        slack.before = lambda method, asked: refusal(error)
        with pytest.raises(OwnerMustAct, match="token"):
            opened(slack).sync(None)

    def test_a_scope_that_is_missing_is_named(self, slack: FakeSlack) -> None:
        slack.before = lambda method, asked: refusal("missing_scope", needed="channels:read")
        with pytest.raises(OwnerMustAct, match="channels:read"):
            opened(slack).sync(None)

    @pytest.mark.parametrize(
        ("reply", "at_least"),
        [
            (Reply("", 429, headers={"Retry-After": "90"}), 90),
            (Reply("", 429), 60),
            (refusal("ratelimited"), 60),
        ],
    )
    def test_a_limit_is_kept(self, slack: FakeSlack, reply: Reply, at_least: int) -> None:
        slack.before = lambda method, asked: reply if method == "conversations.history" else None
        with pytest.raises(SourceBusy) as raised:
            opened(slack).sync(None)
        assert raised.value.retry_after >= at_least

    @pytest.mark.parametrize(
        "reply",
        [
            Reply("", 502),
            Reply('{"ok": true, "messages": [{'),
            Reply("[]"),
            refusal("internal_error"),
            ok(),
            ok(messages={"a": 1}),
            ok(messages=[1]),
            ok(messages=[], has_more=True),
        ],
    )
    def test_a_page_that_does_not_come_whole_is_tried_again(self, slack: FakeSlack, reply: Reply) -> None:
        for day in range(1, 5):
            slack.say("C1", f"2026-03-0{day}T09:00", "x")
        source = opened(slack)
        page = source.sync(None)
        slack.before = lambda method, asked: reply if method == "conversations.history" else None
        with pytest.raises(SourceDown):
            source.sync(page.cursor)
        slack.before = lambda method, asked: None
        assert source.sync(page.cursor).items

    @pytest.mark.parametrize("method", ["conversations.list", "conversations.history", "users.list"])
    def test_a_cursor_without_end_ends(self, slack: FakeSlack, method: str) -> None:
        slack.say("C1", "2026-03-01T09:00", "x")
        name = {
            "conversations.list": "channels",
            "conversations.history": "messages",
            "users.list": "members",
        }
        endless = ok(**{name[method]: []}, response_metadata={"next_cursor": "again"})
        slack.before = lambda called, asked: endless if called == method else None
        with pytest.raises(SourceDown, match="without end"):
            texts(opened(slack))
        assert len(slack.called) < 300

    def test_values_of_the_wrong_type_do_no_harm(self, slack: FakeSlack) -> None:
        slack.people.append({"id": 7, "profile": [], "name": None})
        odd = [
            {"ts": None},
            {"ts": "x"},
            {"ts": "99999999999999999999.1"},
            {"ts": "1772355600.000200", "text": 7, "user": {}, "files": [None, {"name": 3}], "edited": 1},
            {
                "ts": "1772355600.000300",
                "text": None,
                "attachments": "x",
                "blocks": [{"text": {"text": "B"}}],
            },
            {"ts": "1772355600.000400", "text": "half \ud800 a character", "thread_ts": 5},
        ]
        reply = Reply(json.dumps({"ok": True, "messages": odd}))
        slack.before = lambda method, asked: reply if method == "conversations.history" else None
        found, _ = texts(opened(slack))
        (text,) = found.values()
        assert "\n\nB\n" in text
        assert "half ? a character" in text
        assert all(unfit(item) is None for item in items(opened(slack)).values())
