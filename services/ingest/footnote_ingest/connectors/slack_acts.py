"""What the kind `slack` does in its workspace: say something in a channel, or in a thread."""

from datetime import datetime

from footnote_ingest.connectors.act_protocol import CLOCKS_DIFFER, ActRefused, DoneAct, WantedAct
from footnote_ingest.connectors.errors import SourceDown
from footnote_ingest.connectors.json_values import Json, line_of, object_of, text_of
from footnote_ingest.connectors.slack_wire import PER_PAGE, SlackRefused, SlackWire
from footnote_shared.contracts.connector_kinds import SlackConfig

_EVENT = "footnote_act"
_LISTED = 999


class SlackActor:
    """Each message carries its mark among its metadata, which readers are not shown.

    What calls everybody and links that hide where they lead are markup of Slack, so that is taken from the
    text. A private channel is written to as the reply to a thread that whoever asks may read, and not
    otherwise.
    """

    def __init__(self, wire: SlackWire, config: SlackConfig) -> None:
        self._wire = wire
        self._config = config

    def find(self, wanted: WantedAct, since: datetime) -> DoneAct | None:
        channel, thread = self._place(wanted)
        asked: dict[str, str | int] = {"channel": channel, "limit": PER_PAGE, "include_all_metadata": "true"}
        asked["oldest"] = f"{(since - CLOCKS_DIFFER).timestamp():.6f}"
        method = "conversations.history"
        if thread:
            method, asked["ts"] = "conversations.replies", thread
        try:
            for page in self._wire.pages(method, "messages", **asked):
                for message in page:
                    if _mark_of(message) == wanted.mark:
                        return _done(self._root(), channel, text_of(message.get("ts")))
        except SlackRefused as refused:
            raise ActRefused(f"Slack shows the channel no more ({refused.error}).") from refused
        return None

    def do(self, wanted: WantedAct) -> DoneAct:
        channel, thread = self._place(wanted)
        # Asked for first: what fails behind the message would look as if the message had.
        root = self._root()
        said: Json = {
            "channel": channel,
            "text": _harmless(wanted.text),
            "unfurl_links": False,
            "unfurl_media": False,
            "metadata": {"event_type": _EVENT, "event_payload": {"mark": wanted.mark}},
        }
        if thread:
            said["thread_ts"] = thread
        try:
            answer = self._wire.post("chat.postMessage", said)
        except SlackRefused as refused:
            raise ActRefused(f"Slack does not take the message ({refused.error}).") from refused
        stamp = text_of(answer.get("ts"))
        if not stamp:
            raise SourceDown("Slack's answer is not what it should be.")
        return _done(root, channel, stamp)

    def close(self) -> None:
        self._wire.close()

    def _place(self, wanted: WantedAct) -> tuple[str, str]:
        """The id of the channel, and the thread in it that is replied to; empty for none."""
        kind, _, rest = wanted.item.partition(":")
        channel, _, stamp = rest.partition(":")
        if kind == "thread" and channel and stamp:
            return channel, stamp
        if kind:
            raise ActRefused("Only a thread can be replied to. Name a channel to say something new.")
        return self._channel(wanted.channel), ""

    def _channel(self, written: str) -> str:
        name = written.removeprefix("#").strip()
        if not name:
            raise ActRefused("Say into which channel, or to which thread.")
        allowed = {one.removeprefix("#").strip() for one in self._config.channels}
        asked: dict[str, str | int] = {"types": "public_channel", "exclude_archived": "true"}
        for page in self._wire.pages("conversations.list", "channels", **asked, limit=_LISTED):
            for channel in page:
                known = (text_of(channel.get("id")), line_of(channel.get("name")))
                if name not in known:
                    continue
                if allowed and not allowed.intersection(known):
                    raise ActRefused(f"The connector does not read the channel {name}.")
                if channel.get("is_member") is not True:
                    raise ActRefused(f"The app is not in the channel {name}.")
                return known[0]
        raise ActRefused(f"Slack shows no public channel {name}.")

    def _root(self) -> str:
        return text_of(self._wire.call("auth.test").get("url")).rstrip("/")


def _done(root: str, channel: str, stamp: str) -> DoneAct:
    url = f"{root}/archives/{channel}/p{stamp.replace('.', '')}" if root else None
    return DoneAct(f"{channel} {stamp}", url)


def _mark_of(message: Json) -> str:
    about = object_of(message.get("metadata"))
    if about.get("event_type") != _EVENT:
        return ""
    return text_of(object_of(about.get("event_payload")).get("mark"))


def _harmless(text: str) -> str:
    """The text without commands of Slack (docs.slack.dev/messaging/formatting-message-text)."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
