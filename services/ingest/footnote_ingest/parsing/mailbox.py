"""Mailboxes of the format mbox: the messages one after another, each below a heading with its subject.

Source: RFC 4155, and the variant mboxrd for lines of a body that begin with `From `.
"""

import re
from collections.abc import Iterator

from footnote_ingest.parsing.elements import MAX_TITLE_CHARS, Attachment, Extracted, one_line
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.mail import add_message, header, is_encrypted, read_message
from footnote_ingest.parsing.parser_input import ParserInput

_SEPARATOR = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{1,1000}\r?\n(?=>?[!-9;-~]{1,100}:)")
_ESCAPED = re.compile(rb"^>(>{0,100}From )", re.M)


def parse(given: ParserInput) -> Extracted:
    """Each message is told with its sender and its date. What it quotes is left to the chunking."""
    to = given.assembler()
    attachments: list[Attachment] = []
    subjects: list[str] = []
    unread = 0
    for number, data in enumerate(_messages(given.data), 1):
        try:
            message = read_message(data)
        except ParseFailed:
            unread += 1
            continue
        subject = one_line(header(message, "subject"))
        sender = one_line(header(message, "from"))
        subjects.append(subject)
        to.add("title", (subject or sender or f"Message {number}")[:MAX_TITLE_CHARS], level=1)
        to.add("paragraph", ", ".join(filter(None, (sender, one_line(header(message, "date"))))))
        if is_encrypted(message):
            unread += 1
        else:
            add_message(to, message, attachments, given.limits.attachments, below=1)
    if unread:
        to.warnings.append(f"{unread:,} of the messages cannot be read: they are encrypted or damaged.")
    to.warnings[:] = dict.fromkeys(to.warnings)
    title = subjects[0] if len(subjects) == 1 else None
    return to.finish(title=title, metadata={"messages": str(len(subjects))}, attachments=attachments)


def _messages(data: bytes) -> Iterator[bytes]:
    """The messages without the lines between them."""
    found = list(_SEPARATOR.finditer(data))
    for separator, following in zip(found, [*found[1:], None], strict=True):
        end = following.start() if following is not None else len(data)
        yield _ESCAPED.sub(rb"\1", data[separator.end() : end])
