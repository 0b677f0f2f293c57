"""Lines of a plain text that name a release above its changes: `Version 2.6`, `News for Ships 1.2`."""

import re

_RELEASE = re.compile(
    r"(?:(?:(?:what's\s)?(?:new|news|changes|changed)\s(?:in|from|since|for)\s)?(?:version|release)?\s?v?)"
    r"\d{1,4}(?:[.-]\d{1,4}){1,4}[a-z]{0,3}\d{0,3}(?:\s(?!\s)(?:[^.;]|\.(?=\d)){1,40})?",
    re.I,
)
"""A release, or from which to which, above the list of its changes."""

_ABOUT_CHANGES = re.compile(
    r"(?:(?:major|noteworthy|notable|visible|overview of|summary of)\s){0,2}"
    r"(?:changes?|changed|news|new|what's new|what is new|highlights|release notes)\s"
    r"(?:in|from|since|for|of|between|with|to)\s",
    re.I,
)
_VERSION = re.compile(r"v?\d{1,4}(?:\.(?:\d{1,4}|\*|x)){1,4}[-.~+]?(?:[a-z]{1,6}\.?\d{0,4})?[:,?]?", re.I)
_DAY = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}")
_CALENDAR_DAY = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|(?:[A-Z][a-z]{2,8},? )?"
    r"(?:[A-Z][a-z]{2,8}\.? \d{1,2}|\d{1,2}(?:st|nd|rd|th)? [A-Z][a-z]{2,8}\.?|[A-Z][a-z]{2,8}),? \d{4}"
)
_DATED = re.compile(r"\d{4}\b|\d{1,2}[-/.]\d")
_JOINED = re.compile(
    r"[A-Za-z][A-Za-z+_]{0,30}-v?\d{1,4}(?:\.\d{1,4}){1,4}[-.~+]?(?:[a-z]{1,6}\.?\d{0,4})?:?"
)
"""A version by itself, and behind the name of what it is of, as in `ships-1.2`."""

_NAME = re.compile(r"[A-Za-z][\w+:.'-]{0,40}")
_PART = re.compile(
    r"(?:fig(?:ure)?|tab(?:le)?|sec(?:tion)?|chapter|appendix|part|article|clause|annex|listing|equation|eq|example"
    r"|exercise|theorem|lemma|definition|question|step|level|page)\b",
    re.I,
)
"""What is counted by such numbers and is no program: `Table 4.2 Fares`."""

_SENTENCE_WORD = re.compile(
    r"(?:is|are|was|were|has|have|had|will|can|should|must|may|requires?|needs?|uses?|works?|and|or|with)",
    re.I,
)
_MOST_WORDS, _MOST_BEFORE, _MOST_CHARS, _DATED_WORDS = 12, 3, 80, 4


def is_about_changes(line: str) -> bool:
    """Whether a line says that changes of a release follow, whatever stands below it."""
    if len(line) > _MOST_CHARS or line[-1] in ".,;" or _ABOUT_CHANGES.match(line) is None:
        return False
    words = line.split()
    return len(words) <= _MOST_WORDS and any(_VERSION.fullmatch(word) for word in words)


def is_dated_release(line: str) -> bool:
    """Whether a line is a day and what was released on it: `26/2/2023 ships-1.2`, `2026-03-01 Ships 1.2`."""
    day, *words = line.split() or [""]
    if len(line) > _MOST_CHARS or _DAY.fullmatch(day) is None or not 0 < len(words) <= _DATED_WORDS:
        return False
    if len(words) == 1:
        return _JOINED.fullmatch(words[0]) is not None
    if _CALENDAR_DAY.fullmatch(day) is None:
        return False
    versions = sum(_VERSION.fullmatch(word) is not None for word in words)
    return versions == 1 and all(_NAME.fullmatch(word) or _VERSION.fullmatch(word) for word in words)


def is_day(line: str) -> bool:
    """Whether a line is a day and nothing else."""
    return _CALENDAR_DAY.fullmatch(line) is not None


def begins_with_version(line: str) -> bool:
    """Whether a line names a release by its number, which names no text."""
    return _VERSION.fullmatch(line.split(maxsplit=1)[0].strip("[]()")) is not None


def is_version_and_day(line: str) -> bool:
    """Whether a line is the number of a release, perhaps with its day: `V2.17 (2026-03-01)`."""
    said = line.removesuffix(":")
    if not said or not begins_with_version(said) or not is_release(said):
        return False
    day = said.partition(" ")[2]
    return not day or _CALENDAR_DAY.fullmatch(day.strip(" ()[]-–,")) is not None


def is_release(line: str) -> bool:
    """Whether a line names a release, if the list of its changes follows."""
    if _RELEASE.fullmatch(line.removesuffix(":")):
        return True
    words = line.split()
    if not 0 < len(words) <= _MOST_WORDS or len(line) > _MOST_CHARS or line[-1] in ".,;":
        return False
    if any(_SENTENCE_WORD.fullmatch(word) for word in words):
        return False
    if _JOINED.fullmatch(words[0]):
        return True
    if _VERSION.fullmatch(words[0].strip("[]()")) and _DATED.search(line, len(words[0])):
        return True
    at = next((at for at, word in enumerate(words[: _MOST_BEFORE + 1]) if _VERSION.fullmatch(word)), 0)
    return at > 0 and _PART.match(line) is None and all(_NAME.fullmatch(word) for word in words[:at])
