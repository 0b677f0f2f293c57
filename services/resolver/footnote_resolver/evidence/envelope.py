"""Evidence as a model sees it: one envelope per document, its passages numbered (spec 2.3). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from footnote_shared.contracts.evidence import Display, EvidenceItem, View, Wrap
from footnote_shared.kernel.neutralise import neutralise, one_line

_DOCUMENT_FIELDS = ("document_id", "thread_id", "url")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A passage with its number, ready to be shown."""

    n: int
    item: EvidenceItem


def render(passages: Sequence[Numbered], view: View = "excerpt", wrap: Wrap | None = None) -> str:
    """The text for the model. Items of one document in a row share an envelope.

    Title and source of the document are shown, its ids are not.
    """
    lines: list[str] = [f"<{wrap}>"] if wrap else []
    document: tuple[str, ...] | None = None
    heading = ""
    for passage in passages:
        item = passage.item
        own = _document_of(item)
        if own != document:
            if document is not None:
                lines.append("</document>")
            lines.append(_opening(item.display, view))
            document, heading = own, ""
        path = heading_line(item.display.heading_path)
        if path != heading:
            lines.append(path or "§ " + (one_line(item.display.title) or "…"))
            heading = path
        text = neutralise(item.text).strip("\n")
        lines.append(f"[{passage.n}] {text}")
    if document is not None:
        lines.append("</document>")
    if wrap:
        lines.append(f"</{wrap}>")
    return "\n".join(lines)


def heading_line(path: Sequence[str] | None) -> str:
    """`§ Coverage > Exclusions`, or nothing for a passage under no heading."""
    parts = [one_line(part) for part in path or ()]
    return "§ " + " > ".join(part for part in parts if part) if any(parts) else ""


def _source_label(display: Display) -> str:
    """Where a document is from and of which day, for people and models: `Slack · #launch · 2026-03-02`."""
    day = display.date.date().isoformat() if display.date else ""
    return " · ".join(part for part in (display.source, "" if day in display.source else day) if part)


def _document_of(item: EvidenceItem) -> tuple[str, ...]:
    """What two items of one document have in common. An item of a connector is a document by itself."""
    fields = [name for name in _DOCUMENT_FIELDS if name in item.locator] or sorted(item.locator)
    kind = "document" if "document_id" in item.locator else item.source_type
    return (kind, *(item.locator[name] for name in fields), item.display.title, _source_label(item.display))


def _opening(display: Display, view: View) -> str:
    title, source = escape(one_line(display.title)), escape(one_line(_source_label(display)))
    return f'<document title="{title}" source="{source}" view="{view}">'
