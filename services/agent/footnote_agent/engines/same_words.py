"""English words of one meaning by which questions and documents call the same thing. Pure.

Who asks how to "delete" or to "ignore" something may find it under "remove" and "exclude". The words are few:
those that manuals, tables and answers to questions use in place of each other. Each line of `same_words.txt`
is a group.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from footnote_shared.kernel.stems import stem


def same_as(term: str, language: str | None = None) -> frozenset[str]:
    """The stems of words that mean about what the word of this stem means; none in other languages."""
    return _groups().get(term, frozenset()) if (language or "en") == "en" else frozenset()


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    text = Path(__file__).with_name("same_words.txt").read_text("utf-8")
    groups: dict[str, frozenset[str]] = {}
    for line in text.splitlines():
        stems = frozenset(map(stem, line.split()))
        for one in stems:
            groups[one] = (groups.get(one, frozenset()) | stems) - {one}
    return groups
