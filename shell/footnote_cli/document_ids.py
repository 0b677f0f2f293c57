"""Short names of documents: either end of an id stands for the id wherever a command takes one."""

import re

from footnote_cli.api_client import Api
from footnote_cli.render import neutral
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.kernel.ids import is_id

_SHORT = 8
_PART = re.compile(r"[0-9a-f-]{4,36}")
_NAMED = 5


def short_id(document_id: str) -> str:
    """The last digits of an id. Ids begin with the time, so documents of one upload begin alike."""
    return document_id[-_SHORT:]


def id_or_part(given: str) -> str:
    """An id, or a part of one that can name a document; raises InvalidRequest for anything else."""
    text = given.strip().lower()
    if _PART.fullmatch(text) is None:
        raise InvalidRequest(
            f"`{neutral(given)}` is no id: give four digits or more of what `footnote docs` shows."
        )
    return text


def full_id(api: Api, given: str) -> str:
    """The id of the one document whose id begins or ends so.

    Raises InvalidRequest if there is none, or if there are several, which are then named.
    """
    text = id_or_part(given)
    if is_id(text):
        return text
    found = api.get("/v1/documents", id=text, limit=_NAMED + 1)["items"]
    if not found:
        raise InvalidRequest(f"No document's id begins or ends with {text}. `footnote docs` lists the ids.")
    if len(found) > 1:
        each = "".join(f"\n  {one['id']}  {neutral(one['title'])}" for one in found[:_NAMED])
        more = "\n  and more" if len(found) > _NAMED else ""
        raise InvalidRequest(f"Several ids begin or end with {text}; give more of it:{each}{more}")
    return str(found[0]["id"])
