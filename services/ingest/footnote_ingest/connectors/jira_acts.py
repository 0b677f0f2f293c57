"""What the kind `jira` does on its site: comment on an issue."""

from collections.abc import Iterator
from datetime import datetime

from footnote_ingest.connectors.act_protocol import CLOCKS_DIFFER, ActRefused, DoneAct, WantedAct
from footnote_ingest.connectors.atlassian_wire import AtlassianWire
from footnote_ingest.connectors.errors import SourceDown
from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.json_values import Json, objects, text_of, whole_of

_PER_PAGE, _MOST_PAGES = 100, 100


class JiraActor:
    """Jira keeps no mark of ours in a text. A comment is found again by its words and by its time."""

    def __init__(self, wire: AtlassianWire) -> None:
        self._wire = wire

    def find(self, wanted: WantedAct, since: datetime) -> DoneAct | None:
        issue = _issue(wanted)
        key = self._key(issue)
        for one in self._comments(issue):
            made = moment_of(text_of(one.get("created")))
            is_later = made is not None and made >= since - CLOCKS_DIFFER
            if is_later and text_of(one.get("body")).split() == wanted.text.split():
                return self._done(one, key)
        return None

    def do(self, wanted: WantedAct) -> DoneAct:
        issue = _issue(wanted)
        # Asked for first: what fails behind the comment would look as if the comment had.
        key = self._key(issue)
        status, said = self._wire.post(f"/rest/api/2/issue/{issue}/comment", {"body": wanted.text})
        if status in (400, 404, 413):
            raise ActRefused(f"Jira does not take the comment ({status}).")
        if not text_of(said.get("id")):
            raise SourceDown("Jira's answer is not what it should be.")
        return self._done(said, key)

    def close(self) -> None:
        self._wire.close()

    def _comments(self, issue: str) -> Iterator[Json]:
        """All comments: a server may ignore the order that is asked for, and give fewer at once."""
        path, start = f"/rest/api/2/issue/{issue}/comment", 0
        for _ in range(_MOST_PAGES):
            found = self._wire.get(path, startAt=start, maxResults=_PER_PAGE, orderBy="-created") or {}
            some = objects(found.get("comments"))
            yield from some
            start += len(some)
            if not some or start >= whole_of(found.get("total")):
                return
        raise SourceDown("The issue has more comments than can be looked through.")

    def _key(self, issue: str) -> str:
        key = text_of((self._wire.get(f"/rest/api/2/issue/{issue}", fields="summary") or {}).get("key"))
        if not key:
            raise ActRefused("Jira does not know the issue any more, or does not show it.")
        return key

    def _done(self, comment: Json, key: str) -> DoneAct:
        return DoneAct(key, f"{self._wire.base}/browse/{key}?focusedId={text_of(comment.get('id'))}")


def _issue(wanted: WantedAct) -> str:
    kind, _, issue = wanted.item.partition(":")
    if kind != "issue" or not (issue.isascii() and issue.isdecimal()):
        raise ActRefused("Only an issue can be commented on.")
    return issue
