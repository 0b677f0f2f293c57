"""Whether two parts of an answer say the same. Pure."""

from footnote_agent.engines.cues import values_in
from footnote_agent.engines.quotable import Quotable

SAME = 0.8
"""Share of the shorter part's terms above which two parts say the same."""

FEW_TERMS = 2
"""A part of so few terms says too little to stand for a longer one."""


def says_the_same(one: Quotable, other: Quotable, language: str | None) -> bool:
    """Whether a reader of the one learns nothing from the other.

    Where each has a number that the other has not, they contradict each other, however alike they are.
    """
    if one.block is not None or other.block is not None:
        return one.text == other.text
    mine, theirs = set(one.terms), set(other.terms)
    if not mine or not theirs:
        return one.text == other.text
    if len(mine & theirs) <= SAME * min(len(mine), len(theirs)):
        return False
    if len(theirs) <= FEW_TERMS and len(mine) > len(theirs):
        return False
    values, others = values_in(one.text, language), values_in(other.text, language)
    return values <= others or others <= values
