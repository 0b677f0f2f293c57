"""The one error of parsing: a document cannot become text, for a reason that a person understands."""

from typing import Literal

FailureCode = Literal[
    "encrypted",
    "empty",
    "too_large",
    "timeout",
    "memory",
    "corrupt",
    "unsupported",
    "not_text",
    "bomb",
    "crashed",
    "no_text",
    "unconfined",
]


class ParseFailed(Exception):
    """`reason` is a sentence for a person. `retryable` says whether the same bytes can succeed later."""

    def __init__(self, reason: str, code: FailureCode, *, retryable: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code: FailureCode = code
        self.retryable = retryable


class ReadByItself(Exception):
    """The file turned out to be of a family that is not read beside other files."""
