"""Who may read a file of Google Drive, as groups of its document (spec 1.6)."""

from collections.abc import Sequence

from footnote_ingest.connectors.json_values import Json, fit, line_of

BY_LINK = "google:link"
"""Those who may read what everybody may open that has its link, and nobody finds without it."""


def groups_of(permissions: Sequence[Json]) -> list[str] | None:
    """The groups that these permissions let in; None if they let everybody in.

    A permission that is not understood lets nobody in.
    """
    found: set[str] = set()
    for one in permissions:
        if one.get("deleted") is True or one.get("view"):
            # The account is gone, or sees no more than that there is a file.
            continue
        kind = one.get("type")
        address = fit(line_of(one.get("emailAddress"))).lower()
        domain = fit(line_of(one.get("domain"))).lower()
        if kind == "anyone":
            if one.get("allowFileDiscovery") is True:
                return None
            found.add(BY_LINK)
        elif kind in ("user", "group") and address:
            found.add(f"google:{kind}:{address}")
        elif kind == "domain" and domain:
            found.add(f"google:domain:{domain}")
    return sorted(found)
