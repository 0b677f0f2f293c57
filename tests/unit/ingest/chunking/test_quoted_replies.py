"""What counts as the quoted message in a mail, and what as the sender's own words."""

import pytest

from footnote_ingest.chunking.quoted_replies import own_words, own_words_of_each
from tests.properties.effort import calls
from tests.unit.ingest.chunking.extracts import made_of


def kept(text: str) -> str:
    extracted = made_of(*(("paragraph", piece) for piece in text.split("\n\n")), family="eml")
    return "\n\n".join(element.text for element in own_words(list(extracted.elements)))


@pytest.mark.parametrize(("length", "cut"), [(19, False), (20, True)])
def test_a_line_of_20_underscores_parts_off_the_quoted_message(length: int, cut: bool) -> None:
    headers = "From: Bob\nSent: Monday\nTo: Ann"
    assert ("___" in kept(f"new\n\n{'_' * length}\n{headers}\n\nold")) is not cut


def test_the_ruled_lines_of_a_newsletter_part_off_nothing() -> None:
    text = f"one\n\n{'_' * 72}\n\ntwo\n\n{'_' * 72}\n\nFrom: Bob"
    assert kept(text) == text


def test_each_message_of_a_mailbox_loses_what_it_quotes() -> None:
    elements = made_of(
        ("title", "Tides"),
        ("paragraph", "new words\n\nOn Mon, 3 Mar 2025 at 10:00, Ann wrote:\n> old words"),
        ("title", "Re: Tides"),
        ("paragraph", "later words\n> old words"),
        family="mbox",
    ).elements
    assert [e.text for e in own_words_of_each(list(elements))] == [
        "Tides",
        "new words",
        "Re: Tides",
        "later words",
    ]


@pytest.mark.parametrize(
    ("headers", "cut"),
    [
        ("Sent: Monday", False),
        ("Sent: Monday\nTo: Ann", True),
        ("a\nb\nc\nSent: Monday\nTo: Ann", True),
        ("a\nb\nc\nd\nSent: Monday\nTo: Ann", False),
    ],
)
def test_from_needs_two_more_headers_within_five_lines(headers: str, cut: bool) -> None:
    assert ("old words" in kept(f"new\n\nFrom: Bob\n{headers}\n\nold words")) is not cut


@pytest.mark.parametrize(
    "line",
    [
        "On Mon, 3 Mar 2025 at 10:00, Ann <a@port.example> wrote:",
        "Am 03.03.2025 um 10:00 schrieb Ann <a@port.example>:",
        "Le lun. 3 mars 2025 à 10:00, Ann <a@port.example> a écrit :",
        "El lun, 3 mar 2025 a las 10:00, Ann <a@port.example> escribió:",
        "Il giorno lun 3 mar 2025 alle 10:00 Ann <a@port.example> ha scritto:",
        "Op ma 3 mrt 2025 om 10:00 schreef Ann <a@port.example>:",
        "Em seg., 3 de mar. de 2025 às 10:00, Ann <a@port.example> escreveu:",
        "Den mån 3 mars 2025 kl 10:00 skrev Ann <a@port.example>:",
        "pon., 3 mar 2025 o 10:00 Ann <a@port.example> napisał(a):",
        "пн, 3 мар. 2025 г. в 10:00, Ann <a@port.example> написала:",
    ],
)
def test_the_line_above_a_quoted_message_goes_with_it_in_many_languages(line: str) -> None:
    assert kept(f"new words\n\n{line}\n> old words\n\nlast words") == "new words\n\nlast words"
    assert kept(f"new words\n\n{line}\n\nlast words").count(line[:8]) == 1


@pytest.mark.parametrize(
    "headers",
    [
        "From: Bob\nSent: Monday\nTo: Ann\nSubject: Tides",
        "Von: Bob\nGesendet: Montag\nAn: Ann\nBetreff: Tiden",
        "De : Bob\nEnvoyé : lundi\nÀ : Ann\nObjet : Marées",
        "Da: Bob\nInviato: lunedì\nA: Ann\nOggetto: Maree",
        "Van: Bob\nVerzonden: maandag\nAan: Ann\nOnderwerp: Getijden",
        "Från: Bob\nSkickat: måndag\nTill: Ann\nÄmne: Tidvatten",
    ],
)
def test_the_headers_of_outlook_part_off_the_quoted_message_in_many_languages(headers: str) -> None:
    assert kept(f"new words\n\n{headers}\n\nold words") == "new words"


@pytest.mark.parametrize(
    ("above", "cut"),
    [
        ("  Message-id: <1@port.example>\n  Date: Monday", False),
        ("Received: from port.example", False),
        ("Message-id: <1@port.example>\n\nI looked at it.", True),
        ("Phone: 123 456", True),
    ],
)
def test_the_words_of_a_report_below_the_headers_that_it_lists_stay(above: str, cut: bool) -> None:
    text = f"Your message\n\n{above}\n  From: Bob\n  To: Ann\n  Subject: Tides\n\nThe disk is full."
    assert ("disk is full" in kept(text)) is not cut


@pytest.mark.parametrize(("between", "cut"), [(3, True), (4, False)])
def test_headers_are_looked_for_in_five_lines_behind_the_sender(between: int, cut: bool) -> None:
    lines = ["new", "", "_" * 20, "From: Bob", *["a word"] * between, "To: Ann", "Subject: Tides", "old"]
    assert ("old" not in kept("\n".join(lines))) is cut


@pytest.mark.parametrize(
    "lines", ["a b", "On Monday x", "a\n \n ", "Message-Id: x\nFrom: a\nTo: b\nSubject: c", "From: a"]
)
def test_a_mail_of_many_lines_costs_no_more_than_their_number(lines: str) -> None:
    """Anybody can send one, and no limit of time ends this: 200 kB once took minutes."""

    def cost(times: int) -> int:
        elements = list(made_of(("paragraph", "\n".join([lines] * times)), family="eml").elements)
        return calls(lambda: own_words(elements))

    assert cost(800) < 5 * cost(200)
