"""People in groups, notes in paragraphs of paragraphs, and items in items: each is said once."""

from tests.unit.ingest.parsing.here import parsed_here


def test_a_group_and_the_people_in_it_are_authors_by_their_own_names() -> None:
    person = "<contrib><name><surname>{}</surname><given-names>{}</given-names></name></contrib>"
    members = person.format("Berg", "Ann") + person.format("Dahl", "Bo")
    group = f"<contrib><collab>The Tide Group<contrib-group>{members}</contrib-group></collab></contrib>"
    extracted = parsed_here(
        "<article><front><article-meta><title-group><article-title>Tides</article-title></title-group>"
        f"<contrib-group>{group}</contrib-group></article-meta></front><body><p>Text.</p></body></article>",
        "a.xml",
    )
    assert extracted.metadata["author"] == "The Tide Group, Ann Berg, Bo Dahl"


def test_a_note_in_a_paragraph_within_a_paragraph_is_said_once() -> None:
    extracted = parsed_here(
        "<article><title>T</title><para>One <para>two<footnote><para>The note.</para></footnote></para>"
        "</para></article>",
        "a.xml",
    )
    assert [element.text for element in extracted.elements].count("The note.") == 1


def test_an_item_within_an_item_is_not_lost() -> None:
    extracted = parsed_here(
        "<rss><channel><title>T</title><item><title>Outer</title><description>First.</description>"
        "<item><title>Inner</title><description>Second.</description></item></item></channel></rss>",
        "a.xml",
    )
    assert [element.text for element in extracted.elements] == ["T", "Outer", "First.", "Inner", "Second."]
