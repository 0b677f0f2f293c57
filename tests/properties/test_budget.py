"""The budget is never passed, whatever the texts are."""

from hypothesis import given
from hypothesis import strategies as st

from footnote_retriever.funnel.budget import CountTokens, Text, fit, whole_sentences

WORDS = st.lists(
    st.sampled_from(["alpha", "beta.", "gamma", "delta!", "e.g.", "\n\n", "z" * 30]), max_size=40
).map(" ".join)
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=80)), max_size=12)


def words(text: str) -> int:
    return len(text.split())


def bumpy(text: str) -> int:
    """A tokenizer whose count of a whole is not the sum of its parts."""
    return len(text) // 3 + len(text.split()) + text.count(".") * 2


def given_texts(texts: list[str], count: CountTokens) -> list[Text]:
    """Every second one comes with its tokens known."""
    return [Text(text, count(text) if place % 2 else None) for place, text in enumerate(texts)]


@given(TEXTS, st.integers(0, 60), st.booleans(), st.sampled_from([words, bumpy]))
def test_never_over_budget_and_in_rank_order(
    texts: list[str], budget: int, clip: bool, count: CountTokens
) -> None:
    taken = fit(given_texts(texts, count), budget, count, clip=clip)
    assert sum(count(one.text) for one in taken) <= budget
    indices = [one.rank for one in taken]
    assert indices == sorted(set(indices))
    for position, (index, text, start) in enumerate(taken):
        assert start == 0
        assert texts[index].startswith(text)
        if text != texts[index]:
            assert clip
            assert position == len(taken) - 1
            assert text.strip()


@given(TEXTS, st.integers(1, 60))
def test_without_clipping_nothing_that_would_fit_is_left_out(texts: list[str], budget: int) -> None:
    taken = fit(given_texts(texts, words), budget, words, clip=False)
    room = budget - sum(words(one.text) for one in taken)
    chosen = {one.rank for one in taken}
    if room > 0:
        assert all(words(text) > room for index, text in enumerate(texts) if index not in chosen)


@given(TEXTS, st.booleans())
def test_room_enough_takes_all(texts: list[str], clip: bool) -> None:
    assert [one.text for one in fit(given_texts(texts, words), 10_000, words, clip=clip)] == texts


@given(st.one_of(WORDS, st.text(max_size=200)), st.integers(0, 40))
def test_a_clipped_text_is_the_longest_run_of_whole_sentences(text: str, budget: int) -> None:
    head = whole_sentences(text, budget, words)
    assert text.startswith(head)
    assert words(head) <= budget
    if words(text) <= budget:
        assert head == text.rstrip()


def test_a_text_is_cut_behind_a_sentence() -> None:
    assert (
        whole_sentences("One two three. Four five six. Seven.", 6, words) == "One two three. Four five six."
    )
    assert whole_sentences("One two three four.", 3, words) == ""
