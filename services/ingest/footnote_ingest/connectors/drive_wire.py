"""Google Drive's API as the connector `google_drive` uses it (developers.google.com/workspace/drive/api, v3).

Plain HTTP through the guarded client: `google-api-python-client` opens connections of its own, which neither
the guard nor the share of a host would see.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from footnote_ingest.connectors.errors import ItemFailed, ItemSkipped, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.json_values import Json, object_of, objects, objects_at, read_object, text_of
from footnote_ingest.connectors.oauth import AccessTokens
from footnote_ingest.connectors.outside import Outside, judged
from footnote_shared.egress.client import Fetched
from footnote_shared.egress.errors import FetchedTooMuch
from footnote_shared.egress.retry_after import retry_after
from footnote_shared.kernel.clock import now

_FILE = (
    "id,name,mimeType,modifiedTime,md5Checksum,size,parents,trashed,webViewLink,driveId,"
    "owners(displayName),lastModifyingUser(displayName),capabilities(canDownload),hasAugmentedPermissions,"
    "inheritedPermissionsDisabled,permissions(id,type,emailAddress,domain,allowFileDiscovery,deleted,view)"
)
_PER_PAGE = 100
_MOST_JSON = 16 * 2**20
_MOST_PAGES = 100
"""Pages of the permissions of one file."""

_BUSY_S = 60.0
_BUSY = frozenset(
    {
        "rateLimitExceeded",
        "userRateLimitExceeded",
        "dailyLimitExceeded",
        "sharingRateLimitExceeded",
        "backendError",
    }
)
_OF_PUSH = "push."
_OFF = frozenset({"accessNotConfigured", "SERVICE_DISABLED"})
_NOT_GIVEN = {
    "exportSizeLimitExceeded": "Google exports no more than 10 MB of a document, and this one is larger.",
    "cannotDownloadAbusiveFile": "Google has marked it as malware or spam.",
    "cannotDownloadFile": "Those who read it may not download it.",
    "fileNotDownloadable": "It has no content that can be downloaded.",
}


class PlaceForgotten(Exception):
    """A place in a listing, or in the changes, that Google does not know any more."""


@dataclass(frozen=True, slots=True)
class FilesPage:
    """Some files, and where the next ones are; None at the end. `whole`: Google has looked everywhere."""

    files: list[Json]
    following: str | None
    whole: bool


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """Some changes, and either where the next ones are or where those begin that are still to come."""

    changes: list[Json]
    following: str | None
    resting: str | None


class DriveWire:
    """What one account sees: its own files and those shared with it, or one shared drive."""

    def __init__(self, outside: Outside, api_url: str, tokens: AccessTokens, drive: str | None) -> None:
        self._outside = outside
        self._base = f"{api_url.rstrip('/')}/drive/v3"
        self._tokens = tokens
        self._drive = drive

    def first_change(self) -> str:
        """Where the changes begin that come from now on."""
        answer = self._json("/changes/startPageToken", self._where())
        token = text_of((answer or {}).get("startPageToken"))
        if answer is None and self._drive:
            raise OwnerMustAct("Google shows no such shared drive to the account. Look after `drive`.")
        if not token:
            raise SourceDown("Google Drive does not say where changes begin.")
        return token

    def files(self, place: str | None) -> FilesPage:
        """A page of all files and folders that are not in the trash. Raises PlaceForgotten."""
        asked = {"q": "trashed = false", "pageSize": str(_PER_PAGE), **self._where()}
        asked["corpora"] = "drive" if self._drive else "user"
        asked["fields"] = f"nextPageToken,incompleteSearch,files({_FILE})"
        answer = self._json("/files", {**asked, **_at(place)}, stale=place is not None)
        if answer is None:
            raise OwnerMustAct("Google shows no such shared drive to the account. Look after `drive`.")
        found = objects_at(answer, "files", "Google Drive")
        whole = answer.get("incompleteSearch") is not True
        return FilesPage(found, text_of(answer.get("nextPageToken")) or None, whole)

    def changes(self, place: str) -> ChangesPage:
        """A page of what has changed since the place. Raises PlaceForgotten."""
        asked = {"pageToken": place, "pageSize": str(_PER_PAGE), "includeRemoved": "true", **self._where()}
        asked["fields"] = f"nextPageToken,newStartPageToken,changes(changeType,removed,fileId,file({_FILE}))"
        answer = self._json("/changes", asked, stale=True)
        if answer is None:
            raise PlaceForgotten
        following = text_of(answer.get("nextPageToken")) or None
        resting = text_of(answer.get("newStartPageToken")) or None
        if following is None and resting is None:
            raise SourceDown("Google Drive does not say where the next changes are.")
        return ChangesPage(objects_at(answer, "changes", "Google Drive"), following, resting)

    def one(self, file_id: str) -> Json | None:
        """A file or a folder; None if the account does not see it."""
        return self._json(f"/files/{_part(file_id)}", {"supportsAllDrives": "true", "fields": _FILE})

    def permissions(self, file_id: str) -> list[Json] | None:
        """Who has access to a file, a folder or a shared drive; None if the account may not know."""
        fields = "nextPageToken,permissions(id,type,emailAddress,domain,allowFileDiscovery,deleted,view)"
        found: list[Json] = []
        place: str | None = None
        for _ in range(_MOST_PAGES):
            path = f"/files/{_part(file_id)}/permissions"
            asked = {"supportsAllDrives": "true", "pageSize": str(_PER_PAGE), "fields": fields}
            try:
                answer = self._json(path, {**asked, **_at(place)})
            except _Refused:
                return None
            if answer is None:
                return None
            found += objects_at(answer, "permissions", "Google Drive")
            before, place = place, text_of(answer.get("nextPageToken")) or None
            if place is None:
                return found
            if place == before:
                break
        raise SourceDown("Google Drive lists those who may read a file without end.")

    def content(self, file_id: str, export_as: str | None, most_bytes: int) -> bytes:
        """The bytes of a file, or of a document in another format. Raises ItemFailed and ItemSkipped."""
        path = f"/files/{_part(file_id)}"
        if export_as is not None:
            path, asked = f"{path}/export", {"mimeType": export_as}
        else:
            asked = {"alt": "media", "supportsAllDrives": "true"}
        url = f"{self._base}{path}?{urlencode(asked)}"
        try:
            answer = self._answer(url, most_bytes)
        except FetchedTooMuch as error:
            raise ItemSkipped(f"It is larger than {most_bytes} bytes.") from error
        except _Refused as refused:
            if refused.word in _NOT_GIVEN:
                raise ItemSkipped(_NOT_GIVEN[refused.word]) from refused
            raise ItemFailed(f"Google Drive does not give it to us ({refused.word or 403}).") from refused
        if answer.status in (400, 404, 410):
            raise ItemFailed("It was deleted, or may not be read any more, while Google Drive was read.")
        return judged(url, answer).body

    def watch(self, place: str, channel: Mapping[str, str]) -> Json:
        """Have Google tell of the changes behind the place by this channel; what it says of the channel.

        Raises OwnerMustAct where it does not tell this address.
        """
        url = f"{self._base}/changes/watch?{urlencode({'pageToken': place, **self._where()})}"
        try:
            answer = self._answer(url, _MOST_JSON, {**channel, "type": "web_hook"})
        except _Refused as refused:
            raise _untellable(refused.word) from refused
        if 400 <= answer.status < 500:
            raise _untellable(_reason_of(answer))
        return read_object(judged(url, answer).body, "Google Drive")

    def stop(self, channel_id: str, resource_id: str) -> None:
        """End a channel. One that is not there any more has ended."""
        url = f"{self._base}/channels/stop"
        with suppress(_Refused):
            self._answer(url, _MOST_JSON, {"id": channel_id, "resourceId": resource_id})

    def close(self) -> None:
        self._outside.close()

    def _where(self) -> dict[str, str]:
        if not self._drive:
            return {}
        return {"driveId": self._drive, "includeItemsFromAllDrives": "true", "supportsAllDrives": "true"}

    def _json(self, path: str, asked: Mapping[str, str], *, stale: bool = False) -> Json | None:
        """The answer; None for what is not there. `stale`: it is asked for by a place that may grow old."""
        url = f"{self._base}{path}?{urlencode(asked, errors='replace')}"
        try:
            answer = self._answer(url, _MOST_JSON)
        except FetchedTooMuch as error:
            raise OwnerMustAct(f"Google Drive answers with too much at once. {error.detail}") from error
        if stale and answer.status in (400, 404, 410):
            raise PlaceForgotten
        if answer.status in (404, 410):
            return None
        return read_object(judged(url, answer).body, "Google Drive")

    def _answer(self, url: str, most_bytes: int, said: Mapping[str, str] | None = None) -> Fetched:
        """The answer, whose status is none of those that say whom or how often we may ask. `said` is posted.

        Raises _Refused for a 403 that is about what was asked for alone.
        """
        token = self._tokens.current()
        sent = None if said is None else json.dumps(said).encode()
        answer = self._outside.ask(url, headers=_bearing(token), most_bytes=most_bytes, sent=sent)
        if answer.status == 401 and not _reason_of(answer).startswith(_OF_PUSH):
            token = self._tokens.instead_of(token)
            answer = self._outside.ask(url, headers=_bearing(token), most_bytes=most_bytes, sent=sent)
        if answer.status == 401 and not _reason_of(answer).startswith(_OF_PUSH):
            raise OwnerMustAct(
                "Google does not take the access token that it has just given. Give consent again."
            )
        if answer.status not in (403, 429):
            return answer
        reason = _reason_of(answer)
        wait = retry_after(answer.headers.get("retry-after"), now)
        if answer.status == 429 or reason in _BUSY or wait is not None:
            raise SourceBusy(
                f"Google Drive asks to be left alone for a while ({answer.status}).",
                _BUSY_S if wait is None else wait,
            )
        if reason in _OFF:
            raise OwnerMustAct(
                "The Google Drive API is not switched on in the project of the client. Switch it on."
            )
        if reason in ("insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientScopes"):
            raise OwnerMustAct(
                "The consent does not cover reading Drive. Give it for the scope drive.readonly."
            )
        raise _Refused(reason)


class _Refused(OwnerMustAct):
    """A 403. `reason` is Google's own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Google Drive refuses us ({reason or 403}). Look after what the account may read.")
        self.word = reason


def _untellable(word: str) -> OwnerMustAct:
    return OwnerMustAct(
        f"Google does not tell of changes at this server's address ({word or 'no reason given'}). "
        "It has to be https, with a certificate that Google trusts. Or make the connector without `push`."
    )


def _reason_of(answer: Fetched) -> str:
    try:
        error = object_of(read_object(answer.body, "Google Drive").get("error"))
    except SourceDown:
        return ""
    said = [
        text_of(one.get("reason")) for one in objects(error.get("errors")) + objects(error.get("details"))
    ]
    word = next((one for one in said if one), "")[:60]
    return word if word.isascii() and word.replace("_", "").replace(".", "").isalnum() else ""


def _bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}


def _at(place: str | None) -> dict[str, str]:
    return {} if place is None else {"pageToken": place}


def _part(value: str) -> str:
    return quote(value, safe="", errors="replace")
