"""Boxes of HTML and the code of site generators in Markdown are read as a page shows them."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

TEXT = "The ferry crosses the harbour twice each hour, and waits for the last train."


def read(said: str, name: str = "notes.md") -> list[tuple[str, str]]:
    return [(e.kind, " ".join(e.text.split())) for e in parsed_here(said, name).elements]


def test_tags_of_boxes_and_styles_are_no_text() -> None:
    box = f'<div class="note info">\n  <p>{TEXT}</p>\n  <p>Harbours</p>\n</div>\n'
    style = "<style>\nh2 { font-size: 20px; }\n\n#TOC { width: 100%; }\n</style>\n"
    assert read(f"{style}\n{box}\n{TEXT}\n") == [
        ("paragraph", TEXT),
        ("paragraph", "Harbours"),
        ("paragraph", TEXT),
    ]


def test_what_follows_a_style_in_its_line_is_text() -> None:
    assert read(f"<style>b {{ }}</style> North\n\n{TEXT}\n")[0] == ("paragraph", "North")


def test_items_of_html_are_items() -> None:
    found = read(f"<ul>\n  <li>north</li>\n  <li>south</li>\n</ul>\n\n{TEXT}\n")
    assert found[:2] == [("list", "- north"), ("list", "- south")]


@pytest.mark.parametrize("left", ["<pre>\n  <p>a</p>\n</pre>", "```\n<div>\n<p>a</p>\n</div>\n```"])
def test_tags_in_code_stay(left: str) -> None:
    (code,) = (text for kind, text in read(f"{TEXT}\n\n{left}\n\n{TEXT}\n") if kind == "code")
    assert "<p>a</p>" in code


def test_a_heading_in_a_box_stays_a_heading() -> None:
    found = parsed_here(f'<div><img src="a.png"><h2>Ferries</h2></div>\n\n{TEXT}\n', "notes.md")
    assert [e.heading_path for e in found.elements if e.text == TEXT] == [("Ferries",)]


def test_lines_that_lead_to_the_top_are_no_text() -> None:
    back = '<p align="right">(<a href="#readme-top">back to top</a>)</p>'
    assert read(f"{TEXT}\n\n{back}\n") == [("paragraph", TEXT)]


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("{% highlight ruby linenos %}", "{% endhighlight %}"),
        ("{% codeblock lang:ruby %}", "{% endcodeblock %}"),
        ('{{< highlight ruby "linenos=table" >}}', "{{< / highlight >}}"),
    ],
)
def test_what_commands_of_site_generators_hold_is_code(begin: str, end: str) -> None:
    shown = "# Sail\n\ndefaults:\n  -\n    scope:\n{% raw %}{{ site.url }}{% endraw %}\n"
    found = parsed_here(f"{TEXT}\n\n{begin}\n{shown}{end}\n\n{TEXT}\n", "notes.md")
    assert titles(found) == []
    (code,) = (e for e in found.elements if e.kind == "code")
    assert code.language == "ruby"
    assert "    scope:\n{{ site.url }}" in code.text
    assert [e.kind for e in found.elements] == ["paragraph", "code", "paragraph"]


def test_a_command_that_nothing_ends_takes_nothing() -> None:
    found = read(f"{TEXT}\n\n{{% highlight ruby %}}\n\n{TEXT}\n")
    assert found == [("paragraph", TEXT), ("paragraph", TEXT)]
