"""The documentation as a site: built from the pages as they are, and read without asking anybody else."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from deploy.site.pages import in_order, site_link
from mkdocs.commands.build import build
from mkdocs.config import load_config

ROOT = Path(__file__).parents[3]


class Page(HTMLParser):
    """What a page fetches by itself, where its links lead, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "a":
            self.links.append(named.get("href") or "")
        elif tag == "link" and named.get("rel") not in ("canonical", "next", "prev"):
            self.fetched.append(named.get("href") or "")
        elif tag in ("script", "img", "iframe", "source"):
            self.fetched.append(named.get("src") or "")

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    """The built pages by their path. Every warning of MkDocs, such as a link to nowhere, ends the build."""
    folder = tmp_path_factory.mktemp("site")
    config = load_config(str(ROOT / "deploy/site/mkdocs.yml"), site_dir=str(folder))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    return {
        page.relative_to(folder).as_posix(): Page(page.read_text("utf-8")) for page in folder.rglob("*.html")
    }


def test_every_page_is_there_and_the_readme_is_the_first(site: dict[str, Page]) -> None:
    pages = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    missing = {
        page.as_posix()
        for page in pages
        if page.as_posix().replace("README", "index") not in site and page.as_posix() not in site
    }
    assert not missing
    assert "every claim carries a small number" in " ".join(site["index.html"].text.split())


def test_nothing_is_fetched_from_elsewhere(site: dict[str, Page]) -> None:
    assert not {at for page in site.values() for at in page.fetched if urlsplit(at).netloc}


def test_no_link_leads_out_of_the_site_but_to_the_web(site: dict[str, Page]) -> None:
    lost = {
        (path, link)
        for path, page in site.items()
        for link in page.links
        if link and not urlsplit(link).scheme and link.count("../") > path.count("/")
    }
    assert not lost


@pytest.mark.parametrize(
    ("href", "page", "leads"),
    [
        ("docs/console.md", "index.md", "console.md"),
        ("docs/adr/0008-embedding-runtime.md#x", "index.md", "adr/0008-embedding-runtime.md#x"),
        ("../CHANGELOG.md", "console.md", "changelog.md"),
        ("../../README.md#stop-it-remove-it", "operate/upgrade.md", "../index.md#stop-it-remove-it"),
        ("numbers.md", "explain/README.md", "numbers.md"),
        ("https://example.org/a", "index.md", "https://example.org/a"),
        ("#here", "index.md", "#here"),
        ("../services/agent/x.py", "console.md", None),
        ("LICENSE", "index.md", None),
        ("docs/adr", "index.md", None),
    ],
)
def test_where_a_link_of_the_repository_leads(href: str, page: str, leads: str | None) -> None:
    assert site_link(href, page) == leads


def test_a_link_to_code_leads_where_the_code_can_be_read() -> None:
    to = site_link("../deploy/vendor_console.py", "console.md", "https://code.example/footnote/blob/main/")
    assert to == "https://code.example/footnote/blob/main/deploy/vendor_console.py"


def test_the_navigation_of_a_folder_is_in_the_order_of_its_contents() -> None:
    pages = in_order("howto")
    assert pages[:2] == ["howto/README.md", "howto/keep-a-folder-in-step.md"]
    assert len(pages) == len(list((ROOT / "docs/howto").glob("*.md")))
