"""Whatever a document says, what is quoted of it has its own number and no other, live and stored."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_agent.engines.composing import cite
from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import Normaliser
from tests.properties.effort import examples

KNOWN = frozenset({1, 2, 3})
PIECES = st.sampled_from(
    [
        *("`", "``", "```", "~~~", "$$", "\\(", "\\)", "\\[", "\\]", "\\begin{equation}", "\\end{equation}"),
        *(
            "[2]",
            "［2］",
            "【2】",
            "[^2]",
            "[",
            "]",
            "［",
            "】",
            "[citation:",
            "[citation:2",
            "2",
            "²",
            "[2](u)",
        ),
        *("\\", "<!--", "<pre>", "(", ")", "!", ".", "|", "#", "- ", "1. ", "> ", "\u200b"),
        *("The fog ", "is ", " set", "a"),
    ]
)


@settings(max_examples=examples(400))
@given(st.lists(PIECES, min_size=1, max_size=12).map("".join).filter(str.strip))
def test_a_quoted_sentence_has_its_own_number_and_no_other(sentence: str) -> None:
    answer = f"{cite(' '.join(sentence.split()), 1)}\n\nAnd [3]."
    normaliser = Normaliser(KNOWN.__contains__, lambda: 3)
    live = normaliser.feed(answer) + normaliser.close()
    for shown in (live, finalize(answer, KNOWN.__contains__, lambda: 3).text):
        assert re.findall(r"\[citation:(\d+)\]", shown) == ["1", "3"]
