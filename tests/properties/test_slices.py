"""What is embedded next: bounded, shared, and never stuck."""

from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.pipeline.slices import EmbedText, Pace, Wanted, next_slice, tokens_of

BUDGET = 100


def wanted(workspace_id: str, name: str, count: int, tokens: int = 10) -> Wanted:
    return Wanted(workspace_id, {f"{name}{n}": EmbedText(f"text of {name}{n}", tokens) for n in range(count)})


lengths = st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 30), st.integers(0, 40)), max_size=8)


@given(lengths)
def test_a_slice_exceeds_its_budget_by_one_text_at_most_and_never_stands_still(
    given_lengths: list[tuple[str, int, int]],
) -> None:
    documents = [wanted(ws, f"d{i}-", count, tokens) for i, (ws, count, tokens) in enumerate(given_lengths)]
    tokens = {name: text.tokens for document in documents for name, text in document.missing.items()}
    chosen = next_slice(documents, BUDGET)
    assert bool(chosen) == bool(tokens)
    assert sum(tokens[name] for name in chosen) < BUDGET + max(tokens.values(), default=0) + 1


@given(lengths)
def test_slice_after_slice_everything_is_embedded_once(given_lengths: list[tuple[str, int, int]]) -> None:
    documents = [wanted(ws, f"d{i}-", count, tokens) for i, (ws, count, tokens) in enumerate(given_lengths)]
    everything = {name for document in documents for name in document.missing}
    done: list[str] = []
    while chosen := next_slice(documents, BUDGET):
        done += chosen
        for document in documents:
            document.drop(chosen)
    assert sorted(done) == sorted(everything)


def test_a_quarter_is_for_the_document_that_was_taken_first_whatever_else_waits() -> None:
    oldest = wanted("A", "oldest", 1000)
    crowd = [wanted("A", f"short{n}-", 1) for n in range(200)]
    chosen = next_slice([oldest, *crowd], 2000)
    assert sum(name.startswith("oldest") for name in chosen) == 50


def test_workspaces_share_the_rest_text_by_text() -> None:
    documents = [wanted("A", "a", 100), wanted("A", "b", 90), wanted("B", "c", 1000), wanted("C", "d", 5)]
    chosen = list(next_slice(documents, 160))
    assert [sum(name.startswith(letter) for name in chosen) for letter in "abcd"] == [4, 4, 4, 4]


def test_of_one_workspace_the_shortest_document_comes_first() -> None:
    chosen = next_slice([wanted("A", "a", 100), wanted("A", "b", 40), wanted("A", "c", 3)], 80)
    assert [name for name in chosen if name.startswith("c")] == ["c0", "c1", "c2"]


def test_a_slice_smaller_than_a_text_has_a_place_for_a_short_document() -> None:
    documents = [wanted("A", "long", 100, tokens=200), wanted("A", "short", 1, tokens=12)]
    assert list(next_slice(documents, 50)) == ["long0", "short0"]


@given(st.integers(1, 10_000), st.floats(0, 100))
def test_a_slice_is_as_long_as_the_machine_is_quick(tokens: int, seconds: float) -> None:
    pace = Pace(least=1000, most=4000, aim_s=0.3)
    assert pace.tokens == 4000
    pace.note(tokens, seconds)
    assert 1000 <= pace.tokens <= 4000
    if 1000 < pace.tokens < 4000:
        assert abs(pace.tokens * seconds / tokens - 0.3) < 0.01


def test_on_a_busy_machine_a_slice_gets_shorter_and_on_an_idle_one_long_again() -> None:
    pace = Pace(least=1000, most=4000, aim_s=0.3)
    pace.note(4000, 0.6)
    assert pace.tokens == 2000
    pace.note(2000, 3.0)
    assert pace.tokens == 1000
    pace.note(1000, 0.05)
    assert pace.tokens == 4000


def test_the_tokens_of_a_text_that_two_documents_want_count_once() -> None:
    shared = {"same": EmbedText("same", 10), "other": EmbedText("other", 5)}
    assert tokens_of([Wanted("A", dict(shared)), Wanted("B", dict(shared))], ["same"]) == 10


def test_a_text_that_several_documents_share_is_embedded_once() -> None:
    shared = {"same": EmbedText("same", 10)}
    assert next_slice([Wanted("A", dict(shared)), Wanted("B", dict(shared))], BUDGET) == {"same": "same"}
