"""A read-me, and any text in Markdown, begins with the name of what it is about, whatever headings follow."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here

SEVERAL = "# Ferry\n\nIt sails.\n\n# News\n\nIt sails at six.\n"


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        (SEVERAL, "README.md", "Ferry"),
        (SEVERAL, "docs/readme.md", "Ferry"),
        (SEVERAL.replace("# ", "## "), "harbour-1.2-README.md", "Ferry"),
        (SEVERAL.replace("# ", "## "), "readmetoo-1.2.md", "Ferry"),
        (SEVERAL.replace("# ", "## "), "unreadme.md", None),
        ("|Ferry|\n=======\n\nIt sails.\n\n.. |Ferry| image:: a.png\n", "ferry.rst", "Ferry"),
        (SEVERAL, "ferry.md", "Ferry"),
        ("[![ok](a.png)](b.html) <br/>\n\n" + SEVERAL, "ferry.md", "Ferry"),
        ("It sails.\n\n" + SEVERAL, "ferry.md", None),
        (SEVERAL.replace("# Ferry", "# 1. Ferry"), "ferry.md", None),
        (SEVERAL.replace("# Ferry", "# Introduction"), "ferry.md", None),
        (SEVERAL.replace("# Ferry", "## Ferry"), "ferry.md", None),
        ("It sails.\n\n" + SEVERAL, "README.md", None),
        ("|a|\n\nFerry\n=====\n\nIt sails.\n\nNews\n====\n\n.. |a| image:: a.png\n", "README.rst", "Ferry"),
        ("Ferry\n=====\n\nIt sails.\n\nNews\n====\n\nNone.\n", "ferry.rst", None),
        ("## Ferry\n\nIt sails.\n\n# News\n\nNone.\n", "README.md", None),
    ],
)
def test_the_first_of_several_headings_is_the_title(text: str, name: str, title: str | None) -> None:
    assert parsed_here(text, name).title == title
