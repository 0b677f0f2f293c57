"""Which policy cuts which text. The policy's name and version are stored with each chunk.

Raise the version of a policy when it cuts the same input differently: then it is known which documents to cut
again.
"""

from collections.abc import Set

from footnote_ingest.parsing.elements import Kind
from footnote_shared.settings.services import PolicyName

VERSIONS: dict[PolicyName, int] = {
    "prose": 2,
    "list": 2,
    "table": 2,
    "code": 2,
    "mail": 3,
    "chat": 1,
    "slides": 2,
    "transcript": 1,
}

_BY_FAMILY: dict[str, PolicyName] = {
    "eml": "mail",
    "msg": "mail",
    "mbox": "mail",
    "pptx": "slides",
    "odp": "slides",
    "chat": "chat",
}
_BY_KIND: dict[Kind, PolicyName] = {
    "list": "list",
    "code": "code",
    "table": "table",
    "transcript": "transcript",
}


def policy_of(family: str, kinds: Set[Kind]) -> PolicyName:
    """The policy for elements of these kinds in a document of this family.

    Titles do not count, and a table keeps its caption.
    """
    if family in _BY_FAMILY:
        return _BY_FAMILY[family]
    told: Set[Kind] = {"table"} if "table" in kinds else kinds - {"title"}
    return _BY_KIND.get(next(iter(told)), "prose") if len(told) == 1 else "prose"
