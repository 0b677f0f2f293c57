"""Slack's Web API as far as the connector asks: channels, history, replies, people, cursors, refusals."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest

Json = dict[str, Any]
TEAM = "https://team.slack.example/"


def stamp_of(moment: str) -> str:
    """The `ts` of a moment such as `2026-03-01T09:15`."""
    return f"{int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp())}.000100"


@dataclass
class FakeSlack:
    """One workspace. `before` sees each call first, and what it returns takes the place of the answer."""

    site: LocalSite
    token: str = "xoxb-1"
    channels: list[Json] = field(default_factory=list)
    messages: dict[str, dict[str, Json]] = field(default_factory=dict)
    replies: dict[str, dict[str, Json]] = field(default_factory=dict)
    people: list[Json] = field(default_factory=list)
    per_page: int = 3
    before: Callable[[str, dict[str, str]], Reply | None] = lambda method, asked: None
    called: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.site.answer = self.answer
        self.people = [
            {"id": "U1", "name": "ana", "profile": {"display_name": "Ana", "real_name": "Ana Ruiz"}},
            {"id": "U2", "name": "zoya", "profile": {"display_name": "", "real_name": "Зоя"}},
        ]

    def open_channel(self, channel: str, name: str, *, private: bool = False, member: bool = True) -> None:
        made = {"id": channel, "name": name, "is_private": private, "is_member": member}
        self.channels = [one for one in self.channels if one["id"] != channel] + [made]
        self.messages.setdefault(channel, {})

    def say(self, channel: str, moment: str, text: str, user: str = "U1", **more: Any) -> str:
        stamp = stamp_of(moment)
        self.messages[channel][stamp] = {"type": "message", "ts": stamp, "user": user, "text": text, **more}
        return stamp

    def reply(self, channel: str, thread: str, moment: str, text: str, user: str = "U2", **more: Any) -> str:
        stamp = stamp_of(moment)
        said = {"ts": stamp, "thread_ts": thread, "user": user, "text": text, **more}
        self.replies.setdefault(thread, {})[stamp] = said
        return stamp

    def answer(self, request: SiteRequest) -> Reply:
        method, asked = request.path.rpartition("/")[2], dict(parse_qsl(request.query))
        self.called.append(method)
        found = self.before(method, asked)
        if found is not None:
            return found
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return refusal("invalid_auth")
        match method:
            case "auth.test":
                return ok(url=TEAM, team="Team")
            case "users.list":
                return self._page("members", self.people, asked)
            case "conversations.list":
                kinds = asked["types"].split(",")
                kind = {True: "private_channel", False: "public_channel"}
                seen = [one for one in self.channels if kind[one["is_private"]] in kinds]
                return self._page("channels", seen, asked)
            case "conversations.history":
                return self._history(asked)
            case "conversations.replies":
                return self._replies(asked)
            case "chat.postMessage":
                return self._posted(json.loads(request.body))
        return refusal("unknown_method")

    def _history(self, asked: dict[str, str]) -> Reply:
        channel = asked["channel"]
        if channel not in self.messages:
            return refusal("channel_not_found")
        oldest, latest = float(asked["oldest"]), float(asked.get("latest", "inf"))
        found = [
            self._with_thread(message)
            for stamp, message in sorted(self.messages[channel].items(), reverse=True)
            if oldest < float(stamp) < latest
        ]
        return self._page("messages", found, asked, has_more=True)

    def _posted(self, wanted: Json) -> Reply:
        channel, thread = wanted.pop("channel"), wanted.get("thread_ts")
        if channel not in self.messages:
            return refusal("channel_not_found")
        stamp = f"{2_000_000_000 + sum(map(len, self.messages.values())) + len(self.replies)}.000100"
        said = {"type": "message", "ts": stamp, "user": "UBOT", **wanted}
        if thread is None:
            self.messages[channel][stamp] = said
        else:
            self.replies.setdefault(thread, {})[stamp] = said
        return ok(channel=channel, ts=stamp)

    def _with_thread(self, message: Json) -> Json:
        replies = self.replies.get(message["ts"], {})
        if not replies:
            return message
        told = {"thread_ts": message["ts"], "reply_count": len(replies), "latest_reply": max(replies)}
        return {**message, **told}

    def _replies(self, asked: dict[str, str]) -> Reply:
        first = self.messages[asked["channel"]].get(asked["ts"])
        if first is None:
            return refusal("thread_not_found")
        replies = self.replies.get(asked["ts"], {})
        found = [self._with_thread(first), *(replies[stamp] for stamp in sorted(replies))]
        return self._page("messages", found, asked, has_more=True)

    def _page(self, name: str, found: Sequence[Json], asked: dict[str, str], **more: Any) -> Reply:
        """A page whose cursor is a place in the list, as Slack's are for a reader: opaque."""
        start = int(asked.get("cursor", "at:0").removeprefix("at:"))
        end = start + min(self.per_page, int(asked["limit"]))
        told = {**more, "has_more": end < len(found)} if more else {}
        cursor = f"at:{end}" if end < len(found) else ""
        return ok(**{name: list(found[start:end])}, response_metadata={"next_cursor": cursor}, **told)


def ok(**answer: Any) -> Reply:
    return Reply(json.dumps({"ok": True, **answer}), kind="application/json")


def refusal(error: str, **more: Any) -> Reply:
    return Reply(json.dumps({"ok": False, "error": error, **more}), kind="application/json")
