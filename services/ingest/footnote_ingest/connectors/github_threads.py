"""An issue or a pull request with all that was said in it, as Markdown."""

from collections.abc import Iterable

from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.json_values import Json, line_of, objects, text_of

_MOST_CHARACTERS = 2_000_000


def thread_text(issue: Json, comments: Iterable[Json]) -> str:
    """The thread in the order of time: its title, its state, its first words, and each comment with its head.

    `comments` are those of the thread, of its reviews, and of lines of its code.
    """
    kind = "Pull request" if "pull_request" in issue else "Issue"
    labels = ", ".join(text_of(label.get("name")) for label in objects(issue.get("labels")))
    facts = [f"{kind} #{issue.get('number')}", text_of(issue.get("state"))]
    facts += [f"labels: {labels}"] if labels else []
    said = [
        f"# {line_of(issue.get('title'))}",
        f"{', '.join(facts)}, opened by {author_of(issue)} on {_day(issue)}.",
        text_of(issue.get("body")),
    ]
    for comment in sorted(comments, key=_moment):
        body = text_of(comment.get("body")).strip()
        if body:
            where = f" on `{line_of(comment['path'])}`" if comment.get("path") else ""
            said.append(f"## {author_of(comment)}, {_day(comment)}{where}")
            said.append(body)
    return "\n\n".join(part.strip() for part in said if part.strip())[:_MOST_CHARACTERS] + "\n"


def author_of(said: Json) -> str:
    """The login of whoever said it. GitHub calls somebody who has left `ghost`."""
    user = said.get("user")
    return (line_of(user.get("login")) if isinstance(user, dict) else "") or "ghost"


def _moment(said: Json) -> str:
    return text_of(said.get("created_at")) or text_of(said.get("submitted_at"))


def _day(said: Json) -> str:
    moment = moment_of(_moment(said))
    return moment.date().isoformat() if moment is not None else "an unknown day"
