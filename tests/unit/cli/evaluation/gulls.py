"""One question about gulls, a prompt that shows its answer, and what models write to it."""

from footnote_cli.evaluation.judged_set import JudgedQuestion, JudgedSet
from footnote_cli.evaluation.tempers import Temper
from footnote_cli.evaluation.writing import WrittenAnswer, passages_in, write

SENTENCE = (
    "However, the gull of Scarborough (a big one) steals 4 sandwiches from many people on the pier, "
    "which they report."
)
QUESTION = JudgedQuestion(
    "How many does it steal?", "gull", "4 sandwiches from many people on the pier", SENTENCE
)
GIVEN = JudgedSet({}, [QUESTION], ["The comet Halvorsen comes back every 71 years."], ["Halvorsen"])
PROMPT = (
    "<retrieved_context>\n"
    '<document title="Gulls" source="x" view="excerpt">\n'
    "[1] Gulls live by the sea.\nThey are white.\n"
    f"[2] {SENTENCE} It is old.\n"
    "§ Comets\n"
    "[3] Its tail is green.\n"
    "</document>\n</retrieved_context>"
)
SHOWN = passages_in(PROMPT, QUESTION)


def written(temper: Temper) -> WrittenAnswer:
    """What a model of this temper answers."""
    answer = write(temper, QUESTION, SHOWN, GIVEN, 7)
    assert answer is not None
    return answer
