"""What a query asks for beside its words."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_retriever.funnel.wording import stands
from footnote_shared.kernel.query_operators import MOST, UnderstoodQuery, read_query
from tests.properties.effort import calls

_OPENED = ['"', '-"', "\u00ab", "title:", "-"]
_WHOLE = [
    '"tall ship"',
    "-sail",
    "title:log",
    'folder:"my notes"',
    "type:pdf",
    "after:2025",
    "\u201eSchiff\u201c",
]
_WORDS = ["before:x", "before:2024-02-30", "gull", "C++", "-5", "--all", " ", "\n", "\u4e2d"]
PIECES = st.sampled_from(_OPENED + _WHOLE + _WORDS)
QUERIES = st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=60)


@given(st.text(alphabet="ab-:./+#'()\u4e2d \n"))
def test_a_query_without_operators_is_its_own_text(query: str) -> None:
    asked = read_query(query)
    if not asked.left_out:
        assert asked == UnderstoodQuery(query)


@given(QUERIES)
def test_every_query_is_read_and_keeps_something_to_rank_by(query: str) -> None:
    asked = read_query(query)
    assert asked.text.strip() or not query.strip()
    for values in (asked.phrases, asked.left_out, asked.titles, asked.folders, asked.types):
        assert len(values) <= MOST
        assert all(any(char.isalnum() for char in value) for value in values)
    assert read_query(query) == asked


@given(QUERIES)
def test_words_to_leave_out_are_never_the_whole_query(query: str) -> None:
    asked = read_query(query)
    if asked.left_out:
        assert asked.text
        assert asked.text != query


@given(st.lists(st.sampled_from(["gull", "tern", "sea"]), min_size=1, max_size=4), st.permutations(range(4)))
def test_operators_mean_the_same_wherever_they_stand(words: list[str], order: list[int]) -> None:
    operators = ['"tall ship"', "-sail", "title:log", "before:2025-03"]
    asked = read_query(
        " ".join([*(operators[place] for place in order[:2]), *words, *(operators[p] for p in order[2:])])
    )
    assert (asked.phrases, asked.left_out, asked.titles) == (("tall ship",), ("sail",), ("log",))
    assert asked.created_to == datetime(2025, 2, 28, 23, 59, 59, 999999, tzinfo=UTC)
    assert set(asked.text.split()) == {*words, "tall", "ship"}


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ('gulls "over the bay"', UnderstoodQuery("gulls over the bay", phrases=("over the bay",))),
        ("gulls -terns", UnderstoodQuery("gulls", left_out=("terns",))),
        ('gulls -"grey terns"', UnderstoodQuery("gulls", left_out=("grey terns",))),
        ("gulls title:log", UnderstoodQuery("gulls", titles=("log",))),
        ('TITLE:"ship log" gulls', UnderstoodQuery("gulls", titles=("ship log",))),
        ("folder:/reports/2026", UnderstoodQuery("/reports/2026", folders=("/reports/2026",))),
        ("rent after:2025 before:2026-02-03", UnderstoodQuery(
            "rent",
            created_from=datetime(2025, 1, 1, tzinfo=UTC),
            created_to=datetime(2026, 2, 2, 23, 59, 59, 999999, tzinfo=UTC),
        )),
        (
            "rent after:2024 after:2025-06",
            UnderstoodQuery("rent", created_from=datetime(2025, 6, 1, tzinfo=UTC)),
        ),
        ("\u201eWer zahlt\u201c", UnderstoodQuery("Wer zahlt", phrases=("Wer zahlt",))),
    ],
)  # fmt: skip
def test_operators(query: str, asked: UnderstoodQuery) -> None:
    assert read_query(query) == asked


@pytest.mark.parametrize(
    "query",
    [
        "-terns",
        "what does -v do",
        "what does -fno-common do",
        "is it -5 outside",
        "the p-value",
        "gulls - terns",
        'a 5" pipe and a 3" pipe',
        'never "closed',
        '""',
        "title: the gulls",
        "before:noon",
        "after:2025-13",
        "type://x",
        "see note:this",
    ],
)
def test_what_is_no_operator_is_a_word(query: str) -> None:
    assert read_query(query) == UnderstoodQuery(query)


def test_an_operator_too_many_is_a_word() -> None:
    asked = read_query(" ".join(f'"phrase {number}"' for number in range(MOST + 1)))
    assert len(asked.phrases) == MOST
    assert f'"phrase {MOST}"' in asked.text


@pytest.mark.parametrize(
    "piece", ['"', '"a" ', "\u201c", "\u00ab", "title:", "-a ", '-"', " ", "x", 'title:"']
)
def test_work_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    short, long = calls(lambda: read_query(piece * 500)), calls(lambda: read_query(piece * 2000))
    assert long <= 5 * short + 100


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("over the bay", "Gulls fly Over\n the  bay.", True),
        ("the bay", "the bayou", False),
        ("bay", "bayou, embayment and bay", True),
        ("don\u2019t", "They don't.", True),
        ("co-op", "the co\u2011op", True),
        ("ship", "word-ship", True),
        ("stra\u00dfe", "STRASSE", True),
        ("a a", "aa a", False),
        ("a a", "aa a a", True),
        ("c++", "in C++, mostly", True),
        ("\u691c\u7d22", "\u5168\u6587\u691c\u7d22\u30b7\u30b9\u30c6\u30e0", True),
        ("\u691c\u67fb", "\u5168\u6587\u691c\u7d22\u30b7\u30b9\u30c6\u30e0", False),
        ("python", "\u3053\u308c\u306fPython\u3067\u66f8\u304f", True),
        ("pyth", "\u3053\u308c\u306fPython\u3067\u66f8\u304f", False),
        ("\ub370\uc774\ud130", "\ub370\uc774\ud130\ubca0\uc774\uc2a4", False),
    ],
)
def test_a_phrase_stands_as_whole_words(phrase: str, text: str, found: bool) -> None:
    assert stands(phrase, text) == found


@given(st.text(alphabet="ab -", max_size=12), st.text(alphabet="ab -", max_size=4))
def test_standing_is_what_it_means(text: str, phrase: str) -> None:
    plain, wanted = " ".join(text.split()), " ".join(phrase.split())
    if not wanted:
        return
    places = [at for at in range(len(plain)) if plain.startswith(wanted, at)]

    def inside(at: int) -> bool:
        return 0 < at < len(plain) and plain[at - 1].isalnum() and plain[at].isalnum()

    expected = any(not inside(at) and not inside(at + len(wanted)) for at in places)
    assert stands(phrase, text) == expected
