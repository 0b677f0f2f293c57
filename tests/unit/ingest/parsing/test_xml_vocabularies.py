"""Feeds, and articles and books in XML, are read by their vocabularies."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from tests.properties.effort import examples
from tests.unit.ingest.parsing.here import parsed_here

RSS = """<?xml version="1.0"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
     xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Harbour news</title><link>https://news.example.org/</link><description>All about ships</description>
<item><title>Ebb &amp; flow</title><link>https://news.example.org/1</link>
<pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate><dc:creator>Ann</dc:creator><category>tides</category>
<description>Short</description>
<content:encoded>
<![CDATA[<p>The <b>long</b> story.</p><h2>Why</h2><ul><li>moon</li></ul>]]></content:encoded></item>
<item><title>Storm</title><guid>https://news.example.org/2</guid>
<description>Winds &lt;b&gt;up&lt;/b&gt;</description>
<enclosure url="https://news.example.org/2.mp3"/></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Releases</title><updated>2026-11-02T10:00:00Z</updated>
<entry><title type="html">Version 2</title><link rel="self" href="https://x.org/self"/>
<link href="https://x.org/v2"/><updated>2026-11-01T00:00:00Z</updated><author><name>Bob</name></author>
<content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml"><p>It is <em>faster</em>.</p></div></content></entry>
</feed>"""
JATS = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.3//EN" "https://example.org/jats.dtd">
<article><front><journal-meta><issn>1234-5678</issn></journal-meta><article-meta>
<title-group><article-title>Tides in <italic>ports</italic></article-title></title-group>
<contrib-group><contrib><name><surname>Doe</surname><given-names>Ann</given-names></name></contrib></contrib-group>
<abstract><p>We look at tides&mdash;all of them.</p></abstract></article-meta></front>
<body><sec><label>1</label><title>Methods</title><p>We used <xref>a gauge</xref>.<fn><p>A float.</p></fn></p>
<sec><title>Sites</title><list list-type="order"><list-item><p>Kiel</p></list-item>
<list-item><p>Brest</p></list-item></list></sec>
<table-wrap><label>Table 1</label><caption><p>Heights</p></caption>
<table><thead>
<tr><th>Port</th><th>m</th></tr></thead>
<tbody><tr><td>Kiel</td><td>0.2</td></tr></tbody></table></table-wrap>
<fig><label>Figure 1</label><caption><p>The gauge</p></caption><graphic/></fig></sec></body>
<back><ref-list><title>References</title>
<ref><mixed-citation>Doe A. Tides. 2020.</mixed-citation></ref></ref-list></back>
</article>"""
DOCBOOK = """<?xml version="1.0"?>
<book xmlns="http://docbook.org/ns/docbook"><info><title>The Server</title>
<author><personname>Bob Roe</personname></author></info>
<chapter><title>Setup</title><para>Run it <emphasis>once</emphasis>:</para>
<programlisting language="shell">install \\
    --now</programlisting>
<section><title>Options</title><variablelist><varlistentry><term>-q</term><listitem><para>says little</para>
</listitem></varlistentry></variablelist>
<example><title>Quiet</title><screen>server -q</screen></example>
<para>After the example.</para>
<informaltable><tgroup cols="2"><thead><row><entry>Key</entry><entry>Use</entry></row></thead>
<tbody><row><entry>q</entry><entry>quiet</entry></row></tbody></tgroup></informaltable>
<note><para>Take care.</para></note>
<itemizedlist><listitem><para>one</para><itemizedlist><listitem><para>deep</para></listitem></itemizedlist>
</listitem></itemizedlist></section></chapter></book>"""


def shape(extracted: Extracted) -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in extracted.elements]


class TestFeeds:
    def test_an_item_is_a_section_with_its_link_and_date(self) -> None:
        extracted = parsed_here(RSS, "news.rss")
        assert extracted.title == "Harbour news"
        assert shape(extracted) == [
            ("title", "Harbour news"),
            ("paragraph", "https://news.example.org/"),
            ("paragraph", "All about ships"),
            ("title", "Ebb & flow"),
            ("paragraph", "Mon, 02 Nov 2026 10:00:00 GMT · Ann · https://news.example.org/1 · tides"),
            ("paragraph", "Short"),
            ("paragraph", "The long story."),
            ("title", "Why"),
            ("list", "- moon"),
            ("title", "Storm"),
            ("paragraph", "https://news.example.org/2 · https://news.example.org/2.mp3"),
            ("paragraph", "Winds up"),
        ]
        assert extracted.elements[-1].heading_path == ("Harbour news", "Storm")

    @pytest.mark.parametrize(
        ("summary", "said"), [("At six.", 2), ("The long &lt;i&gt;story&lt;/i&gt; [...]", 1)]
    )
    def test_a_summary_is_read_if_it_says_something_else(self, summary: str, said: int) -> None:
        text = (
            '<rss><channel xmlns:c="urn:c"><item><title>Tides</title>'
            "<c:encoded>The long story goes.</c:encoded>"
            f"<description>{summary}</description></item></channel></rss>"
        )
        prose = [e.text for e in parsed_here(text, "a.rss").elements if e.kind == "paragraph"]
        assert prose[-1] == "The long story goes."
        assert len(prose) == said

    @pytest.mark.parametrize(
        ("body", "kinds"),
        [
            ("The ferry will leave the quay at noon.\n\n\nSee you there.", ["paragraph", "paragraph"]),
            ("int sail(int knots) {\n\n  rest(knots);\n}", ["code"]),
        ],
    )
    def test_a_mail_that_is_set_as_code_as_a_whole_is_prose(self, body: str, kinds: list[str]) -> None:
        told = f"<title>Tides</title><description>&lt;pre&gt;{body}&lt;/pre&gt;</description>"
        text = f"<rss><channel><item>{told}</item></channel></rss>"
        assert [kind for kind, _ in shape(parsed_here(text, "a.rss")) if kind != "title"] == kinds

    def test_what_a_film_is_about_stands_in_a_group(self) -> None:
        feed = (
            "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:media='http://search.yahoo.com/mrss/'>"
            "<title>Films</title><entry><title>Tides</title><media:group><media:title>Tides</media:title>"
            "<media:content url='https://e.org/v'/><media:description>How ports keep the time of the tides."
            "</media:description></media:group></entry></feed>"
        )
        assert "How ports keep the time" in parsed_here(feed, "films.atom").text

    def test_atom_is_read_alike(self) -> None:
        extracted = parsed_here(ATOM, "releases.atom")
        assert shape(extracted)[2:] == [
            ("title", "Version 2"),
            ("paragraph", "2026-11-01T00:00:00Z · Bob · https://x.org/v2"),
            ("paragraph", "It is faster."),
        ]

    def test_a_prefix_that_no_one_declares_is_read(self) -> None:
        told = RSS.replace(
            "<link>https://news.example.org/</link>", "<atom:link href='https://news.example.org/'/>"
        )
        extracted = parsed_here(told, "news.rss")
        assert extracted.title == "Harbour news"
        assert ("title", "Ebb & flow") in shape(extracted)
        assert len(extracted.warnings) == 1


class TestArticles:
    def test_jats(self) -> None:
        extracted = parsed_here(JATS, "tides.nxml")
        assert (extracted.title, extracted.metadata["author"]) == ("Tides in ports", "Ann Doe")
        assert shape(extracted) == [
            ("title", "Tides in ports"),
            ("paragraph", "We look at tides—all of them."),
            ("title", "1 Methods"),
            ("paragraph", "We used a gauge."),
            ("paragraph", "A float."),
            ("title", "Sites"),
            ("list", "1. Kiel"),
            ("list", "2. Brest"),
            ("image_caption", "Table 1 Heights"),
            ("table", "Port | m\n--- | ---\nKiel | 0.2"),
            ("image_caption", "Figure 1 The gauge"),
            ("title", "References"),
            ("paragraph", "Doe A. Tides. 2020."),
        ]
        paths = {element.text: element.heading_path for element in extracted.elements}
        assert paths["2. Brest"] == ("Tides in ports", "1 Methods", "Sites")
        assert paths["Doe A. Tides. 2020."] == ("Tides in ports", "References")

    def test_the_parts_of_a_reference_are_one_line(self) -> None:
        """A journal prints them with its own punctuation; the file may hold none between them."""
        text = (
            "<article><front><article-meta><article-categories><subj-group><subject>Sea</subject>"
            "<subject>Air</subject></subj-group></article-categories><volume>2</volume>"
            "<author-notes><corresp>Write to Ann.</corresp><fn><p>Ann measured.</p></fn></author-notes>"
            "</article-meta></front><body><sec><title>Tides</title><p>At 10<sup>6</sup> m<sup>2</sup> of "
            "sea<sup><xref>1</xref></sup> a x<sub>2</sub> (<sup>14</sup>C).</p></sec></body><back><ref-list>"
            "<ref><label>1</label><citation><person-group><name><surname>Doe</surname>"
            "<given-names>A</given-names></name><name><surname>Roe</surname></name></person-group>"
            "<year>2020</year><article-title>What is a tide?</article-title><source>Seas.</source>"
            "<volume>50</volume><issue>2</issue><fpage>47</fpage><lpage>49</lpage></citation></ref>"
            "<ref><element-citation><source>Ports</source><elocation-id>e7</elocation-id></element-citation>"
            "</ref><ref><label>[3]</label><mixed-citation>Poe. <source>Winds</source></mixed-citation></ref>"
            "</ref-list></back></article>"
        )
        assert shape(parsed_here(text, "tides.nxml")) == [
            ("paragraph", "Sea, Air"),
            ("paragraph", "Ann measured."),
            ("title", "Tides"),
            ("paragraph", "At 10⁶ m² of sea ¹ a x2 (¹⁴C)."),
            ("paragraph", "[1] Doe A, Roe. 2020. What is a tide?. Seas. 50(2):47–49"),
            ("paragraph", "Ports. e7"),
            ("paragraph", "[3] Poe. Winds"),
        ]

    def test_the_head_of_a_manual_page_parts_its_names(self) -> None:
        text = (
            "<refentry><refentryinfo><author><firstname>Ann</firstname><surname>Doe</surname></author>"
            "</refentryinfo><refmeta><refentrytitle>sail</refentrytitle><manvolnum>1</manvolnum></refmeta>"
            "<refnamediv><refname>sail</refname></refnamediv><refsect1><title>Use</title><para>Sail.</para>"
            "</refsect1></refentry>"
        )
        assert shape(parsed_here(text, "sail.docbook"))[:2] == [
            ("paragraph", "Ann Doe"),
            ("paragraph", "sail 1"),
        ]

    def test_docbook(self) -> None:
        extracted = parsed_here(DOCBOOK, "server.xml")
        assert (extracted.title, extracted.metadata["author"]) == ("The Server", "Bob Roe")
        assert shape(extracted) == [
            ("title", "The Server"),
            ("title", "Setup"),
            ("paragraph", "Run it once:"),
            ("code", "install \\\n    --now"),
            ("title", "Options"),
            ("list", "- -q: says little"),
            ("paragraph", "Quiet"),
            ("code", "server -q"),
            ("paragraph", "After the example."),
            ("table", "Key | Use\n--- | ---\nq | quiet"),
            ("paragraph", "Take care."),
            ("list", "- one"),
            ("list", "- deep"),
        ]
        assert extracted.elements[3].language == "shell"
        assert extracted.elements[-1].heading_path == ("The Server", "Setup", "Options")

    def test_an_entity_of_the_document_reads_as_its_name_and_nothing_behind_it_is_lost(self) -> None:
        author = "<info><author>&ann;<surname>Doe</surname></author></info>"
        body = "<para>The &kcalc; manual says so.</para><programlisting><![CDATA[p = &x;]]></programlisting>"
        document = f"<?xml version='1.0'?><article><title>&kcalc;</title>{author}{body}</article>"
        extracted = parsed_here(document, "kcalc.docbook.xml")
        assert extracted.title == "kcalc"
        assert shape(extracted)[-2:] == [("paragraph", "The kcalc manual says so."), ("code", "p = &x;")]

    def test_an_entity_that_the_document_declares_reads_as_what_it_stands_for(self) -> None:
        declared = (
            '<!ENTITY name "Ferry"><!ENTITY whole "&name; &#38; Boat"><!ENTITY chapter SYSTEM "one.xml">'
            '<!ENTITY marked "a <b>ship</b>">'
        )
        body = "<article><title>&whole;</title><para>&name; &marked; &chapter; sails.</para></article>"
        document = f'<?xml version="1.0"?><!DOCTYPE article SYSTEM "docbook.dtd" [{declared}]>{body}'
        extracted = parsed_here(document, "a.xml")
        assert extracted.title == "Ferry & Boat"
        assert shape(extracted)[-1] == ("paragraph", "Ferry a ship chapter sails.")


class TestNotWellFormed:
    def test_an_article_is_read_and_says_from_which_line_on_its_tags_are_wrong(self) -> None:
        broken = DOCBOOK.replace("After the example.", "Ships & boats.")
        extracted = parsed_here(broken, "server.xml")
        assert ("code", "server -q") in shape(extracted)
        (said,) = [paragraph for kind, paragraph in shape(extracted) if "Ships" in paragraph]
        assert said.endswith("boats.")
        assert extracted.elements[-1].heading_path == ("The Server", "Setup", "Options")
        line = broken[: broken.index("Ships &")].count("\n") + 1
        assert any(f"from line {line} on" in warning for warning in extracted.warnings)

    def test_one_that_is_cut_off_is_read_to_there(self) -> None:
        cut = DOCBOOK[: DOCBOOK.index("After the example.") + len("After the example.")]
        assert ("paragraph", "After the example.") in shape(parsed_here(cut, "server.xml"))

    @pytest.mark.parametrize(("behind", "kind"), [(1, "paragraph"), (2, "code")])
    def test_one_of_which_a_word_in_fifty_would_be_lost_stays_code(self, behind: int, kind: str) -> None:
        """What stands behind the end of the document is in no element."""
        inside = "<article><title>Boats</title><para>" + "sail " * 48 + "</para></article>"
        extracted = parsed_here("<?xml version='1.0'?>" + inside + " lost" * behind, "boats.xml")
        assert shape(extracted)[-1][0] == kind

    def test_words_of_comments_are_none(self) -> None:
        inside = (
            "<article><title>Boats</title><!-- a > b " + "not shown " * 40 + "--><para>a & b</para></article>"
        )
        extracted = parsed_here("<?xml version='1.0'?>" + inside, "boats.xml")
        assert shape(extracted)[0] == ("title", "Boats")


class TestHostile:
    def test_entities_that_name_each_other_do_not_grow(self) -> None:
        values = ["lol", *(9 * f"&x{n};" for n in range(8))]
        nested = "".join(f'<!ENTITY x{n} "{value}">' for n, value in enumerate(values))
        body = "<article><title>T</title><para>ships &x8; sail</para></article>"
        bomb = f"<?xml version='1.0'?><!DOCTYPE article [{nested}]>{body}"
        assert len(parsed_here(bomb, "a.xml").text) < 3 * len(bomb)

    def test_entities_stand_for_so_many_characters_in_all(self) -> None:
        entity = f'<!ENTITY long "{"ship " * 39}">'
        body = f"<article><title>T</title><para>{'&long; ' * 10_000}</para></article>"
        text = parsed_here(f"<?xml version='1.0'?><!DOCTYPE article [{entity}]>{body}", "a.xml").text
        assert 950_000 <= len(text) <= 1_100_000
        assert text.endswith("long")

    @settings(max_examples=examples(50), deadline=None)
    @given(st.sampled_from([RSS, ATOM, JATS, DOCBOOK]), st.data())
    def test_what_is_cut_or_changed_fails_with_a_reason_only(self, text: str, data: st.DataObject) -> None:
        at = data.draw(st.integers(40, len(text)))
        rest = text[at + data.draw(st.integers(0, 80)) :]
        piece = data.draw(st.sampled_from(["", "<p>", "&x;", "</sec>", "é"]))
        with contextlib.suppress(ParseFailed):
            assert parsed_here(text[:at] + piece + rest, "a.xml").text

    @pytest.mark.parametrize("depth", [200, 20_000])
    def test_deep_sections(self, depth: int) -> None:
        text = "<?xml version='1.0'?><article><title>T</title>" + "<section><para>a b</para>" * depth
        parsed_here(text + "</section>" * depth + "</article>", "a.xml")


def test_entries_of_a_menu_are_parted_by_arrows() -> None:
    menu = "<guimenu>Edit</guimenu><guimenuitem>Cut</guimenuitem>"
    keys = "<shortcut><keycap>F2</keycap></shortcut>"
    book = (
        '<article xmlns="http://docbook.org/ns/docbook"><title>Menus</title>'
        f"<para>Choose <menuchoice>{menu}</menuchoice> or <menuchoice>{keys}{menu}</menuchoice>.</para>"
        "</article>"
    )
    said = parsed_here(book, "a.docbook").text
    assert "Choose Edit \N{RIGHTWARDS ARROW} Cut or F2 Edit \N{RIGHTWARDS ARROW} Cut." in said


@pytest.mark.parametrize(
    ("action", "said"),
    [("", "Ctrl+Shift+T"), (' action="simul"', "Ctrl+Shift+T"), (' action="seq"', "Ctrl Shift T")],
)
@pytest.mark.parametrize("gap", ["", "\n  "])
def test_keys_that_are_pressed_together_are_joined(action: str, said: str, gap: str) -> None:
    keys = gap.join(f"<keycap>{key}</keycap>" for key in ("Ctrl", "Shift", "T"))
    book = (
        "<article><title>Keys</title><articleinfo><keywordset><keyword>KDE</keyword></keywordset></articleinfo>"
        f"<para>Press <keycombo{action}>{keys}</keycombo> now.</para></article>"
    )
    read = parsed_here(f"<?xml version='1.0'?>{book}", "a.docbook")
    assert [e.text for e in read.elements] == ["Keys", f"Press {said} now."]


def test_names_of_people_that_no_file_explains_do_not_make_a_chapter_code() -> None:
    chapter = "<chapter><title>Budgets</title><para>By &Ann.Oak; and &kde-team; at sea.</para></chapter>"
    read = parsed_here(f"<?xml version='1.0'?>{chapter}", "a.docbook")
    assert [(e.kind, e.text) for e in read.elements] == [
        ("title", "Budgets"),
        ("paragraph", "By Ann Oak and kde-team at sea."),
    ]


def test_an_example_and_a_note_may_stand_within_a_paragraph() -> None:
    text = (
        "<chapter><title>Piers</title><para>Type this: <example><title>To leave</title>"
        "<programlisting>sail --all\n  --now</programlisting></example>and wait."
        "<note><para>Mind the tide<footnote><para>It turns.</para></footnote>.</para></note></para></chapter>"
    )
    read = parsed_here(text, "a.docbook").elements
    assert [(element.kind, element.text) for element in read] == [
        ("title", "Piers"),
        ("paragraph", "Type this:"),
        ("paragraph", "To leave"),
        ("code", "sail --all\n  --now"),
        ("paragraph", "and wait."),
        ("paragraph", "Mind the tide."),
        ("paragraph", "It turns."),
    ]


def test_a_broken_tag_in_a_feed_need_have_no_name() -> None:
    items = "".join(
        f"<item><title>Pier {at}</title><description>It is open.</description></item>" for at in range(9)
    )
    broken = "<item><title>Lighthouse</title><link>h<tps://a.example/b</link></item>"
    extracted = parsed_here(
        f"<rss version='2.0'><channel><title>Port</title>{items}{broken}</channel></rss>", "a.rss"
    )
    assert [e.text for e in extracted.elements if e.kind == "title"][-2:] == ["Pier 8", "Lighthouse"]
    assert extracted.warnings == (
        "The file is not well-formed XML from line 1 on and was read as far as its tags tell.",
    )


@pytest.mark.parametrize("ids", ["xml:id='a#1'", "xml:id='a'"])
def test_ids_that_are_no_names_or_come_twice_do_not_make_an_article_code(ids: str) -> None:
    article = (
        f"<article><title>Ferries</title><para {ids}>They sail.</para><para {ids}>Daily.</para></article>"
    )
    assert [said for _, said in shape(parsed_here(article, "a.xml"))] == ["Ferries", "They sail.", "Daily."]


def test_quotes_of_a_book_have_their_marks() -> None:
    said = "It is a <quote>push <quote>button</quote></quote>, or <quote><emphasis>key</emphasis></quote>."
    article = f"<article><title>Keys</title><para>{said}</para></article>"
    assert shape(parsed_here(article, "a.xml"))[-1][1] == "It is a “push ‘button’”, or “key”."
