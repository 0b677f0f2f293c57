"""The canonical form of a web address, so that one page has one number however its address was written (spec 2.2)."""

import re
from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"^(?:utm_[a-z_]*|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|igsh|mc_cid|mc_eid"
    r"|_hsenc|_hsmi|__hssc|__hstc|__hsfp|hsctatracking|mkt_tok|vero_id|vero_conv|oly_anon_id|oly_enc_id|wickedid|_openstat|ga_source"
    r"|ga_medium|ga_campaign|_ga|_gl)$",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_NOT_ALLOWED = re.compile(r"[\x00-\x20\x7f]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def canonical_url(url: str) -> str | None:
    """The normal form of an absolute http(s) address, or None when the text is not one.

    Scheme and host in lower case, no default port, no fragment, no tracking parameters, no slash at the end, dot segments
    resolved and escapes in one spelling (RFC 3986, section 6.2.2). The order of parameters can matter and is kept.
    """
    parts, port = _split(url.strip())
    if parts is None or parts.hostname is None:
        return None
    scheme = parts.scheme.lower()
    host = parts.hostname.lower().rstrip(".")
    if scheme not in _DEFAULT_PORTS or not host:
        return None
    if ":" in host:
        host = f"[{host}]"
    user, at, _ = parts.netloc.rpartition("@")
    authority = f"{user}{at}{host}" + (
        f":{port}" if port is not None and port != _DEFAULT_PORTS[scheme] else ""
    )
    query = "&".join(
        _one_spelling(p) for p in parts.query.split("&") if p and not _TRACKING.match(p.partition("=")[0])
    )
    path = _without_dots(_one_spelling(parts.path)).rstrip("/")
    return f"{scheme}://{authority}{path}" + (f"?{query}" if query else "")


def _split(url: str) -> tuple[SplitResult | None, int | None]:
    try:
        parts = urlsplit(url)
        return (None if _NOT_ALLOWED.search(url) else parts), parts.port
    except ValueError:
        return None, None


def _one_spelling(text: str) -> str:
    def spell(match: re.Match[str]) -> str:
        char = chr(int(match.group(1), 16))
        return char if char in _UNRESERVED else match.group().upper()

    return _ESCAPE.sub(spell, text)


def _without_dots(path: str) -> str:
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if path.endswith(("/.", "/..")):
        kept.append("")
    return "/".join(kept)
