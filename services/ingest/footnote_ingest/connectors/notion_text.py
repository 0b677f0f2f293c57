"""Pages of Notion as Markdown: rich text, blocks, and the properties of what lies in a database."""

from collections.abc import Callable, Iterator

from footnote_ingest.connectors.json_values import Json, fit, line_of, object_of, objects, text_of

MOST_CHARACTERS = 2_000_000
_DEEPEST = 20
_MOST_BLOCKS = 20_000
_HEADINGS = {"heading_1": "##", "heading_2": "###", "heading_3": "####"}
"""The title of the page is the first heading."""

_MARKS = {
    "bulleted_list_item": "- ",
    "numbered_list_item": "1. ",
    "toggle": "- ",
    "quote": "> ",
    "callout": "> ",
}
_LISTED = ("bulleted_list_item", "numbered_list_item", "to_do", "toggle")
_ADDRESSES = ("bookmark", "embed", "link_preview")
_FILES = ("image", "file", "video", "pdf", "audio")
_OWN_ITEMS = ("child_page", "child_database")


def title_of(page: Json) -> str:
    """The title of a page or a database, in one line; empty if it has none."""
    found = page.get("title")
    if not isinstance(found, list):
        properties = object_of(page.get("properties")).values()
        found = next((p.get("title") for p in properties if object_of(p).get("type") == "title"), None)
    return fit(line_of(rich_text(found, plain=True)))


def page_text(page: Json, children: Callable[[str], Iterator[Json]]) -> str:
    """The page: its title, its properties, its blocks with all that lies below them.

    `children` gives the blocks directly below a page or a block.
    """
    page_id = text_of(page.get("id"))
    parts = [f"# {title_of(page)}", "\n".join(_properties(page)), *_Blocks(children).below(page_id, 0)]
    return _joined(parts)


def database_text(database: Json) -> str:
    """The database: its title, what it is for, and its columns. Its rows are pages of their own."""
    columns = ", ".join(line_of(name) for name in object_of(database.get("properties")))
    about = rich_text(database.get("description"))
    return _joined([f"# {title_of(database)}", about, f"Columns: {columns}" if columns else ""])


def rich_text(value: object, *, plain: bool = False) -> str:
    """The text of a list of rich text (developers.notion.com/reference/rich-text)."""
    parts = []
    for run in objects(value):
        text = text_of(run.get("plain_text"))
        parts.append(text if plain else _marked(text, run))
    return "".join(parts)


class _Blocks:
    """The blocks of one page, as far as they are taken."""

    def __init__(self, children: Callable[[str], Iterator[Json]]) -> None:
        self._children = children
        self._left = _MOST_BLOCKS

    def below(self, block_id: str, depth: int) -> Iterator[str]:
        """Each block with all that lies below it."""
        for block in self._children(block_id):
            if self._left <= 0:
                yield "(The rest of the page is left out: it is too long.)"
                return
            self._left -= 1
            yield self._block(block, depth)

    def _block(self, block: Json, depth: int) -> str:
        kind = text_of(block.get("type"))
        text = _own_text(kind, object_of(block.get(kind)))
        if block.get("has_children") is not True or kind in _OWN_ITEMS or depth >= _DEEPEST:
            return text
        inner = self.below(text_of(block.get("id")), depth + 1)
        if kind == "table":
            return _table(list(inner))
        parts = [part for part in inner if part]
        if kind in _LISTED:
            indented = "\n".join(f"    {line}".rstrip() for part in parts for line in part.split("\n"))
            return f"{text}\n{indented}"
        if kind in ("quote", "callout"):
            parts = ["\n".join(f"> {line}" for line in part.split("\n")) for part in parts]
        return "\n\n".join(part for part in (text, *parts) if part)


def _own_text(kind: str, said: Json) -> str:
    """What the block itself says. A kind that nobody knows says its rich text, if it has any."""
    text = rich_text(said.get("rich_text")).strip()
    if kind in _HEADINGS:
        return f"{_HEADINGS[kind]} {' '.join(text.split())}" if text else ""
    if kind == "to_do":
        return f"- [{'x' if said.get('checked') is True else ' '}] {text}"
    if kind in _MARKS and text:
        return "\n".join(
            (_MARKS[kind] if at == 0 or kind in ("quote", "callout") else "   ") + line
            for at, line in enumerate(text.split("\n"))
        )
    if kind == "code":
        code = rich_text(said.get("rich_text"), plain=True)
        fence = "````" if "```" in code else "```"
        return f"{fence}{line_of(said.get('language'))}\n{code}\n{fence}"
    if kind == "equation":
        return f"$${text_of(said.get('expression'))}$$"
    if kind == "divider":
        return "---"
    if kind == "table_row":
        cells = said.get("cells")
        row = [" ".join(rich_text(cell).split()) for cell in cells] if isinstance(cells, list) else []
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
    caption = " ".join(rich_text(said.get("caption")).split())
    if kind in _ADDRESSES:
        return " ".join(part for part in (caption, line_of(said.get("url"))) if part)
    if kind in _FILES:
        # The address of a file that Notion keeps is good for an hour.
        address = line_of(object_of(said.get("external")).get("url"))
        name = caption or line_of(said.get("name")) or address
        return f"File: [{name}]({address})" if address else f"File: {name}" if name else ""
    if kind in _OWN_ITEMS:
        return line_of(said.get("title"))
    return text


def _table(rows: list[str]) -> str:
    """The rows with the rule below the first one, which Markdown cannot do without."""
    if not rows:
        return ""
    columns = max(1, rows[0].replace("\\|", "").count("|") - 1)
    return "\n".join([rows[0], "|" + " --- |" * columns, *rows[1:]])


def _properties(page: Json) -> Iterator[str]:
    for name, given in object_of(page.get("properties")).items():
        value = _value(object_of(given), 0)
        if value and object_of(given).get("type") != "title":
            yield f"- {line_of(name)}: {value}"


def _value(given: Json, depth: int) -> str:
    """What a property says, in one line; empty for a kind that says nothing by itself, such as a relation."""
    kind = text_of(given.get("type"))
    value = given.get(kind)
    if kind == "rich_text":
        return " ".join(rich_text(value).split())
    if kind in ("select", "status"):
        return line_of(object_of(value).get("name"))
    if kind in ("multi_select", "people", "files"):
        return ", ".join(line_of(one.get("name")) for one in objects(value) if line_of(one.get("name")))
    if kind == "date":
        ends = (line_of(object_of(value).get(end)) for end in ("start", "end"))
        return " to ".join(end for end in ends if end)
    if kind == "checkbox":
        return "yes" if value is True else "no"
    if kind == "formula" and depth == 0:
        return _value(object_of(value), 1)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return line_of(value) if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def _marked(text: str, run: Json) -> str:
    """A run with its marks. They stand at the words: Markdown reads none beside a space."""
    words = text.strip()
    if not words:
        return text
    said, marks = words, object_of(run.get("annotations"))
    if marks.get("code") is True:
        said = f"`{said}`"
    for name, mark in (("bold", "**"), ("italic", "_"), ("strikethrough", "~~")):
        said = f"{mark}{said}{mark}" if marks.get(name) is True else said
    address = line_of(run.get("href"))
    said = f"[{said}]({address})" if address.startswith(("http://", "https://")) else said
    start = text.index(words)
    return text[:start] + said + text[start + len(words) :]


def _joined(parts: list[str]) -> str:
    return fit("\n\n".join(part for part in parts if part.strip())[:MOST_CHARACTERS]) + "\n"
