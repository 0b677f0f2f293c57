"""The words of `cues.toml`, and how texts are compared with them."""

import re
import tomllib
from functools import cache
from pathlib import Path

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")

OPENING_CHARS = 60
"""Characters of a sentence in which the words stand that it opens with."""


def spoken_words(text: str) -> list[str]:
    """The words of a text in small letters, with straight apostrophes."""
    return WORD.findall(text.lower().replace("’", "'"))


@cache
def word_tables() -> dict[str, dict[str, str]]:
    """The words of each language, a code of ISO 639, by what they are for."""
    return tomllib.loads(Path(__file__).with_name("cues.toml").read_text("utf-8"))


def phrases_of(listed: str) -> tuple[str, ...]:
    """Phrases apart by commas, the longest first."""
    return tuple(sorted((" ".join(one.split()) for one in listed.split(",")), key=len, reverse=True))


def openings_of(key: str) -> tuple[str, ...]:
    """The phrases of all languages with a blank behind each."""
    return tuple(f"{phrase} " for table in word_tables().values() for phrase in phrases_of(table[key]))
