"""What generators of pages draw with boxes is read as what a person sees."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

PROSE = "The ferry crosses the harbour twice each hour, and it waits for the last train of the evening. " * 3


def page(said: str) -> str:
    return f"<html><head><title>Ships: Harbour</title></head><body>{said}<p>{PROSE}</p></body></html>"


def kinds(said: str) -> list[tuple[str, str]]:
    return [(e.kind, e.text) for e in parsed_here(page(said), "a.html").elements if e.text != PROSE.strip()]


def test_lines_in_boxes_are_code_without_notes_on_names() -> None:
    note = (
        '<div class="ttc"><div class="ttname">Pier</div><div class="ttdef">Definition: pier.h:4</div></div>'
    )
    lines = '<div class="line"><b>Pier</b> north;</div><div class="line">  sail(&amp;north);</div>'
    assert kinds(f'<div class="fragment">{lines}{note}</div>') == [("code", "Pier north;\n  sail(&north);")]
    # A box of this name without lines is read as any other.
    assert kinds('<div class="fragment"><p>A fragment of a ship.</p></div>')[0][0] == "paragraph"


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ("div.as-it-is { font-family: monospace; white-space: pre }", "code"),
        ("div.as-it-is { font-family: monospace }", "paragraph"),
        ("div.as-it-is { white-space: pre }", "paragraph"),
        ("div.as-it-is { font-family: monospace; white-space: pre-wrap }", "paragraph"),
    ],
)
def test_a_box_whose_lines_the_style_sheet_leaves_as_they_are_is_code(rule: str, kind: str) -> None:
    box = "<div class='as-it-is'>sail north\n  and wait</div>"
    read = parsed_here(f"<style>{rule}</style><p>{PROSE}</p>{box}<p>{PROSE}</p>", "a.html")
    found = [e for e in read.elements if "north" in e.text]
    assert [e.kind for e in found] == [kind]
    assert kind != "code" or found[0].text == "sail north\n  and wait"


def test_boxes_in_rows_are_a_table() -> None:
    head = "".join(
        f'<div class="table-header {c}">{n}</div>' for c, n in (("a", "Type"), ("col-last", "Pier"))
    )
    rows = '<div class="a"><code>int</code></div><div class="col-last"><div>the <b>north</b> one</div></div>'
    grid = f'<div class="summary-table">{head}{rows}</div>'
    assert kinds(grid) == [("table", "Type | Pier\n--- | ---\nint | the north one")]
    uneven = f'<div class="summary-table">{head}<div class="col-last">alone</div></div>'
    assert "table" not in [kind for kind, _ in kinds(uneven)]


def test_a_signature_is_code_and_a_link_to_more_of_the_page_no_text() -> None:
    drawn = '<div class="member-signature">int&nbsp;<b>sail</b>(Pier p)</div>'
    assert kinds(f'{drawn}<p>It sails. <a href="a#b">More...</a></p>') == [
        ("code", "int sail(Pier p)"),
        ("paragraph", "It sails."),
    ]


@pytest.mark.parametrize("box", ["note", "warning"])
def test_the_name_of_a_note_is_no_heading(box: str) -> None:
    note = f'<div class="{box}"><h3 class="title">Note</h3><p>It may be late.</p></div>'
    read = parsed_here(page(f'<h1>Ships</h1><h3 class="author">Ann</h3>{note}<p>It sails.</p>'), "a.html")
    assert titles(read) == ["Ships"]
    assert read.elements[-1].heading_path == ("Ships",)
    assert titles(parsed_here(page("<h1>Ships</h1><h3>Note</h3><p>It sails.</p>"), "a.html")) == [
        "Ships",
        "Note",
    ]


def test_a_title_with_the_groups_above_it_is_the_heading() -> None:
    box = "<div class='title'>Harbour<div class='ingroups'><a href='a'>All piers</a></div></div>"
    read = parsed_here(page(f"<div class='headertitle'>{box}</div><p>{PROSE}</p><h2>Boats</h2>"), "a.html")
    assert titles(read) == ["Harbour", "Boats"]


def test_the_line_of_links_to_the_parts_of_a_page_is_no_text() -> None:
    links = '<a href="#m">Public Members</a> &#124;\n<a href="b">List of all members</a>'
    assert "members" not in parsed_here(page(f'<div class="summary">{links} </div>'), "a.html").text
    said = f"All that the harbour master tells of the piers stands in {links}"
    assert "members" in parsed_here(page(f'<div class="summary">{said}</div>'), "a.html").text


def test_members_are_rows_and_the_names_above_them_are_none() -> None:
    heading = '<tr class="heading"><td colspan="2"><h2 class="groupheader">Public Functions</h2></td></tr>'
    gap = '<tr class="separator:a1"><td class="memSeparator" colspan="2">&#160;</td></tr>'
    inherited = '<tr class="inherit_header pub"><td colspan="2">Functions inherited from Boat</td></tr>'

    def member(left: str, right: str) -> str:
        return f'<tr class="memitem:a1"><td class="memItemLeft">{left}</td><td>{right}</td></tr>{gap}'

    own = member("void", "sail (int knots)") + member("int", "draught () const")
    table = f'<table class="memberdecls">{heading}{own}{inherited}{member("bool", "afloat ()")}</table>'
    assert kinds(table) == [
        ("title", "Public Functions"),
        ("table", "void | sail (int knots)\n--- | ---\nint | draught () const"),
        ("paragraph", "Functions inherited from Boat"),
        ("table", "bool | afloat ()"),
    ]
    # One that holds another table, as no page of Doxygen does, is read as any other.
    inner = table.replace("sail (int knots)", "<table><tr><td>a</td></tr></table>")
    assert ("title", "Public Functions") in kinds(inner)
