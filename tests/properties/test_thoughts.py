"""A model's thoughts are told from its answer, however its text was cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.models.thoughts import ThoughtFilter, ThoughtProfile, profile_of

PIECES = st.sampled_from(
    [
        *(
            "<think>",
            "</think>",
            "<Thinking>",
            "</thinking>",
            "<",
            "<th",
            "</thi",
            "nk>",
            "[THINK]",
            "`",
            "```",
        ),
        *("\n", " ", "\u200b", "Gulls fly", "[1]", ".", "<b>", "é", "İ", "secret"),
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)
PROFILES = st.sampled_from(
    [profile_of("gpt-4o"), profile_of("deepseek-r1:8b"), profile_of("magistral"), profile_of("x", "none")]
)


def filtered(deltas: list[str], profile: ThoughtProfile, *, complete: bool = True) -> str:
    thoughts = ThoughtFilter(profile)
    return "".join([*map(thoughts.feed, deltas), thoughts.close(complete=complete)])


def cut(text: str, places: list[int]) -> list[str]:
    marks = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[start:end] for start, end in pairwise(marks)]


@given(TEXTS, st.lists(st.integers(0, 200), max_size=8), PROFILES, st.booleans())
def test_the_answer_does_not_depend_on_the_cuts(
    text: str, places: list[int], profile: ThoughtProfile, complete: bool
) -> None:
    whole = filtered([text], profile, complete=complete)
    assert filtered(cut(text, places), profile, complete=complete) == whole
    assert filtered(list(text), profile, complete=complete) == whole


@given(TEXTS)
def test_no_more_than_the_beginning_of_a_tag_is_held_back(text: str) -> None:
    """In a text that is all answer."""
    text = "A" + text.replace("<", "‹").replace("[", "(") + "</reasonin"
    thoughts = ThoughtFilter(profile_of("magistral"))
    given_so_far = "".join(map(thoughts.feed, text))
    assert len(text) - len(given_so_far) < len("</reasoning>")


@given(st.text(max_size=60), st.text(alphabet=" \n\tab", max_size=20))
def test_a_thought_before_the_answer_is_never_shown(thought: str, answer: str) -> None:
    if "</think>" in thought.lower():
        return
    assert filtered(list(f"<think>{thought}</think>{answer}"), profile_of("m")) == answer.lstrip()


class TestThoughts:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ("<think>secret [1]</think>\n\nFour [1].", "Four [1]."),
            ("<think>a</think><think>b</think>Four.", "Four."),
            ("Four.\n<think>secret</think>\nFive.", "Four.\n\nFive."),
            ("<THINK>secret</Think>Four.", "Four."),
            ("<reasoning>secret</reasoning>Four.", "Four."),
            ("<think>secret", ""),
            ("stray</think> Four.", "stray Four."),
        ],
    )
    def test_are_left_out(self, text: str, answer: str) -> None:
        assert filtered(list(text), profile_of("some-model")) == answer

    @pytest.mark.parametrize(
        "text",
        [
            "Write `<think>` before it and `</think>` behind it.",
            "```\n<think>\n```\nis the tag.",
            "The tag <think> opens it.",
            "if a <b and c> d",
        ],
    )
    def test_are_not_what_an_answer_says_about_tags(self, text: str) -> None:
        assert filtered(list(text), profile_of("some-model")) == text

    def test_that_were_cut_by_the_limit_are_not_shown(self) -> None:
        assert filtered(["Four.\n<think>secret"], profile_of("m"), complete=False) == "Four.\n"

    def test_of_a_template_that_opens_them_end_where_it_says(self) -> None:
        r1 = profile_of("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B")
        assert filtered(["secret</thi", "nk>Four."], r1) == "Four."
        assert filtered(["Four, ", "and no thought."], r1) == "Four, and no thought."
        assert filtered(["<think>", "secret"], r1) == ""
        assert profile_of("Qwen3-4B-Thinking-2507").opened
        assert not profile_of("qwen3:8b").opened

    def test_in_a_field_of_their_own_open_none_in_the_text(self) -> None:
        thoughts = ThoughtFilter(profile_of("qwq"))
        assert thoughts.separated() + thoughts.feed("Four") == "Four"

    def test_have_tags_of_their_own_in_some_families(self) -> None:
        assert filtered(["[THI", "NK]secret[/THINK]Four."], profile_of("magistral-small")) == "Four."
        harmony = (
            "<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>Four."
        )
        assert filtered(list(harmony), profile_of("openai/gpt-oss-20b")) == "Four."
