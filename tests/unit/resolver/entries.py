"""Entries of a registry, for tests that need no real source behind them."""

from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.evidence import Display


def entry(n: int) -> CitationEntry:
    """The entry of a web page."""
    return CitationEntry(
        n=n,
        source_type="web_result",
        locator={"url": f"https://a.org/{n}"},
        display=Display(),
        quote=str(n),
        content_hash=str(n),
    )
