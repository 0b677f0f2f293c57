"""The kind `google_drive`: the files that an account sees in Google Drive, or those of one shared drive."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from footnote_ingest.connectors.drive_channel import Listening, kept_open
from footnote_ingest.connectors.drive_readers import groups_of
from footnote_ingest.connectors.drive_wire import DriveWire, PlaceForgotten
from footnote_ingest.connectors.errors import OwnerMustAct, SourceDown
from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.json_values import Json, fit, line_of, object_of, objects, text_of
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_shared.contracts.connector_kinds import DriveConfig
from footnote_shared.kernel.clock import now

_GOOGLES = "application/vnd.google-apps."
_FOLDER, _SHORTCUT = f"{_GOOGLES}folder", f"{_GOOGLES}shortcut"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_EXPORTS = {
    f"{_GOOGLES}document": (f"{_OFFICE}wordprocessingml.document", ".docx"),
    f"{_GOOGLES}spreadsheet": (f"{_OFFICE}spreadsheetml.sheet", ".xlsx"),
    f"{_GOOGLES}presentation": (f"{_OFFICE}presentationml.presentation", ".pptx"),
    f"{_GOOGLES}drawing": ("application/pdf", ".pdf"),
}
"""What Google's own documents are exported as: they have no bytes of their own."""

_LOOKS_EVERYWHERE_EVERY = timedelta(days=1)
_HIGHEST = 30
"""Folders of a path: whatever lies deeper is filed there."""

_RULES = ("hasAugmentedPermissions", "inheritedPermissionsDisabled")
_OF_FOLDER = ("id", "name", "parents", "mimeType", *_RULES)
_MOST_RESTARTS = 3
_MOST_FILES = 1_000_000
_UNTOLD = "Google does not tell the account who may read it. Let it share the file, or name `readers`."


class DriveItems:
    """Each file is one item. Google's own documents are exported as files of Office.

    The first sync lists all files, and so does one a day after it, or after a folder has changed: nothing
    tells that the path or the readers of what lies below it are others now. The syncs between take the
    changes since the one before. What changes while files are listed comes with the next sync.
    """

    vanishing: Vanishing = "by_sync"

    def __init__(
        self,
        wire: DriveWire,
        config: DriveConfig,
        max_bytes: int,
        listening: Listening | None = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self._wire = wire
        self._listening = listening
        self._config = config
        self._max_bytes = max_bytes
        self._clock = clock
        self._folders: dict[str, Json | None] = {}
        self._members: list[Json] | None = None
        self._asked_members = False

    def sync(self, cursor: str | None) -> SyncPage:
        place: Json = {} if cursor is None else json.loads(cursor)
        if "step" not in place:
            place = self._begun(place)
        return self._listed(place) if place["step"] == "list" else self._changed(place)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("the sync names all that is there")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem:
        file_id, kind = item.id.partition(":")[2], str(item.metadata["drive_type"])
        export_as, ending = _EXPORTS.get(kind, (None, ""))
        content = self._wire.content(file_id, export_as, self._max_bytes)
        name = (item.title or "unnamed").replace("/", "∕")
        if ending and PurePosixPath(name).suffix.lower() != ending:
            name += ending
        return FetchedItem(content, name, export_as or kind, item)

    def stop_listening(self, channel: Json) -> None:
        """End a channel that a sync has opened."""
        self._wire.stop(channel["id"], channel["resource"])

    def close(self) -> None:
        self._wire.close()

    def _begun(self, before: Json) -> Json:
        moment = self._clock().timestamp()
        is_old = moment - before.get("walked", 0) >= _LOOKS_EVERYWHERE_EVERY.total_seconds()
        if is_old or "next" not in before:
            return self._beginning(before.get("channel"), 0)
        channel = self._channel(before.get("channel"), before["next"])
        rest = {"walked": before["walked"], "folders": False, "channel": channel}
        return {"step": "changes", "at": before["next"], **rest}

    def _channel(self, before: Json | None, place: str) -> Json | None:
        """What Google tells us of changes by; None if it is not asked to."""
        if self._listening is None:
            return None
        return kept_open(self._wire, self._listening, before, place, self._clock())

    def _beginning(self, channel: Json | None, restarts: int) -> Json:
        """Where a listing of everything begins."""
        first, moment = self._wire.first_change(), self._clock().timestamp()
        return {
            "channel": self._channel(channel, first),
            "step": "list",
            "at": None,
            "next": first,
            "walked": moment,
            "whole": True,
            "count": 0,
            "restarts": restarts,
        }

    def _listed(self, place: Json) -> SyncPage:
        try:
            page = self._wire.files(place["at"])
        except PlaceForgotten as error:
            if place["restarts"] >= _MOST_RESTARTS:
                raise SourceDown("Google Drive forgets where its listing is, again and again.") from error
            return SyncPage(
                [], json.dumps(self._beginning(place["channel"], place["restarts"] + 1)), more=True
            )
        self._folders |= {text_of(one.get("id")): _short(one) for one in page.files if _is_folder(one)}
        items = [self._item(one) for one in page.files if self._is_ours(one)]
        count, whole = place["count"] + len(page.files), place["whole"] and page.whole
        if count > _MOST_FILES:
            raise OwnerMustAct(
                f"There are more than {_MOST_FILES} files. Name some by `folders`, or one `drive`."
            )
        if page.following is not None:
            following = {**place, "at": page.following, "count": count, "whole": whole}
            return SyncPage(items, json.dumps(following), more=True)
        resting = json.dumps({name: place[name] for name in ("next", "walked", "channel")})
        return SyncPage(items, resting, more=False, names_all=whole)

    def _changed(self, place: Json) -> SyncPage:
        try:
            page = self._wire.changes(place["at"])
        except PlaceForgotten:
            return SyncPage([], json.dumps(self._beginning(place["channel"], 0)), more=True)
        changed = [object_of(one.get("file")) for one in page.changes]
        folders = place["folders"] or any(map(_is_folder, changed))
        folders = folders or any(one.get("changeType") == "drive" for one in page.changes)
        news = [self._news(one) for one in page.changes if text_of(one.get("fileId"))]
        items = [item for item in news if item is not None]
        if page.following is not None:
            following = {**place, "at": page.following, "folders": folders}
            return SyncPage(items, json.dumps(following), more=True)
        if folders:
            return SyncPage(items, json.dumps(self._beginning(place["channel"], 0)), more=True)
        rest = {"walked": place["walked"], "channel": place["channel"]}
        resting = json.dumps({"next": page.resting, **rest})
        return SyncPage(items, resting, more=False, names_all=False)

    def _news(self, change: Json) -> SourceItem | None:
        """What a change says of its item; None if it is about none."""
        found = object_of(change.get("file"))
        if _is_folder(found):
            return None
        if change.get("removed") is not True and not found:
            raise SourceDown("Google Drive does not say what a change is about.")
        if change.get("removed") is True or not self._is_ours(found):
            return SourceItem(f"file:{text_of(change.get('fileId'))}", deleted=True)
        return self._item(found)

    def _is_ours(self, found: Json) -> bool:
        """Whether this is a file that the connector is to take, if it can."""
        if not text_of(found.get("id")) or found.get("trashed") is True or _is_folder(found):
            return False
        wanted = set(self._config.folders)
        return not wanted or any(text_of(one.get("id")) in wanted for one in self._above(found))

    def _item(self, found: Json) -> SourceItem:
        kind, above = text_of(found.get("mimeType")), self._above(found)
        modified = text_of(found.get("modifiedTime"))
        groups = self._groups(found, above)
        names = [fit(line_of(one.get("name"))).replace("/", "∕") for one in above]
        people = [*objects(found.get("owners")), object_of(found.get("lastModifyingUser"))]
        return SourceItem(
            id=f"file:{text_of(found.get('id'))}",
            revision=f"{text_of(found.get('md5Checksum'))} {modified}",
            title=fit(line_of(found.get("name"))) or "Untitled",
            url=fit(text_of(found.get("webViewLink"))) or None,
            folder="/".join(name for name in reversed(names) if name),
            author=next(
                (fit(line_of(one.get("displayName"))) for one in people if one.get("displayName")), None
            ),
            updated_at=moment_of(modified),
            groups=[] if isinstance(groups, _Untold) else groups,
            metadata={"drive_type": kind},
            left_out=_UNTOLD if isinstance(groups, _Untold) else self._left_out(found, kind),
        )

    def _left_out(self, found: Json, kind: str) -> str | None:
        if kind == _SHORTCUT:
            return "It is a shortcut. What it leads to is taken where the connector sees that."
        if kind.startswith(_GOOGLES) and kind not in _EXPORTS:
            return "Google exports no documents of this kind."
        if object_of(found.get("capabilities")).get("canDownload") is False:
            return "Those who read it may not download it."
        size = text_of(found.get("size"))
        if size.isascii() and size.isdecimal() and len(size) < 19 and int(size) > self._max_bytes:
            return f"It is larger than {self._max_bytes} bytes."
        return None

    def _groups(self, found: Json, above: Sequence[Json]) -> "Sequence[str] | _Untold | None":
        """Who may read the file. Where Google does not say so, the connector's `readers` do."""
        told = found.get("permissions")
        permissions: Sequence[Json] | None = objects(told) if isinstance(told, list) else None
        if permissions is None and text_of(found.get("driveId")):
            permissions = self._of_shared_drive(found, above)
        if permissions is not None:
            return groups_of(permissions)
        return self._config.readers or _Untold()

    def _of_shared_drive(self, found: Json, above: Sequence[Json]) -> Sequence[Json] | None:
        """Members of the drive read what lies in it, unless it or a folder above it has rules of its own."""
        is_known = bool(above) and text_of(above[-1].get("id")) == text_of(found.get("driveId"))
        has_own = found.get("hasAugmentedPermissions") is not False
        if (
            not is_known
            or has_own
            or any(one.get(rule) is True for one in (found, *above) for rule in _RULES)
        ):
            return self._wire.permissions(text_of(found.get("id")))
        if not self._asked_members:
            self._members = self._wire.permissions(text_of(found.get("driveId")))
            self._asked_members = True
        return self._members

    def _above(self, found: Json) -> list[Json]:
        """The folders that it lies in, from below, as far as the account sees them."""
        names: list[Json] = []
        while len(names) < _HIGHEST:
            parents = found.get("parents")
            parent = text_of(parents[0]) if isinstance(parents, list) and parents else ""
            folder = self._folder(parent) if parent else None
            if folder is None:
                break
            names.append(folder)
            found = folder
        return names

    def _folder(self, folder_id: str) -> Json | None:
        if folder_id not in self._folders:
            found = self._wire.one(folder_id)
            self._folders[folder_id] = None if found is None else _short(found)
        return self._folders[folder_id]


class _Untold:
    """Google does not say who may read a file."""


def _is_folder(found: Json) -> bool:
    return found.get("mimeType") == _FOLDER


def _short(folder: Json) -> Json:
    """What is kept of a folder: there may be many."""
    return {name: folder[name] for name in _OF_FOLDER if name in folder}
