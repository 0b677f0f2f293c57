"""The kind `jira` against a server that speaks Jira's API, of the cloud and of a server."""

from datetime import UTC, datetime, timedelta

import pytest

from footnote_ingest.connectors import jira as jira_kind
from footnote_ingest.connectors.atlassian_wire import AtlassianWire
from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.jira import JiraItems
from footnote_ingest.connectors.protocol import SourceItem, SyncPage
from footnote_shared.contracts.connector_kinds import JiraConfig
from tests.unit.ingest.connectors.fake_atlassian import FakeJira, answered
from tests.unit.ingest.connectors.in_process import InProcess
from tests.unit.ingest.connectors.local_site import LocalSite, Reply

TODAY = datetime(2026, 3, 20, 12, tzinfo=UTC)
EARLIER = "2026-03-01T09:00:00.000+0000"
LATELY = "2026-03-19T09:00:00.000+0000"


@pytest.fixture(params=[True, False], ids=["cloud", "server"])
def jira(request: pytest.FixtureRequest) -> FakeJira:
    return FakeJira(LocalSite("https://jira.example"), is_cloud=request.param)


def opened(jira: FakeJira, token: str = "t1", at: datetime = TODAY, **config: object) -> JiraItems:
    email = "ana@example.org" if jira.is_cloud else None
    wire = AtlassianWire(InProcess(jira.site), "Jira", jira.site.url, email, token)
    return JiraItems(wire, JiraConfig.model_validate({"url": jira.site.url, **config}), clock=lambda: at)


def walked(source: JiraItems, cursor: str | None = None) -> tuple[dict[str, SourceItem], SyncPage]:
    """All items, and the last page."""
    found: dict[str, SourceItem] = {}
    page = source.sync(cursor)
    while True:
        found |= {item.id: item for item in page.items}
        if not page.more:
            return found, page
        page = source.sync(page.cursor)


def text_of(jira: FakeJira, item: SourceItem) -> str:
    return opened(jira).fetch(item, None).content.decode()


class TestIssues:
    def test_come_with_their_key_their_author_and_their_comments(self, jira: FakeJira) -> None:
        jira.write("1", "ポンプ <b>steht", EARLIER, "<p>Seit Montag.</p>")
        for n in range(5):
            jira.say("1", "Bo", f"<p>Comment {n}</p>")
        items, _ = walked(opened(jira))
        item = items["issue:1"]
        assert (item.title, item.author, item.folder) == ("OPS-1 ポンプ <b>steht", "Ana Ruiz", "Betrieb")
        assert item.url == "https://jira.example/browse/OPS-1"
        assert item.updated_at == datetime(2026, 3, 1, 9, tzinfo=UTC)
        text = text_of(jira, item)
        assert "<title>OPS-1 ポンプ &lt;b&gt;steht</title>" in text
        assert "<li>Type: Bug</li>" in text
        assert "<p>Seit Montag.</p>" in text
        assert [f"Comment {n}" in text for n in range(5)] == [True] * 5
        assert "Bo, 2026-03-05" in text

    def test_a_comment_that_only_some_may_read_is_left_out(self, jira: FakeJira) -> None:
        jira.write("1", "Issue", EARLIER)
        jira.say("1", "Bo", "<p>Open.</p>")
        jira.say("1", "Bo", "<p>Secret.</p>", visibility={"type": "role", "value": "Administrators"})
        items, _ = walked(opened(jira))
        text = text_of(jira, items["issue:1"])
        assert "Open." in text
        assert "Secret." not in text
        assert "only some may read are left out: 1." in text

    def test_a_comment_for_the_people_of_a_service_desk_alone_is_left_out(self, jira: FakeJira) -> None:
        jira.write("1", "Issue", EARLIER)
        jira.say("1", "Bo", "<p>Open.</p>", jsdPublic=True)
        jira.say("1", "Bo", "<p>Among us.</p>", jsdPublic=False)
        items, _ = walked(opened(jira))
        text = text_of(jira, items["issue:1"])
        assert "Open." in text
        assert "Among us." not in text

    def test_comments_without_end_are_cut(self, jira: FakeJira) -> None:
        """Whoever runs the server decides how long they are: all of them do not fit into a worker."""
        jira.write("1", "Issue", EARLIER)
        for n in range(7):
            jira.say("1", "Bo", f"<p>Number {n}.</p>" + "x" * 400_000)
        items, _ = walked(opened(jira))
        text = text_of(jira, items["issue:1"])
        assert "Number 3." in text
        assert "Number 6." not in text
        assert "left out: they are too long" in text
        assert len(text) < 2_100_000

    @pytest.mark.parametrize("level", ["Board", {"name": "Board"}, {"id": ""}, {"id": None}, True])
    def test_an_issue_whose_level_is_not_told_is_nobodys(self, jira: FakeJira, level: object) -> None:
        jira.write("1", "Secret", EARLIER, security=level)
        with pytest.raises(SourceDown, match="who may read"):
            walked(opened(jira))

    def test_a_level_may_have_a_number_as_its_id(self, jira: FakeJira) -> None:
        jira.write("1", "Secret", EARLIER, security={"id": 10021})
        items, _ = walked(opened(jira))
        assert items["issue:1"].groups == ["jira:security:10021"]

    def test_a_security_level_is_a_group(self, jira: FakeJira) -> None:
        jira.write("1", "Open", EARLIER)
        jira.write("2", "Secret", EARLIER, security={"id": "10021", "name": "Board"})
        items, _ = walked(opened(jira))
        assert [items[f"issue:{n}"].groups for n in (1, 2)] == [None, ["jira:security:10021"]]
        items, _ = walked(opened(jira, readers=["staff"]))
        assert [items[f"issue:{n}"].groups for n in (1, 2)] == [["staff"], ["jira:security:10021"]]

    def test_are_read_by_who_may_browse_the_project(self, jira: FakeJira) -> None:
        jira.write("1", "Open", EARLIER)
        jira.write("2", "Secret", EARLIER, security={"id": "10021"})
        jira.let_in(
            {"type": "group", "parameter": "staff"},
            {"type": "user", "parameter": "x", "user": {"accountId": "u7"}},
            {"type": "projectRole", "parameter": "10002"},
            {"type": "reporter"},
            {"type": "projectRole", "parameter": "../../x"},
        )
        jira.actors = [
            {"type": "atlassian-group-role-actor", "name": "devs", "actorGroup": {"name": "devs"}},
            {"type": "atlassian-user-role-actor", "name": "u8"},
            {"type": "something-else", "name": "everybody"},
        ]
        items, _ = walked(opened(jira, follow_rights=True))
        readers = ["jira:group:devs", "jira:group:staff", "jira:user:u7", "jira:user:u8"]
        assert [items[f"issue:{n}"].groups for n in (1, 2)] == [readers, ["jira:security:10021"]]

    @pytest.mark.parametrize(
        ("holder", "groups"),
        [
            ({"type": "anyone"}, None),
            ({"type": "applicationRole"}, ["jira:users"]),
            ({"type": "applicationRole", "parameter": "jira-software"}, ["jira:application:jira-software"]),
            ({"type": "assignee"}, []),
            ({"type": "group"}, []),
            ({"type": ["anyone"]}, []),
        ],
    )
    def test_a_holder_that_is_not_understood_lets_nobody_in(
        self, jira: FakeJira, holder: dict[str, object], groups: list[str] | None
    ) -> None:
        jira.write("1", "Open", EARLIER)
        jira.let_in(holder)
        items, _ = walked(opened(jira, follow_rights=True))
        assert items["issue:1"].groups == groups

    def test_follow_what_changes_in_the_project_at_once_however_many_they_are(
        self, jira: FakeJira, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jira_kind, "_FEW", 2)
        for n in range(1, 4):
            jira.write(str(n), f"Issue {n}", EARLIER)
        jira.let_in({"type": "group", "parameter": "staff"})
        _, last = walked(opened(jira, follow_rights=True))
        named, last = walked(opened(jira, follow_rights=True), last.cursor)
        assert named == {}
        jira.let_in({"type": "group", "parameter": "board"})
        named, last = walked(opened(jira, follow_rights=True), last.cursor)
        assert [named[f"issue:{n}"].groups for n in (1, 2, 3)] == [["jira:group:board"]] * 3
        assert walked(opened(jira, follow_rights=True), last.cursor)[0] == {}

    def test_of_a_project_that_does_not_tell_its_readers_are_told_to_its_owner(self, jira: FakeJira) -> None:
        jira.write("1", "Open", EARLIER)
        with pytest.raises(OwnerMustAct, match="who may browse"):
            walked(opened(jira, follow_rights=True))

    def test_are_all_found_and_one_that_is_gone_is_not_named(self, jira: FakeJira) -> None:
        for n in range(1, 8):
            jira.write(str(n), f"Issue {n}", EARLIER)
        items, last = walked(opened(jira))
        assert (set(items), last.names_all) == ({f"issue:{n}" for n in range(1, 8)}, True)
        del jira.issues["3"]
        jira.write("4", "Issue 4", LATELY)
        after, last = walked(opened(jira), last.cursor)
        assert set(items) - set(after) == {"issue:3"}
        assert {key for key in after if after[key].revision != items[key].revision} == {"issue:4"}
        assert last.names_all

    def test_one_that_goes_while_they_are_listed_takes_no_other_along(self, jira: FakeJira) -> None:
        for n in range(1, 8):
            jira.write(str(n), f"Issue {n}", EARLIER)
        source = opened(jira)
        page = source.sync(None)
        found = {item.id for item in page.items}
        del jira.issues["1"]
        while page.more:
            page = source.sync(page.cursor)
            found |= {item.id for item in page.items}
        missed = {f"issue:{n}" for n in range(2, 8)} - found
        assert not missed or not page.names_all

    def test_of_many_only_the_latest_are_looked_at_until_a_day_has_gone(
        self, jira: FakeJira, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jira_kind, "_FEW", 3)
        for n in range(1, 6):
            jira.write(str(n), f"Issue {n}", EARLIER)
        _, last = walked(opened(jira))
        jira.write("2", "Issue 2", LATELY)
        soon, after = walked(opened(jira, at=TODAY + timedelta(hours=23)), last.cursor)
        assert (set(soon), after.names_all) == ({"issue:2"}, False)
        later, after = walked(opened(jira, at=TODAY + timedelta(hours=24)), after.cursor)
        assert (len(later), after.names_all) == (5, True)

    def test_one_that_goes_while_they_are_read_fails_alone(self, jira: FakeJira) -> None:
        jira.write("1", "Issue", EARLIER)
        source = opened(jira)
        items, _ = walked(source)
        del jira.issues["1"]
        with pytest.raises(ItemFailed):
            source.fetch(items["issue:1"], None)


class TestTrouble:
    def test_a_token_that_has_expired_is_told_to_its_owner(self, jira: FakeJira) -> None:
        jira.write("1", "Issue", EARLIER)
        with pytest.raises(OwnerMustAct, match="token"):
            opened(jira, "old").sync(None)

    def test_a_project_that_is_not_there_is_told_to_its_owner(self, jira: FakeJira) -> None:
        with pytest.raises(OwnerMustAct, match="projects"):
            opened(jira, projects=["NONE"]).sync(None)

    @pytest.mark.parametrize(("headers", "at_least"), [({"Retry-After": "90"}, 90), ({}, 60)])
    def test_a_limit_is_kept(self, jira: FakeJira, headers: dict[str, str], at_least: int) -> None:
        jira.before = lambda request: Reply("{}", 429, headers=headers)
        with pytest.raises(SourceBusy) as raised:
            opened(jira).sync(None)
        assert raised.value.retry_after >= at_least

    @pytest.mark.parametrize(
        "reply",
        [
            Reply("", 503),
            Reply('{"issues": [{'),
            answered({}),
            answered({"issues": [1]}),
            answered({"issues": []}),
            answered({"errorMessages": ["The token of the page is old."]}, 400),
        ],
    )
    def test_a_page_that_does_not_come_whole_is_tried_again(self, jira: FakeJira, reply: Reply) -> None:
        for n in range(1, 6):
            jira.write(str(n), f"Issue {n}", EARLIER)
        source = opened(jira)
        page = source.sync(None)
        jira.before = lambda request: reply
        with pytest.raises(SourceDown):
            source.sync(page.cursor)
        jira.before = lambda request: None
        assert source.sync(page.cursor).items

    def test_values_of_the_wrong_type_do_no_harm(self, jira: FakeJira) -> None:
        jira.issues = {
            "1": {"id": "1", "key": 7, "fields": {"summary": ["x\ud800"], "labels": [None], "security": []}}
        }
        items, _ = walked(opened(jira))
        assert text_of(jira, items["issue:1"])
