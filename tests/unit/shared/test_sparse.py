"""BM25 term weights."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from footnote_shared.embedding.sparse import MARK, READ, embed_document, embed_query, query_words, text_terms
from footnote_shared.kernel.vector_values import SparseVector
from tests.unit.shared.ranked_by_terms import places

_QUESTIONS = json.loads(Path(__file__).with_name("foreign_questions.json").read_text("utf-8"))


def test_a_query_shares_its_terms_with_a_document_that_has_them() -> None:
    document = embed_document("The warranties cover labour costs.")
    assert plain(embed_query("labour cost of a warranty")) <= set(document.indices)


def test_a_term_that_comes_often_weighs_more_but_not_in_proportion() -> None:
    once = dict(zip(*_parts("glacier river"), strict=True))
    often = dict(zip(*_parts("glacier glacier glacier glacier river"), strict=True))
    (glacier,) = plain(embed_query("glacier"))
    assert once[glacier] < often[glacier] < 4 * once[glacier]


def test_terms_of_a_query_weigh_alike() -> None:
    assert set(embed_query("boundary layer separation").values) == {1.0}


@pytest.mark.parametrize("text", ["", "the and of", "...", " \n"])
def test_stop_words_alone_are_empty(text: str) -> None:
    assert not embed_query(text)
    assert not embed_document(text)


@pytest.mark.parametrize("text", ["\ud83d labour", "\x00labour", "labour " * 100_000])
def test_hostile_text_keeps_its_terms(text: str) -> None:
    assert plain(embed_query("labour")) <= set(embed_document(text).indices)
    assert plain(embed_query("labour")) <= set(embed_document(text, "de").indices)


def test_many_threads_get_the_same() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(embed_document, ["The warranties cover labour costs."] * 64))
    assert all(sorted(each.indices) == sorted(found[0].indices) for each in found)


def _parts(text: str) -> tuple[list[int], list[float]]:
    vector = embed_document(text)
    return vector.indices, vector.values


def plain(vector: SparseVector) -> set[int]:
    """The terms of English text."""
    return {term for term in vector.indices if term < MARK}


class TestOtherLanguages:
    @pytest.mark.parametrize("language", _QUESTIONS)
    def test_words_are_found_in_another_form(self, language: str) -> None:
        """The questions have the words of their passages in another form, and hardly one in the same."""
        pairs = [(one["passage"], one["question"]) for one in _QUESTIONS[language]]
        as_english = places(pairs, None)
        assert places(pairs, language).count(1) >= 7
        assert as_english.count(1) <= 4

    @pytest.mark.parametrize("language", READ)
    def test_text_in_english_scores_as_if_there_were_no_other_language(self, language: str) -> None:
        english = embed_document("The general warranties of planes cover all costs and information.")
        query = embed_query("general warranty for planes: costs, information")
        assert max(english.indices) < MARK
        assert set(english.indices) & set(query.indices) <= plain(query)
        assert set(embed_document("warranties costs", language).indices) - plain(query)

    @pytest.mark.parametrize("word", ["Titicaca", "Verträge"])
    def test_a_word_that_stands_as_it_is_asked_for_counts_as_much_as_in_english(self, word: str) -> None:
        query = set(embed_query(word).indices)
        scores = [
            sum(value for term, value in zip(found.indices, found.values, strict=True) if term in query)
            for found in (embed_document(word), embed_document(word, "de"))
        ]
        assert scores[1] == pytest.approx(scores[0])

    def test_stop_words_of_the_language_are_no_terms(self) -> None:
        assert not embed_document("und die der das", "de")
        assert embed_document("und die der das")

    @pytest.mark.parametrize(
        ("language", "document", "query"),
        [
            ("zh", "保修期为两年,从购买之日起计算。", "保修期多长?"),
            ("ja", "保証期間は購入日から二年間です。", "保証期間はどのくらいですか"),
            ("ru", "Договоры продлеваются на год.", "договор"),
            ("el", "Οι συμβάσεις παρατείνονται.", "σύμβαση παρατείνεται"),
            ("ar", "العقود تجدد كل سنة", "عقود"),
        ],
    )
    def test_other_scripts_are_read(self, language: str, document: str, query: str) -> None:
        asked = set(embed_query(query).indices)
        assert not asked & set(embed_document(document).indices)
        assert asked & set(embed_document(document, language).indices)

    @pytest.mark.parametrize("language", ["pl", "ko", "nds", "", None])
    def test_a_language_without_a_stemmer_is_read_as_before(self, language: str | None) -> None:
        text = "Gwarancja obowiązuje przez dwa lata"
        assert _as_dict(embed_document(text, language)) == _as_dict(embed_document(text))

    @pytest.mark.parametrize(
        "query",
        [
            "What does the warranty cover, and who pays for it?",
            "Verträge der Haftung; contrats-cadres",
            "warranty гарантия 2019 Σύμβασης",
            "x\x1cy naïve\u00a0café",
            "保修期 warranty 保証期間",
        ],
    )
    def test_a_word_has_the_same_terms_in_a_short_query_and_in_a_long_one(self, query: str) -> None:
        stop_words = "the and of to in is are was were be been by for from has have he it its on that this"
        stop_words += " with they them their there these those through until very what when where which who"
        assert len(set(stop_words.split())) > 32
        assert not embed_query(stop_words)
        assert embed_query(query) == embed_query(f"{query} {stop_words}")

    def test_a_long_query_has_a_bounded_number_of_terms(self) -> None:
        words = " ".join(f"word{number}" for number in range(20_000))
        found = embed_query(words)
        assert len(plain(found)) == 20_000
        assert len(found.indices) - 20_000 < 2000 / 5 * len(READ)


class TestIdentifiers:
    @pytest.mark.parametrize("version", [1, 2])
    def test_are_terms_since_the_second_version(self, version: int) -> None:
        document = embed_document("Fault INV-4711", version=version)
        query = embed_query("Fault INV-4711", version)
        known = set(document.indices) & set(query.indices)
        assert len(known - plain(query)) == version - 1

    @pytest.mark.parametrize("length", [2, 1024])
    def test_weigh_as_a_word_that_comes_as_often(self, length: int) -> None:
        words = " ".join(["glacier", "INV-4711", *(f"filler{n}" for n in range(length - 2))])
        found = _as_dict(embed_document(words))
        before = _as_dict(embed_document(words, version=1))
        (glacier,) = plain(embed_query("glacier"))
        (identifier,) = set(embed_query("INV-4711").indices) & (found.keys() - before.keys())
        assert found[identifier] == pytest.approx(found[glacier], rel=0.01)

    @pytest.mark.parametrize(("asked", "read"), [(63, 63), (64, 64), (65, 64)])
    def test_sixty_four_of_a_query_are_read(self, asked: int, read: int) -> None:
        query = " ".join(f"INV-{1000 + n}" for n in range(asked))
        assert len(embed_query(query).indices) - len(embed_query(query, 1).indices) == read


def _as_dict(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices, vector.values, strict=True))


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("如何修改用户密码", "zh", ["修改", "用户", "密码"]),
        ("git仓库的远程分支", "zh", ["git", "仓库", "远程", "分支"]),
        ("ファイルのアクセス権", "ja", ["ファイル", "アクセス"]),
        ("the certificate", "zh", ["certificate"]),
    ],
)
def test_a_question_without_spaces_is_asked_word_by_word(
    question: str, language: str, words: list[str]
) -> None:
    assert list(query_words(question, language)) == words


def test_a_text_has_those_words_of_a_question_without_spaces_that_stand_in_it() -> None:
    terms = text_terms("用户可以查看文件。", "zh")
    words = query_words("如何修改用户密码", "zh")
    assert [word for word, own in words.items() if not own.isdisjoint(terms)] == ["用户"]


@pytest.mark.parametrize("text", ["的" * 8000, "密" * 8000, "如何修改用户密码" * 1000, "密码 " * 2000])
def test_a_flood_without_spaces_is_read_in_part(text: str) -> None:
    assert len(query_words(text, "zh")) <= 3
