"""The text of one reply among those of its turn, and the words of ours where a model has none. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from footnote_agent.context.plain_name import plain_name
from footnote_agent.context.trajectory import SeenPassage
from footnote_agent.engines.disarming import disarm

_TITLES_AT_MOST = 5
_NUMBERS_AT_MOST = 5
CUT_SHORT = "(The time for this answer is up, so it ends here.)"

_ENDS = (".", "!", "?", "]", "```")
"""What stands at the end of an answer that was said to its end."""


@dataclass(slots=True)
class ReplyText:
    """Grows piece by piece. `before`: the text of the turn so far; a reply that `goes_on` continues it."""

    before: str
    goes_on: bool
    text: str = ""

    def add(self, piece: str) -> str:
        """The piece as readers get it: the first one stands apart from what was said before."""
        if not self.text and self.before and not self.goes_on:
            piece = f"\n\n{piece.lstrip()}" if not self.before.endswith("\n\n") else piece.lstrip()
        self.text += piece
        return piece

    @property
    def has_nothing_to_add(self) -> bool:
        """Whether a reply without a word is right: the one before broke off behind its last sentence."""
        return self.goes_on and not self.text and self.before.rstrip().endswith(_ENDS)

    def last_words(
        self,
        shown: Sequence[SeenPassage],
        used_up: str | None,
        *,
        cut_short: bool,
        cut_off: Sequence[str] = (),
    ) -> str:
        """What is said behind a reply that ends the turn without a word, or that its time has `cut_short`.

        `cut_off`: what was being done when the time was up, and may have been done or not.
        """
        if self.text:
            return f"\n\n{CUT_SHORT}" if cut_short else ""
        if self.has_nothing_to_add:
            return ""
        unknown = f"\n\nIt is not known whether this was done: {', '.join(cut_off)}." if cut_off else ""
        return closing_words(shown, used_up) + unknown


def closing_words(shown: Sequence[SeenPassage], used_up: str | None) -> str:
    """An honest end of a turn whose model has written no answer: why, and what was found."""
    why = (
        f"I have used up {used_up} for this question before I could finish an answer."
        if used_up
        else "I could not put an answer into words."
    )
    by_title: dict[str, list[int]] = {}
    for passage in shown:
        numbers = by_title.setdefault(passage.title, [])
        if passage.n not in numbers:
            numbers.append(passage.n)
    if not by_title:
        return f"{why} I found nothing in your documents so far."
    lines = [
        f"- {disarm(plain_name(title))} {''.join(f'[{n}]' for n in numbers[:_NUMBERS_AT_MOST])}"
        for title, numbers in list(by_title.items())[:_TITLES_AT_MOST]
    ]
    return "\n".join([f"{why} These passages came nearest:\n", *lines])
