"""How long a query is tells what kind of answer it wants, and so which leg knows better. Pure.

A few words ask for a text that has them. Many words describe a topic: no passage has them all, and what they
mean together counts for more than which of them it has. The figures are in docs/adr/0075.
"""

from footnote_shared.contracts.search import Alpha
from footnote_shared.embedding import sparse

SHORT, LONG = 4, 20
"""Terms of a query up to which its words, and from which on its meaning counts most."""

ALPHA_SHORT, ALPHA_LONG = 0.4, 0.7
"""The share of the dense leg at these lengths."""

FEW, MANY = 4, 12
"""Terms up to which feedback adds none, and from which on it adds the most."""

MOST_ADDED = 0.2
"""The share of the added terms in the weight of all, for a query of `MANY` terms or more."""


def terms_of(query: str) -> int:
    """Different words of a query that count: stop words of English do not, nor does a word said twice."""
    return sparse.length_of(query)


def share_of_dense(alpha: Alpha, terms: int) -> float:
    """The share that is asked for, or the one by the length of the query."""
    if alpha != "auto":
        return alpha
    return _between(terms, SHORT, LONG, ALPHA_SHORT, ALPHA_LONG)


def share_of_added_terms(terms: int) -> float:
    """How much feedback adds to the terms of a query. Of a short query each word was meant."""
    return _between(terms, FEW, MANY, 0.0, MOST_ADDED)


def _between(terms: int, low: int, high: int, at_low: float, at_high: float) -> float:
    share = min(max((terms - low) / (high - low), 0.0), 1.0)
    return at_low + share * (at_high - at_low)
