"""A summary holds nothing but sentences of its document, whatever that is made of."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.facts.summary_of_text import LONGEST_SUMMARY, SummedPassage, summary_of_text

WORDS = st.sampled_from(
    [
        "The pump",
        "moves water.",
        "See",
        "[the hall](hall.md)",
        "**now**",
        "\n",
        "\n\n",
        "- ",
        "# Head",
        "| a | b |",
        "```",
        "code()",
        "p < 0.05",
        "Dr. No",
        "...",
        "12.5",
        "<p>",
        "水泵送水到冷却塔。",
        "it is old.",
        "Why?",
        "&amp;",
    ]
)
TEXTS = st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=400)
PASSAGES = st.lists(
    st.builds(
        SummedPassage,
        TEXTS,
        st.sampled_from(["paragraph", "list", "code", "table", "transcript"]),
        st.sampled_from([(), ("Abstract",), ("Pumps", "Care")]),
        st.sampled_from([None, "en", "de", "zh"]),
    ),
    max_size=16,
)


@given(PASSAGES)
def test_each_of_its_letters_stands_in_prose_of_the_document_in_order(passages: list[SummedPassage]) -> None:
    said = summary_of_text(passages)
    if said is None:
        return
    assert 0 < len(said) <= LONGEST_SUMMARY
    assert said == " ".join(said.split())
    assert not {"\n", "|", "`", "{", "}"} & set(said)
    prose = "".join(one.text for one in passages if one.kind not in ("code", "table"))
    assert all(word in prose or word.strip("[]()*_") in prose for word in said.split())


@given(PASSAGES)
def test_it_is_the_same_each_time_and_ends_a_sentence(passages: list[SummedPassage]) -> None:
    said = summary_of_text(passages)
    assert said == summary_of_text(passages)
    assert said is None or said.rstrip("\"')]”’»」』`")[-1] in ".!?。！？"


@pytest.mark.parametrize(
    "worst", ["[", "[a](", "*", "a_", "`", ". ", "A b c d. ", "&#1", "\n\n", "- ", "(" * 9 + " "]
)
def test_hostile_texts_cost_no_more_than_their_length(worst: str) -> None:
    def took(length: int) -> float:
        passages = [SummedPassage((worst * length)[:length], "paragraph", (), "en")] * 12
        begun = time.process_time()
        summary_of_text(passages)
        return time.process_time() - begun

    took(100)
    assert min(took(8000) for _ in range(3)) < 40 * max(min(took(800) for _ in range(3)), 0.0005)
