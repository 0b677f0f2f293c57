"""Leads and headings that say that what stands below them is not so. Pure rules."""

from dataclasses import dataclass
from functools import cache, lru_cache

from footnote_agent.engines.cue_words import phrases_of, spoken_words, word_tables

MOST_OF_LEAD = 12
"""Words of a heading or a lead that may reject what stands below it. A longer one tells a story."""

_LEAD_CHARS, _LEADS_KNOWN = 200, 512
"""Characters of such a lead at most, and how many are remembered: the same one is asked about often."""


@dataclass(frozen=True, slots=True)
class _Rejection:
    """The words of all languages that say that something is not done, or no longer.

    `begin`: phrases that a lead begins or ends with. `within`: those that stand anywhere in it. `supposing`:
    how a lead begins that only supposes so. `asked`: words of a question that asks for such things.
    """

    begin: tuple[str, ...]
    within: tuple[str, ...]
    supposing: frozenset[str]
    asked: frozenset[str]
    articles: frozenset[str]


def rejects(lead: str) -> bool:
    """Whether a lead or heading, in any language, says that what stands below it is not done or is wrong."""
    return len(lead) <= _LEAD_CHARS and _rejects(lead)


@lru_cache(maxsize=_LEADS_KNOWN)
def _rejects(lead: str) -> bool:
    known = _rejection()
    spoken = [word for word in spoken_words(lead) if not word.isdecimal()]
    while spoken and spoken[0] in known.articles:
        spoken = spoken[1:]
    if not spoken or len(spoken) > MOST_OF_LEAD or spoken[0] in known.supposing:
        return False
    line = f" {' '.join(spoken)} "
    return any(line.startswith(f" {one} ") or line.endswith(f" {one} ") for one in known.begin) or any(
        f" {one} " in line for one in known.within
    )


def asks_for_rejected(question: str) -> bool:
    """Whether a question asks for what is not done or does not work, in any of the languages."""
    return not _rejection().asked.isdisjoint(spoken_words(question))


@cache
def _rejection() -> _Rejection:
    def words(key: str) -> frozenset[str]:
        return frozenset(word for table in word_tables().values() for word in table[key].split())

    def phrases(key: str) -> tuple[str, ...]:
        return tuple(phrase for table in word_tables().values() for phrase in phrases_of(table[key]))

    return _Rejection(
        phrases("rejecting"),
        phrases("denying"),
        words("supposing"),
        words("asks_rejected"),
        words("articles"),
    )
