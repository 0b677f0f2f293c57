"""Google Drive's API and its tokens as far as the connector asks: files, changes, permissions, exports."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest

Json = dict[str, Any]
GOOGLES = "application/vnd.google-apps."
FOLDER = f"{GOOGLES}folder"
EVERYBODY = {"id": "anyone", "type": "anyone", "allowFileDiscovery": True}


@dataclass
class FakeDrive:
    """One account. `before` sees each request first, and what it returns takes the place of the answer."""

    site: LocalSite
    refresh_token: str = "1//refresh"
    rotates: bool = False
    good_for: int = 3600
    files: dict[str, Json] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    permissions: dict[str, list[Json]] = field(default_factory=dict)
    changes: list[Json] = field(default_factory=list)
    forgotten: set[str] = field(default_factory=set)
    per_page: int = 2
    tokens: list[str] = field(default_factory=list)
    channels: dict[str, Json] = field(default_factory=dict)
    before: Callable[[SiteRequest], Reply | None] = lambda request: None

    def __post_init__(self) -> None:
        self.site.answer = self.answer

    def put(
        self,
        key: str,
        name: str,
        content: bytes | None = b"Text.",
        *,
        parent: str | None = None,
        modified: str = "2026-03-01T09:00:00.000Z",
        permissions: list[Json] | None = None,
        **more: Any,
    ) -> None:
        """A file or a folder as it is now; a change tells of it."""
        self.files[key] = {
            "id": key,
            "name": name,
            "mimeType": "text/plain",
            "modifiedTime": modified,
            "parents": [parent] if parent else [],
            "trashed": False,
            "webViewLink": f"https://drive.google.example/{key}",
            "owners": [{"displayName": "Ana Ruiz"}],
            "permissions": [EVERYBODY] if permissions is None else permissions,
            **more,
        }
        if content is not None:
            self.contents[key] = content
        self.tell(key)

    def put_in_shared(self, key: str, name: str, parent: str, **more: Any) -> None:
        """One of the shared drive `sd`, which does not tell who may read it."""
        about = {"hasAugmentedPermissions": False, **more}
        self.put(key, name, parent=parent, driveId="sd", **about)
        del self.files[key]["permissions"]

    def folder(self, key: str, name: str, parent: str | None = None, **more: Any) -> None:
        self.put(key, name, None, parent=parent, mimeType=FOLDER, **more)

    def tell(self, key: str) -> None:
        self.changes.append({"changeType": "file", "removed": False, "fileId": key})

    def remove(self, key: str) -> None:
        """It is gone for good, or shared with the account no more."""
        del self.files[key]
        self.changes.append({"changeType": "file", "removed": True, "fileId": key})

    def answer(self, request: SiteRequest) -> Reply:
        found = self.before(request)
        if found is not None:
            return found
        if request.path == "/token":
            return self._token(dict(parse_qsl(request.body.decode())))
        if request.headers.get("authorization") != f"Bearer {self.tokens[-1] if self.tokens else ''}":
            return refused(401, "authError")
        if request.path.endswith(("/changes/watch", "/channels/stop")):
            return self._channel(json.loads(request.body), opens=request.path.endswith("/watch"))
        asked = dict(parse_qsl(request.query))
        match request.path.removeprefix("/drive/v3/").split("/"):
            case ["changes", "startPageToken"]:
                return answered({"startPageToken": str(len(self.changes))})
            case ["changes"]:
                return self._changes(asked)
            case ["files"]:
                shown = [one for one in self.files.values() if not one["trashed"]]
                return self._page("files", shown, asked)
            case ["files", key, "permissions"]:
                if key not in self.permissions:
                    return refused(403, "insufficientFilePermissions")
                return self._page("permissions", self.permissions[key], asked)
            case ["files", key, "export"] if key in self.contents:
                return Reply(self.contents[key] + asked["mimeType"].encode(), kind=asked["mimeType"])
            case ["files", key] if asked.get("alt") == "media" and key in self.contents:
                if self.files[key]["mimeType"].startswith(GOOGLES):
                    return refused(403, "fileNotDownloadable")
                return Reply(self.contents[key], kind=self.files[key]["mimeType"])
            case ["files", key] if key in self.files:
                return answered(self.files[key])
        return refused(404, "notFound")

    def _token(self, form: dict[str, str]) -> Reply:
        if (form.get("client_id"), form.get("client_secret")) != ("id", "secret"):
            return answered({"error": "invalid_client"}, 401)
        if form.get("grant_type") != "refresh_token" or form.get("refresh_token") != self.refresh_token:
            return answered({"error": "invalid_grant", "error_description": "Token has been revoked."}, 400)
        self.tokens.append(f"ya29.{len(self.tokens)}")
        said = {"access_token": self.tokens[-1], "expires_in": self.good_for, "token_type": "Bearer"}
        if self.rotates:
            self.refresh_token = f"1//refresh{len(self.tokens)}"
            said["refresh_token"] = self.refresh_token
        return answered(said)

    def _channel(self, channel: Json, *, opens: bool) -> Reply:
        if not opens:
            gone = self.channels.pop(channel["id"], None)
            return Reply("", 204) if gone else refused(404, "notFound")
        if not channel["address"].startswith("https://"):
            return refused(400, "push.webhookUrlNotHttps")
        self.channels[channel["id"]] = channel
        return answered({"id": channel["id"], "resourceId": "r1", "expiration": channel["expiration"]})

    def _changes(self, asked: dict[str, str]) -> Reply:
        at = asked["pageToken"]
        if at in self.forgotten:
            return refused(410, "gone")
        start, end = int(at), int(at) + self.per_page
        told = [self._change(one) for one in self.changes[start:end]]
        place = {"nextPageToken": str(end)} if end < len(self.changes) else {"newStartPageToken": str(end)}
        if end > len(self.changes):
            place = {"newStartPageToken": str(len(self.changes))}
        return answered({"changes": told, **place})

    def _change(self, one: Json) -> Json:
        """A change tells how the file is now, not how it was."""
        found = self.files.get(one["fileId"])
        return {**one, "removed": True} if found is None else {**one, "removed": False, "file": found}

    def _page(self, name: str, found: list[Json], asked: dict[str, str]) -> Reply:
        at = asked.get("pageToken", "0")
        if at in self.forgotten:
            return refused(400, "invalidPageToken")
        start = int(at)
        end = start + self.per_page
        more = {"nextPageToken": str(end)} if end < len(found) else {}
        return answered({name: found[start:end], "incompleteSearch": False, **more})


def answered(body: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(json.dumps(body), status, "application/json", headers)


def refused(status: int, reason: str, **headers: str) -> Reply:
    """An error as Google writes it."""
    error = {"code": status, "message": "No.", "errors": [{"domain": "usageLimits", "reason": reason}]}
    return answered({"error": error}, status, **headers)
