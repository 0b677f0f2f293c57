"""A paragraph whose words are all set as code is code, in every markup that can say so."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here

PROSE = "The ferry crosses the harbour twice each hour, and it waits for the last train of the evening."
COMMAND = "ferry --north /var/log/harbour"


def web(said: str) -> tuple[str, str]:
    return f"<html><body><h1>Ferries</h1><p>{PROSE}</p>{said}<p>{PROSE}</p></body></html>", "a.html"


def docbook(said: str) -> tuple[str, str]:
    body = f"<title>Ferries</title><para>{PROSE}</para><para>{said}</para>"
    return f"<article>{body}</article>", "a.xml"


def markdown(said: str) -> tuple[str, str]:
    return f"# Ferries\n\n{PROSE}\n\n{said}\n\n{PROSE}\n", "a.md"


def rst(said: str) -> tuple[str, str]:
    return f"Ferries\n=======\n\n{PROSE}\n\n{said}\n\n{PROSE}\n", "a.rst"


def kinds(file: tuple[str, str]) -> dict[str, str]:
    return {e.text.strip("`"): e.kind for e in parsed_here(*file).elements}


@pytest.mark.parametrize(
    "file",
    [
        web(f"<p><code>{COMMAND}</code></p>"),
        web(
            '<p><span class="command"><strong>ferry --north <em><code>/var/log/harbour</code></em></strong>'
            "</span> </p>"
        ),
        web(f"<ul><li><p>Sail:</p><p><tt>{COMMAND}</tt></p></li></ul>"),
        docbook(f"\n  <command>{COMMAND}</command>\n"),
        docbook(f"<userinput>{COMMAND}</userinput>"),
        markdown(f"`{COMMAND}`"),
        rst(f"``{COMMAND}``"),
    ],
)
def test_a_command_that_stands_alone_is_code(file: tuple[str, str]) -> None:
    assert kinds(file)[COMMAND] == "code"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (web("<p><code>harbour</code></p>"), "harbour"),
        (web(f"<p><code>{COMMAND}</code> sails.</p>"), f"{COMMAND} sails."),
        (web(f'<p><a href="#n"><code>{COMMAND}</code></a></p>'), COMMAND),
        (web(f"<p><tt>{PROSE}</tt></p>"), PROSE),
        (web("<p><code>Ships sail.</code></p>"), "Ships sail."),
        (docbook("<command>ferry</command>"), "ferry"),
        (docbook(f"Type <command>{COMMAND}</command>"), f"Type {COMMAND}"),
        (markdown(f"`{PROSE}`"), PROSE),
        (rst(f"``{PROSE}``"), PROSE),
        (rst(f"``{COMMAND}`` sails"), f"{COMMAND} sails"),
    ],
)
def test_names_sentences_and_links_stay_text(file: tuple[str, str], text: str) -> None:
    assert kinds(file)[text] == "paragraph"


def test_lines_of_code_in_a_paragraph_stay_lines() -> None:
    found = parsed_here(*web("<p><code>ferry   --north</code><br/>\n<code>ferry --south</code></p>"))
    assert [e.text for e in found.elements if e.kind == "code"] == ["ferry --north\nferry --south"]


def test_code_that_is_set_in_within_an_item_is_code() -> None:
    found = parsed_here(f"# Ferries\n\n * Sail north\n\n       {COMMAND}\n\n * Wait\n", "a.md")
    assert [(e.kind, e.text.strip()) for e in found.elements[1:]] == [
        ("list", "* Sail north"),
        ("code", COMMAND),
        ("list", "* Wait"),
    ]


def test_a_long_piece_of_code_in_a_paragraph_is_no_command() -> None:
    long = "ferry --north=" + "x" * 400
    assert kinds(web(f"<p><code>{long} -a</code></p>"))[f"{long} -a"] == "paragraph"
