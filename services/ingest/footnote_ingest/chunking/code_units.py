"""Where code is best cut: at the lines at which a class, a function or the like begins, by language."""

import re
from functools import cache

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

_LAYOUT = frozenset({"\n\n", "\n", " ", ""})
_ALIASES = {
    "py": "python",
    "python3": "python",
    "javascript": "js",
    "jsx": "js",
    "typescript": "ts",
    "tsx": "ts",
    "golang": "go",
    "rs": "rust",
    "rb": "ruby",
    "c++": "cpp",
    "cs": "csharp",
    "c#": "csharp",
    "kt": "kotlin",
    "hs": "haskell",
    "tex": "latex",
}
# The separators of these languages are tags or signs within a line; no unit begins there.
_UNSUITED = frozenset({Language.HTML, Language.MARKDOWN, Language.RST, Language.LATEX})
_LANGUAGES = {language.value: language for language in Language}


@cache
def _starter(language: str) -> re.Pattern[str] | None:
    known = _LANGUAGES.get(_ALIASES.get(language, language))
    if known is None or known in _UNSUITED:
        return None
    try:
        separators = RecursiveCharacterTextSplitter.get_separators_for_language(known)
    except ValueError:
        # Langchain names languages, such as Perl, that it does not know how to cut.
        return None
    lines = [separator for separator in separators if separator not in _LAYOUT and separator.startswith("\n")]
    return re.compile("|".join(f"(?:{separator})" for separator in lines)) if lines else None


def unit_starts(text: str, language: str | None) -> frozenset[int]:
    """The offsets in `text` at which a unit of code begins; none in a language that is not known."""
    pattern = _starter(language.lower()) if language else None
    return frozenset(match.start() + 1 for match in pattern.finditer(text)) if pattern else frozenset()
