"""What an engine is: a question goes in, typed steps come out in the order in which a reader sees them."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, Protocol

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.trajectory import ModelReply, ToolResult
from footnote_shared.contracts.events import (
    ApprovalNeeded,
    Progress,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from footnote_shared.models.protocol import AnswerCut


@dataclass(frozen=True, slots=True)
class Note:
    """Something for the answer record (spec 5.9), not for the stream."""

    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kept:
    """A move of the turn. It is kept before the engine goes on, for whoever takes the turn over.

    With `meanwhile` it may be kept while the engine goes on: what comes next leaves nothing behind, and could
    be done again. Nothing of that is shown before. A subagent waits for `done`, which says that its move is
    kept.
    """

    move: ModelReply | ToolResult
    meanwhile: bool = False
    done: asyncio.Event = field(default_factory=asyncio.Event, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Settled:
    """What a person was asked about the call is settled, and the time of the turn goes on."""

    call_id: str


EngineOutput = (
    Progress | TextDelta | AnswerCut | ToolStarted | ToolFinished | ApprovalNeeded | Settled | Note | Kept
)


class Engine(Protocol):
    """Runs one turn. It raises a FootnoteError when it cannot go on; the text that it gave before is kept.

    A `deterministic` engine gives the same text again for the same question and evidence. One that
    `keeps_moves` goes on from the moves of an earlier run and the text that it wrote. Behind either, another
    run can continue one that died in the middle of its answer.
    """

    @property
    def deterministic(self) -> bool: ...

    @property
    def keeps_moves(self) -> bool: ...

    def run(self, turn: AskedTurn) -> AsyncGenerator[EngineOutput, None]:
        """The steps of the turn. Cancelling the iteration stops the work at its next await."""
        ...
