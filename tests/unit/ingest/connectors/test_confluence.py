"""The kind `confluence` against a server that speaks Confluence's API, of the cloud and of a server."""

from typing import Any

import pytest

from footnote_ingest.connectors.atlassian_wire import AtlassianWire
from footnote_ingest.connectors.confluence import ConfluenceItems
from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.portion import revision_of
from footnote_ingest.connectors.protocol import SourceItem
from footnote_shared.contracts.connector_kinds import ConfluenceConfig
from tests.unit.ingest.connectors.fake_atlassian import FakeConfluence, answered
from tests.unit.ingest.connectors.in_process import InProcess
from tests.unit.ingest.connectors.local_site import LocalSite, Reply


@pytest.fixture(params=[True, False], ids=["cloud", "server"])
def confluence(request: pytest.FixtureRequest) -> FakeConfluence:
    return FakeConfluence(LocalSite("https://wiki.example"), is_cloud=request.param)


def opened(confluence: FakeConfluence, token: str = "t1", **config: object) -> ConfluenceItems:
    url = f"{confluence.site.url}/wiki"
    email = "ana@example.org" if confluence.is_cloud else None
    wire = AtlassianWire(InProcess(confluence.site), "Confluence", url, email, token)
    return ConfluenceItems(wire, ConfluenceConfig.model_validate({"url": url, **config}))


def walked(source: ConfluenceItems) -> tuple[dict[str, SourceItem], bool]:
    """All items, and whether they are all that is there."""
    found: dict[str, SourceItem] = {}
    page = source.sync(None)
    while True:
        found |= {item.id: item for item in page.items}
        if not page.more:
            return found, page.names_all
        page = source.sync(page.cursor)


class TestPages:
    def test_come_with_their_place_their_author_and_their_address(self, confluence: FakeConfluence) -> None:
        confluence.write("1", "設備/ポンプ")
        confluence.write("2", "Насос 4711", "<p>Läuft.</p>", below=["1"])
        items, is_whole = walked(opened(confluence))
        item = items["page:2"]
        assert (item.title, item.author, item.folder) == ("Насос 4711", "Ana Ruiz", "Betrieb/設備∕ポンプ")
        assert item.url == "https://wiki.example/wiki/spaces/OPS/pages/2"
        assert is_whole
        fetched = opened(confluence).fetch(item, None)
        assert "<title>Насос 4711</title>" in fetched.content.decode()
        assert "<p>Läuft.</p>" in fetched.content.decode()

    def test_are_all_found_however_many_there_are(self, confluence: FakeConfluence) -> None:
        for n in range(1, 8):
            confluence.write(str(n), f"Page {n}")
        items, is_whole = walked(opened(confluence))
        assert set(items) == {f"page:{n}" for n in range(1, 8)}
        assert is_whole

    def test_another_version_is_another_revision_and_what_is_gone_is_not_named(
        self, confluence: FakeConfluence
    ) -> None:
        for n in range(1, 4):
            confluence.write(str(n), f"Page {n}")
        before, _ = walked(opened(confluence))
        confluence.write("1", "Page 1", "New.")
        del confluence.pages["2"]
        after, is_whole = walked(opened(confluence))
        assert set(after) == {"page:1", "page:3"}
        assert after["page:1"].revision != before["page:1"].revision
        assert after["page:3"].revision == before["page:3"].revision
        assert is_whole

    def test_one_that_goes_while_they_are_listed_takes_no_other_along(
        self, confluence: FakeConfluence
    ) -> None:
        for n in range(1, 8):
            confluence.write(str(n), f"Page {n}")
        source = opened(confluence)
        page = source.sync(None)
        found = {item.id for item in page.items}
        del confluence.pages["1"]
        while page.more:
            page = source.sync(page.cursor)
            found |= {item.id for item in page.items}
        missed = {f"page:{n}" for n in range(2, 8)} - found
        assert not missed or not page.names_all

    def test_one_that_goes_while_they_are_read_fails_alone(self, confluence: FakeConfluence) -> None:
        confluence.write("1", "Page")
        source = opened(confluence)
        items, _ = walked(source)
        del confluence.pages["1"]
        with pytest.raises(ItemFailed):
            source.fetch(items["page:1"], None)

    def test_only_spaces_that_were_named_are_asked_for(self, confluence: FakeConfluence) -> None:
        walked(opened(confluence, spaces=["OPS", "~ana"]))
        assert 'space in ("OPS","~ana")' in confluence.asked[-1]["cql"]
        with pytest.raises(OwnerMustAct, match="spaces"):
            opened(confluence, spaces=["NONE"]).sync(None)


class TestReaders:
    def test_are_those_of_the_page_and_of_all_above_it(self, confluence: FakeConfluence) -> None:
        confluence.write("1", "Open")
        confluence.write("2", "Managers", groups=["managers", "board"], people=["u7"])
        confluence.write("3", "Below", below=["2"])
        confluence.write("4", "Narrower", below=["2"], groups=["board"])
        confluence.write("5", "Disjoint", below=["2"], groups=["sales"])
        items, _ = walked(opened(confluence))
        board, managers = "confluence:group:board", "confluence:group:managers"
        assert items["page:1"].groups is None
        assert items["page:3"].groups == [board, managers, "confluence:user:u7"]
        assert items["page:4"].groups == [board]
        assert items["page:5"].groups == []

    def test_of_a_page_that_nothing_restricts_can_be_named(self, confluence: FakeConfluence) -> None:
        confluence.write("1", "Open")
        items, _ = walked(opened(confluence, readers=["staff"]))
        assert items["page:1"].groups == ["staff"]

    def test_are_known_again_after_a_crash_and_nobody_reads_below_what_is_hidden(
        self, confluence: FakeConfluence
    ) -> None:
        confluence.write("1", "Top", groups=["board"])
        confluence.write("2", "Hidden", groups=["nobody"])
        confluence.write("3", "Below 1", below=["1"])
        confluence.write("4", "Below 2", below=["2"])
        del confluence.pages["2"]
        first = opened(confluence).sync(None)
        again = opened(confluence)
        found = {item.id: item for item in first.items}
        while first.more:
            first = again.sync(first.cursor)
            found |= {item.id: item for item in first.items}
        assert found["page:3"].groups == ["confluence:group:board"]
        assert found["page:4"].groups == []

    def test_are_those_of_the_space_too_and_follow_it(self, confluence: FakeConfluence) -> None:
        confluence.write("1", "Open")
        confluence.write("2", "Managers", groups=["managers", "board"])
        confluence.let_in("OPS", groups=["staff", "board"], people=["u7"])
        items, _ = walked(opened(confluence, follow_rights=True))
        board, staff = "confluence:group:board", "confluence:group:staff"
        assert items["page:1"].groups == [board, staff, "confluence:user:u7"]
        assert items["page:2"].groups == [board]
        before = items["page:1"]
        confluence.let_in("OPS", groups=["staff"])
        items, _ = walked(opened(confluence, follow_rights=True))
        assert [items[f"page:{n}"].groups for n in (1, 2)] == [[staff], []]
        # Its text is the same: the document learns of its readers, and nothing is indexed again.
        assert items["page:1"].revision == before.revision
        assert revision_of(items["page:1"]) != revision_of(before)

    def test_of_a_space_that_strangers_see_are_all(self, confluence: FakeConfluence) -> None:
        confluence.write("1", "Open")
        confluence.let_in("OPS", groups=["staff"])
        confluence.spaces["OPS"][0]["anonymousAccess"] = True
        items, _ = walked(opened(confluence, follow_rights=True, readers=["all-here"]))
        assert items["page:1"].groups == ["all-here"]

    @pytest.mark.parametrize(
        "said",
        [
            [],
            [{"operation": {"operation": "read", "targetType": "page"}, "anonymousAccess": True}],
            [{"operation": {"operation": "read", "targetType": "space"}, "subjects": {"_expandable": {}}}],
            [{"operation": "read", "subjects": 3}, 7],
        ],
    )
    def test_of_a_space_that_are_not_told_are_told_to_its_owner(
        self, confluence: FakeConfluence, said: list[Any]
    ) -> None:
        confluence.write("1", "Open")
        confluence.spaces["OPS"] = said
        with pytest.raises(OwnerMustAct, match="who may see the space"):
            walked(opened(confluence, follow_rights=True))

    def test_that_are_not_told_let_nobody_in(self, confluence: FakeConfluence) -> None:
        confluence.write("1", "Page")
        del confluence.pages["1"]["restrictions"]["read"]["restrictions"]["user"]["results"]
        with pytest.raises(SourceDown):
            opened(confluence).sync(None)


class TestTrouble:
    def test_a_token_that_has_expired_is_told_to_its_owner(self, confluence: FakeConfluence) -> None:
        confluence.write("1", "Page")
        with pytest.raises(OwnerMustAct, match="token"):
            opened(confluence, "old").sync(None)

    @pytest.mark.parametrize(("headers", "at_least"), [({"Retry-After": "90"}, 90), ({}, 60)])
    def test_a_limit_is_kept(
        self, confluence: FakeConfluence, headers: dict[str, str], at_least: int
    ) -> None:
        confluence.before = lambda request: Reply("{}", 429, headers=headers)
        with pytest.raises(SourceBusy) as raised:
            opened(confluence).sync(None)
        assert raised.value.retry_after >= at_least

    @pytest.mark.parametrize(
        "reply",
        [
            Reply("", 502),
            Reply('{"results": [{'),
            answered([]),
            answered({}),
            answered({"results": [1]}),
            answered({"message": "The cursor is old."}, 400),
        ],
    )
    def test_a_page_that_does_not_come_whole_is_tried_again(
        self, confluence: FakeConfluence, reply: Reply
    ) -> None:
        for n in range(1, 6):
            confluence.write(str(n), f"Page {n}")
        source = opened(confluence)
        page = source.sync(None)
        confluence.before = lambda request: reply
        with pytest.raises(SourceDown):
            source.sync(page.cursor)
        confluence.before = lambda request: None
        assert source.sync(page.cursor).items

    def test_an_address_without_confluence_is_told(self, confluence: FakeConfluence) -> None:
        confluence.before = lambda request: Reply("no", 404)
        with pytest.raises(OwnerMustAct, match="url"):
            opened(confluence).sync(None)
