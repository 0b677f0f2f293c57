"""A mailbox of the format mbox: each message below its subject, with its sender and date."""

from email.message import EmailMessage

import pytest

from tests.unit.ingest.parsing.here import parsed_here

LINE = b"From a@port.example Tue Nov 17 19:02:38 2009\n"


def mail(subject: str, body: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "A <a@port.example>", "b@port.example", subject
    message["Date"] = "Tue, 17 Nov 2009 19:02:38 +0100"
    message.set_content(body)
    return message.as_bytes()


def test_the_messages_are_told_apart() -> None:
    box = LINE + mail("Tides", "It opens at six.\n") + b"\n" + LINE + mail("Re: Tides", ">From noon on.\n")
    extracted = parsed_here(box, "a.mbox")
    who = "A <a@port.example>, Tue, 17 Nov 2009 19:02:38 +0100"
    assert [(e.heading_path, e.text) for e in extracted.elements if e.kind != "title"] == [
        (("Tides",), who),
        (("Tides",), "It opens at six."),
        (("Re: Tides",), who),
        (("Re: Tides",), "From noon on."),
    ]
    assert extracted.title is None
    assert extracted.metadata["messages"] == "2"


def test_one_message_gives_its_subject_as_the_title() -> None:
    assert parsed_here(LINE + mail("Tides", "It opens at six."), "inbox").title == "Tides"


def test_a_line_that_begins_with_from_is_no_border() -> None:
    body = "It opens at six.\n\nFrom noon on it is closed.\nTuesday too.\n"
    extracted = parsed_here(LINE + mail("Tides", body), "a.mbox")
    assert extracted.metadata["messages"] == "1"
    assert "From noon on it is closed.\nTuesday too." in extracted.text


def test_the_headings_of_a_page_stand_below_the_subject() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "a@port.example", "Tides"
    message.set_content("<h1>Harbour</h1><p>It opens at six.</p>", subtype="html")
    extracted = parsed_here(LINE + message.as_bytes(), "a.mbox")
    assert extracted.elements[-1].heading_path == ("Tides", "Harbour")


def test_files_are_attachments_and_what_is_encrypted_is_counted() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "a@port.example", "Tides"
    message.set_content("See the table.")
    message.add_attachment("six,seven\n1,2\n", subtype="csv", filename="tides.csv")
    secret = b"From: a@port.example\nSubject: x\nContent-Type: multipart/encrypted; boundary=b\n\n--b--\n"
    extracted = parsed_here(LINE + message.as_bytes() + b"\n" + LINE + secret, "a.mbox")
    assert [item.name for item in extracted.attachments] == ["tides.csv"]
    assert extracted.warnings == ("1 of the messages cannot be read: they are encrypted or damaged.",)


def test_a_file_that_is_called_a_message_is_one() -> None:
    assert parsed_here(LINE + mail("Tides", "It opens at six."), "a.eml").mime == "message/rfc822"


@pytest.mark.parametrize("text", ["From the harbour one sees the sea.\nIt opens at six.", "From: a\n\nb"])
def test_prose_that_begins_with_from_is_no_mailbox(text: str) -> None:
    assert parsed_here(text, "a.txt").mime == "text/plain"
