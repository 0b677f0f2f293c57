"""What all agents of a turn may still use together (spec 5.1, 5.5). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from footnote_agent.context.trajectory import ModelReply, SpentBelow, ToolResult

KEPT_STEPS = 2
"""Steps that subagents leave to whoever has handed the work on: to look at the results, and to answer."""


@dataclass(slots=True)
class SharedBudget:
    """Steps, calls of tools and tokens that are left. Whoever works takes from it, however many there are."""

    steps: int
    tool_calls: int
    tokens: int

    def take_step(self) -> bool:
        """Take a call of the model. False where none is left for a subagent."""
        if self.steps <= KEPT_STEPS or self.tokens <= 0:
            return False
        self.steps -= 1
        return True

    def take_calls(self, wanted: int) -> int:
        """Take this many calls of tools, or as many as are left."""
        taken = max(0, min(wanted, self.tool_calls))
        self.tool_calls -= taken
        return taken

    def take_spent(self, spent: SpentBelow) -> None:
        """Take what an earlier run of a subagent has used, beside its tokens."""
        self.steps -= spent.steps
        self.tool_calls -= spent.tool_calls


@dataclass(slots=True)
class Spending:
    """What one subagent has used beside tokens, and those below it."""

    steps: int = 0
    tool_calls: int = 0

    @classmethod
    def of(cls, moves: Sequence[ModelReply | ToolResult]) -> "Spending":
        """What these moves of a subagent have used."""
        spent = cls()
        for move in moves:
            spent.add_below(move)
            if isinstance(move, ModelReply):
                spent.steps += 1
                spent.tool_calls += len(move.calls)
        return spent

    def add_below(self, move: ModelReply | ToolResult) -> None:
        """Count what was used further below for the result of a call."""
        below = move.spent if isinstance(move, ToolResult) else SpentBelow()
        self.steps += below.steps
        self.tool_calls += below.tool_calls

    def kept(self) -> SpentBelow:
        """As it is kept with the result."""
        return SpentBelow(steps=self.steps, tool_calls=self.tool_calls)
