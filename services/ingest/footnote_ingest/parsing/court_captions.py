"""The head of a paper of a court: the court, the county and the parties. The paper's name stands below it."""

import re

_CAPTION = re.compile(
    r"(?:in )?(?:the )?(?:(?!(?:to|for|of|and)\s)[^\s,/]{1,30}[ /]){0,5}court\b"
    r"(?: (?:of|for|in|at)\b.{0,120})?"
    r"|(?:county|state|commonwealth|province|district) of\b.{0,60}"
    r"|(?:in )?(?:the )?(?:[^\s,]{1,20} ){0,3}county, .{0,30}"
    r"|in re\b:?.{0,60}|in the (?:matter|interest|estate) of\b.{0,60}",
    re.I,
)


def is_caption(text: str) -> bool:
    """Whether a line names a court or a case, as "IN THE CIRCUIT COURT OF OHIO COUNTY" does."""
    return _CAPTION.fullmatch(text) is not None
