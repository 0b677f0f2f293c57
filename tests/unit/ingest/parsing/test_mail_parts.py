"""The parts of a mail that are neither its text nor a file that somebody attached."""

from email.message import EmailMessage

import pytest

from footnote_ingest.parsing.flowed import unflowed
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.sample_files import outlook_message


def mail() -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@port.example", "b@port.example", "Tides"
    message.set_content("The harbour opens at six.")
    return message


@pytest.mark.parametrize(
    ("count", "said"), [(1, "1 picture in its text was"), (2, "2 pictures in its text were")]
)
def test_pictures_in_the_text_are_counted_and_no_documents(count: int, said: str) -> None:
    message = mail()
    for number in range(count):
        message.add_related(
            b"GIF89a", "image", "gif", cid=f"<{number}>", filename="logo.gif", disposition="inline"
        )
    extracted = parsed_here(message.as_bytes(), "a.eml")
    assert (extracted.text, extracted.attachments) == ("The harbour opens at six.", ())
    assert extracted.warnings == (f"Of the message {said} left out.",)


@pytest.mark.parametrize(("shown", "names"), [(True, ["n.txt"]), (False, ["n.txt", "logo.png"])])
def test_pictures_in_the_text_of_outlook_are_counted_alike(shown: bool, names: list[str]) -> None:
    html = b'<p>All is <b>well</b>.</p><img src="cid:logo@1">' if shown else b"<p>All is well.</p>"
    extracted = parsed_here(outlook_message(html), "a.msg")
    assert [item.name for item in extracted.attachments] == names
    assert extracted.warnings == (("Of the message 1 picture in its text was left out.",) if shown else ())


def test_a_picture_that_is_attached_is_an_attachment() -> None:
    message = mail()
    message.add_attachment(b"GIF89a", "image", "gif", cid="<1>", filename="chart.gif")
    extracted = parsed_here(message.as_bytes(), "a.eml")
    assert [item.name for item in extracted.attachments] == ["chart.gif"]
    assert extracted.warnings == ()


@pytest.mark.parametrize(("subtype", "name"), [("ms-tnef", None), ("octet-stream", "WINMAIL.DAT")])
def test_what_only_outlook_reads_is_said(subtype: str, name: str | None) -> None:
    message = mail()
    message.add_attachment(b"\x78\x9f\x3e\x22", "application", subtype, filename=name)
    extracted = parsed_here(message.as_bytes(), "a.eml")
    assert extracted.attachments == ()
    assert "winmail.dat was left out" in extracted.warnings[0]


def test_an_invitation_without_a_name_is_called_by_what_it_is() -> None:
    message = mail()
    message.make_mixed()
    invitation = EmailMessage()
    invitation.set_content("BEGIN:VCALENDAR\nEND:VCALENDAR\n", subtype="calendar")
    message.attach(invitation)
    assert [item.name for item in parsed_here(message.as_bytes(), "a.eml").attachments] == ["invitation.ics"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        # Three of five words of the HTML are in the plain text: it is the same text. Two are not enough.
        ("The harbour opens daily, friends.", []),
        ("The harbour closes daily, friends.", ["The harbour closes daily, friends."]),
    ],
)
def test_html_beside_plain_text_is_read_too_where_it_says_something_else(words: str, says: list[str]) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "a@port.example", "Tides"
    message.make_mixed()
    for content, subtype in ((f"<p>{words}</p>", "html"), ("The harbour opens at six.", "plain")):
        part = EmailMessage()
        part.set_content(content, subtype)
        message.attach(part)
    texts = [element.text for element in parsed_here(message.as_bytes(), "a.eml").elements]
    assert texts == [*says, "The harbour opens at six."]


def test_a_list_that_is_indented_by_tabs_is_no_table() -> None:
    message = mail()
    message.set_content("We need:\n\n\tapples\tfrom here\n\tpears\tfrom there\n\tplums\tfrom town\n")
    assert {element.kind for element in parsed_here(message.as_bytes(), "a.eml").elements} == {"paragraph"}


def test_of_alternative_forms_the_plain_one_is_read() -> None:
    message = mail()
    message.add_alternative("<p>Other words stand here.</p>", "html")
    assert parsed_here(message.as_bytes(), "a.eml").text == "The harbour opens at six."


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ("format=flowed", "The ferry sails at six.\n> When does it sail?\n-- \nAnn"),
        ("format=flowed; delsp=yes", "The ferry sailsat six.\n> When doesit sail?\n-- \nAnn"),
        ("format=fixed", "The ferry sails \nat six.\n> When does \n> it sail?\n-- \nAnn"),
    ],
)
def test_lines_that_flow_are_joined(parameters: str, text: str) -> None:
    body = "The ferry sails \nat six.\n> When does \n> it sail?\n-- \nAnn\n"
    sent = f"From: a@b.example\nTo: b@b.example\nSubject: x\nContent-Type: text/plain; {parameters}\n\n{body}"
    assert parsed_here(sent, "a.eml").text == text


def test_a_quotation_that_goes_on_is_not_joined_to_another_depth() -> None:
    assert unflowed(">> one \n> two\n from \nhere\n", delete_space=False) == ">> one \n> two\nfrom here\n"
