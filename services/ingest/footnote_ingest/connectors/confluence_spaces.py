"""Who may see a space of Confluence, as groups of the documents in it (spec 1.6)."""

from urllib.parse import quote

from footnote_ingest.connectors.atlassian_readers import MOST_READERS
from footnote_ingest.connectors.atlassian_wire import AtlassianWire
from footnote_ingest.connectors.errors import OwnerMustAct
from footnote_ingest.connectors.json_values import Json, fit, line_of, object_of, objects, objects_at, text_of

_SUBJECTS = "permissions.subjects.user,permissions.subjects.group"


def readers_of_space(wire: AtlassianWire, key: str) -> frozenset[str] | None:
    """The groups; None if strangers see it too. Raises OwnerMustAct where Confluence does not say."""
    found = wire.get(f"/rest/api/space/{quote(key, safe='', errors='replace')}", expand=_SUBJECTS)
    permissions = found.get("permissions") if found is not None else None
    readers = readers_of(objects(permissions), key)
    if readers is not None and not readers:
        # Of a space that we see, somebody is a reader.
        raise OwnerMustAct(
            f"Confluence does not say who may see the space {key[:100]!r}. Let the account administer "
            "it, or leave out `follow_rights`."
        )
    return readers


def readers_of(permissions: list[Json], key: str) -> frozenset[str] | None:
    """The groups that these permissions let see the space; None if they let strangers in.

    A permission that is not understood lets nobody in.
    """
    readers: set[str] = set()
    for one in permissions:
        operation = object_of(one.get("operation"))
        if (operation.get("operation"), operation.get("targetType")) != ("read", "space"):
            continue
        if one.get("anonymousAccess") is True:
            return None
        readers |= _subjects(object_of(one.get("subjects")))
    if len(readers) > MOST_READERS:
        raise OwnerMustAct(f"More than {MOST_READERS} groups and people see the space {key[:100]!r}.")
    return frozenset(readers)


def _subjects(subjects: Json) -> set[str]:
    found: set[str] = set()
    for kind in ("group", "user"):
        listed = objects_at(object_of(subjects[kind]), "results", "Confluence") if kind in subjects else []
        for one in listed:
            name = line_of(one.get("name")) if kind == "group" else _account(one)
            if name:
                found.add(f"confluence:{kind}:{fit(name)}")
    return found


def _account(person: Json) -> str:
    return text_of(person.get("accountId")) or text_of(person.get("username"))
