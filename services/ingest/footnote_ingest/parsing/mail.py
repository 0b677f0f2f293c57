"""E-mail: the text of the message, its headers as metadata, and its attachments as files of their own."""

import email
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import MessageError
from email.message import EmailMessage, Message
from email.policy import EmailPolicy
from typing import Any

from oxmsg import Message as OutlookMessage
from oxmsg.attachment import Attachment as OutlookAttachment

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Attachment, Extracted, storable
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.flowed import unflowed
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.web import add_html

_BLANK = re.compile(r"\n[ \t>]*\n")
_UNSAFE_NAME = re.compile(r"[\x00-\x1f\x7f/\\]")
_WORD = re.compile(r"\w+")
_STUB = 0.6
"""A plain body with less than this share of the words of the HTML is a stub."""

_SAME = 0.6
"""A plain and an HTML body are one text if this share of the words of the HTML is in the plain one."""

_LONGEST_NAME = 200
_LONGEST_HEADER = 20_000
"""Characters. The library takes time that grows with the square of a header's length."""

_CONTAINER = re.compile(rb"^content-type:\s{0,100}(?:multipart|message)/", re.I | re.M)
_MOST_CONTAINERS = 1_000
"""Parts with parts in them. The library takes time that grows with the square of their depth."""

_TNEF = ("application/ms-tnef", "application/vnd.ms-tnef")
_OUTLOOKS_OWN = (
    "The attachment winmail.dat was left out, which only Outlook reads: it may hold more text and "
    "attachments. Ask the sender to send the message as HTML or plain text."
)
_NAMES = {"text/calendar": "invitation.ics", "text/vcard": "contact.vcf"}
"""The name of a part that has none. The ending tells what it is."""

_CONTENT_ID = 0x3712
"""PidTagAttachContentId (MS-OXPROPS): what the address `cid:` in a text names an attachment by."""

_WIDE = ("utf-16", "utf-32")


@dataclass(frozen=True, slots=True)
class _Text:
    """A part of a message that is its text; `alternative` if it is one of several forms of it."""

    body: str
    is_html: bool
    alternative: bool


_BEYOND_COUNT = re.compile(r"\*[0-9]{10,}+")
"""Python reads no number of some thousand digits."""


class _BoundedHeaders(EmailPolicy):
    """The rules of today's mail, by which the end of a header that is much too long is cut off.

    So is a number of a parameter's part (RFC 2231, 3) that counts nothing.
    """

    def header_fetch_parse(self, name: str, value: str) -> Any:
        """The value of a header as the library parses it when it is asked for."""
        return super().header_fetch_parse(name, _BEYOND_COUNT.sub("*0", value[:_LONGEST_HEADER]))


def parse_eml(given: ParserInput) -> Extracted:
    data = given.data
    if (given.sniffed.encoding or "").startswith(_WIDE):
        # Headers and boundaries are looked for as ASCII.
        data = decode(data, given.sniffed.encoding).text.encode("utf-8", "replace")
    message = read_message(data)
    to = given.assembler()
    if is_encrypted(message):
        raise ParseFailed("The e-mail is encrypted and cannot be read.", "encrypted")
    attachments: list[Attachment] = []
    add_message(to, message, attachments, given.limits.attachments)
    return _finish(
        to,
        attachments,
        subject=header(message, "subject"),
        sender=header(message, "from"),
        recipients=", ".join(filter(None, (header(message, "to"), header(message, "cc")))),
        date=header(message, "date"),
        message_id=header(message, "message-id"),
        in_reply_to=header(message, "in-reply-to"),
    )


def read_message(data: bytes) -> Message:
    """The parts and headers of a message; raises ParseFailed for too many parts and damaged headers."""
    if sum(1 for _ in _CONTAINER.finditer(data)) > _MOST_CONTAINERS:
        raise ParseFailed(f"The e-mail has more than {_MOST_CONTAINERS:,} parts with parts.", "too_large")
    try:
        return email.message_from_bytes(data, policy=_BoundedHeaders())
    except (MessageError, ValueError, LookupError) as error:
        raise ParseFailed("The e-mail is damaged: its headers cannot be read.", "corrupt") from error


def is_encrypted(message: Message) -> bool:
    """Whether the message is encrypted as a whole, by OpenPGP or S/MIME."""
    return message.get_content_type() in ("multipart/encrypted", "application/pkcs7-mime")


def add_message(
    to: Assembler, message: Message, attachments: list[Attachment], most: int, below: int = 0
) -> None:
    """Append the text of a message, and to `attachments` its files, until there are `most` of them.

    `below` is the rank of the heading that the message stands under.
    """
    texts: list[_Text] = []
    pictures = 0
    for part, alternative in _parts(message):
        kind = part.get_content_type()
        if _is_picture_in_text(part):
            pictures += 1
        elif _is_outlooks_own(part):
            to.warnings.append(_OUTLOOKS_OWN)
        elif (
            part.get_content_disposition() == "attachment"
            or part.get_filename()
            or kind not in ("text/plain", "text/html")
        ):
            if len(attachments) >= most:
                to.warnings.append(f"Only the first {most} attachments were taken.")
                break
            attached = _attachment(part, len(attachments) + 1)
            if attached is not None:
                attachments.append(attached)
        else:
            body = _body(part)
            if kind == "text/plain" and str(part.get_param("format", "")).lower() == "flowed":
                body = unflowed(body, delete_space=str(part.get_param("delsp", "")).lower() == "yes")
            texts.append(_Text(body, kind == "text/html", alternative))
    _warn_of_pictures(to, pictures)
    plain = "\n\n".join(text.body for text in texts if not text.is_html)
    html = "\n".join(text.body for text in texts if text.is_html)
    if any(text.alternative for text in texts) or not plain.strip() or _says_the_same(to, plain, html):
        _add_bodies(to, plain, html, below)
        return
    for text in texts:
        _add_bodies(to, *(("", text.body) if text.is_html else (text.body, "")), below)


def parse_msg(given: ParserInput) -> Extracted:
    try:
        message = OutlookMessage.load(io.BytesIO(given.data))
        subject, sender, sent = message.subject, message.sender, message.sent_date
        recipients = ", ".join(
            filter(None, (person.email_address or person.name for person in message.recipients))
        )
        headers = message.message_headers
        body, html = message.body, message.html_body
        held = list(message.attachments)
        pictures = [item for item in held if _is_shown_in_text(item, html or "")]
        found = [
            (item.file_name, item.mime_type, item.file_bytes)
            for item in [item for item in held if item not in pictures][: given.limits.attachments]
        ]
    except (
        OSError,
        KeyError,
        ValueError,
        IndexError,
        AttributeError,
        TypeError,
        AssertionError,
        UnicodeDecodeError,
    ) as error:
        raise ParseFailed("The Outlook message is damaged: it cannot be read.", "corrupt") from error
    to = given.assembler()
    _warn_of_pictures(to, len(pictures))
    _add_bodies(to, body or "", html or "")
    attachments = [
        Attachment(_safe_name(name, number), mime or "application/octet-stream", content)
        for number, (name, mime, content) in enumerate(found, 1)
        if content
    ]
    return _finish(
        to,
        attachments,
        subject=subject or "",
        sender=sender or "",
        recipients=recipients,
        date=sent.isoformat() if sent else "",
        message_id=headers.get("Message-Id", ""),
        in_reply_to=headers.get("In-Reply-To", ""),
    )


def _finish(to: Assembler, attachments: list[Attachment], *, subject: str, **facts: str) -> Extracted:
    if to.empty:
        # A message without a body still has its subject and its attachments.
        to.add("paragraph", subject or (", ".join(item.name for item in attachments)))
    return to.finish(title=subject, metadata={"subject": subject, **facts}, attachments=attachments)


def _parts(message: Message) -> Iterator[tuple[EmailMessage, bool]]:
    """The leaves of a message, and whether each is one of several forms of the same text.

    An attached message is one leaf.
    """
    waiting: list[tuple[Message, bool]] = [(message, False)]
    while waiting:
        part, alternative = waiting.pop()
        inner = part.get_payload()
        kind = part.get_content_type()
        if isinstance(inner, list) and kind != "message/rfc822":
            among = alternative or kind == "multipart/alternative"
            waiting.extend((child, among) for child in reversed(inner) if isinstance(child, Message))
        elif isinstance(part, EmailMessage):
            yield part, alternative


def _is_picture_in_text(part: EmailMessage) -> bool:
    """Whether this is a picture that the text shows in its place, such as a logo, and nothing attached."""
    return (
        part.get_content_maintype() == "image"
        and part.get_content_disposition() != "attachment"
        and "content-id" in part
    )


def _is_shown_in_text(item: OutlookAttachment, html: str) -> bool:
    """Whether the HTML of a message of Outlook shows this picture in its place."""
    named = item.properties.str_prop_value(_CONTENT_ID)
    is_picture = (item.mime_type or "").startswith("image/")
    return is_picture and bool(named) and f"cid:{named}" in html


def _warn_of_pictures(to: Assembler, count: int) -> None:
    """Say how many pictures stand in the text and nowhere else."""
    if count:
        what = "1 picture in its text was" if count == 1 else f"{count} pictures in its text were"
        to.warnings.append(f"Of the message {what} left out.")


def _is_outlooks_own(part: EmailMessage) -> bool:
    """Whether this is `winmail.dat`, in which Outlook puts a message in a form of its own (MS-OXTNEF)."""
    named = (part.get_filename() or "").lower()
    return part.get_content_type() in _TNEF or named == "winmail.dat"


def _body(part: EmailMessage) -> str:
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return storable(str(part.get_payload()))
    charset = part.get_content_charset()
    if not content.isascii():
        # Bytes that are valid UTF-8 are UTF-8, whatever the sender calls them.
        try:
            return storable(content.decode("utf-8"))
        except UnicodeDecodeError:
            pass
    if charset:
        try:
            return storable(content.decode(charset))
        except (LookupError, UnicodeDecodeError):
            pass
    try:
        return decode(content).text if content.strip() else ""
    except ParseFailed:
        return storable(content.decode("latin-1"))


def _attachment(part: EmailMessage, number: int) -> Attachment | None:
    mime = part.get_content_type()
    if mime == "message/rfc822":
        inner = part.get_payload()
        first = inner[0] if isinstance(inner, list) and inner else None
        if not isinstance(first, Message):
            return None
        name = part.get_filename() or f"{first.get('subject', 'message')}.eml"
        return Attachment(_safe_name(name, number), mime, first.as_bytes())
    content = part.get_payload(decode=True)
    if (
        not isinstance(content, bytes)
        or not content
        or mime in ("application/pgp-signature", "application/pkcs7-signature")
    ):
        return None
    return Attachment(_safe_name(part.get_filename() or _NAMES.get(mime), number), mime, content)


def _safe_name(name: str | None, number: int) -> str:
    """The name without path and control characters. It is never empty."""
    last = re.split(r"[/\\]", storable(name or ""))[-1]
    return _UNSAFE_NAME.sub("", last).strip(" .")[:_LONGEST_NAME] or f"attachment-{number}"


def header(message: Message, name: str) -> str:
    """The value of a header, without its encoding; empty if there is none."""
    try:
        return str(message.get(name, ""))
    except (ValueError, IndexError, LookupError, AttributeError):
        return ""


def _says_the_same(to: Assembler, plain: str, html: str) -> bool:
    """Whether most words of an HTML body are in the plain one. Senders may not say that they are one text."""
    if not html.strip():
        return True
    rich = Assembler(text_limit=to.text_limit, element_limit=to.element_limit)
    add_html(rich, html, mail=True)
    shown = Counter(word for e in rich.elements for word in _WORD.findall(e.text.lower()))
    both = shown & Counter(_WORD.findall(plain.lower()))
    return both.total() >= _SAME * shown.total()


def _add_bodies(to: Assembler, plain: str, html: str, below: int = 0) -> None:
    """Add the plain body, or the HTML if that says much more.

    Some senders leave only a stub in the plain body.
    """
    if html.strip():
        rich = Assembler(text_limit=to.text_limit, element_limit=to.element_limit)
        add_html(rich, html, mail=True)
        said = len(_WORD.findall(plain))
        if said < _STUB * sum(len(_WORD.findall(e.text)) for e in rich.elements):
            for e in rich.elements:
                to.add(e.kind, e.text, level=(e.level or 0) + below or None)
            return
    for block in _paragraphs(storable(plain)):
        to.add("paragraph", block)


def _paragraphs(text: str) -> Iterator[str]:
    start = 0
    for gap in _BLANK.finditer(text):
        yield text[start : gap.start()]
        start = gap.end()
    yield text[start:]
