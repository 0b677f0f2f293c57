"""Who may read a repository of GitHub, as groups of its documents (spec 1.6)."""

import hashlib
import json
from collections.abc import Sequence

from footnote_ingest.connectors.errors import OwnerMustAct
from footnote_ingest.connectors.github_wire import GithubWire
from footnote_ingest.connectors.json_values import Json, fit, line_of

_MOST_READERS = 500
"""Teams and people of one repository. Each is a row for each of its documents."""


def readers_of(wire: GithubWire, about: Json) -> Sequence[str] | None:
    """The teams that have access, and all people who have; None if the repository is public."""
    if about.get("private") is False and about.get("visibility", "public") == "public":
        return None
    teams = (line_of(one.get("slug")) for one in wire.readers("/teams"))
    people = (line_of(one.get("login")) for one in wire.readers("/collaborators"))
    found = {f"github:team:{fit(slug)}" for slug in teams if slug}
    found |= {f"github:user:{fit(login)}" for login in people if login}
    if len(found) > _MOST_READERS:
        raise OwnerMustAct(
            f"More than {_MOST_READERS} teams and people read the repository. Leave out `follow_rights`."
        )
    return sorted(found)


def digest_of(readers: Sequence[str] | None) -> str:
    """What stands for the readers, to be compared with those of the next sync."""
    return hashlib.sha256(json.dumps(readers).encode()).hexdigest()[:16]
