"""The kind `github` against a server that speaks GitHub's REST interface, over HTTP."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from footnote_ingest.connectors import github as github_module
from footnote_ingest.connectors import github_wire
from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.github import GithubItems
from footnote_ingest.connectors.github_wire import GithubWire
from footnote_ingest.connectors.portion import unfit
from footnote_ingest.connectors.protocol import SourceItem
from footnote_shared.contracts.connector_kinds import GithubConfig
from tests.unit.ingest.connectors.fake_github import ROOT, FakeGithub
from tests.unit.ingest.connectors.local_site import Reply, SiteRequest, outside, serving


@pytest.fixture
def github() -> Iterator[FakeGithub]:
    with serving() as site:
        made = FakeGithub(site)
        yield made
        for source in made.opened:
            source.close()


def opened(github: FakeGithub, token: str | None = "t0ken", **config: Any) -> GithubItems:
    asked = GithubConfig(repository="team/wiki", api_url=github.site.url, **config)
    client = outside(max_bytes=1_000_000)
    source = GithubItems(GithubWire(client, asked.api_url, asked.repository, token), asked, 1000)
    github.opened.append(source)
    return source


def synced(source: GithubItems, cursor: str | None = None) -> tuple[dict[str, SourceItem], str | None]:
    """Every item by its id, page by page as a run asks for them, and the cursor of the next run."""
    found: dict[str, SourceItem] = {}
    while True:
        page = source.sync(cursor)
        found |= {item.id: item for item in page.items}
        if not page.more:
            return found, page.cursor
        assert page.cursor != cursor
        cursor = page.cursor


def listed(source: GithubItems) -> list[str]:
    found: list[str] = []
    cursor = None
    while True:
        page = source.listing(cursor)
        found += page.ids
        if page.cursor is None:
            return sorted(set(found))
        cursor = page.cursor


def text_of(source: GithubItems, item: SourceItem) -> str:
    return source.fetch(item, None).content.decode()


class TestFiles:
    def test_are_known_by_path_with_the_address_of_their_branch(self, github: FakeGithub) -> None:
        github.files = {"README.md": b"# Start", "docs/größe/手引き.md": "Über alles.".encode()}
        source = opened(github, parts=["files"])
        items, _ = synced(source)
        assert set(items) == {"file:README.md", "file:docs/größe/手引き.md"}
        item = items["file:docs/größe/手引き.md"]
        assert item.folder == "docs/größe"
        assert item.url is not None
        assert item.url.startswith("https://github.example/team/wiki/blob/main/docs/gr%C3%B6%C3%9Fe/")
        assert text_of(source, item) == "Über alles."

    def test_an_edit_is_another_revision_and_a_deletion_is_not_listed(self, github: FakeGithub) -> None:
        github.files = {"a.md": b"One.", "b.md": b"Two.", "c.md": b"Three."}
        before, _ = synced(opened(github, parts=["files"]))
        github.files = {"a.md": b"One.", "b.md": b"Two, edited."}
        source = opened(github, parts=["files"])
        after, _ = synced(source)
        assert before["file:a.md"].revision == after["file:a.md"].revision
        assert before["file:b.md"].revision != after["file:b.md"].revision
        assert listed(source) == ["file:a.md", "file:b.md"]

    @pytest.mark.parametrize("truncated", [False, True])
    def test_only_a_part_of_the_repository_is_taken(self, github: FakeGithub, *, truncated: bool) -> None:
        github.files = {f"docs/{n // 50}/{n:03}.md": b"x" for n in range(450)} | {"src/a.py": b"y"}
        github.truncated = truncated
        source = opened(github, parts=["files"], path="/docs/")
        items, _ = synced(source)
        assert set(items) == {f"file:docs/{n // 50}/{n:03}.md" for n in range(450)}
        assert listed(source) == sorted(items)

    def test_one_that_is_too_large_is_not_asked_for(self, github: FakeGithub) -> None:
        github.files = {"big.txt": b"x" * 1001}
        (item,) = synced(opened(github, parts=["files"]))[0].values()
        assert item.left_out is not None

    def test_one_that_goes_while_they_are_read_fails_alone(self, github: FakeGithub) -> None:
        github.files = {"a.md": b"One."}
        source = opened(github, parts=["files"])
        (item,) = synced(source)[0].values()
        github.files = {"b.md": b"Two."}
        with pytest.raises(ItemFailed):
            source.fetch(item, None)

    def test_a_name_that_is_no_text_does_no_harm(self, github: FakeGithub) -> None:
        tree = '{"tree": [{"path": "a\\ud800.md", "type": "blob", "sha": "s", "size": 1}]}'
        github.before = lambda request: Reply(tree) if "/git/trees/" in request.path else None
        (item,) = synced(opened(github, parts=["files"]))[0].values()
        assert unfit(item) is not None

    def test_an_empty_repository_has_none(self, github: FakeGithub) -> None:
        source = opened(github, parts=["files"])
        assert synced(source)[0] == {}


class TestThreads:
    def test_hold_all_that_was_said_in_the_order_of_time(self, github: FakeGithub) -> None:
        github.open_thread(7, "Pumpe läuft nicht", "2026-02-01T00:00:00Z", body="Seit Montag.", pull=True)
        github.comments = {
            "issues/7/comments": [
                {"user": {"login": "зоя"}, "body": "Исправлено.", "created_at": "2026-01-04T00:00:00Z"}
            ],
            "pulls/7/reviews": [
                {"user": None, "body": "Looks right.", "submitted_at": "2026-01-03T00:00:00Z"},
                {"user": {"login": "bo"}, "body": "", "submitted_at": "2026-01-02T00:00:00Z"},
            ],
            "pulls/7/comments": [
                {
                    "user": {"login": "bo"},
                    "body": "Why?",
                    "path": "a.py",
                    "created_at": "2026-01-02T00:00:00Z",
                }
            ],
        }
        source = opened(github)
        items, _ = synced(source)
        item = items["pull:7"]
        assert (item.title, item.author, item.folder) == ("Pumpe läuft nicht", "ana", "pull requests")
        assert item.url == "https://github.example/team/wiki/issues/7"
        assert item.updated_at is not None
        text = text_of(source, item)
        places = [text.index(part) for part in ("Seit Montag.", "Why?", "Looks right.", "Исправлено.")]
        assert places == sorted(places)
        assert "## ghost, 2026-01-03" in text
        assert "## bo, 2026-01-02 on `a.py`" in text

    def test_the_next_run_asks_only_for_what_changed(self, github: FakeGithub) -> None:
        for n in range(1, 6):
            github.open_thread(n, f"Issue {n}", f"2026-02-0{n}T00:00:00Z")
        _, cursor = synced(opened(github))
        github.open_thread(2, "Issue 2, edited", "2026-03-01T00:00:00Z")
        source = opened(github)
        items, _ = synced(source, cursor)
        assert set(items) == {"issue:5", "issue:2"}
        assert listed(source) == [f"issue:{n}" for n in range(1, 6)]

    def test_one_that_changes_while_they_are_listed_hides_no_other(self, github: FakeGithub) -> None:
        for n in range(1, 251):
            github.open_thread(n, f"Issue {n}", f"2026-02-01T{n // 60:02}:{n % 60:02}:00Z")
        source = opened(github)
        page = source.sync(None)
        # The first of the listing moves to its end, and all that follow move up.
        github.open_thread(1, "Issue 1, edited", "2026-03-01T00:00:00Z")
        found = {item.id for item in page.items}
        while page.more:
            page = source.sync(page.cursor)
            found |= {item.id for item in page.items}
        assert found == {f"issue:{n}" for n in range(1, 251)}

    def test_many_of_the_same_second_are_all_found(self, github: FakeGithub) -> None:
        for n in range(1, 251):
            github.open_thread(n, f"Issue {n}", "2026-02-01T00:00:00Z")
        source = opened(github)
        assert len(synced(source)[0]) == 250

    def test_one_that_is_deleted_while_they_are_listed_takes_no_other_along(self, github: FakeGithub) -> None:
        for n in range(1, 251):
            github.open_thread(n, f"Issue {n}", "2026-02-01T00:00:00Z")
        source = opened(github, parts=["issues"])
        page = source.listing(None)
        del github.threads[5]
        found = set(page.ids)
        while page.cursor is not None:
            page = source.listing(page.cursor)
            found |= set(page.ids)
        assert found >= {f"issue:{n}" for n in range(6, 251)}

    def test_only_the_parts_that_were_asked_for_are_taken(self, github: FakeGithub) -> None:
        github.open_thread(1, "An issue", "2026-02-01T00:00:00Z")
        github.open_thread(2, "A pull request", "2026-02-01T00:00:00Z", pull=True)
        source = opened(github, parts=["pulls"])
        assert set(synced(source)[0]) == {"pull:2"}
        assert listed(source) == ["pull:2"]


def asked_of(github: FakeGithub, reply: Reply, part: str = "") -> None:
    """Whatever is asked below this part of the repository is answered like this."""
    github.before = lambda request: reply if request.path.startswith(ROOT + part) else None


class TestReaders:
    def test_of_a_private_repository_are_its_teams_and_its_people(self, github: FakeGithub) -> None:
        github.private, github.teams = True, ["core"]
        github.people = [f"dev{n:03}" for n in range(101)]
        github.files["a.md"] = b"A"
        github.open_thread(1, "Leak", "2026-01-02T00:00:00Z")
        items, _ = synced(opened(github, follow_rights=True))
        wanted = ["github:team:core", *(f"github:user:dev{n:03}" for n in range(101))]
        assert items["file:a.md"].groups == items["issue:1"].groups == wanted
        assert synced(opened(github))[0]["file:a.md"].groups is None

    def test_of_a_public_one_are_all(self, github: FakeGithub) -> None:
        github.files["a.md"], github.people = b"A", None
        assert synced(opened(github, follow_rights=True))[0]["file:a.md"].groups is None

    def test_that_change_reach_threads_which_have_not(self, github: FakeGithub) -> None:
        github.private, github.people = True, ["ana", "ben"]
        github.open_thread(1, "Old", "2026-01-02T00:00:00Z")
        github.open_thread(2, "New", "2026-01-03T00:00:00Z")
        _, cursor = synced(opened(github, follow_rights=True))
        items, cursor = synced(opened(github, follow_rights=True), cursor)
        assert set(items) == {"issue:2"}
        github.people = ["ana"]
        items, cursor = synced(opened(github, follow_rights=True), cursor)
        assert [items[f"issue:{n}"].groups for n in (1, 2)] == [["github:user:ana"]] * 2
        github.private = False
        items, cursor = synced(opened(github, follow_rights=True), cursor)
        assert [items[f"issue:{n}"].groups for n in (1, 2)] == [None, None]
        assert set(synced(opened(github, follow_rights=True), cursor)[0]) == {"issue:2"}

    def test_that_change_within_a_run_are_seen_by_the_next(
        self, github: FakeGithub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(GithubItems, "page_size", 1)
        github.private, github.people = True, ["ana", "ben"]
        github.files |= {"a.md": b"A", "b.md": b"B"}
        github.open_thread(1, "Old", "2026-01-02T00:00:00Z")
        first = opened(github, follow_rights=True).sync(None)
        github.people = ["ana"]
        _, cursor = synced(opened(github, follow_rights=True), first.cursor)
        github.open_thread(2, "New", "2026-01-03T00:00:00Z")
        items, _ = synced(opened(github, follow_rights=True), cursor)
        assert items["issue:1"].groups == ["github:user:ana"]

    def test_that_are_not_told_are_told_to_its_owner(self, github: FakeGithub) -> None:
        github.private, github.people = True, None
        github.files["a.md"] = b"A"
        with pytest.raises(OwnerMustAct, match="who may read"):
            opened(github, follow_rights=True).sync(None)


class TestTrouble:
    def test_a_token_that_has_expired_is_told_to_its_owner(self, github: FakeGithub) -> None:
        with pytest.raises(OwnerMustAct, match="token"):
            opened(github, token="old").sync(None)

    def test_a_repository_that_is_not_there_is_told_to_its_owner(self, github: FakeGithub) -> None:
        asked_of(github, Reply("{}", 404))
        with pytest.raises(OwnerMustAct, match="no repository"):
            opened(github).sync(None)

    @pytest.mark.parametrize(
        ("status", "headers", "body", "at_least"),
        [
            (429, {"Retry-After": "90"}, "", 90),
            (403, {"Retry-After": "90"}, "", 90),
            (403, {}, "You have exceeded a secondary rate limit.", 60),
            (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"}, "", 300),
        ],
    )
    def test_a_limit_is_kept_however_it_is_told(
        self, github: FakeGithub, status: int, headers: dict[str, str], body: str, at_least: int
    ) -> None:
        asked_of(github, Reply(body, status, headers=headers))
        with pytest.raises(SourceBusy) as raised:
            opened(github).sync(None)
        assert raised.value.retry_after >= at_least

    def test_what_the_token_may_not_read_is_told_to_its_owner(self, github: FakeGithub) -> None:
        asked_of(github, Reply('{"message": "Resource not accessible"}', 403), "/issues")
        source = opened(github, parts=["issues"])
        with pytest.raises(OwnerMustAct, match="refuses"):
            source.sync(None)

    @pytest.mark.parametrize("reply", [Reply("", 502), Reply('[{"number": 1'), Reply("{}"), Reply("[1]")])
    def test_a_page_that_does_not_come_whole_is_tried_again(self, github: FakeGithub, reply: Reply) -> None:
        for n in range(1, 151):
            github.open_thread(n, f"Issue {n}", f"2026-02-01T{n // 60:02}:{n % 60:02}:00Z")
        source = opened(github, parts=["issues"])
        page = source.sync(None)

        def broken(request: SiteRequest) -> Reply | None:
            return reply

        github.before = broken
        with pytest.raises(SourceDown):
            source.sync(page.cursor)
        github.before = lambda request: None
        assert len(source.sync(page.cursor).items) == 51

    def test_issues_that_are_switched_off_are_none(self, github: FakeGithub) -> None:
        asked_of(github, Reply("{}", 410), "/issues")
        source = opened(github, parts=["issues"])
        assert synced(source)[0] == {}


@pytest.mark.parametrize(
    "tree",
    ['{"tree": 5}', '{"tree": ["a", 5, null]}', '{"tree": {"path": "a"}}', '{"tree": [{"path": {}}]}', "{}"],
)
def test_a_tree_of_another_shape_ends_in_no_crash(github: FakeGithub, tree: str) -> None:
    def wrong(request: SiteRequest) -> Reply | None:
        return Reply(tree, kind="application/json") if "/git/trees/" in request.path else None

    github.before = wrong
    assert opened(github, parts=["files"]).sync(None).items == []


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        '{"a": [' + "1," * 400_000 + "1]}",
    ],
    ids=["deep", "wide"],
)
def test_json_that_costs_too_much_is_no_answer(
    github: FakeGithub, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(github_wire, "_MOST_JSON_VALUES", 300_000)
    github.before = lambda request: Reply(body, kind="application/json")
    with pytest.raises(SourceDown):
        opened(github).sync(None)


def test_a_server_that_always_has_another_page_is_left(
    github: FakeGithub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(github_module, "_MOST_PAGES", 3)
    asked = 0

    def endless(request: SiteRequest) -> Reply | None:
        nonlocal asked
        if not request.path.endswith("/issues"):
            return None
        asked += 1
        moment = f"2026-01-{asked:02}T00:00:00Z"
        threads = [{"number": n, "updated_at": moment, "title": "\u0000"} for n in range(100)]
        return Reply(json.dumps(threads), kind="application/json")

    github.before = endless
    with pytest.raises(OwnerMustAct, match="pages"):
        synced(opened(github, parts=["issues"]))
    assert asked == 3


def test_what_a_thread_says_of_itself_can_be_stored(github: FakeGithub) -> None:
    github.open_thread(1, "Odd", "2026-01-01T00:00:00Z")
    github.threads[1] |= {"number": 1, "state": "\x00 or worse"}
    items, _ = synced(opened(github, parts=["issues"]))
    assert items["issue:1"].metadata == {"number": 1, "state": ""}
