"""What the documentation needs to be a site: a hook of MkDocs, named in `mkdocs.yml`.

The pages are written for whoever reads the repository. So they link to the README, to the code and to each
other by path. On the site the README is the first page, a link to a page stays one, and the name of a file of
the code is text, unless `repo_url` says where the code can be read.
"""

import posixpath
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from footnote_cli.reference.markdown import anchor

ROOT = Path(__file__).parents[2]
DOCS = "docs"
FROM_THE_ROOT = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
"""Pages of the repository that stand outside of `docs`, and what they are called on the site."""
BEFORE_PAGES = 10
"""The place of our step among those of the Markdown library: before MkDocs resolves links, which has 0."""
BEFORE_RAW_HTML, BEHIND_RAW_HTML = 22, 20.5
"""Places on both sides of the step at which MkDocs reads raw HTML (21)."""

_SECTION, _HIDDEN = "<![", "<\ue000!["
_PLACES = {of_site: of_repository for of_repository, of_site in FROM_THE_ROOT.items()}


def slug(heading: str, separator: str) -> str:
    """The fragment of a heading, as in the repository. The separator is always a hyphen there."""
    return anchor(heading)


def site_link(href: str, page: str, repository: str | None = None) -> str | None:
    """Where a link leads on the site, from one of its pages; None where the site has no such thing.

    `page` is the path of the page on the site. The link is as it stands in the repository.
    """
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or not parts.path:
        return href
    place = PurePosixPath(_PLACES.get(page, f"{DOCS}/{page}"))
    target = posixpath.normpath(str(place.parent / parts.path))
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    if target in FROM_THE_ROOT:
        target = f"{DOCS}/{FROM_THE_ROOT[target]}"
    if PurePosixPath(target).parts[0] == DOCS and PurePosixPath(target).suffix:
        return posixpath.relpath(target, posixpath.dirname(f"{DOCS}/{page}")) + fragment
    return f"{repository.rstrip('/')}/{target}{fragment}" if repository else None


def in_order(folder: str) -> list[Any]:
    """The pages of a folder for the navigation: its contents first, then in the order of these."""
    contents = ROOT / DOCS / folder / "README.md"
    pages = sorted((ROOT / DOCS / folder).glob("*.md"), key=lambda page: (page != contents, page.name))
    said = contents.read_text("utf-8")
    # A page that the contents do not name would come first: find() gives -1.
    ordered = sorted(pages, key=lambda page: (page != contents, said.find(f"({page.name}")))
    rooms = sorted(path.parent for path in (ROOT / DOCS / folder).glob("*/README.md"))
    return [
        *(f"{folder}/{page.name}" for page in ordered),
        *({room.name.capitalize(): in_order(f"{folder}/{room.name}")} for room in rooms),
    ]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill in the folders of the navigation, and have links read as above."""
    config.nav = [_filled(entry) for entry in config.nav or []]
    # MkDocs declares names of extensions alone, and hands on whatever is in the list.
    config.markdown_extensions.append(_LINKS)  # type: ignore[arg-type]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take in the pages that stand outside of `docs`."""
    for of_repository, of_site in FROM_THE_ROOT.items():
        text = (ROOT / of_repository).read_text("utf-8")
        files.append(File.generated(config, of_site, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Remember whose links come next."""
    _LINKS.page, _LINKS.repository = page.file.src_uri, config.repo_url
    return markdown


def _filled(entry: Any) -> Any:
    if not isinstance(entry, Mapping):
        return entry
    return {
        title: [_filled(one) for one in value]
        if isinstance(value, list)
        else (value if value.endswith(".md") else in_order(value))
        for title, value in entry.items()
    }


class _Links(Extension):
    """Holds the page that is being read: the Markdown library does not tell its steps."""

    page = ""
    repository: str | None = None

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.treeprocessors.register(_LinkStep(self, md), "links_of_the_repository", BEFORE_PAGES)
        md.preprocessors.register(_Swap(_SECTION, _HIDDEN), "hide_sections", BEFORE_RAW_HTML)
        md.preprocessors.register(_Swap(_HIDDEN, _SECTION), "show_sections", BEHIND_RAW_HTML)


class _Swap(Preprocessor):
    """MkDocs looks for anchors in raw HTML, and ends at what begins like a section of XML, also in code."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__()
        self._old, self._new = old, new

    def run(self, lines: list[str]) -> list[str]:
        return [line.replace(self._old, self._new) for line in lines]


class _LinkStep(Treeprocessor):
    def __init__(self, links: _Links, md: Markdown) -> None:
        super().__init__(md)
        self._links = links

    def run(self, root: Element) -> None:
        for link in root.iter("a"):
            led = site_link(link.get("href", ""), self._links.page, self._links.repository)
            if led is None:
                link.tag = "span"
                del link.attrib["href"]
            else:
                link.set("href", led)


_LINKS = _Links()
