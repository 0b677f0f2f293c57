"""A turn as an engine sees it, and earlier messages of its conversation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from footnote_agent.context.bill import Bill
from footnote_agent.context.trajectory import ModelReply, PastTurn, ToolResult
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import Mention, TurnSettings
from footnote_shared.kernel.clock import now


@dataclass(frozen=True, slots=True)
class Exchange:
    """One earlier message of the conversation. The text of an answer holds `[citation:n]` tokens."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """What is asked, by whom, in which scope. `search_settings`: the fields of SearchSettings as given.
    `asked_at` is the moment at which the turn was accepted, which a takeover does not change.

    For an engine that keeps its moves: the turns before this one, the moves of an earlier run of this one,
    those of its subagents by the call that they work for, the text that readers have of it, and the moment at
    which its time is up.

    `bill` is that of this run, with what the moves of an earlier one have used.
    """

    turn_id: str
    thread_id: str
    caller: Principal
    text: str
    mentions: tuple[Mention, ...] = ()
    guidance: str = ""
    nobody_to_ask: bool = False
    preset: str | None = None
    settings: TurnSettings = field(default_factory=TurnSettings)
    search_settings: dict[str, Any] = field(default_factory=dict)
    history: tuple[Exchange, ...] = ()
    past: tuple[PastTurn, ...] = ()
    moves: tuple[ModelReply | ToolResult, ...] = ()
    below: Mapping[str, tuple[ModelReply | ToolResult, ...]] = field(default_factory=dict)
    written: str = ""
    ends_at: datetime | None = None
    asked_at: datetime = field(default_factory=now)
    bill: Bill = field(default_factory=Bill, compare=False)
