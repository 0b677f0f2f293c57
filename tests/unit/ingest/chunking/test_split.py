"""How a document is cut: by structure first, then by tokens."""

from collections.abc import Sequence

import pytest
from tokenizers import Tokenizer, models

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.chunk_limits import SPECIAL_TOKENS, ChunkLimits
from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.table_rows import cut_table
from footnote_ingest.chunking.token_counter import Span, TokenCounter
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.tasks.resources import chunk_limits_of
from footnote_shared.settings.base import Settings
from tests.unit.ingest.chunking.extracts import Piece, made_of, markdown
from tests.unit.ingest.defaults import chunk_limits

SMALL = ChunkLimits(size=20, overlap=0.2, limit=40)


def words(count: int, name: str = "w") -> str:
    return " ".join(f"{name}{n}" for n in range(count))


def cut(extracted: Extracted, counter: TokenCounter, limits: ChunkLimits = SMALL) -> list[ChunkDraft]:
    chunks = chunk_document(extracted, counter, limits)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk.tokens == counter.count(chunk.text) <= limits.size
        assert counter.count(chunk.embed_text) <= limits.limit - SPECIAL_TOKENS
        shown = extracted.text[chunk.char_start : chunk.char_end]
        assert chunk.text == shown or (chunk.policy == "table" and chunk.text.endswith("\n" + shown))
    return chunks


class TestProse:
    def test_small_neighbours_are_packed_together(self, counter: TokenCounter) -> None:
        chunks = cut(
            made_of(("paragraph", words(5)), ("paragraph", words(5)), ("list", "- a"), ("list", "- b")),
            counter,
        )
        assert len(chunks) == 1
        assert (chunks[0].kind, chunks[0].policy) == ("paragraph", "prose")

    def test_a_long_paragraph_is_cut_with_overlap(self, counter: TokenCounter) -> None:
        chunks = cut(made_of(("paragraph", words(50))), counter)
        assert [chunk.text.split()[0] for chunk in chunks] == ["w0", "w16", "w32"]
        assert chunks[-1].text.endswith("w49")

    def test_sentences_stay_whole_where_they_can(self, counter: TokenCounter) -> None:
        text = " ".join(f"This is sentence number {n} of it." for n in range(12))
        assert all(chunk.text.endswith(".") for chunk in cut(made_of(("paragraph", text)), counter))

    def test_overlap_never_crosses_a_heading(self, counter: TokenCounter) -> None:
        chunks = cut(
            made_of(
                ("title", "One", 1),
                ("paragraph", words(30, "a")),
                ("title", "Two", 1),
                ("paragraph", words(30, "b")),
            ),
            counter,
        )
        for chunk in chunks:
            assert not ("a1" in chunk.text and "b1" in chunk.text)
            assert chunk.heading_path == (("One",) if "a" in chunk.text.split()[-1] else ("Two",))
        assert next(c for c in chunks if c.heading_path == ("Two",)).text.startswith("Two")

    def test_a_heading_is_never_a_chunk_of_its_own_before_its_text(self, counter: TokenCounter) -> None:
        chunks = cut(made_of(("title", "One", 1), ("paragraph", words(60))), counter)
        assert chunks[0].text.startswith("One\n\nw0 w1")

    def test_a_heading_right_under_a_heading_leads_its_section(self, counter: TokenCounter) -> None:
        chunks = cut(made_of(("title", "Part", 1), ("title", "Chapter", 2), ("paragraph", words(5))), counter)
        assert [chunk.text for chunk in chunks] == ["Part\n\nChapter\n\n" + words(5)]
        assert chunks[0].heading_path == ("Part", "Chapter")

    def test_a_heading_beside_a_heading_is_a_section_of_its_own(self, counter: TokenCounter) -> None:
        chunks = cut(made_of(("title", "One", 1), ("title", "Two", 1), ("paragraph", words(5))), counter)
        assert [chunk.text for chunk in chunks] == ["One", "Two\n\n" + words(5)]

    def test_pages_are_those_that_a_chunk_touches(self, counter: TokenCounter) -> None:
        (chunk,) = cut(made_of(("paragraph", "a", 3), ("paragraph", "b", 4), paged=True), counter)
        assert (chunk.page_start, chunk.page_end) == (3, 4)

    def test_a_word_without_end_is_cut_all_the_same(self, counter: TokenCounter) -> None:
        extracted = made_of(("paragraph", "x" * 5000))
        chunks = chunk_document(extracted, counter, SMALL)
        assert len(chunks) > 40
        assert max(len(chunk.text) for chunk in chunks) <= 4 * SMALL.size


class TestPrefix:
    def test_has_title_and_headings_that_the_text_does_not_show(self, counter: TokenCounter) -> None:
        chunks = chunk_document(
            made_of(("title", "One", 1), ("paragraph", words(30)), title="Book"), counter, SMALL
        )
        assert chunks[0].embed_text.startswith("Book\nOne\n\nw0")
        assert chunks[1].embed_text.startswith("Book > One\n")
        assert "Book" not in chunks[1].text

    def test_gives_way_where_the_limit_leaves_no_room(self, counter: TokenCounter) -> None:
        limits = ChunkLimits(size=20, overlap=0.0, limit=24)
        extracted = made_of(
            ("title", "One two", 1), ("title", words(9, "h"), 2), ("paragraph", words(90)), title="T"
        )
        chunks = cut(extracted, counter, limits)
        assert any(chunk.embed_text == chunk.text for chunk in chunks)

    def test_keeps_the_title_and_the_nearest_heading_longest(self, counter: TokenCounter) -> None:
        headings: list[Piece] = [("title", "One", 1), ("title", "Two", 2), ("title", "Three", 3)]
        extracted = made_of(*headings, ("paragraph", words(60)), title="Book")
        chunks = cut(extracted, counter, chunk_limits(size=20, overlap=0.0, limit=25))
        assert chunks[1].embed_text.startswith("Book > Three\n")

    def test_does_not_count_for_identity(self, counter: TokenCounter) -> None:
        one, two = (
            chunk_document(made_of(("paragraph", "same words"), title=name), counter, SMALL)[0]
            for name in ("A", "B")
        )
        assert one.text_hash == two.text_hash
        assert one.embed_text != two.embed_text


class TestTableChunks:
    TABLE = "id | name\n" + "\n".join(f"{n} | word{n}" for n in range(30))

    def test_repeat_their_header_before_each_group_of_rows(self, counter: TokenCounter) -> None:
        chunks = cut(made_of(("table", self.TABLE)), counter)
        assert len(chunks) > 5
        assert all(chunk.text.startswith("id | name\n") for chunk in chunks)
        assert [row for c in chunks for row in c.text.split("\n")[1:]] == self.TABLE.split("\n")[1:]
        assert {(chunk.kind, chunk.policy) for chunk in chunks} == {("table", "table")}

    def test_take_the_name_of_their_sheet_along(self, counter: TokenCounter) -> None:
        chunks = cut(made_of(("title", "Sheet", 1), ("table", self.TABLE)), counter)
        assert chunks[0].text.startswith("Sheet\n\nid | name\n0 |")

    def test_of_markdown_repeat_the_rule_too(self, counter: TokenCounter) -> None:
        rows = "\n".join(f"| {n} | word{n} |" for n in range(20))
        chunks = cut(markdown(f"| a | b |\n|---|---|\n{rows}\n"), counter, chunk_limits(size=40, limit=60))
        assert len(chunks) > 3
        assert chunks[0].text.startswith("| a | b |\n|---|---|\n| 0 |")
        assert all("| a | b |\n|---|---|\n| " in chunk.text for chunk in chunks)

    def test_a_row_that_is_too_long_is_cut_as_text(self, counter: TokenCounter) -> None:
        chunks = cut(made_of(("table", f"a | b\n1 | {words(60)}\n2 | end")), counter)
        assert all(f"w{n}" in " ".join(c.text for c in chunks).split() for n in range(60))
        assert chunks[-1].text.endswith("2 | end")

    def test_say_in_later_parts_which_rows_they_are(self, counter: TokenCounter) -> None:
        limits = chunk_limits(size=40, limit=60)
        first, *later = cut(made_of(("table", self.TABLE)), counter, limits)
        assert first.text.startswith("id | name\n0 | word0\n")
        number = first.text.count("\n")
        for part in later:
            rows = part.text.count("\n") - 1
            assert part.text.startswith(f"(rows {number + 1} to {number + rows})\nid | name\n{number} | word")
            number += rows
        assert number == 30

    @pytest.mark.parametrize(("size", "noted"), [(32, True), (31, False)])
    def test_say_nothing_where_that_would_take_more_than_a_quarter(
        self, counter: TokenCounter, size: int, noted: bool
    ) -> None:
        """The note has 4 tokens and two numbers, of which each has 2 digits."""
        chunks = cut(made_of(("table", self.TABLE)), counter, chunk_limits(size=size, limit=60))
        assert chunks[-1].text.startswith("(rows ") is noted

    @pytest.mark.parametrize(("words_more", "kept"), [(0, True), (1, False)])
    def test_drop_a_long_caption_from_their_later_parts(
        self, counter: TokenCounter, words_more: int, kept: bool
    ) -> None:
        """The note has 8 tokens and a caption of 7 or 8; a quarter of what it leaves of a chunk is 15."""
        caption = f"Table 3: {words(4 + words_more)}"
        extracted = made_of(("paragraph", caption), ("table", self.TABLE))
        last = cut(extracted, counter, chunk_limits(size=68, limit=80))[-1].text
        assert last.startswith(f"{caption} (rows " if kept else "(rows ")

    def test_keep_a_part_as_it_is_when_a_row_is_added_at_the_end(self, counter: TokenCounter) -> None:
        limits = chunk_limits(size=40, limit=60)
        before, after = (
            [chunk.text_hash for chunk in cut(made_of(("table", self.TABLE + more)), counter, limits)]
            for more in ("", "\n30 | word30")
        )
        assert after[: len(before) - 1] == before[:-1]

    @pytest.mark.parametrize("caption", ["Table 3: Prices", "Tabelle IV. Preise", "Table A.1 Prices"])
    def test_take_their_caption_along(self, counter: TokenCounter, caption: str) -> None:
        above = cut(
            made_of(("paragraph", "See."), ("paragraph", caption), ("table", "a | b\n1 | 2")), counter
        )
        below = cut(
            made_of(("paragraph", "See."), ("table", "a | b\n1 | 2"), ("paragraph", caption)), counter
        )
        assert [chunk.text for chunk in above] == ["See.", f"{caption}\n\na | b\n1 | 2"]
        assert [chunk.text for chunk in below] == ["See.", f"a | b\n1 | 2\n\n{caption}"]
        assert [chunk.kind for chunk in [*above, *below]] == ["paragraph", "table"] * 2

    def test_take_the_captions_on_their_side_where_tables_follow_each_other(
        self, counter: TokenCounter
    ) -> None:
        pieces: list[Piece] = [
            ("table", "a | b\n1 | 2"),
            ("paragraph", "Table 1: One"),
            ("table", "c | d\n3 | 4"),
            ("paragraph", "Table 2: Two"),
        ]
        assert [chunk.text for chunk in cut(made_of(*pieces), counter)] == [
            "a | b\n1 | 2\n\nTable 1: One",
            "c | d\n3 | 4\n\nTable 2: Two",
        ]

    @pytest.mark.parametrize(("length", "kinds"), [(300, ["table"]), (301, ["paragraph", "table"])])
    def test_have_captions_of_300_characters_at_most(
        self, counter: TokenCounter, length: int, kinds: list[str]
    ) -> None:
        caption = "Table 1: " + ("x" * 19 + " ") * 14 + "x" * (length - 289)
        extracted = made_of(("paragraph", caption), ("table", "a | b\n1 | 2"))
        assert [c.kind for c in cut(extracted, counter, chunk_limits(size=200, limit=250))] == kinds

    @pytest.mark.parametrize("words_before", ["Table of contents", "Table shows", "Tables 3 and 4"])
    def test_leave_prose_before_them_alone(self, counter: TokenCounter, words_before: str) -> None:
        chunks = cut(made_of(("paragraph", words_before), ("table", "a | b\n1 | 2")), counter)
        assert [chunk.kind for chunk in chunks] == ["paragraph", "table"]

    @pytest.mark.parametrize(("columns", "repeated"), [(10, True), (11, False)])
    def test_do_not_repeat_a_header_of_more_than_half_a_chunk(
        self, counter: TokenCounter, columns: int, repeated: bool
    ) -> None:
        header = words(columns, "h")
        rows = "\n".join(words(6, f"r{n}x") for n in range(4))
        chunks = cut(made_of(("table", f"{header}\n{rows}")), counter)
        assert chunks[-1].text.startswith("h0 h1") is repeated

    @pytest.mark.parametrize(
        ("size", "titles", "together"), [(20, 10, True), (20, 11, False), (10, 2, True), (10, 3, False)]
    )
    def test_take_titles_along_that_leave_room_for_rows(
        self, counter: TokenCounter, size: int, titles: int, together: bool
    ) -> None:
        table = "\n".join(f"{n} | {n}" for n in range(30))
        extracted = made_of(("title", words(titles, "t"), 1), ("table", table))
        first = cut(extracted, counter, chunk_limits(size=size, limit=40))[0]
        assert ("0 | 0" in first.text) is together

    def test_are_tokenised_2000_rows_at_a_time(self, counter: TokenCounter) -> None:
        class RecordedRows(TokenCounter):
            def spans(self, texts: Sequence[str]) -> list[list[Span]]:
                seen.append(len(texts))
                return [[(0, 1)] for _ in texts]

        seen: list[int] = []
        recording = RecordedRows(Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")))
        (element,) = made_of(("table", "\n".join(["1"] * 2001))).elements
        list(cut_table(element, recording, SMALL))
        assert seen == [2000, 1]

    def test_numbers_are_no_header(self, counter: TokenCounter) -> None:
        chunks = cut(made_of(("table", "\n".join(f"{n} | {n}" for n in range(30)))), counter)
        assert sum(chunk.text.startswith("0 | 0") for chunk in chunks) == 1


class TestCode:
    def test_is_cut_at_functions(self, counter: TokenCounter) -> None:
        source = "\n\n".join(f"def f{n}(a):\n    b = a + {n}\n\n    return b" for n in range(8)) + "\n"
        chunks = cut(markdown(f"```python\n{source}```\n"), counter, chunk_limits(size=36, limit=60))
        assert {chunk.policy for chunk in chunks} == {"code"}
        assert all(chunk.text.startswith(("def ", "```python")) for chunk in chunks)
        assert all(chunk.text.rstrip("`").rstrip().endswith("return b") for chunk in chunks)

    def test_is_in_chunks_of_its_own(self, counter: TokenCounter) -> None:
        text = "# Build\n\nRun this:\n\n```sh\nmake\n```\n\nThen wait.\n"
        chunks = cut(markdown(text), counter)
        assert [(chunk.kind, chunk.text) for chunk in chunks] == [
            ("paragraph", "# Build\n\nRun this:"),
            ("code", "```sh\nmake\n```"),
            ("paragraph", "Then wait."),
        ]
        assert chunks[1].embed_text == "Build\nRun this:\n```sh\nmake\n```"

    @pytest.mark.parametrize(("count", "said"), [(40, True), (41, False)])
    def test_is_embedded_behind_the_prose_before_it(
        self, counter: TokenCounter, count: int, said: bool
    ) -> None:
        extracted = made_of(("paragraph", words(count)), ("code", "make"))
        chunks = cut(extracted, counter, chunk_limits(size=60, limit=100))
        assert chunks[-1].embed_text == (f"{words(count)}\nmake" if said else "make")

    def test_of_another_language_begins_another_chunk(self, counter: TokenCounter) -> None:
        text = "```sh\nmake\n```\n\n```python\nx = 1\n```\n\n```python\ny = 2\n```\n"
        assert len(cut(markdown(text), counter)) == 2

    def test_keeps_the_indentation_of_every_chunk(self, counter: TokenCounter) -> None:
        source = "class A:\n" + "\n".join(f"    def f{n}(self):\n        return {n}" for n in range(20))
        chunks = cut(made_of(("code", source)), counter)
        assert len(chunks) > 5
        assert all(chunk.text.split("\n")[0] in source.split("\n") for chunk in chunks)

    def test_keeps_the_indentation_of_its_first_line(self, counter: TokenCounter) -> None:
        chunks = cut(
            markdown("```python\n" + "\n".join(f"    line{n} = {n}" for n in range(30)) + "\n```\n"), counter
        )
        assert "```python\n    line0" in chunks[0].text


class TestMailChunks:
    @pytest.mark.parametrize(
        "quoted",
        [
            "On Mon, 2 Nov 2026 at 10:00, Bob <b@x.org> wrote:\n> old words\n> more",
            "Am Mo., 2. Nov. 2026 um 10:00 Uhr schrieb Bob <b@x.org>:\n> old words",
            "On Mon, 2 Nov 2026 at 10:00,\nBob <b@x.org> wrote:\n> old words",
            "-----Original Message-----\nFrom: Bob\nold words",
            "From: Bob\nSent: Monday\nTo: Ann\nSubject: x\n\nold words\n\nmore old words",
            "> old words",
        ],
    )
    def test_quoted_replies_are_cut_off(self, counter: TokenCounter, quoted: str) -> None:
        pieces: list[Piece] = [("paragraph", piece) for piece in f"New words here.\n\n{quoted}".split("\n\n")]
        chunks = cut(made_of(*pieces, family="eml"), counter)
        assert [(chunk.text, chunk.policy) for chunk in chunks] == [("New words here.", "mail")]

    def test_answers_between_quotes_are_kept(self, counter: TokenCounter) -> None:
        text = "> first question\nfirst answer\n> second question\nsecond answer"
        assert [c.text for c in cut(made_of(("paragraph", text), family="eml"), counter)] == [
            "first answer",
            "second answer",
        ]

    def test_a_forwarded_message_is_kept(self, counter: TokenCounter) -> None:
        pieces = made_of(
            ("paragraph", "FYI"),
            ("paragraph", "From: Bob\nSent: x\nTo: y\nSubject: z"),
            ("paragraph", "old"),
            family="eml",
            title="Fwd: z",
        )
        assert "old" in " ".join(chunk.text for chunk in cut(pieces, counter))

    def test_nothing_but_a_quote_is_kept(self, counter: TokenCounter) -> None:
        assert cut(made_of(("paragraph", "> all quoted"), family="eml"), counter)

    def test_plain_text_keeps_its_quotes(self, counter: TokenCounter) -> None:
        assert "old" in cut(made_of(("paragraph", "new\n> old")), counter)[0].text


class TestSlideChunks:
    def test_a_chunk_never_spans_two(self, counter: TokenCounter) -> None:
        chunks = cut(
            made_of(("paragraph", "one", 1), ("paragraph", "two", 2), family="pptx", paged=True), counter
        )
        assert [(chunk.text, chunk.policy) for chunk in chunks] == [("one", "slides"), ("two", "slides")]


class TestChunkLimits:
    @pytest.mark.parametrize(("size", "overlap"), [(255, 0.2), (7, 0.2), (200, 0.51), (200, -0.1)])
    def test_that_cannot_work_are_refused(self, size: int, overlap: float) -> None:
        with pytest.raises(ValueError, match=r"size|overlap"):
            chunk_limits(size=size, overlap=overlap, limit=256)

    @pytest.mark.parametrize(("size", "overlap"), [(254, 0.2), (8, 0.2), (200, 0.5), (200, 0.0)])
    def test_that_just_work_are_taken(self, size: int, overlap: float) -> None:
        assert chunk_limits(size=size, overlap=overlap, limit=256).overlap_tokens == int(size * overlap)

    @pytest.mark.parametrize(("wanted", "model", "size"), [(200, 256, 200), (300, 256, 254), (200, 128, 126)])
    def test_follow_the_settings_as_far_as_the_model_reads(
        self, counter: TokenCounter, wanted: int, model: int, size: int
    ) -> None:
        limits = chunk_limits_of(Settings(chunk_tokens=wanted, chunk_overlap=0.1), model, counter)
        assert limits == chunk_limits(size=size, overlap=0.1, limit=model)

    def test_leave_room_for_the_prefix_of_the_lane(self, counter: TokenCounter) -> None:
        settings = Settings(chunk_tokens=300, embedding_document_prefix="search document: ")
        assert chunk_limits_of(settings, 256, counter).size == 256 - 3 - 2
