"""How a person at this machine gets into the console without copying a key.

A key of its own stands in the fragment of the link. A browser sends no fragment to a server, so it gets into
no log. The console has it renewed at once, so what the browser keeps in its history opens nothing. Nor is it
an argument of the browser, which every user of the machine could read in the list of processes: the browser
opens a private file that leads on.
"""

from html import escape
from pathlib import Path
from urllib.parse import quote

from footnote_cli.embedded.private_files import write_private
from footnote_shared.settings.base import Settings

_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>Footnote</title>
<a href="{link}">Footnote</a>
"""


def sign_in_link(settings: Settings) -> str | None:
    """The address of the console that signs a browser in, once; None without a key for it."""
    if not settings.link_key_file.is_file():
        return None
    key = settings.link_key_file.read_text("utf-8").strip()
    return f"{settings.public_url}/console#once={quote(key, safe='')}"


def write_sign_in_page(settings: Settings) -> Path:
    """Write the private page that leads to the console, and return its path."""
    page = settings.data / "console.html"
    link = sign_in_link(settings) or f"{settings.public_url}/console"
    write_private(page, _PAGE.format(link=escape(link)))
    return page
