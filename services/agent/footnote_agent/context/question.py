"""A turn as an engine sees it."""

from dataclasses import dataclass, field
from typing import Any

from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import Mention, TurnSettings


@dataclass(frozen=True, slots=True)
class Exchange:
    """One earlier message of the conversation. Text of answers holds `[citation:n]` tokens."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom, within which scope. `search_settings` are the given fields of SearchSettings alone."""

    turn_id: str
    thread_id: str
    caller: Principal
    text: str
    mentions: tuple[Mention, ...] = ()
    preset: str | None = None
    settings: TurnSettings = field(default_factory=TurnSettings)
    search_settings: dict[str, Any] = field(default_factory=dict)
    history: tuple[Exchange, ...] = ()
