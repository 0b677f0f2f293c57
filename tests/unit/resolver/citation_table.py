"""The citation grammar's table, and what our code makes of a case of it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footnote_resolver.normaliser.finalize import Normalised, finalize
from footnote_resolver.normaliser.report import Report
from footnote_resolver.normaliser.stream import MOST_HELD, Normaliser
from footnote_shared.kernel.citation_tokens import numbers_in

DOCS = Path(__file__).parents[3] / "docs"
TABLE = json.loads((DOCS / "citation-grammar.json").read_text("utf-8"))


@dataclass(frozen=True)
class Case:
    id: str
    rule: str
    input: str
    live: str
    final: str = ""
    dropped: tuple[int, ...] = ()
    known: frozenset[int] = frozenset()
    highest: int = TABLE["highest"]
    note: str = ""
    resolved: int | None = None
    repaired: int = 0
    malformed: int = 0
    cut: bool = False
    """The message was broken off at its end."""

    def normaliser(self) -> Normaliser:
        return Normaliser(self.known.__contains__, lambda: self.highest)

    def whole(self, text: str) -> Normalised:
        return finalize(text, self.known.__contains__, lambda: self.highest, cut=self.cut)

    @property
    def report(self) -> Report:
        """Resolved are, if the table does not say otherwise, as many as there are tokens."""
        resolved = len(numbers_in(self.live)) if self.resolved is None else self.resolved
        return Report(
            emitted=resolved + len(self.dropped),
            resolved=resolved,
            dropped=self.dropped,
            repaired=self.repaired,
            malformed=self.malformed,
        )


def _case(raw: dict[str, Any]) -> Case:
    lists = {"dropped": tuple(raw.get("dropped", ())), "known": frozenset(raw.get("known", TABLE["known"]))}
    return Case(**{"final": raw["live"], **raw, **lists})


CASES = [_case(raw) for raw in TABLE["cases"]]


def run(case: Case, pieces: Iterable[str]) -> tuple[str, list[int], Report]:
    """What the live stream makes of the pieces, the numbers it announced, and its report."""
    normaliser = case.normaliser()
    written, announced = "", list[int]()
    for piece in pieces:
        written += normaliser.feed(piece)
        announced += normaliser.citations
        assert normaliser.held <= MOST_HELD
    written += normaliser.close(cut=case.cut)
    assert normaliser.held == 0
    return written, announced + list(normaliser.citations), normaliser.report
