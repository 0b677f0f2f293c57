"""The kind `google_drive` against a server that speaks Drive's API."""

from datetime import UTC, datetime, timedelta

import pytest

from footnote_ingest.connectors.drive_channel import Listening
from footnote_ingest.connectors.errors import ItemFailed, ItemSkipped, OwnerMustAct, SourceBusy, SourceDown
from tests.unit.ingest.connectors.drive_syncs import MOST, TODAY, opened, pages, synced
from tests.unit.ingest.connectors.fake_drive import GOOGLES, FakeDrive, refused
from tests.unit.ingest.connectors.local_site import LocalSite, Reply

ANA = {"id": "1", "type": "user", "emailAddress": "Ana@Example.com"}
OPS = {"id": "2", "type": "group", "emailAddress": "ops@example.com"}


@pytest.fixture
def drive() -> FakeDrive:
    return FakeDrive(LocalSite("https://drive.example"))


class TestListing:
    def test_names_every_file_with_its_place_its_author_and_its_time(self, drive: FakeDrive) -> None:
        drive.folder("root", "My Drive")
        drive.folder("d1", "設備/ポンプ", "root")
        drive.put("f1", "Насос 4711.txt", parent="d1")
        for n in range(5):
            drive.put(f"g{n}", f"Plan {n}", parent="root")
        found, last = synced(opened(drive))
        assert set(found) == {"file:f1", *(f"file:g{n}" for n in range(5))}
        item = found["file:f1"]
        assert (item.title, item.folder, item.author) == (
            "Насос 4711.txt",
            "My Drive/設備∕ポンプ",
            "Ana Ruiz",
        )
        assert item.url == "https://drive.google.example/f1"
        assert item.updated_at == datetime(2026, 3, 1, 9, tzinfo=UTC)
        assert last.names_all

    def test_what_changes_while_files_are_listed_comes_with_the_next_sync(self, drive: FakeDrive) -> None:
        for n in range(5):
            drive.put(f"f{n}", f"Plan {n}")
        source = opened(drive)
        page = source.sync(None)
        drive.put("f0", "Plan 0 again", modified="2026-03-20T11:59:59.000Z")
        drive.put("f9", "Newer")
        *_, last = pages(source, page.cursor)
        found, _ = synced(opened(drive), last.cursor)
        assert set(found) == {"file:f0", "file:f9"}
        assert found["file:f0"].title == "Plan 0 again"

    def test_that_google_cut_short_deletes_nothing(self, drive: FakeDrive) -> None:
        drive.put("f1", "Plan")
        drive.before = lambda request: (
            Reply('{"files": [], "incompleteSearch": true}') if request.path == "/drive/v3/files" else None
        )
        _, last = synced(opened(drive))
        assert not last.names_all

    def test_begins_anew_where_its_place_has_grown_old_but_not_for_ever(self, drive: FakeDrive) -> None:
        for n in range(5):
            drive.put(f"f{n}", f"Plan {n}")
        source = opened(drive)
        page = source.sync(None)
        drive.forgotten = {"2"}
        again = source.sync(page.cursor)
        drive.forgotten = set()
        found, _ = synced(source, again.cursor)
        assert set(found) == {f"file:f{n}" for n in range(5)}
        drive.forgotten = {"2"}
        with pytest.raises(SourceDown):
            synced(opened(drive))

    def test_takes_what_lies_below_the_wanted_folders_at_any_depth(self, drive: FakeDrive) -> None:
        drive.folder("root", "My Drive")
        drive.folder("d1", "Handbook", "root")
        drive.folder("d2", "Pumps", "d1")
        drive.put("f1", "In it", parent="d2")
        drive.put("f2", "Beside it", parent="root")
        drive.put("f3", "Shared with us")
        found, last = synced(opened(drive, folders=["d1"]))
        assert set(found) == {"file:f1"}
        drive.put("f1", "In it", parent="root")
        drive.put("f2", "Beside it", parent="d1")
        found, _ = synced(opened(drive, folders=["d1"]), last.cursor)
        assert (found["file:f1"].deleted, found["file:f2"].deleted) == (True, False)


class TestChanges:
    def test_say_what_is_new_changed_trashed_and_gone_and_nothing_else_is_asked(
        self, drive: FakeDrive
    ) -> None:
        for n in range(6):
            drive.put(f"f{n}", f"Plan {n}")
        before, last = synced(opened(drive))
        drive.put("f1", "Plan 1", modified="2026-03-19T09:00:00.000Z")
        drive.files["f2"]["trashed"] = True
        drive.tell("f2")
        drive.remove("f3")
        drive.put("f7", "New")
        drive.site.asked.clear()
        found, last = synced(opened(drive), last.cursor)
        assert {key: item.deleted for key, item in found.items()} == {
            "file:f1": False,
            "file:f2": True,
            "file:f3": True,
            "file:f7": False,
        }
        assert found["file:f1"].revision != before["file:f1"].revision
        assert not last.names_all
        assert {request.path for request in drive.site.asked} == {"/token", "/drive/v3/changes"}
        nothing, _ = synced(opened(drive), last.cursor)
        assert nothing == {}

    def test_of_a_folder_have_everything_listed(self, drive: FakeDrive) -> None:
        drive.folder("d1", "Pumps")
        drive.put("f1", "Plan", parent="d1")
        _, last = synced(opened(drive))
        drive.folder("d1", "Engines")
        found, last = synced(opened(drive), last.cursor)
        assert found["file:f1"].folder == "Engines"
        assert last.names_all

    def test_a_day_later_everything_is_listed(self, drive: FakeDrive) -> None:
        drive.put("f1", "Plan")
        _, last = synced(opened(drive))
        _, soon = synced(opened(drive, TODAY + timedelta(hours=23)), last.cursor)
        found, later = synced(opened(drive, TODAY + timedelta(hours=24)), soon.cursor)
        assert (soon.names_all, later.names_all) == (False, True)
        assert set(found) == {"file:f1"}

    def test_whose_place_has_grown_old_have_everything_listed(self, drive: FakeDrive) -> None:
        drive.put("f1", "Plan")
        _, last = synced(opened(drive))
        drive.remove("f1")
        drive.put("f2", "Other")
        drive.forgotten = {"1"}
        found, last = synced(opened(drive), last.cursor)
        assert set(found) == {"file:f2"}
        assert last.names_all

    def test_go_on_after_a_crash_where_they_were(self, drive: FakeDrive) -> None:
        drive.put("f0", "Plan")
        _, last = synced(opened(drive))
        for n in range(1, 6):
            drive.put(f"f{n}", f"Plan {n}")
        first = opened(drive).sync(last.cursor)
        again, _ = synced(opened(drive), first.cursor)
        assert {item.id for item in first.items} | set(again) == {f"file:f{n}" for n in range(1, 6)}


class TestReaders:
    def test_are_the_people_the_groups_and_the_domains_that_have_access(self, drive: FakeDrive) -> None:
        gone = {"id": "3", "type": "user", "emailAddress": "x@example.com", "deleted": True}
        sees = {"id": "4", "type": "user", "emailAddress": "y@example.com", "view": "metadata"}
        domain = {"id": "5", "type": "domain", "domain": "Example.com"}
        drive.put("f1", "Plan", permissions=[ANA, OPS, gone, sees, domain])
        drive.put("f2", "By link", permissions=[ANA, {"id": "a", "type": "anyone"}])
        drive.put("f3", "Open")
        drive.put("f4", "Unknown", permissions=[{"id": "9", "type": "robot"}])
        found, _ = synced(opened(drive))
        assert found["file:f1"].groups == [
            "google:domain:example.com",
            "google:group:ops@example.com",
            "google:user:ana@example.com",
        ]
        assert found["file:f2"].groups == ["google:link", "google:user:ana@example.com"]
        assert found["file:f3"].groups is None
        assert found["file:f4"].groups == []

    def test_follow_a_change_of_access(self, drive: FakeDrive) -> None:
        drive.put("f1", "Plan", permissions=[ANA, OPS])
        _, last = synced(opened(drive))
        drive.files["f1"]["permissions"] = [ANA]
        drive.tell("f1")
        found, _ = synced(opened(drive), last.cursor)
        assert found["file:f1"].groups == ["google:user:ana@example.com"]

    def test_that_google_does_not_tell_are_those_of_the_connector_or_it_is_left_out(
        self, drive: FakeDrive
    ) -> None:
        drive.put("f1", "Plan")
        del drive.files["f1"]["permissions"]
        found, _ = synced(opened(drive))
        assert "does not tell" in (found["file:f1"].left_out or "")
        assert found["file:f1"].groups == []
        found, _ = synced(opened(drive, readers=["ops"]))
        assert (found["file:f1"].left_out, found["file:f1"].groups) == (None, ["ops"])

    def test_of_a_shared_drive_are_its_members_but_for_what_has_rules_of_its_own(
        self, drive: FakeDrive
    ) -> None:
        drive.folder("sd", "Team", driveId="sd")
        drive.folder("d1", "Open", "sd", driveId="sd", hasAugmentedPermissions=False)
        drive.folder("d2", "Closed", "sd", driveId="sd", inheritedPermissionsDisabled=True)
        drive.put_in_shared("f1", "Plan", "d1")
        drive.put_in_shared("f2", "Secret", "d2")
        drive.put_in_shared("f3", "Also for Ana", "d1", hasAugmentedPermissions=True)
        drive.put_in_shared("f4", "In a folder that we do not see", "hidden")
        drive.permissions = {"sd": [OPS], "f2": [ANA], "f3": [ANA, OPS]}
        found, _ = synced(opened(drive, drive="sd"))
        groups = {key: (item.groups, item.left_out is None) for key, item in found.items()}
        assert groups == {
            "file:f1": (["google:group:ops@example.com"], True),
            "file:f2": (["google:user:ana@example.com"], True),
            "file:f3": (["google:group:ops@example.com", "google:user:ana@example.com"], True),
            "file:f4": ([], False),
        }


class TestFetching:
    @pytest.mark.parametrize(
        ("kind", "ending"), [("document", ".docx"), ("spreadsheet", ".xlsx"), ("presentation", ".pptx")]
    )
    def test_exports_documents_of_google(self, drive: FakeDrive, kind: str, ending: str) -> None:
        drive.put("f1", "Звіт 2026/03", b"As ", mimeType=f"{GOOGLES}{kind}")
        source = opened(drive)
        got = source.fetch(synced(source)[0]["file:f1"], None)
        assert got.filename == f"Звіт 2026∕03{ending}"
        assert got.content.decode() == f"As {got.mime}"
        assert "openxmlformats" in got.mime

    def test_brings_the_bytes_of_files(self, drive: FakeDrive) -> None:
        drive.put("f1", "Plan.pdf", b"%PDF", mimeType="application/pdf", md5Checksum="abc", size="4")
        source = opened(drive)
        got = source.fetch(synced(source)[0]["file:f1"], None)
        assert (got.content, got.filename, got.mime) == (b"%PDF", "Plan.pdf", "application/pdf")

    def test_leaves_out_what_has_no_content_or_may_not_be_taken(self, drive: FakeDrive) -> None:
        drive.put("s1", "To a plan", None, mimeType=f"{GOOGLES}shortcut", shortcutDetails={"targetId": "f9"})
        drive.put("s2", "Questions", None, mimeType=f"{GOOGLES}form")
        drive.put("s3", "Large", size=str(MOST + 1))
        drive.put("s4", "Closed", capabilities={"canDownload": False})
        found, _ = synced(opened(drive))
        for key, reason in (("s1", "shortcut"), ("s2", "kind"), ("s3", "larger"), ("s4", "download")):
            assert reason in (found[f"file:{key}"].left_out or "")

    @pytest.mark.parametrize(
        ("status", "reason", "kind"),
        [
            (403, "exportSizeLimitExceeded", ItemSkipped),
            (403, "cannotDownloadAbusiveFile", ItemSkipped),
            (403, "somethingElse", ItemFailed),
            (404, "notFound", ItemFailed),
        ],
    )
    def test_one_that_google_does_not_give_fails_alone(
        self, drive: FakeDrive, status: int, reason: str, kind: type[Exception]
    ) -> None:
        drive.put("f1", "Plan")
        source = opened(drive)
        item = synced(source)[0]["file:f1"]
        drive.before = lambda request: refused(status, reason) if "alt=media" in request.query else None
        with pytest.raises(kind):
            source.fetch(item, None)


class TestTrouble:
    @pytest.mark.parametrize(
        ("status", "reason", "headers", "wait"),
        [
            (403, "userRateLimitExceeded", {}, 60),
            (403, "rateLimitExceeded", {"retry-after": "7"}, 7),
            (429, "rateLimitExceeded", {"retry-after": "9"}, 9),
        ],
    )
    def test_of_a_busy_google_waits_as_long_as_it_asks(
        self, drive: FakeDrive, status: int, reason: str, headers: dict[str, str], wait: int
    ) -> None:
        drive.before = lambda request: (
            refused(status, reason, **headers) if request.path == "/drive/v3/files" else None
        )
        with pytest.raises(SourceBusy) as busy:
            synced(opened(drive))
        assert busy.value.retry_after == wait

    def test_in_the_middle_of_a_listing_ends_it(self, drive: FakeDrive) -> None:
        for n in range(5):
            drive.put(f"f{n}", f"Plan {n}")
        source = opened(drive)
        cursor = source.sync(None).cursor
        for broken in (refused(500, "backendError"), Reply('{"files": [{"id"'), Reply("{}")):
            drive.site.replies["/drive/v3/files"] = broken
            with pytest.raises(SourceDown):
                source.sync(cursor)

    @pytest.mark.parametrize(
        ("reason", "what_to_do"),
        [("accessNotConfigured", "Switch it on"), ("insufficientPermissions", "drive.readonly")],
    )
    def test_of_the_owner_says_what_to_do(self, drive: FakeDrive, reason: str, what_to_do: str) -> None:
        drive.before = lambda request: refused(403, reason) if "/drive/" in request.path else None
        with pytest.raises(OwnerMustAct, match=what_to_do):
            synced(opened(drive))

    def test_a_shared_drive_that_is_not_there_is_named(self, drive: FakeDrive) -> None:
        drive.before = lambda request: refused(404, "notFound") if "/drive/" in request.path else None
        with pytest.raises(OwnerMustAct, match="`drive`"):
            synced(opened(drive, drive="sd"))


HERE = Listening("https://footnote.example/v1/webhooks/c1", lambda channel: f"token of {channel}")


class TestChannel:
    def test_is_opened_by_the_first_sync_and_lasts_for_the_next_ones(self, drive: FakeDrive) -> None:
        drive.put("f1", "Plan")
        _, last = synced(opened(drive, TODAY, HERE))
        (channel,) = drive.channels.values()
        assert channel["address"] == HERE.address
        assert channel["token"] == f"token of {channel['id']}"
        assert int(channel["expiration"]) == int((TODAY + timedelta(days=7)).timestamp() * 1000)
        synced(opened(drive, TODAY + timedelta(days=3), HERE), last.cursor)
        assert list(drive.channels) == [channel["id"]]

    def test_is_followed_by_another_one_before_it_ends(self, drive: FakeDrive) -> None:
        _, last = synced(opened(drive, TODAY, HERE))
        (first,) = drive.channels
        _, last = synced(opened(drive, TODAY + timedelta(days=4), HERE), last.cursor)
        (second,) = drive.channels
        assert second != first
        synced(opened(drive, TODAY + timedelta(days=7), HERE), last.cursor)
        assert list(drive.channels) == [second]

    def test_is_another_one_for_another_secret(self, drive: FakeDrive) -> None:
        _, last = synced(opened(drive, TODAY, HERE))
        other = Listening(HERE.address, lambda channel: f"another token of {channel}")
        synced(opened(drive, TODAY, other), last.cursor)
        assert [one["token"].startswith("another") for one in drive.channels.values()] == [True]

    def test_that_google_does_not_open_is_the_owners(self, drive: FakeDrive) -> None:
        plain = Listening("http://footnote.example/v1/webhooks/c1", lambda channel: "token")
        with pytest.raises(OwnerMustAct, match=r"push\.webhookUrlNotHttps"):
            synced(opened(drive, TODAY, plain))
        drive.before = lambda request: (
            refused(401, "push.webhookUrlUnauthorized") if request.path.endswith("/watch") else None
        )
        with pytest.raises(OwnerMustAct, match="certificate"):
            synced(opened(drive, TODAY, HERE))
        assert len(drive.tokens) == 2

    def test_is_not_opened_where_nobody_asked_for_it(self, drive: FakeDrive) -> None:
        synced(opened(drive))
        assert drive.channels == {}


class TestTokens:
    def test_one_that_ends_before_its_time_is_renewed_once(self, drive: FakeDrive) -> None:
        drive.put("f1", "Plan")
        source = opened(drive)
        synced(source)
        drive.tokens.append("ya29.another")
        synced(source)
        assert drive.tokens[-1] == "ya29.2"

    def test_one_that_is_refused_although_it_is_new_is_the_owners(self, drive: FakeDrive) -> None:
        drive.before = lambda request: refused(401, "authError") if "/drive/" in request.path else None
        with pytest.raises(OwnerMustAct, match="consent"):
            synced(opened(drive))
        assert len(drive.tokens) == 2

    def test_stand_in_headers_alone(self, drive: FakeDrive) -> None:
        drive.put("f1", "Plan")
        synced(opened(drive))
        for request in drive.site.asked:
            assert "ya29" not in request.path + request.query
            assert "refresh" not in request.path + request.query
