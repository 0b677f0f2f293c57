"""What was said in Slack, as Markdown (docs.slack.dev/messaging/formatting-message-text)."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from footnote_ingest.connectors.json_values import Json, line_of, object_of, objects, text_of

MOST_CHARACTERS = 2_000_000
_FENCE = "```"
_RULES = frozenset("=-")
_NEWS = frozenset(
    {
        "bot_add",
        "bot_remove",
        "channel_archive",
        "channel_convert_to_private",
        "channel_join",
        "channel_leave",
        "channel_name",
        "channel_posting_permissions",
        "channel_purpose",
        "channel_topic",
        "channel_unarchive",
        "group_archive",
        "group_join",
        "group_leave",
        "group_name",
        "group_purpose",
        "group_topic",
        "group_unarchive",
        "pinned_item",
        "reminder_add",
        "tombstone",
    }
)
"""Messages by which Slack tells of the channel itself, and what is left of one that was deleted."""

_DEEPEST_BLOCK = 5


def is_said(message: Json) -> bool:
    """Whether somebody has said it, and it was not deleted."""
    return text_of(message.get("subtype")) not in _NEWS


def moment_of_stamp(stamp: str) -> datetime | None:
    """The moment of a `ts`, which is seconds since 1970 with six more digits; None for what is none."""
    whole, _, part = stamp.partition(".")
    if not (whole.isascii() and whole.isdecimal() and len(whole) <= 10 and len(part) <= 6):
        return None
    return datetime.fromtimestamp(int(whole), UTC)


def name_of_sender(message: Json, names: Mapping[str, str]) -> str:
    """The name of whoever said it: a person, or an app by the name that it gives itself."""
    known = names.get(text_of(message.get("user")), "")
    profile, bot = object_of(message.get("user_profile")), object_of(message.get("bot_profile"))
    said = (
        known,
        line_of(message.get("username")),
        line_of(profile.get("display_name")) or line_of(profile.get("real_name")),
        line_of(bot.get("name")),
        line_of(message.get("user")),
    )
    return plain(next((name for name in said if name), "somebody"))


def first_line(message: Json, names: Mapping[str, str], most: int = 100) -> str:
    """The beginning of what was said, in one line, for a title; empty if nothing was."""
    text = " ".join(body_of(message, names)[: 4 * most].split())
    return plain(text if len(text) <= most else f"{text[: most - 1].rstrip()}…")


def conversation(heading: str, about: str, messages: Iterable[Json], names: Mapping[str, str]) -> str:
    """Messages in the order of time, each below a head with its sender and its minute (UTC)."""
    said = [f"# {plain(heading)}", plain(about)]
    for message in sorted(messages, key=lambda one: text_of(one.get("ts"))):
        body = body_of(message, names)
        if body and is_said(message):
            moment = moment_of_stamp(text_of(message.get("ts")))
            minute = moment.strftime("%Y-%m-%d %H:%M") if moment is not None else "at an unknown time"
            edited = " (edited)" if message.get("edited") else ""
            said += [f"## {name_of_sender(message, names)}, {minute}{edited}", body]
    return plain("\n\n".join(said)[:MOST_CHARACTERS]) + "\n"


def body_of(message: Json, names: Mapping[str, str]) -> str:
    """What one message says: its text, else its blocks, then what is attached to it."""
    text = text_of(message.get("text")) or "\n".join(_block_texts(objects(message.get("blocks")), 0))
    parts = [markdown(text, names)]
    for attached in objects(message.get("attachments")):
        title, link = line_of(attached.get("title")), line_of(attached.get("title_link"))
        body = text_of(attached.get("text")) or ("" if title else text_of(attached.get("fallback")))
        head = f"[{title}]({link})" if title and link else title
        quoted = "\n".join(part for part in (markdown(head, names), markdown(body, names)) if part)
        parts.append("\n".join(f"> {line}" for line in quoted.split("\n")) if quoted else "")
    for file in objects(message.get("files")):
        name = line_of(file.get("title")) or line_of(file.get("name"))
        link = line_of(file.get("permalink"))
        parts.append(f"File: [{name}]({link})" if name and link else f"File: {name}" if name else "")
    return "\n\n".join(part for part in parts if part.strip())


def markdown(text: str, names: Mapping[str, str]) -> str:
    """Slack's markup as Markdown. Whatever looks like a heading is none: only heads of messages are."""
    lines = []
    fenced = False
    for line in _links(text, names).split("\n"):
        opens = line.count(_FENCE) % 2 == 1
        lines.append(line if fenced or opens else _line(line))
        fenced ^= opens
    if fenced:
        lines.append(_FENCE)
    return "\n".join(lines).strip()


def plain(text: str) -> str:
    """The text with U+FFFD for halves of characters, which JSON can write and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def _line(line: str) -> str:
    stripped = line.strip()
    behind = stripped.lstrip("#")
    is_heading = behind != stripped and (not behind or behind[0].isspace())
    if is_heading or (stripped and set(stripped) <= _RULES):
        line = f"\\{stripped}"
    spans = line.split("`")
    # What stands behind a backtick that no other one closes is no code.
    return "`".join(
        span if at % 2 and at < len(spans) - 1 else _doubled(_doubled(span, "*"), "~")
        for at, span in enumerate(spans)
    )


def _doubled(text: str, mark: str) -> str:
    """Pairs of a mark around words, as Slack writes bold and struck text, doubled as Markdown does."""
    pieces = text.split(mark)
    opened = -1
    parts = [pieces[0]]
    for at, piece in enumerate(pieces[1:], start=1):
        before, after = pieces[at - 1][-1:], piece[:1]
        if opened >= 0 and before and not before.isspace() and not after.isalnum():
            parts[opened] = mark * 2
            parts += [mark * 2, piece]
            opened = -1
            continue
        if opened < 0 and after and not after.isspace() and not before.isalnum():
            opened = len(parts)
        parts += [mark, piece]
    return "".join(parts)


def _links(text: str, names: Mapping[str, str]) -> str:
    """The text with what Slack writes between angle brackets spelt out, and its three entities read."""
    parts: list[str] = []
    at = 0
    while (opened := text.find("<", at)) >= 0:
        closed = text.find(">", opened)
        if closed < 0:
            break
        parts += [_read(text[at:opened]), _named(text[opened + 1 : closed], names)]
        at = closed + 1
    return "".join([*parts, _read(text[at:])])


def _named(written: str, names: Mapping[str, str]) -> str:
    target, _, label = written.partition("|")
    label = " ".join(_read(label).split())
    match target[:1]:
        case "@":
            return f"@{names.get(target[1:]) or label or target[1:]}"
        case "#":
            return f"#{label or names.get(target[1:]) or target[1:]}"
        case "!":
            word = target[1:].partition("^")[0]
            return label or f"@{word}"
    address = _read(target).strip()
    if not label or label == address:
        return address
    return f"[{label}]({address})" if address.startswith(("http://", "https://")) else label


def _read(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _block_texts(blocks: Iterable[Json], depth: int) -> Iterable[str]:
    """The texts of blocks, for apps that send nothing else."""
    for block in blocks:
        text = block.get("text")
        found = text_of(text) or text_of(object_of(text).get("text"))
        if found:
            yield found
        if depth < _DEEPEST_BLOCK:
            yield from _block_texts(objects(block.get("elements")), depth + 1)
            yield from _block_texts(objects(block.get("fields")), depth + 1)
