"""BM25 term weights by Qdrant's own code, so that every process and every Qdrant use the same term ids.

They lack the inverse document frequency, which the index multiplies in (the IDF modifier of the sparse
vector). The average length stays at 256 words, the default: on four corpora the true value made every hybrid
search a little worse.

The terms of English text, and of text whose language is not known, are its English stems. Text in one of the
languages of `READ` is read by its own stemmer as well. Nobody knows the language of a query, so a query is
read in each of these languages that has its script. A stem that is no English one of the same query could be
another English word by chance: Spanish *planes* is *plan*. So there it has a *marked* id, which no English
text has and which differs by language (docs/adr/0029).

Since version 2 of the terms, an identifier such as `ERR-4042` has a marked id of its own beside the terms of
its pieces. A lane is written in the version with which it was made (docs/adr/0041).
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

import qdrant_edge as qe

from footnote_shared.embedding.identifiers import identifiers_in
from footnote_shared.kernel.vector_values import TERMS_VERSION, SparseVector

READ = {
    "ar": "Arabic",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "hu": "Hungarian",
    "it": "Italian",
    "ja": "Japanese",
    "nl": "Dutch",
    "no": "Norwegian",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
    "zh": "Chinese",
}
"""The languages with terms of their own, by their codes of ISO 639, as Qdrant names them."""

MARK = 1 << 31
"""The bit of a marked id. Qdrant makes ids of 31 bits and stores 32."""

_WORD = re.compile(r"\w+")
_LATIN = re.compile("[a-zA-Z\u00c0-\u024f]")
_SCRIPTS = {
    "ar": re.compile("[\u0600-\u06ff]"),
    "el": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "ja": re.compile("[\u3040-\u30ff\u4e00-\u9fff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
}
"""The letters of the languages that are not written in Latin ones."""

_WITHOUT_SPACES = frozenset({"ja", "zh"})
_HALF = 0.5
"""The weight of each id of a word with two, an English stem and a marked one: together they count once."""

_QUERY_CHARS = 2000
"""The characters of a query that are read in all languages: each term costs the index a little."""


_FEW_WORDS = 32
"""Words of a query that are stemmed one by one. A longer query is stemmed as one text, which takes less where
most of its words are new."""

_WORDS_KEPT = 2048
"""Words of queries whose terms are kept, some 2 kB each."""

_KEPT_CHARS = 40
"""The characters of the longest word that is kept. What is longer is no word that somebody asks again."""

_AROUND_WORDS = '.,;:!?()[]"'

_SPLIT_CHARS = 256
"""The characters of a query without spaces that are told apart, because each costs some microseconds."""

_PIECE_CHARS = 8
"""No word of Chinese is longer, and of Japanese only foreign ones."""

_WITH_IDENTIFIERS = 2
"""The first version of the terms that has identifiers."""

_K, _B, _AVERAGE = 1.2, 0.75, 256
"""How BM25 saturates: Qdrant's values, which identifiers have to share with words."""

_QUERY_IDENTIFIERS = 64


def embed_document(text: str, language: str | None = None, version: int = TERMS_VERSION) -> SparseVector:
    """Saturated term frequencies (k = 1.2, b = 0.75). Stop words alone give an empty vector.

    `language` is a code of ISO 639. None, and a language that is not in `READ`, are read as English.
    `version` is that of the lane's terms.
    """
    encodable = _encodable(text)
    if language not in READ:
        terms = _weights(_english().embed_document(encodable))
    else:
        english = _weights(_english_beside(language).embed_document(encodable))
        own = _weights(_own(language).embed_document(encodable))
        terms = {term: value if term in own else _HALF * value for term, value in english.items()}
        terms.update(own)
        terms.update({_marked(term, language): _HALF * value for term, value in own.items()})
    if version >= _WITH_IDENTIFIERS:
        terms.update(_of_identifiers(encodable))
    return SparseVector(list(terms), list(terms.values()))


def embed_query(text: str, version: int = TERMS_VERSION) -> SparseVector:
    """Weight 1 for each term. English stop words alone give an empty vector: nothing is asked for."""
    encodable = _encodable(text)
    english = frozenset(_english().embed_query(encodable).indices)
    terms = set(english)
    beginning = encodable[:_QUERY_CHARS] if english else ""
    read = [language for language in READ if _SCRIPTS.get(language, _LATIN).search(beginning)]
    spaced = tuple(language for language in read if language not in _WITHOUT_SPACES)
    pairs = _terms_in_spaced(beginning, spaced)
    pairs += _terms_by_language(beginning, [language for language in read if language in _WITHOUT_SPACES])
    terms.update(marked for term, marked in pairs if term not in english)
    if version >= _WITH_IDENTIFIERS:
        asked = dict.fromkeys(identifiers_in(encodable[:_QUERY_CHARS]))
        terms.update(_identifier_term(name) for name in list(asked)[:_QUERY_IDENTIFIERS])
    return SparseVector(sorted(terms), [1.0] * len(terms))


def _terms_in_spaced(text: str, languages: tuple[str, ...]) -> list[tuple[int, int]]:
    """The terms of a text in languages with spaces between words. A word has the same ones in every text."""
    words = {word.strip(_AROUND_WORDS) for word in text.split()}
    if len(words) > _FEW_WORDS:
        return list(_terms_by_language(text, languages))
    # Only a word without signs is sure to have no more than a few terms in each language.
    plain = {word for word in words if word.isalnum() and len(word) <= _KEPT_CHARS}
    others = " ".join(words - plain)
    found = [pair for word in plain for pair in _terms_of_word(word, languages)]
    return found + list(_terms_by_language(others, languages) if others else ())


def _terms_by_language(text: str, languages: Iterable[str]) -> Iterator[tuple[int, int]]:
    """The terms of a text in each of the languages, each with its marked id."""
    for language in languages:
        for term in _own(language).embed_query(text).indices:
            yield term, _marked(term, language)


@lru_cache(maxsize=_WORDS_KEPT)
def _terms_of_word(word: str, languages: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """The same of one word. To stem it in all languages takes far longer than to find it here."""
    return tuple(_terms_by_language(word, languages))


def length_of(query: str) -> int:
    """The different English stems of a query. Stop words of English count for nothing."""
    return len(set(_english().embed_query(_encodable(query)).indices))


def query_words(text: str, language: str | None = None) -> dict[str, frozenset[int]]:
    """The words of a query that count, each with its terms in a text of this language.

    A text has a word if it has one of its terms. Stop words of English or of the language do not count. What
    is written without spaces counts by its pieces: else a whole question would be one word.
    """
    found: dict[str, frozenset[int]] = {}
    room = _SPLIT_CHARS
    for word in _WORD.findall(_encodable(text)[:_QUERY_CHARS]):
        if word.casefold() in found:
            continue
        if language in _WITHOUT_SPACES and _SCRIPTS[language].search(word):
            found.update(_pieces(word[:room], language))
            room = max(0, room - len(word))
            continue
        ids = set(_english().embed_query(word).indices)
        if ids and language in READ:
            own = _own(language).embed_query(word).indices
            ids = ids.union(_marked(term, language) for term in own) if own else set()
        if ids:
            found[word.casefold()] = frozenset(ids)
    return found


def _pieces(run: str, language: str) -> dict[str, frozenset[int]]:
    """The words in letters that are written without spaces between words, as the index tells them apart.

    The tokenizer gives terms and not the words that they stand for. So the word of a term is the shortest
    piece that has this term alone.
    """
    own = _own(language)
    run = run.casefold()
    terms = set(own.embed_query(run).indices)
    found: dict[str, frozenset[int]] = {}
    at = 0
    while at < len(run) and terms:
        ends = range(at + 1, min(at + _PIECE_CHARS, len(run)) + 1)
        end = next((one for one in ends if _is_one_of(terms, own.embed_query(run[at:one]).indices)), None)
        if end is None:
            at += 1
            continue
        # Stop words stand before a word as if they were its beginning.
        term = own.embed_query(run[at:end]).indices
        while at + 1 < end and own.embed_query(run[at + 1 : end]).indices == term:
            at += 1
        terms.difference_update(term)
        found[run[at:end]] = frozenset(_marked(one, language) for one in term)
        at = end
    return found


def _is_one_of(terms: set[int], own: list[int]) -> bool:
    return len(own) == 1 and own[0] in terms


def text_terms(text: str, language: str | None = None) -> frozenset[int]:
    """The terms of a text, without weights and identifiers, to tell which of `query_words` it has."""
    encodable = _encodable(text)
    terms = frozenset(_english().embed_query(encodable).indices)
    if language in READ:
        terms |= {_marked(term, language) for term in _own(language).embed_query(encodable).indices}
    return terms


def _of_identifiers(text: str) -> dict[int, float]:
    counts = Counter(map(_identifier_term, identifiers_in(text)))
    if not counts:
        return {}
    length = _K * (1 - _B + _B * len(text.split()) / _AVERAGE)
    return {term: count * (_K + 1) / (count + length) for term, count in counts.items()}


def _identifier_term(name: str) -> int:
    # The beginning keeps it apart from the marked ids of languages, which are made of other texts.
    return MARK | (zlib.crc32(b"identifier " + name.encode()) & (MARK - 1))


def _marked(term: int, language: str) -> int:
    return MARK | ((term ^ zlib.crc32(language.encode())) & (MARK - 1))


def _weights(found: qe.SparseVector) -> dict[int, float]:
    return dict(zip(found.indices, found.values, strict=True))


@cache
def _english() -> qe.Bm25:
    """A model is made at first use in each process, because it cannot be pickled."""
    return qe.Bm25(qe.Bm25Config())


@cache
def _english_beside(language: str) -> qe.Bm25:
    """English stems of text in another language."""
    stemmer = qe.SnowballParams(qe.SnowballLanguage.English)
    return qe.Bm25(qe.Bm25Config(stopwords=_stop_words(language), stemmer=stemmer))


@cache
def _own(language: str) -> qe.Bm25:
    tokenizer = qe.TokenizerType.Multilingual if language in _WITHOUT_SPACES else qe.TokenizerType.Word
    name = READ[language].lower()
    return qe.Bm25(qe.Bm25Config(language=name, stopwords=_stop_words(language), tokenizer=tokenizer))


def _stop_words(language: str) -> qe.StopwordsSet:
    """Including the English ones: no query has them, and they would be the rarest words of a German text."""
    return qe.StopwordsSet(languages={qe.Language.English, getattr(qe.Language, READ[language])})


def _encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which are not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
