"""The kind `jira`: the issues that an account sees, with their comments.

The cloud answers `search/jql` by tokens of pages, a server `search` by numbers
(developer.atlassian.com/cloud/jira/platform/rest/v2, docs.atlassian.com/software/jira/docs/api/REST).
"""

import html
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from footnote_ingest.connectors.atlassian_readers import ReadersByKey
from footnote_ingest.connectors.atlassian_wire import AskedWrongly, AtlassianWire, ListedUpTo, written_place
from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceDown
from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.html_page import html_page
from footnote_ingest.connectors.jira_projects import readers_of_project
from footnote_ingest.connectors.json_values import (
    Json,
    fit,
    line_of,
    object_of,
    objects_at,
    text_of,
    whole_of,
)
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_shared.contracts.connector_kinds import JiraConfig
from footnote_shared.kernel.clock import now

_PER_PAGE = 100
_LISTED = "summary,updated,creator,project,security,status,issuetype"
_SHOWN = "summary,updated,description,status,issuetype,priority,assignee,reporter,labels,resolution"
_NAMED = ("issuetype", "status", "resolution", "priority")
_PEOPLE = ("assignee", "reporter")
_MOST_COMMENTS = 5000
_MOST_CHARACTERS = 2_000_000
_LOOKS_EVERYWHERE_EVERY = timedelta(days=1)
_LATELY_DAYS = 2
"""Days that a sync looks back. Two syncs of all issues lie less far apart."""

_FEW = 1000
"""A project with fewer issues is looked at as a whole each time: ten requests tell what was deleted."""


class JiraItems:
    """Each issue is one item, with its comments.

    The first sync names all issues, and so does one a day after it; of few issues, each. The syncs between
    look at what was updated in the last two days. A comment that only some may read is left out, and said to
    be. An issue with a security level is read by the group `jira:security:<id>`, any other by those who may
    browse its project, with `follow_rights`, or else by the connector's `readers`, or by everybody of the
    workspace. Where the readers of a project have changed, the next sync names all issues.
    """

    vanishing: Vanishing = "by_sync"

    def __init__(self, wire: AtlassianWire, config: JiraConfig, clock: Callable[[], datetime] = now) -> None:
        self._wire = wire
        self._config = config
        self._clock = clock
        self._projects = ReadersByKey(partial(readers_of_project, wire)) if config.follow_rights else None

    def sync(self, cursor: str | None) -> SyncPage:
        said = {} if cursor is None else json.loads(cursor)
        if "at" not in said:
            said = self._begun(said)
        place = ListedUpTo.read(said)
        try:
            found, behind, more = self._page(place, is_whole=said["everywhere"])
        except AskedWrongly as error:
            if place.count:
                raise
            raise OwnerMustAct(f"{error.reason} Look whether each of `projects` is there.") from error
        items = [self._item(one) for one in found if text_of(one.get("id"))]
        everywhere, walked = said["everywhere"], said["walked"]
        # What was asked for first stands: if it changes within a run, the next one sees that.
        rights = {
            **(self._projects.digests() if self._projects is not None else {}),
            **said.get("rights", {}),
        }
        if more:
            following = written_place(
                behind, everywhere=everywhere, walked=walked, few=said["few"], rights=rights
            )
            return SyncPage(items, following, more=True)
        few = behind.count < _FEW if everywhere else said["few"]
        kept = json.dumps({"walked": walked, "few": few, "rights": rights})
        return SyncPage(items, kept, more=False, names_all=everywhere and behind.whole)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("the sync names all that is there")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem:
        issue_id = item.id.partition(":")[2]
        path = f"/rest/api/2/issue/{issue_id}"
        found = self._wire.get(path, fields=_SHOWN, expand="renderedFields")
        if found is None:
            raise ItemFailed("It was deleted, or may not be read any more, while Jira was read.")
        fields = object_of(found.get("fields"))
        body = object_of(found.get("renderedFields")).get("description")
        said = self._comments(issue_id)
        parts = [_facts(fields), text_of(body), *said.shown]
        if said.hidden:
            parts.append(f"<p>Comments that only some may read are left out: {said.hidden}.</p>")
        if said.is_cut:
            parts.append("<p>The comments behind these are left out: they are too long.</p>")
        key = fit(line_of(found.get("key")))
        title = f"{key} {fit(line_of(fields.get('summary')))}".strip()
        newer = replace(item, revision=fit(text_of(fields.get("updated"))), title=title or item.title)
        return FetchedItem(html_page(title, "\n".join(parts)), f"{key}.html", "text/html", newer)

    def close(self) -> None:
        self._wire.close()

    def _begun(self, before: Json) -> Json:
        """Where a sync begins: at everything, or at what was updated lately."""
        # Without this, a token that has expired would show what strangers see: no issue, or hardly one.
        if self._wire.get("/rest/api/2/myself") is None:
            raise self._nothing_there()
        moment, walked = self._clock().timestamp(), before.get("walked", 0)
        is_old = moment - walked >= _LOOKS_EVERYWHERE_EVERY.total_seconds()
        rights = self._rights_now(before.get("rights", {}))
        everywhere = is_old or before.get("few", True) or rights != before.get("rights", {})
        more = {"everywhere": everywhere, "walked": moment if everywhere else walked, "rights": rights}
        return {**ListedUpTo().written(), **more, "few": before.get("few", True)}

    def _rights_now(self, before: Mapping[str, str]) -> Mapping[str, str]:
        """The readers of the projects that were there before, as they are now."""
        if self._projects is None:
            return {}
        for key in before:
            self._projects.of(key)
        return self._projects.digests()

    def _page(self, place: ListedUpTo, *, is_whole: bool) -> tuple[list[Json], ListedUpTo, bool]:
        projects = ",".join(f'"{key}"' for key in self._config.projects)
        conditions = [f"project in ({projects})"] if projects else []
        # The cloud refuses a search without any condition.
        conditions += ["created >= 1970-01-02"] if is_whole else [f"updated >= -{_LATELY_DAYS}d"]
        wanted = f"{' and '.join(conditions)} order by created asc"
        asked: dict[str, str | int] = {"jql": wanted, "fields": _LISTED, "maxResults": _PER_PAGE}
        path = "/rest/api/2/search/jql" if self._wire.is_cloud else "/rest/api/2/search"
        answer = self._wire.get(path, **{**asked, **place.at})
        if answer is None:
            raise self._nothing_there()
        found = objects_at(answer, "issues", "Jira")
        if self._wire.is_cloud:
            behind, fresh = place.after(found)
            return (fresh, *_by_token(behind, answer))
        start = whole_of(place.at.get("startAt"))
        total = answer.get("total")
        if not isinstance(total, int) or (not found and start < total and not place.last):
            raise SourceDown("Jira does not say how many issues there are.")
        behind, fresh = place.after(found, by="startAt", start=start)
        more = bool(found) and start + len(found) < total
        if more and len(found) == 1 and place.last:
            raise SourceDown("Jira lists one issue at a time.")
        return fresh, behind, more

    def _nothing_there(self) -> OwnerMustAct:
        return OwnerMustAct(f"There is no Jira at {self._wire.base}. Look after `url`.")

    def _item(self, found: Json) -> SourceItem:
        fields = object_of(found.get("fields"))
        key, updated = fit(line_of(found.get("key"))), fit(text_of(fields.get("updated")))
        summary = fit(line_of(fields.get("summary")))
        security = _security_of(fields)
        within = object_of(fields.get("project"))
        project = fit(line_of(within.get("name")))
        return SourceItem(
            id=f"issue:{text_of(found.get('id'))}",
            revision=updated,
            title=f"{key} {summary}".strip(),
            url=f"{self._wire.base}/browse/{key}" if key else None,
            folder=project.replace("/", "∕"),
            author=fit(line_of(object_of(fields.get("creator")).get("displayName"))) or None,
            updated_at=moment_of(updated),
            groups=[f"jira:security:{security}"] if security else self._browsed_by(within),
        )

    def _browsed_by(self, project: Json) -> Sequence[str] | None:
        readers = None
        if self._projects is not None:
            key = line_of(project.get("key"))
            readers = self._projects.of(key) if key else frozenset[str]()
        return self._config.readers or None if readers is None else sorted(readers)

    def _comments(self, issue_id: str) -> "_Comments":
        """The comments of an issue. Whoever runs the server may send as many and as long ones as it likes."""
        said, left = _Comments(), _MOST_CHARACTERS
        for comment in self._all_comments(issue_id):
            if comment.get("visibility") or comment.get("jsdPublic") is False:
                said.hidden += 1
                continue
            text = _comment(comment)
            left -= len(text)
            if left < 0:
                said.is_cut = True
                break
            said.shown.append(text)
        return said

    def _all_comments(self, issue_id: str) -> Iterator[Json]:
        start = 0
        while start < _MOST_COMMENTS:
            answer = self._wire.get(
                f"/rest/api/2/issue/{issue_id}/comment",
                startAt=start,
                maxResults=_PER_PAGE,
                expand="renderedBody",
                orderBy="created",
            )
            if answer is None:
                raise ItemFailed("It was deleted, or may not be read any more, while Jira was read.")
            found = objects_at(answer, "comments", "Jira")
            yield from found
            start += len(found)
            if not found or start >= whole_of(answer.get("total")):
                return


@dataclass(slots=True)
class _Comments:
    """Those that everybody who reads the issue may read, how many others there are, and whether some were
    too long."""

    shown: list[str] = field(default_factory=list)
    hidden: int = 0
    is_cut: bool = False


def _security_of(fields: Json) -> str:
    """The id of the level that says who reads the issue; empty if none does. Raises SourceDown where there is
    a level and no id: such an issue would be everybody's."""
    level = fields.get("security")
    if not level:
        return ""
    found = object_of(level).get("id")
    security = fit(line_of(str(found) if isinstance(found, int) else found))
    if not security:
        raise SourceDown("Jira does not say who may read an issue.")
    return security


def _by_token(place: ListedUpTo, answer: Json) -> tuple[ListedUpTo, bool]:
    """The place behind a page of the cloud, and whether there is another. Raises SourceDown where Jira says
    more and not where."""
    token = text_of(answer.get("nextPageToken"))
    if not token and answer.get("isLast") is not True:
        raise SourceDown("Jira says that there is more, and not where.")
    more = bool(token) and answer.get("isLast") is not True
    return replace(place, at={"nextPageToken": token} if more else {}), more


def _facts(fields: Json) -> str:
    """What the issue is, in one list."""
    facts = [(name, text_of(object_of(fields.get(name)).get("name"))) for name in _NAMED]
    facts += [(name, text_of(object_of(fields.get(name)).get("displayName"))) for name in _PEOPLE]
    labels = fields.get("labels")
    if isinstance(labels, list):
        facts.append(("labels", ", ".join(line_of(one) for one in labels if line_of(one))))
    titles = {"issuetype": "Type"}
    lines = (
        f"<li>{titles.get(name, name.capitalize())}: {html.escape(line_of(value))}</li>"
        for name, value in facts
        if value
    )
    return f"<ul>{''.join(lines)}</ul>"


def _comment(comment: Json) -> str:
    author = html.escape(line_of(object_of(comment.get("author")).get("displayName")) or "Somebody")
    day = html.escape(text_of(comment.get("created"))[:10])
    body = text_of(comment.get("renderedBody")) or html.escape(text_of(comment.get("body")))
    return f"<h2>{author}, {day}</h2>\n{body}"
