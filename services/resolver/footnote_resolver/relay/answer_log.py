"""What a relay notes beside the events, so that its successor takes the same steps. Pure.

Why: docs/adr/0011.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any

import orjson


class AnswerLog:
    """The answers that depended on the moment, and the deltas that were taken as one.

    One per attempt at a turn. It begins with what the predecessors noted and repeats that. What comes behind
    it is new, and is noted with the next append.
    """

    def __init__(self, noted: Iterable[str] = ()) -> None:
        """`noted` is what stands beside the written events, in their order: JSON, or empty."""
        self._taken = 0
        self._noted_taken = 0
        self._noted_answers: deque[Any] = deque()
        self._noted_joins: dict[int, int] = {}
        self._new_answers: list[Any] = []
        self._new_joins: list[tuple[int, int]] = []
        for line in noted:
            if line:
                note = orjson.loads(line)
                self._noted_answers.extend(note["answers"])
                self._noted_joins.update(note["joins"])
                self._noted_taken = note["taken"]

    @property
    def repeats(self) -> bool:
        """Whether a predecessor is known to have taken the raw events that come next."""
        return self._taken < self._noted_taken

    def has_answer(self) -> bool:
        """Whether a predecessor has noted the next answer."""
        return bool(self._noted_answers)

    def answer_again(self) -> Any:
        """The next answer that a predecessor noted."""
        return self._noted_answers.popleft()

    def note_answer(self, answer: Any) -> None:
        """Note an answer of this moment."""
        self._new_answers.append(answer)

    def noted_size(self) -> int:
        """How many raw events a predecessor took for the next step."""
        return self._noted_joins.get(self._taken, 1)

    def take_again(self, size: int) -> None:
        """Take this many raw events for the next step, as a predecessor did."""
        self._taken += size

    def take(self, size: int) -> None:
        """Take this many raw events for a step that no predecessor has taken."""
        if size > 1:
            self._new_joins.append((self._taken, size))
        self._taken += size

    def encode(self) -> bytes:
        """What is new, as JSON; empty when nothing is."""
        if not (self._new_answers or self._new_joins):
            return b""
        return orjson.dumps({"taken": self._taken, "answers": self._new_answers, "joins": self._new_joins})

    def written(self) -> None:
        """What was new stands beside an event now."""
        self._new_answers.clear()
        self._new_joins.clear()
