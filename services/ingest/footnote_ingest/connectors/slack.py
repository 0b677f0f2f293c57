"""The kind `slack`: the threads and the days of the channels of one workspace."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceDown
from footnote_ingest.connectors.json_values import Json, line_of, object_of, objects_at, text_of, whole_of
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_ingest.connectors.slack_text import (
    conversation,
    first_line,
    is_said,
    moment_of_stamp,
    name_of_sender,
    plain,
)
from footnote_ingest.connectors.slack_wire import PER_PAGE, SlackRefused, SlackWire, next_cursor
from footnote_shared.contracts.connector_kinds import SlackConfig
from footnote_shared.kernel.clock import now

_MOST_PAGES_OF_A_DAY = 100
_LISTED = 999
"""Channels or people on one page of their lists."""

_DAY = timedelta(days=1)
_LATELY = timedelta(days=7)
"""What a sync looks at that does not look at everything."""

_LOOKS_EVERYWHERE_EVERY = timedelta(days=1)
_SAID_LATELY = timedelta(days=30)
"""So long after its last reply a thread is read again at each look: nothing tells that a reply was edited."""


@dataclass(frozen=True, slots=True)
class _Channel:
    id: str
    name: str
    groups: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class _Said:
    """A message as the history of its channel shows it, and the day that it belongs to."""

    stamp: str
    on: date
    message: Json

    @property
    def is_thread(self) -> bool:
        return whole_of(self.message.get("reply_count")) > 0

    @property
    def is_alone(self) -> bool:
        """Whether it was said, and outside of threads: a reply may be shown in its channel as well."""
        return is_said(self.message) and text_of(self.message.get("thread_ts")) in ("", self.stamp)


@dataclass(frozen=True, slots=True)
class _Day:
    """What was said in a channel on a day."""

    channel: _Channel
    on: date
    messages: Sequence[Json]


@dataclass(frozen=True, slots=True)
class _Thread:
    """What the channel says of a thread, as a digest, and whether its replies may still be edited."""

    channel: _Channel
    stamp: str
    token: str
    is_open: bool


class SlackItems:
    """A thread is one item, with all of its replies; what was said outside of threads is one item a day.

    Slack does not tell what has changed. So the first sync, and one a day after it, looks at all that the
    channels hold, and finds what was edited and deleted. The syncs between look at the last seven days.
    Days are those of UTC. The cursor goes back in time by whole days, so that no item lies on two pages.
    """

    vanishing: Vanishing = "by_sync"

    def __init__(self, wire: SlackWire, config: SlackConfig, clock: Callable[[], datetime] = now) -> None:
        self._wire = wire
        self._config = config
        self._clock = clock
        self._channels: list[_Channel] | None = None
        self._names: dict[str, str] | None = None
        self._public: dict[str, str] = {}
        self._root: str | None = None
        self._days: dict[str, _Day] = {}
        self._threads: dict[str, _Thread] = {}

    def sync(self, cursor: str | None) -> SyncPage:
        place = json.loads(cursor) if cursor is not None else {}
        if "oldest" not in place:
            place = self._begun(place)
        left = [channel for channel in self._all_channels() if channel.id >= place["channel"]]
        if not left:
            return self._end(place, [])
        channel = left[0]
        self._days, self._threads = {}, {}
        latest = place["latest"] if channel.id == place["channel"] else None
        items, earlier = self._page(channel, place["oldest"], latest, is_whole=place["whole"])
        if earlier is not None:
            return SyncPage(items, json.dumps({**place, "channel": channel.id, "latest": earlier}), more=True)
        if len(left) == 1:
            return self._end(place, items)
        following = {**place, "channel": left[1].id, "latest": None}
        return SyncPage(items, json.dumps(following), more=True)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("the sync names all that is there")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem | None:
        day = self._days.get(item.id)
        if day is not None:
            about = f"Said in #{day.channel.name} on {day.on} outside of threads."
            return self._fetched(item, conversation(item.title or "", about, day.messages, self._all_names()))
        thread = self._threads.get(item.id)
        if thread is None:
            raise ItemFailed("The channel did not name it again.")
        if token == thread.token and not thread.is_open:
            return None
        about = f"A thread in #{thread.channel.name}, begun by {item.author}."
        text = conversation(item.title or "", about, self._replies(thread), self._all_names())
        return self._fetched(item, text, thread.token)

    def close(self) -> None:
        self._wire.close()

    def _fetched(self, item: SourceItem, text: str, token: str | None = None) -> FetchedItem:
        return FetchedItem(text.encode(), f"{item.id.replace(':', '-')}.md", "text/markdown", item, token)

    def _begun(self, before: Json) -> Json:
        """Where a sync begins: at everything, or at what was said lately.

        Other channels, or other readers of one, concern all that was ever said there.
        """
        moment, walked = self._clock(), before.get("walked", 0)
        channels = _digest([[channel.id, channel.name, channel.groups] for channel in self._all_channels()])
        is_old = moment.timestamp() - walked >= _LOOKS_EVERYWHERE_EVERY.total_seconds()
        is_whole = is_old or before.get("channels") != channels
        since = date.fromisoformat(self._config.since) if self._config.since else date(1970, 1, 2)
        oldest = since if is_whole else max(since, (moment - _LATELY).date())
        walked = moment.timestamp() if is_whole else walked
        begin = {"oldest": oldest.isoformat(), "channel": "", "latest": None}
        return {"walked": walked, "channels": channels, "whole": is_whole, **begin}

    def _end(self, place: Json, items: list[SourceItem]) -> SyncPage:
        cursor = json.dumps({"walked": place["walked"], "channels": place["channels"]})
        return SyncPage(items, cursor, more=False, names_all=place["whole"])

    def _page(
        self, channel: _Channel, since: str, latest: str | None, *, is_whole: bool
    ) -> tuple[list[SourceItem], str | None]:
        """The items of some days, and the day before which to go on; None if there are no earlier ones.

        A sync that does not look at everything says of each of these days what is not there any more.
        """
        before = date.fromisoformat(latest) if latest is not None else self._clock().date() + 2 * _DAY
        oldest = date.fromisoformat(since)
        messages, reaches_the_end = self._history(channel, oldest, before)
        if not reaches_the_end:
            # The earliest of these days goes on behind the last page.
            oldest = min(said.on for said in messages) + _DAY
            if oldest >= before:
                raise SourceDown(f"Slack does not list the channel {channel.name} in the order of time.")
        messages = [said for said in messages if oldest <= said.on < before]
        threads = [said for said in messages if said.is_thread]
        others = [said for said in messages if not said.is_thread]
        items = [self._thread_item(channel, said) for said in threads]
        items += self._day_items(channel, [said for said in others if said.is_alone])
        if not is_whole:
            items += [SourceItem(_thread_id(channel, said.stamp), deleted=True) for said in others]
            named = {item.id for item in items}
            days = (_day_id(channel, on) for on in _days_of(oldest, before))
            items += [SourceItem(day, deleted=True) for day in days if day not in named]
        return items, None if reaches_the_end else oldest.isoformat()

    def _history(self, channel: _Channel, oldest: date, before: date) -> tuple[list[_Said], bool]:
        """The latest messages before a day, of more than one day if there are; and whether these are all."""
        asked: dict[str, str | int] = {
            "channel": channel.id,
            "limit": PER_PAGE,
            # Both ends are left out, and the first moment of the oldest day belongs to it.
            "oldest": f"{_seconds(oldest) - 1}.999999",
            "latest": f"{_seconds(before)}.000000",
        }
        found: dict[str, _Said] = {}
        cursor = ""
        for _ in range(_MOST_PAGES_OF_A_DAY):
            try:
                answer = self._wire.call("conversations.history", **asked, **_at(cursor))
            except SlackRefused as refused:
                raise SourceDown(f"Slack shows {channel.name} no more ({refused.error}).") from refused
            for message in objects_at(answer, "messages", "Slack"):
                moment = moment_of_stamp(text_of(message.get("ts")))
                if moment is not None:
                    stamp = text_of(message.get("ts"))
                    found[stamp] = _Said(stamp, moment.date(), message)
            following = next_cursor(answer)
            if not following:
                return list(found.values()), True
            if len({said.on for said in found.values()}) > 1:
                return list(found.values()), False
            if following == cursor:
                break
            cursor = following
        raise SourceDown(f"Slack lists one day of {channel.name} without end.")

    def _thread_item(self, channel: _Channel, said: _Said) -> SourceItem:
        names, message = self._all_names(), said.message
        latest = moment_of_stamp(text_of(message.get("latest_reply"))) or moment_of_stamp(said.stamp)
        item = SourceItem(
            id=_thread_id(channel, said.stamp),
            title=first_line(message, names) or f"A thread in #{channel.name}",
            url=self._address(channel, said.stamp),
            folder=channel.name,
            author=name_of_sender(message, names),
            updated_at=latest,
            groups=channel.groups,
            metadata={"channel": channel.name},
        )
        known = ("text", "edited", "reply_count", "latest_reply", "files")
        told = [item.title, item.folder, item.groups, *(message.get(name) for name in known)]
        is_open = latest is None or self._clock() - latest < _SAID_LATELY
        self._threads[item.id] = _Thread(channel, said.stamp, _digest(told), is_open)
        return item

    def _day_items(self, channel: _Channel, alone: Sequence[_Said]) -> list[SourceItem]:
        days: dict[date, list[_Said]] = {}
        for said in sorted(alone, key=lambda one: one.stamp):
            days.setdefault(said.on, []).append(said)
        items = []
        for on, found in days.items():
            item = SourceItem(
                id=_day_id(channel, on),
                revision=_digest([said.message for said in found]),
                title=f"#{channel.name} on {on}",
                url=self._address(channel, found[0].stamp),
                folder=channel.name,
                updated_at=moment_of_stamp(found[-1].stamp),
                groups=channel.groups,
                metadata={"channel": channel.name},
            )
            self._days[item.id] = _Day(channel, on, [said.message for said in found])
            items.append(item)
        return items

    def _replies(self, thread: _Thread) -> list[Json]:
        """All that was said in the thread, its first words among it, each once."""
        found: dict[str, Json] = {}
        asked: dict[str, str | int] = {"channel": thread.channel.id, "ts": thread.stamp, "limit": PER_PAGE}
        try:
            for page in self._wire.pages("conversations.replies", "messages", **asked):
                found |= {text_of(message.get("ts")): message for message in page}
        except SlackRefused as refused:
            raise ItemFailed("The thread was deleted while the channel was read.") from refused
        return list(found.values())

    def _all_channels(self) -> list[_Channel]:
        """The channels that are taken, by their ids. Raises OwnerMustAct if there are none, or too few."""
        if self._channels is None:
            kinds = "public_channel,private_channel" if self._config.private else "public_channel"
            asked: dict[str, str | int] = {"types": kinds, "exclude_archived": "true", "limit": _LISTED}
            pages = self._wire.pages("conversations.list", "channels", **asked)
            found = [channel for page in pages for channel in page if text_of(channel.get("id"))]
            self._public = {c["id"]: line_of(c.get("name")) for c in found if c.get("is_private") is not True}
            self._channels = sorted(self._wanted(found), key=lambda channel: channel.id)
        return self._channels

    def _wanted(self, found: Sequence[Json]) -> list[_Channel]:
        asked = {name.removeprefix("#").strip() for name in self._config.channels}
        wanted = [c for c in found if not asked or c["id"] in asked or line_of(c.get("name")) in asked]
        missing = asked - {c["id"] for c in wanted} - {line_of(c.get("name")) for c in wanted}
        if missing:
            names = ", ".join(sorted(missing))
            raise OwnerMustAct(
                f"Slack shows no channel of this name: {names}. A private one needs `private`."
            )
        outside_of = [line_of(c.get("name")) for c in wanted if c.get("is_member") is not True]
        if asked and outside_of:
            raise OwnerMustAct(f"The app is not in {', '.join(outside_of)}. Invite it there.")
        kept = [_channel_of(c) for c in wanted if c.get("is_member") is True]
        if not kept:
            raise OwnerMustAct("The app is in no channel. Invite it into those that are to be taken.")
        return kept

    def _all_names(self) -> Mapping[str, str]:
        """The names of people and of public channels by their ids."""
        if self._names is None:
            self._all_channels()
            names = dict(self._public)
            for page in self._wire.pages("users.list", "members", limit=_LISTED):
                names |= {text_of(user.get("id")): _name_of(user) for user in page}
            self._names = names
        return self._names

    def _address(self, channel: _Channel, stamp: str) -> str | None:
        """Where Slack shows the message."""
        if self._root is None:
            self._root = text_of(self._wire.call("auth.test").get("url")).rstrip("/")
        return f"{self._root}/archives/{channel.id}/p{stamp.replace('.', '')}" if self._root else None


def _channel_of(channel: Json) -> _Channel:
    is_private = channel.get("is_private") is not False
    name = plain(line_of(channel.get("name"))) or channel["id"]
    return _Channel(channel["id"], name, [f"slack:{channel['id']}"] if is_private else None)


def _name_of(user: Json) -> str:
    """The name that Slack shows of a person."""
    profile = object_of(user.get("profile"))
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    return plain(next((line_of(name) for name in names if line_of(name)), text_of(user.get("id"))))


def _thread_id(channel: _Channel, stamp: str) -> str:
    return f"thread:{channel.id}:{stamp}"


def _day_id(channel: _Channel, on: date) -> str:
    return f"day:{channel.id}:{on}"


def _days_of(first: date, before: date) -> Iterator[date]:
    return (first + n * _DAY for n in range((before - first).days))


def _seconds(on: date) -> int:
    """The beginning of a day (UTC), in seconds since 1970."""
    return int(datetime.combine(on, time(), UTC).timestamp())


def _at(cursor: str) -> dict[str, str]:
    return {"cursor": cursor} if cursor else {}


def _digest(told: object) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
