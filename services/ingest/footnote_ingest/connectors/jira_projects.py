"""Who may browse a project of Jira, as groups of the documents in it (spec 1.6)."""

from urllib.parse import quote

from footnote_ingest.connectors.atlassian_readers import MOST_READERS
from footnote_ingest.connectors.atlassian_wire import AtlassianWire
from footnote_ingest.connectors.errors import OwnerMustAct
from footnote_ingest.connectors.json_values import Json, fit, line_of, object_of, objects, text_of

_BROWSE = "BROWSE_PROJECTS"
_ANYBODY = "jira:users"
"""Those who have an account, where that is enough to see a project."""


def readers_of_project(wire: AtlassianWire, key: str) -> frozenset[str] | None:
    """The groups; None if strangers see it too. Raises OwnerMustAct where Jira does not say."""
    place = f"/rest/api/2/project/{quote(key, safe='', errors='replace')}"
    scheme = wire.get(f"{place}/permissionscheme", expand="permissions,group,user")
    grants = scheme.get("permissions") if scheme is not None else None
    if not isinstance(grants, list):
        raise OwnerMustAct(
            f"Jira does not say who may browse the project {key[:100]!r}. Let the account administer it, "
            "or leave out `follow_rights`."
        )
    readers: set[str] = set()
    for grant in objects(grants):
        if grant.get("permission") != _BROWSE:
            continue
        holder = object_of(grant.get("holder"))
        if holder.get("type") == "anyone":
            return None
        readers |= _let_in(wire, holder, place)
    if len(readers) > MOST_READERS:
        raise OwnerMustAct(f"More than {MOST_READERS} groups and people browse {key[:100]!r}.")
    return frozenset(readers)


def _let_in(wire: AtlassianWire, holder: Json, place: str) -> set[str]:
    """The groups of one holder. One that means others for each issue, as its reporter, lets nobody in."""
    named = line_of(holder.get("parameter"))
    match holder.get("type"):
        case "group":
            name = line_of(object_of(holder.get("group")).get("name")) or named
            return {f"jira:group:{fit(name)}"} if name else set()
        case "user":
            account = _account(object_of(holder.get("user"))) or named
            return {f"jira:user:{fit(account)}"} if account else set()
        case "applicationRole":
            return {f"jira:application:{fit(named)}" if named else _ANYBODY}
        case "projectRole" if named.isascii() and named.isdecimal():
            return _in_role(wire, f"{place}/role/{named}")
    return set()


def _in_role(wire: AtlassianWire, place: str) -> set[str]:
    role = wire.get(place) or {}
    found: set[str] = set()
    for actor in objects(role.get("actors")):
        group, person = object_of(actor.get("actorGroup")), object_of(actor.get("actorUser"))
        name = line_of(group.get("name"))
        if actor.get("type") == "atlassian-group-role-actor":
            name = name or line_of(actor.get("name"))
            found |= {f"jira:group:{fit(name)}"} if name else set()
        elif actor.get("type") == "atlassian-user-role-actor":
            account = _account(person) or line_of(actor.get("name"))
            found |= {f"jira:user:{fit(account)}"} if account else set()
    return found


def _account(person: Json) -> str:
    return text_of(person.get("accountId")) or text_of(person.get("name"))
