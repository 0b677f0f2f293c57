"""What is left to do of a turn whose run died. Pure: the raw stream and the row decide."""

from dataclasses import dataclass
from typing import Literal

Plan = Literal["finish", "run", "continue", "cancel", "fail"]

MAX_RUNS = 5
"""Runs of one turn. A turn that kills its process every time must not go on for ever."""


@dataclass(frozen=True, slots=True)
class TakeoverPlan:
    """`run` starts over, `continue` passes over text that is written, `finish` only stores what is there."""

    plan: Plan
    reason: str = ""


def takeover_plan(
    *, ended: bool, text: str, continuable: bool, cancelled: bool, overdue: bool, runs: int
) -> TakeoverPlan:
    """Decide by what the reader has seen: text that was streamed is never taken back and never contradicted.

    Before any text a run can start over. Behind some, only an engine can go on whose turns are `continuable`:
    it gives the same text again, or it knows what it has done. Any other would write a second half that does
    not fit, so the partial answer is kept and marked as such.
    """
    if ended:
        return TakeoverPlan("finish")
    if cancelled:
        return TakeoverPlan("cancel")
    if overdue:
        return TakeoverPlan("fail", "The turn took longer than its time limit.")
    if runs > MAX_RUNS:
        return TakeoverPlan("fail", "The turn was interrupted too often.")
    if not text:
        return TakeoverPlan("run")
    if continuable:
        return TakeoverPlan("continue")
    return TakeoverPlan("fail", "The answer was interrupted; what there was of it is kept.")
