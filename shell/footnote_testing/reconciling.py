"""Comparing the stores of a server to the end, as `footnote doctor --reconcile` does."""

from collections import Counter
from collections.abc import Callable
from typing import Any


def reconciled(post: Callable[..., Any], **more: Any) -> Counter[str]:
    """Every portion of `POST /v1/documents:reconcile`: what all of them have found, by kind."""
    found: Counter[str] = Counter()
    cursor = None
    while True:
        answer = post("/v1/documents:reconcile", json={"cursor": cursor} if cursor else {}, **more)
        assert answer.status_code == 200, answer.text
        said = answer.json()
        found.update({name: count for name, count in said.items() if name not in ("part", "next_cursor")})
        cursor = said.get("next_cursor")
        if cursor is None:
            return found
