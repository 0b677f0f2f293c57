"""Subtitles, calendars and address cards are read as what they tell."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.records.subtitles import PASSAGE_CHARS
from tests.properties.effort import examples
from tests.unit.ingest.parsing.here import parsed_here

SRT = """1
00:00:01,000 --> 00:00:04,200
<i>The tide</i> comes in.

2
00:00:05,000 --> 00:00:07,000
{\\an8}And it goes
out again.
"""
VTT = """WEBVTT - Harbour

STYLE
::cue { color: red }

NOTE made by hand

intro
00:01.000 --> 00:04.000 align:start
<v Ann>Ships &amp; tides.

01:00:05.000 --> 01:00:07.000
<v.loud Bob>Now.</v>
"""
SSA = """[Script Info]
Title: Harbour
[V4+ Styles]
Style: Default,Arial,20
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,not said
Dialogue: 0,1:00:05.00,1:00:07.10,Default,Bob,0,0,0,,Now, then.
Dialogue: 0,0:00:01.00,0:00:04.00,Default,,0,0,0,,{\\i1}The tide{\\i0}\\Ncomes in.
Dialogue: 0,0:00:04.50,0:00:04.90,Default,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}
Dialogue: 0,later,0:00:04.90,Default,,0,0,0,,without a time
"""
CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
X-WR-CALNAME:Harbour dates
X-WR-CALDESC:All dates of the quay\\, and of
  the ferry.
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19701025T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:77@example.org
DTSTART;TZID=Europe/Berlin:20261102T100000
DTEND:20261102T110000Z
SUMMARY:Spring tide\\, first of the year
LOCATION:Pier 7
ORGANIZER;CN=Ann Doe:mailto:ann@example.org
DESCRIPTION:Bring boots.\\nThe water comes up to the se
 cond step.
BEGIN:VALARM
TRIGGER:-PT15M
END:VALARM
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20261224
SUMMARY:Closed
END:VEVENT
END:VCALENDAR
"""
CARD = """BEGIN:VCARD
VERSION:3.0
N:Doe;Ann;;;
FN:Ann Doe
ORG:Harbour;Tides
TEL;TYPE=WORK:+49 431 1234
item1.EMAIL;TYPE=INTERNET:ann@example.org
ADR;TYPE=HOME:;;Pier 7;Kiel;;24103;Germany
NOTE:Knows all ships.
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAA
 AQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQ
END:VCARD
"""

FILES = [(SRT, "srt"), (VTT, "vtt"), (SSA, "ass"), (CALENDAR, "ics"), (CARD, "vcf")]


def shape(extracted: Extracted) -> list[tuple[str, tuple[str, ...], str]]:
    return [(element.kind, element.heading_path, element.text) for element in extracted.elements]


class TestSubtitles:
    @pytest.mark.parametrize("name", ["film.srt", "film.txt.srt"])
    def test_words_stand_below_their_time(self, name: str) -> None:
        extracted = parsed_here(SRT, name)
        assert shape(extracted) == [
            ("transcript", ("00:00:01 – 00:00:07",), "The tide comes in.\nAnd it goes out again.")
        ]
        assert extracted.mime == "application/x-subrip"

    def test_of_substation_alpha_are_what_is_spoken_in_the_order_of_time(self) -> None:
        extracted = parsed_here(SSA, "harbour.ass")
        assert shape(extracted) == [
            ("transcript", ("00:00:01 – 01:00:07",), "The tide comes in.\nBob: Now, then."),
        ]
        assert shape(parsed_here(SSA, "harbour.txt")) == shape(extracted)
        set_in = "".join(f" {line}\n" for line in SSA.split("\n"))
        assert shape(parsed_here(set_in, "harbour.ass")) == shape(extracted)

    def test_of_the_web_have_speakers(self) -> None:
        extracted = parsed_here(VTT, "talk.vtt")
        assert shape(extracted) == [
            ("transcript", ("00:00:01 – 01:00:07",), "Ann: Ships & tides.\nBob: Now.")
        ]

    def test_a_passage_has_a_bound(self) -> None:
        cue = "00:0{0}:00,000 --> 00:0{0}:30,000\n" + "x" * (PASSAGE_CHARS // 2) + "{0}\n\n"
        extracted = parsed_here("".join(cue.format(minute) for minute in range(4)), "a.srt")
        assert [element.heading_path[0] for element in extracted.elements] == [
            f"00:0{minute}:00 – 00:0{minute}:30" for minute in range(4)
        ]

    def test_a_file_without_times_is_text(self) -> None:
        assert parsed_here("just words", "a.srt").text == "just words"

    @pytest.mark.parametrize(
        "cues",
        [
            "1\n00:00:01,000-->00:00:04,000\nIt sails.\n\n2\n0:00:05,5 --> 0:00:07,5\nIt is late.\n",
            "1\n00:00:01:000 --> 00:00:04:000\nIt sails.\n2\n00:00:05.000 -> 00:00:07.000\nIt is late.\n",
            "0:00:01.000,0:00:04.000\nIt sails.\n\n0:00:05.000,0:00:07.000\nIt is late.\n",
        ],
    )
    def test_arrows_and_fractions_may_be_written_in_other_ways(self, cues: str) -> None:
        assert shape(parsed_here(cues, "a.srt")) == [
            ("transcript", ("00:00:01 – 00:00:07",), "It sails.\nIt is late.")
        ]

    @pytest.mark.parametrize("name", ["captions.txt", "captions"])
    @pytest.mark.parametrize("cues", [SRT, VTT, SRT.replace("\n", "\r\n"), "WEBVTT - A talk\n" + VTT[7:]])
    def test_are_told_by_their_first_lines_where_no_name_tells_them(self, name: str, cues: str) -> None:
        assert [element.kind for element in parsed_here(cues, name).elements] == ["transcript"]
        assert parsed_here("WEBVTT is a format.\nIts arrow is -->.", name).elements[0].kind != "transcript"

    def test_times_may_have_no_fraction_of_a_second(self) -> None:
        first, second = "00:00:00,1 --> 00:00:04\nIt sails.", "00:00:04 --> 00:00:07 align:end\nIt is late."
        cues = f"WEBVTT\n\n1\n{first}\n\n2\n{second}\n"
        only = parsed_here(cues, "a.vtt").elements[0]
        assert (only.kind, only.heading_path, only.text) == (
            "transcript",
            ("00:00:00 – 00:00:07",),
            "It sails.\nIt is late.",
        )


class TestCalendars:
    def test_an_event_is_a_section(self) -> None:
        extracted = parsed_here(CALENDAR, "harbour.ics")
        assert extracted.title == "Harbour dates"
        name = "Spring tide, first of the year"
        facts = "Start (europe/berlin): 2026-11-02 10:00\nEnd: 2026-11-02 11:00 UTC\nLocation: Pier 7\n"
        assert shape(extracted) == [
            ("paragraph", (), "All dates of the quay, and of the ferry."),
            ("title", (name,), name),
            ("paragraph", (name,), f"{facts}Organizer: Ann Doe <ann@example.org>"),
            ("paragraph", (name,), "Bring boots.\nThe water comes up to the second step."),
            ("title", ("Closed",), "Closed"),
            ("paragraph", ("Closed",), "Start: 2026-12-24"),
        ]

    def test_words_beyond_what_a_document_may_hold_are_not_taken_apart(self) -> None:
        event = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:" + "word " * 4_000_001 + "\nEND:VEVENT\n"
        with pytest.raises(ParseFailed, match="more than 20,000,000 characters"):
            parsed_here(event.encode(), "a.ics")


class TestCards:
    def test_a_conference_is_called_by_its_label(self) -> None:
        text = "BEGIN:VEVENT\nSUMMARY:Tides\nCONFERENCE;VALUE=URI;LABEL=Dial in:tel:+49-431\nEND:VEVENT\n"
        assert "Conference (Dial in): tel:+49-431" in parsed_here(text, "a.ics").text

    def test_a_person_is_a_section_without_the_picture(self) -> None:
        extracted = parsed_here(CARD, "ann.vcf")
        facts = "Name: Doe, Ann\nOrganisation: Harbour, Tides\nPhone (work): +49 431 1234\n"
        facts += "Email (internet): ann@example.org\nAddress (home): Pier 7, Kiel, 24103, Germany"
        assert shape(extracted) == [
            ("title", ("Ann Doe",), "Ann Doe"),
            ("paragraph", ("Ann Doe",), facts),
            ("paragraph", ("Ann Doe",), "Knows all ships."),
        ]

    def test_an_old_card_without_a_full_name_keeps_its_lines(self) -> None:
        card = "BEGIN:VCARD\nN:Murphey;Eddie\nTEL;HOME:408 765\nEMAIL;TYPE=home,work:e@x.org\nEND:VCARD\n"
        assert shape(parsed_here(card, "eddie.vcf")) == [
            ("title", ("Murphey, Eddie",), "Murphey, Eddie"),
            ("paragraph", ("Murphey, Eddie",), "Phone (home): 408 765\nEmail (home,work): e@x.org"),
        ]


class TestHostile:
    @settings(max_examples=examples(100), deadline=None)
    @given(st.sampled_from(FILES), st.data())
    def test_what_is_cut_or_changed_fails_with_a_reason_only(
        self, file: tuple[str, str], data: st.DataObject
    ) -> None:
        text, ending = file
        at = data.draw(st.integers(1, len(text)))
        rest = text[at + data.draw(st.integers(0, 80)) :]
        with contextlib.suppress(ParseFailed):
            assert parsed_here(text[:at] + data.draw(st.text(max_size=5)) + rest, f"a.{ending}").text

    def test_lines_that_nobody_filled_in_part_no_card(self) -> None:
        card = "BEGIN:VCARD\nFN:Ann Doe\nLABEL:Office\\n\\n, \\n\nLABEL:\\n, \\n\nTITLE:Engineer\nEND:VCARD\n"
        assert parsed_here(card, "ann.vcf").text == "Ann Doe\n\nLabel: Office\nTitle: Engineer"

    @pytest.mark.parametrize("ending", ["srt", "vtt", "ass", "ics", "vcf"])
    @pytest.mark.parametrize(
        "text",
        [
            "BEGIN:VEVENT\n" * 20_000,
            "A;B=" * 100_000 + ":x",
            "x" * 1_000_000,
            "<v " * 100_000,
            "\n " * 50_000 + "x",
        ],
    )
    def test_long_files_are_read(self, text: str, ending: str) -> None:
        assert parsed_here(f"x{text}", f"a.{ending}").text


class TestCardsOfVersionTwo:
    """Version 2.1 writes what is not ASCII as quoted-printable, over several lines."""

    def words(self, *lines: str) -> str:
        card = "\r\n".join(["BEGIN:VCARD", "VERSION:2.1", *lines, "END:VCARD", ""])
        return parsed_here(card, "people.vcf").text

    def test_names_are_read_over_the_ends_of_lines(self) -> None:
        said = self.words(
            "FN;ENCODING=QUOTED-PRINTABLE;CHARSET=utf-8:Bartholom=C3=A4us von St=C3=BCrm=",
            "er",
            "TEL;CELL:+08154711",
        )
        assert "Bartholomäus von Stürmer" in said
        assert "Phone (cell): +08154711" in said

    def test_an_address_of_two_lines_has_them(self) -> None:
        said = self.words(
            "FN:Ann", "ADR;WORK;QUOTED-PRINTABLE:;;Software=0D=0A333 West Drive;Provo;UT;8460=", "4;USA"
        )
        assert "=0D" not in said
        assert "Address (work): Software\n333 West Drive, Provo, UT, 84604, USA" in said

    @pytest.mark.parametrize(
        ("charset", "written"),
        [("iso-8859-1", "Gau=DF"), ("no-such", "Gau=C3=9F"), ("hex", "Gau=C3=9F"), ("idna", "Gau=C3=9F")],
    )
    def test_an_encoding_that_is_none_is_utf_8(self, charset: str, written: str) -> None:
        assert "Gauß" in self.words(f"FN;CHARSET={charset};ENCODING=QUOTED-PRINTABLE:{written}")

    def test_what_breaks_off_keeps_what_is_there(self) -> None:
        assert (
            "Ann Doe"
            in parsed_here(
                "BEGIN:VCARD\nFN:Ann Doe\nNOTE;ENCODING=QUOTED-PRINTABLE:It ends =", "people.vcf"
            ).text
        )
