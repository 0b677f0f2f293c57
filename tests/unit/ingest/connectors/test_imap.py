"""The kind `imap` against a server that speaks IMAP4rev1 over a socket."""

import json
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest

from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceDown
from footnote_ingest.connectors.imap import ImapItems
from footnote_ingest.connectors.imap_wire import ImapWire
from footnote_ingest.connectors.protocol import SourceItem, SyncPage
from footnote_shared.contracts.connector_kinds import ImapConfig, ImapCredentials
from footnote_shared.egress.client import FetchLimits
from footnote_shared.egress.policy import EgressPolicy
from footnote_testing.imap_server import LocalImap, ServedFolder, serving_mail
from footnote_testing.self_signed import certificate

HERE = EgressPolicy(allowed=(ip_network("127.0.0.1/32"),))
TODAY = datetime(2026, 3, 20, 12, tzinfo=UTC)
TRUSTING_NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@pytest.fixture
def account() -> Iterator[LocalImap]:
    with serving_mail() as served:
        yield served


def letter(subject: str, body: str = "Text.", message_id: str = "", **headers: str) -> bytes:
    about = {"Subject": subject, "From": "Bo <bo@example.org>", "Date": "Sun, 1 Mar 2026 08:00:00 +0000"}
    about |= {"Message-ID": message_id or f"<{subject.encode().hex()}@example.org>", **headers}
    lines = [*(f"{name}: {value}" for name, value in about.items()), "", body]
    return "\r\n".join(lines).encode()


def opened(
    account: LocalImap,
    *,
    at: datetime = TODAY,
    most_bytes: int = 100_000,
    policy: EgressPolicy = HERE,
    tls: ssl.SSLContext = TRUSTING_NOBODY,
    password: str = "geheim",
    within_s: float | None = None,
    **config: object,
) -> ImapItems:
    asked = {"host": "127.0.0.1", "port": account.port, "encryption": "none", **config}
    settings = ImapConfig.model_validate(asked)
    known = ImapCredentials(username=account.login[0], password=password)
    limits = FetchLimits(max_bytes=most_bytes)
    wire = ImapWire(settings, known, policy, limits, tls=tls, within_s=within_s)
    return ImapItems(wire, settings, most_bytes, clock=lambda: at)


def walked(source: ImapItems, cursor: str | None = None) -> tuple[dict[str, SourceItem], SyncPage]:
    """All items by their titles, and the last page."""
    found: dict[str, SourceItem] = {}
    page = source.sync(cursor)
    while True:
        found |= {item.title or "": item for item in page.items}
        if not page.more:
            return found, page
        page = source.sync(page.cursor)


class TestMail:
    def test_comes_with_its_folder_its_sender_and_the_moment_of_its_arrival(self, account: LocalImap) -> None:
        account.folders["INBOX.Entw&APw-rfe.&MMYwuTDI-"] = ServedFolder()
        account.put(
            letter("=?utf-8?q?Gr=C3=BC=C3=9Fe_=E8=A8=AD?=", Date="Fri, 31 Dec 9999 23:59:59 +0000"),
            "INBOX.Entw&APw-rfe.&MMYwuTDI-",
        )
        source = opened(account)
        page = source.sync(None)
        (item,) = page.items
        assert (item.title, item.author) == ("Grüße 設", "Bo <bo@example.org>")
        assert item.folder == "INBOX/Entwürfe/テスト"
        assert item.updated_at == datetime(2026, 3, 1, 9, tzinfo=UTC)
        fetched = source.fetch(item, None)
        assert fetched.content.endswith(b"Text.")
        assert fetched.mime == "message/rfc822"

    def test_is_all_found_however_much_there_is(self, account: LocalImap) -> None:
        for n in range(450):
            account.put(letter(f"Letter {n}"))
        found, last = walked(opened(account))
        assert len(found) == 450
        assert last.names_all

    def test_drafts_and_what_is_marked_as_deleted_are_left_out(self, account: LocalImap) -> None:
        account.folders |= {
            "Drafts": ServedFolder("\\Drafts"),
            "Bin": ServedFolder("\\HasNoChildren \\Trash"),
        }
        account.folders["Top"] = ServedFolder("\\Noselect")
        account.put(letter("Kept"))
        account.put(letter("Gone"), flags="\\Seen \\Deleted")
        account.put(letter("Half"), flags="\\Draft")
        account.put(letter("In the bin"), "Bin")
        account.put(letter("A draft"), "Drafts")
        assert set(walked(opened(account))[0]) == {"Kept"}
        assert set(walked(opened(account, folders=["bin"]))[0]) == {"In the bin"}

    def test_only_groups_that_were_named_read_it(self, account: LocalImap) -> None:
        account.put(letter("A"))
        assert walked(opened(account, readers=["office"]))[0]["A"].groups == ["office"]

    def test_that_is_too_large_says_so(self, account: LocalImap) -> None:
        account.put(letter("Large", "x" * 5000))
        assert "may be taken" in (walked(opened(account, most_bytes=1000))[0]["Large"].left_out or "")

    def test_that_goes_while_it_is_read_fails_alone(self, account: LocalImap) -> None:
        uid = account.put(letter("A"))
        source = opened(account)
        (item,) = source.sync(None).items
        del account.folders["INBOX"].mails[uid]
        with pytest.raises(ItemFailed):
            source.fetch(item, None)


class TestWhatChanges:
    def test_where_nothing_came_nothing_is_asked_for(self, account: LocalImap) -> None:
        account.put(letter("A"))
        _, last = walked(opened(account))
        account.said.clear()
        found, after = walked(opened(account, at=TODAY + timedelta(hours=1)), last.cursor)
        assert (found, after.names_all) == ({}, False)
        assert not [line for line in account.said if line.startswith(("UID", "EXAMINE"))]

    def test_where_mail_only_came_that_alone_is_named(self, account: LocalImap) -> None:
        account.put(letter("A"))
        _, last = walked(opened(account))
        account.put(letter("B"))
        found, after = walked(opened(account), last.cursor)
        assert (set(found), after.names_all) == ({"B"}, False)

    def test_where_mail_went_all_of_it_is_named(self, account: LocalImap) -> None:
        first = account.put(letter("A"))
        account.put(letter("B"))
        _, last = walked(opened(account))
        del account.folders["INBOX"].mails[first]
        account.put(letter("C"))
        found, after = walked(opened(account), last.cursor)
        assert (set(found), after.names_all) == ({"B", "C"}, True)

    def test_once_a_day_all_of_it_is_named(self, account: LocalImap) -> None:
        uid = account.put(letter("A"))
        account.put(letter("B"))
        _, last = walked(opened(account))
        account.folders["INBOX"].mails[uid].flags = "\\Deleted"
        soon, page = walked(opened(account, at=TODAY + timedelta(hours=23)), last.cursor)
        assert (soon, page.names_all) == ({}, False)
        later, page = walked(opened(account, at=TODAY + timedelta(hours=24)), page.cursor)
        assert (set(later), page.names_all) == ({"B"}, True)

    def test_a_message_that_moves_stays_the_same_item(self, account: LocalImap) -> None:
        account.folders["Archive"] = ServedFolder()
        uid = account.put(letter("A"))
        before, last = walked(opened(account))
        account.move(uid, "INBOX", "Archive")
        after, page = walked(opened(account), last.cursor)
        assert page.names_all
        assert (after["A"].id, after["A"].folder) == (before["A"].id, "Archive")

    def test_a_folder_that_is_made_anew_changes_no_item(self, account: LocalImap) -> None:
        for n in range(3):
            account.put(letter(f"Letter {n}"))
        before, last = walked(opened(account))
        anew = ServedFolder(validity=8)
        mails = list(account.folders["INBOX"].mails.values())
        account.folders["INBOX"] = anew
        for mail in reversed(mails):
            account.put(mail.content, arrived=mail.arrived)
        after, page = walked(opened(account), last.cursor)
        assert page.names_all
        assert {item.id for item in after.values()} == {item.id for item in before.values()}

    def test_numbers_that_change_in_the_middle_begin_the_sync_anew(self, account: LocalImap) -> None:
        for n in range(250):
            account.put(letter(f"Letter {n}"))
        page = opened(account).sync(None)
        assert page.more
        account.folders["INBOX"].validity = 9
        found, last = walked(opened(account), page.cursor)
        assert (len(found), last.names_all) == (250, True)

    def test_a_copy_is_the_same_item_and_filed_by_the_inbox(self, account: LocalImap) -> None:
        account.folders = {"All": ServedFolder("\\All"), "Alpha": ServedFolder(), "INBOX": ServedFolder()}
        for folder in ("All", "Alpha", "INBOX"):
            account.put(letter("A"), folder)
        page = opened(account).sync(None)
        first = page.items[0]
        found, _ = walked(opened(account))
        assert first.folder == "INBOX"
        assert found["A"].id == first.id

    def test_a_stranger_cannot_take_the_place_of_a_message_by_its_id(self, account: LocalImap) -> None:
        account.put(letter("Invoice", "Pay Bo.", "<1@bo>"))
        account.put(letter("Invoice", "Pay Eve.", "<1@bo>"), arrived="02-Mar-2026 09:00:00 +0000")
        page = opened(account).sync(None)
        assert len({item.id for item in page.items}) == 2


class TestTrouble:
    def test_a_password_that_is_wrong_is_told_to_its_owner(self, account: LocalImap) -> None:
        with pytest.raises(OwnerMustAct, match="password"):
            opened(account, password="old").sync(None)
        account.capabilities = "IMAP4rev1"
        with pytest.raises(OwnerMustAct, match="password"):
            opened(account, password="old").sync(None)

    def test_a_server_that_is_busy_is_tried_again(self, account: LocalImap) -> None:
        account.before = lambda said: b"TAG NO [UNAVAILABLE] later\r\n" if "AUTH" in said else None
        with pytest.raises(SourceDown):
            opened(account).sync(None)

    def test_a_folder_that_is_not_there_is_told_to_its_owner(self, account: LocalImap) -> None:
        with pytest.raises(OwnerMustAct, match="folders"):
            opened(account, folders=["Nowhere"]).sync(None)

    def test_a_login_goes_in_quotes_where_the_server_knows_nothing_else(self, account: LocalImap) -> None:
        account.capabilities = "IMAP4rev1"
        account.put(letter("A"))
        assert set(walked(opened(account))[0]) == {"A"}
        account.capabilities = "IMAP4rev1 LOGINDISABLED"
        with pytest.raises(OwnerMustAct, match="encryption"):
            opened(account).sync(None)

    @pytest.mark.parametrize(
        "reply",
        [
            b"",
            b"* BYE too many\r\n",
            b"TAG NO not now\r\n",
            b"TAG BAD what\r\n",
            b"HTTP/1.1 200 OK\r\n",
            b"* 1 FETCH (UID 1 BODY[] {99999999999999999999}\r\n",
            b"* 1 FETCH (UID 1 BODY[] {5000000000}\r\n",
            b"* 1 FETCH (UID {" + b"9" * 5000 + b"}\r\n",
            b"* 1 FETCH " + b"(" * 50 + b"\r\nTAG OK done\r\n",
            b"* 1 FETCH (UID 1 RFC822.SIZE x FLAGS () BODY[] a)\r\nTAG OK done\r\n",
            b"* 1 FETCH )\r\nTAG OK done\r\n",
            b'* 1 FETCH (UID 1 BODY[] "never ends)\r\nTAG OK done\r\n',
        ],
    )
    def test_an_answer_that_does_not_come_whole_is_tried_again(
        self, account: LocalImap, reply: bytes
    ) -> None:
        account.put(letter("A"))
        account.before = lambda said: reply if said.startswith("UID FETCH") else None
        with pytest.raises(SourceDown):
            opened(account).sync(None)
        account.before = lambda said: None
        assert set(walked(opened(account))[0]) == {"A"}

    def test_a_server_that_is_silent_is_not_waited_for(self, account: LocalImap) -> None:
        account.before = lambda said: b"* OK wait\r\n" if said.startswith("LIST") else None
        with pytest.raises(SourceDown):
            opened(account, within_s=0.5).sync(None)

    def test_news_of_other_messages_in_between_does_no_harm(self, account: LocalImap) -> None:
        account.put(letter("A"))
        source = opened(account)
        (item,) = source.sync(None).items
        news = b"* 9 EXISTS\r\n* 1 FETCH (FLAGS (\\Seen))\r\n"
        account.before = lambda command: news + b"* 1 FETCH (BODY[] {2}\r\nOK UID 1)\r\nTAG OK done\r\n"
        assert source.fetch(item, None).content == b"OK"


class TestTheGuard:
    def test_goes_to_no_address_of_the_own_network(self, account: LocalImap) -> None:
        with pytest.raises(OwnerMustAct, match="public internet"):
            opened(account, policy=EgressPolicy()).sync(None)
        assert not account.said

    def test_sends_no_password_through_the_internet_without_tls(self, account: LocalImap) -> None:
        trusted = EgressPolicy(trusted=frozenset({("localhost", account.port)}))
        with pytest.raises(OwnerMustAct, match="TLS"):
            opened(account, policy=trusted, host="localhost").sync(None)
        assert not account.said

    @pytest.mark.parametrize("encryption", ["tls", "starttls"])
    def test_speaks_tls_with_whom_it_believes_alone(self, encryption: str, tmp_path: Path) -> None:
        server, authority = certificate("localhost", tmp_path)
        allowed = EgressPolicy(allowed=(ip_network("127.0.0.1/32"), ip_network("::1/128")))
        with serving_mail(LocalImap(tls=server), implicit_tls=encryption == "tls") as account:
            account.put(letter("A"))
            source = opened(account, policy=allowed, tls=authority, host="localhost", encryption=encryption)
            assert set(walked(source)[0]) == {"A"}
            account.said.clear()
            stranger = ssl.create_default_context()
            with pytest.raises(OwnerMustAct, match="certificate"):
                opened(account, policy=allowed, tls=stranger, host="localhost", encryption=encryption).sync(
                    None
                )
            assert not [said for said in account.said if "AUTH" in said or "LOGIN" in said]

    def test_takes_nothing_that_was_said_before_tls(self, tmp_path: Path) -> None:
        server, authority = certificate("localhost", tmp_path)
        # Whoever sits on the way knows the tags that will come, and answers the first question beforehand.
        forged = b"* CAPABILITY IMAP4rev1 LOGINDISABLED\r\nNEXT OK done\r\n"
        with serving_mail(LocalImap(tls=server, before_tls=forged)) as account:
            account.put(letter("A"))
            allowed = EgressPolicy(allowed=(ip_network("127.0.0.1/32"), ip_network("::1/128")))
            source = opened(
                account, policy=allowed, host="localhost", tls=authority, encryption="starttls", within_s=20
            )
            assert set(walked(source)[0]) == {"A"}


def test_a_cursor_is_small(account: LocalImap) -> None:
    for n in range(300):
        account.put(letter(f"Letter {n}"))
    _, last = walked(opened(account))
    assert last.cursor is not None
    assert len(json.dumps(last.cursor)) < 200
