"""Handles: the short names under which a model knows documents, folders, chats and web pages (spec 5.4).

The model writes no id of ours. A handle is given once per conversation and never changes its meaning. Pure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from footnote_agent.context.plain_name import plain_name

TargetKind = Literal["document", "folder", "connector", "chat", "page"]
_LETTERS: Mapping[TargetKind, str] = {
    "document": "D",
    "folder": "F",
    "connector": "C",
    "chat": "T",
    "page": "W",
}
_HANDLE = re.compile(r"\s*([DFCTWdfctw])([1-9][0-9]{0,5})\s*")
_LISTED_AT_MOST = 30


@dataclass(frozen=True, slots=True)
class HandleTarget:
    """What a handle stands for."""

    kind: TargetKind
    id: str
    name: str


@dataclass(slots=True)
class HandleBook:
    """The handles of one conversation, by letter: ids with their names, in the order of their numbers."""

    targets: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def handle(self, target: HandleTarget) -> str:
        """The handle of a target; a new one where it has none."""
        if (given := self._given(target)) is not None:
            return given
        letter = _LETTERS[target.kind]
        known = self.targets.setdefault(letter, [])
        known.append((target.id, plain_name(target.name)))
        return f"{letter}{len(known)}"

    def given(self, targets: Sequence[HandleTarget]) -> list[str] | None:
        """The handles of these targets, where each of them has one."""
        found = [handle for target in targets if (handle := self._given(target)) is not None]
        return found if len(found) == len(targets) else None

    def _given(self, target: HandleTarget) -> str | None:
        letter = _LETTERS[target.kind]
        known = self.targets.get(letter, ())
        return next((f"{letter}{at + 1}" for at, (key, _) in enumerate(known) if key == target.id), None)

    def find(self, written: str, kinds: Sequence[TargetKind]) -> HandleTarget | None:
        """What a model meant by a handle, if it exists and is of one of these kinds."""
        match = _HANDLE.fullmatch(written[:20])
        if match is None:
            return None
        letter, position = match[1].upper(), int(match[2])
        known = self.targets.get(letter, [])
        kind = next(kind for kind, mark in _LETTERS.items() if mark == letter)
        if kind not in kinds or position > len(known):
            return None
        return HandleTarget(kind, *known[position - 1])

    def listing(self, kinds: Sequence[TargetKind]) -> str:
        """The handles of these kinds, the latest at the end, as a line for a model."""
        named = [
            f"{letter}{at + 1} ({name})"
            for kind in kinds
            for letter in [_LETTERS[kind]]
            for at, (_, name) in enumerate(self.targets.get(letter, []))
        ]
        return ", ".join(named[-_LISTED_AT_MOST:])
