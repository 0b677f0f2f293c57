"""The chat model of an evaluation: it answers prompts by what they show, and remembers what it wrote."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from footnote_cli.evaluation.chat_endpoint import ChatEndpoint
from footnote_cli.evaluation.judged_set import JudgedSet
from footnote_cli.evaluation.tempers import Temper
from footnote_cli.evaluation.writing import WrittenAnswer, passages_in, write

# A model reads before it writes; what the resolver makes ready meanwhile is not waited for later.
_FIRST_WORD_S = 0.3
_NOTHING_TO_SAY = ("The documents do not say.",)


class TemperedModel:
    """A model of one temper at a time, which its owner changes between questions."""

    def __init__(self, given: JudgedSet, seed: int) -> None:
        self._given = given
        self._seed = seed
        self._questions = {question.text: question for question in given.questions}
        self.temper = Temper.OBEDIENT
        self.written: dict[tuple[Temper, str], WrittenAnswer | None] = {}

    def pieces(self, prompt: str) -> Sequence[str]:
        """The answer to a prompt that ends in a question of the set. Raises KeyError for another."""
        evidence, _, asked = prompt.rpartition("\n\nQuestion: ")
        question = self._questions[asked]
        answer = write(self.temper, question, passages_in(evidence, question), self._given, self._seed)
        self.written[self.temper, asked] = answer
        return answer.pieces if answer is not None else _NOTHING_TO_SAY

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve it on loopback; yields the base URL for FOOTNOTE_CHAT_BASE_URL."""
        endpoint = ChatEndpoint(self.pieces, _FIRST_WORD_S).start()
        try:
            yield endpoint.url
        finally:
            endpoint.stop()
