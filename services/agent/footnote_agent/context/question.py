"""A turn as an engine sees it."""

from dataclasses import dataclass, field
from typing import Any

from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import Mention, TurnSettings


@dataclass(frozen=True, slots=True)
class Exchange:
    """One earlier message of the conversation. The text of an answer holds `[citation:n]` tokens."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom, in which scope. `search_settings`: the fields of SearchSettings as given."""

    turn_id: str
    thread_id: str
    caller: Principal
    text: str
    mentions: tuple[Mention, ...] = ()
    preset: str | None = None
    settings: TurnSettings = field(default_factory=TurnSettings)
    search_settings: dict[str, Any] = field(default_factory=dict)
    history: tuple[Exchange, ...] = ()
