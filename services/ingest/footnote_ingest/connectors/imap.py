"""The kind `imap`: the mail of one account."""

import email
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from email.errors import MessageError
from email.policy import default as rules_of_mail

from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceDown
from footnote_ingest.connectors.imap_wire import ImapWire, MailFolder, MailFolderState, MailHead
from footnote_ingest.connectors.json_values import Json, fit
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_shared.contracts.connector_kinds import ImapConfig
from footnote_shared.kernel.clock import now

_PER_PAGE = 200
_LEFT_OUT = frozenset({"\\deleted", "\\draft"})
_NOT_MAIL = frozenset({"\\drafts", "\\junk", "\\trash"})
_LOOKS_EVERYWHERE_EVERY = timedelta(days=1)


class ImapItems:
    """Each message is one item, and its attachments become documents below it.

    The id of an item is a digest of what a message keeps wherever it is moved, whatever numbers its server
    gives it. A copy in another folder is the same item. The state of a folder tells whether anything came or
    went. Where messages only came, a sync names those alone; else it names all, and so does one each day, to
    see what was marked as deleted.
    """

    vanishing: Vanishing = "by_sync"

    def __init__(
        self, wire: ImapWire, config: ImapConfig, most_bytes: int, clock: Callable[[], datetime] = now
    ) -> None:
        self._wire = wire
        self._config = config
        self._most_bytes = most_bytes
        self._clock = clock
        self._folders: dict[str, MailFolder] | None = None
        self._numbers: dict[tuple[str, int], tuple[int, list[int]]] = {}
        self._places: dict[str, tuple[MailFolder, int]] = {}

    def sync(self, cursor: str | None) -> SyncPage:
        said = {} if cursor is None else json.loads(cursor)
        if "left" not in said:
            said = self._begun(said)
        self._places = {}
        is_anew = False
        while said["left"]:
            raw, first = said["left"][0]
            state = MailFolderState(*said["states"][raw])
            folder = self._wanted_folders().get(raw)
            if folder is None or self._wire.choose(folder) != state.validity:
                # The folder went, or its numbers mean other messages now. The plan does not hold any more.
                if is_anew:
                    raise SourceDown("The folders of the account change while they are read.")
                said, is_anew = self._begun({}), True
                continue
            found = self._left_in(folder, first, state.following)
            page, rest = found[:_PER_PAGE], found[_PER_PAGE:]
            left = [[raw, rest[0]], *said["left"][1:]] if rest else said["left"][1:]
            said = {**said, "left": left}
            if page:
                return self._page(self._items(folder, page), said)
        return self._page([], said)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("the sync names all that is there")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem:
        folder, number = self._places[item.id]
        self._wire.choose(folder)
        content = self._wire.message(number)
        if content is None:
            raise ItemFailed("It was moved or deleted while the mailbox was read.")
        return FetchedItem(content, "message.eml", "message/rfc822", item)

    def close(self) -> None:
        self._wire.close()

    def _page(self, items: Sequence[SourceItem], said: Json) -> SyncPage:
        if said["left"]:
            return SyncPage(items, json.dumps(said), more=True)
        kept = {"states": said["states"], "walked": said["walked"]}
        return SyncPage(items, json.dumps(kept), more=False, names_all=said["whole"])

    def _begun(self, before: Json) -> Json:
        """Where a sync begins: with the state of each folder, and what is to be looked at in it."""
        folders = self._wanted_folders()
        states = {raw: self._wire.state(folder) for raw, folder in folders.items()}
        moment, walked = self._clock().timestamp(), before.get("walked", 0)
        told = {raw: MailFolderState(*state) for raw, state in before.get("states", {}).items()}
        is_old = moment - walked >= _LOOKS_EVERYWHERE_EVERY.total_seconds()
        came = None if is_old else self._only_came(told, states)
        left = [[raw, 1] for raw in folders] if came is None else came
        return {
            "states": {raw: [one.validity, one.following, one.count] for raw, one in states.items()},
            "left": left,
            "whole": came is None,
            "walked": moment if came is None else walked,
        }

    def _only_came(
        self, before: Mapping[str, MailFolderState], states: Mapping[str, MailFolderState]
    ) -> list[list[str | int]] | None:
        """From which number on each folder holds new messages; None if any message went."""
        if before.keys() - states.keys():
            return None
        came: list[list[str | int]] = []
        for raw, state in states.items():
            known = before.get(raw, MailFolderState(state.validity, 1, 0))
            if state.validity != known.validity:
                return None
            if state == known:
                continue
            folder = self._wanted_folders()[raw]
            if self._wire.choose(folder) != state.validity:
                return None
            if state.count - known.count != len(self._left_in(folder, known.following, state.following)):
                return None
            came.append([raw, known.following])
        return came

    def _left_in(self, folder: MailFolder, first: int, before: int) -> list[int]:
        """The numbers of the messages in the open folder from the first on, asked for once."""
        key = (folder.raw, before)
        asked_from, numbers = self._numbers.get(key, (before, []))
        if first < asked_from:
            numbers = self._wire.numbers(first, before)
            self._numbers[key] = (first, numbers)
        return [number for number in numbers if number >= first]

    def _wanted_folders(self) -> dict[str, MailFolder]:
        """The folders that are taken, the inbox first. Raises OwnerMustAct if one is not there."""
        if self._folders is None:
            there = self._wire.folders()
            wanted = {name.casefold() for name in self._config.folders}
            missing = wanted - {folder.name.casefold() for folder in there}
            if missing:
                raise OwnerMustAct(f"There is no folder {fit(min(missing))[:100]}. Look after `folders`.")
            taken = [
                folder
                for folder in there
                if (folder.name.casefold() in wanted if wanted else not folder.marks & _NOT_MAIL)
            ]
            # A message that lies in several folders is filed by the first: that with all mail comes last.
            taken.sort(key=lambda one: ("\\all" in one.marks, one.name.casefold() != "inbox", one.name))
            self._folders = {folder.raw: folder for folder in taken}
        return self._folders

    def _items(self, folder: MailFolder, numbers: Sequence[int]) -> list[SourceItem]:
        found: dict[str, SourceItem] = {}
        for head in self._wire.heads(numbers):
            if head.flags & _LEFT_OUT:
                continue
            item = self._item(folder, head)
            if item.id not in found:
                found[item.id] = item
                self._places[item.id] = (folder, head.number)
        return list(found.values())

    def _item(self, folder: MailFolder, head: MailHead) -> SourceItem:
        said = _headers(head.head)
        too_large = f"It has {head.size} bytes; {self._most_bytes} may be taken."
        return SourceItem(
            id=_id_of(head, said),
            # A message does not change: another one has another id.
            revision="1",
            title=said["subject"] or "(no subject)",
            folder=folder.name,
            author=said["from"] or None,
            # The moment that its server noted: what a sender writes as the date may be anything.
            updated_at=head.arrived,
            groups=self._config.readers or None,
            left_out=too_large if head.size > self._most_bytes else None,
        )


def _id_of(head: MailHead, said: Mapping[str, str]) -> str:
    """What stays the same when a message is moved or its folder is made anew.

    Its own id alone is what any sender can write: the moment of its arrival and its size keep two of one id
    apart.
    """
    arrived = head.arrived.isoformat() if head.arrived is not None else ""
    facts = [said["message-id"], said["date"], said["from"], said["subject"], arrived, head.size]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _headers(head: bytes) -> dict[str, str]:
    """The headers without their encoding, each in one line; empty where the library cannot read one."""
    found = dict.fromkeys(("message-id", "date", "from", "subject"), "")
    try:
        message = email.message_from_bytes(head, policy=rules_of_mail)
    except (MessageError, ValueError, LookupError):
        return found
    for name in found:
        try:
            found[name] = fit(" ".join(str(message.get(name, "")).split()))
        except (MessageError, ValueError, LookupError, AttributeError, TypeError):
            continue
    return found
