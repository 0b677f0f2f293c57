"""What is left to do of a turn whose run died. Pure: the raw stream and the row decide."""

from dataclasses import dataclass
from typing import Literal

Plan = Literal["finish", "run", "continue", "cancel", "fail"]

MAX_RUNS = 5


@dataclass(frozen=True, slots=True)
class Resumption:
    """`run` starts over, `continue` skips the text that is already written, `finish` only stores what was made."""

    plan: Plan
    reason: str = ""


def resumption(
    *, ended: bool, text: str, deterministic: bool, cancelled: bool, overdue: bool, runs: int
) -> Resumption:
    """Decide by what the reader has seen: text once streamed is never taken back and never contradicted.

    Before any text a run can start over. After it only a deterministic engine can go on; another would write a
    different second half, so the partial answer is kept and marked as such.
    """
    if ended:
        return Resumption("finish")
    if cancelled:
        return Resumption("cancel")
    if overdue:
        return Resumption("fail", "The turn took longer than its time limit.")
    if runs > MAX_RUNS:
        return Resumption("fail", "The turn was interrupted too often.")
    if not text:
        return Resumption("run")
    if deterministic:
        return Resumption("continue")
    return Resumption("fail", "The answer was interrupted; what there was of it is kept.")
