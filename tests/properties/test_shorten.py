"""What is cut of passages: never over the budget, never out of place, nothing twice; and what is left."""

from hypothesis import given
from hypothesis import strategies as st

from footnote_retriever.funnel.budget import CountTokens
from footnote_retriever.funnel.shorten import BESIDE, LEAST_ROOM, RANK, Shortenable, best_parts
from tests.properties.test_budget import TEXTS, bumpy, words

QUERIES = st.sampled_from(["alpha", "beta gamma", "the", "", "delta zzz", "epsilon"])


def of_one_document(text: str, size: int, step: int) -> list[Shortenable]:
    """Slices of one text that overlap, as chunks do."""
    return [Shortenable(text[at : at + size], "book", at) for at in range(0, max(1, len(text)), step)]


@given(QUERIES, TEXTS, st.integers(0, 60), st.sampled_from([words, bumpy]), st.lists(st.booleans()))
def test_never_over_the_budget_and_each_a_part_at_its_place(
    query: str, texts: list[str], budget: int, count: CountTokens, whole: list[bool]
) -> None:
    flags = [*whole, *[False] * len(texts)]
    passages = [Shortenable(text, str(at % 3), 7 * at, whole=flags[at]) for at, text in enumerate(texts)]
    taken = best_parts(query, passages, budget, count)
    assert sum(count(one.text) for one in taken) <= budget
    assert [one.rank for one in taken] == sorted({one.rank for one in taken})
    for one in taken:
        text = texts[one.rank]
        assert text[one.start : one.start + len(one.text)] == one.text
        assert one.text.strip()
        assert not flags[one.rank] or one.text == text


@given(QUERIES, st.text("ab .\n", max_size=300), st.integers(20, 60), st.integers(10, 60))
def test_the_same_passages_get_the_same_parts(query: str, text: str, size: int, step: int) -> None:
    passages = of_one_document(text, size, step)
    assert best_parts(query, passages, 20, words) == best_parts(query, passages, 20, words)


def sentence(name: str, number: int, length: int = 10) -> str:
    return " ".join([name, *(f"w{number}x{at}" for at in range(length - 2)), "end."])


def test_each_passage_keeps_the_sentences_about_the_query() -> None:
    texts = [
        " ".join(sentence("gulls" if at == 3 else "sea", 10 * book + at) for at in range(8))
        for book in range(4)
    ]
    passages = [Shortenable(text, f"book {at}", 0) for at, text in enumerate(texts)]
    taken = best_parts("where do gulls live", passages, 120, words)
    assert [one.rank for one in taken] == [0, 1, 2, 3]
    assert all("gulls" in one.text for one in taken)
    assert sum(words(one.text) for one in taken) == 120


def test_what_two_passages_share_is_shown_once() -> None:
    shared = sentence("gulls", 1, 20)
    first, second = f"{sentence('sea', 2, 20)} {shared}", f"{shared} {sentence('gulls', 3, 20)}"
    at = len(first) - len(shared)
    parts = best_parts("gulls", [Shortenable(first, "book", 0), Shortenable(second, "book", at)], 75, words)
    assert sum(one.text.count(shared) for one in parts) == 1
    elsewhere = [Shortenable(first, "book", 0), Shortenable(second, "another book", at)]
    assert sum(one.text.count(shared) for one in best_parts("gulls", elsewhere, 75, words)) == 2


def test_a_table_is_shown_whole_or_not_at_all() -> None:
    table = "\n".join(sentence("gulls", at) for at in range(4))
    prose = " ".join(sentence("sea", 10 + at) for at in range(4))
    passages = [Shortenable(prose, "a", 0), Shortenable(table, "b", 0, whole=True)]
    assert best_parts("gulls", passages, 79, words)[-1].text == table
    assert [one.rank for one in best_parts("gulls", passages, 39, words)] == [0]


def test_no_word_of_the_query_takes_them_by_rank() -> None:
    texts = [" ".join(sentence("sea", 10 * book + at) for at in range(6)) for book in range(3)]
    passages = [Shortenable(text, f"book {at}", 0) for at, text in enumerate(texts)]
    parts = best_parts("something else", passages, 100, words)
    assert parts[0].text == texts[0]
    assert texts[1].startswith(parts[1].text)
    assert [one.rank for one in parts] == [0, 1]


def test_a_rank_costs_a_little_of_the_words() -> None:
    """Of four words a later sentence has one more. That outweighs few ranks and not many."""
    worth = 0.25
    near, far = int(worth / RANK) - 3, int(worth / RANK) + 9
    for place, expected in ((near, True), (far, False)):
        passages = [Shortenable("no words here.", f"empty {at}", 0, whole=True) for at in range(place)]
        passages[0] = Shortenable(sentence("gulls eat bread", 1, 41), "first", 0)
        passages.append(Shortenable(sentence("gulls eat bread crumbs", 2, 41), "last", 0))
        titles = [
            passages[one.rank].document for one in best_parts("gulls eat bread crumbs", passages, 45, words)
        ]
        assert ("last" in titles) is expected


def test_a_sentence_beside_the_words_goes_before_words_that_are_few() -> None:
    answer = "It was twelve days of them."
    asked = f"{sentence('incubation period virus', 1)} {answer}"
    other = sentence("period", 2, 6)
    passages = [Shortenable(other, "a", 0), Shortenable(asked, "b", 0)]
    parts = best_parts("incubation period of the virus", passages, 18, words)
    assert BESIDE > 0.5
    assert answer in parts[-1].text


def test_a_rest_of_the_budget_begins_no_passage() -> None:
    first = sentence("gulls", 1, 40)
    passages = [Shortenable(first, "a", 0), Shortenable("Gulls eat.", "b", 0)]
    assert [one.rank for one in best_parts("gulls", passages, 40 + LEAST_ROOM - 1, words)] == [0]
    assert [one.rank for one in best_parts("gulls", passages, 40 + LEAST_ROOM, words)] == [0, 1]
