"""What all agents of a turn may still use together (spec 5.1, 5.5). Pure."""

from dataclasses import dataclass

from footnote_agent.context.trajectory import SpentBelow

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
        """Take so many calls of tools, or as many as are left."""
        taken = max(0, min(wanted, self.tool_calls))
        self.tool_calls -= taken
        return taken


@dataclass(slots=True)
class Spending:
    """What one subagent has used, and those below it."""

    steps: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, below: SpentBelow) -> None:
        """Count what was used further below."""
        self.steps += below.steps
        self.tool_calls += below.tool_calls
        self.input_tokens += below.input_tokens
        self.output_tokens += below.output_tokens

    def kept(self) -> SpentBelow:
        """As it is kept with the result."""
        return SpentBelow(
            steps=self.steps,
            tool_calls=self.tool_calls,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
        )
