"""The canonical form of a web address: one page has one number, however its address was written.

Spec 2.2.
"""

import re
from ipaddress import AddressValueError, IPv6Address
from urllib.parse import SplitResult, unquote, urlsplit

import idna

_DEFAULT_PORTS = {"http": 80, "https": 443}
# Parameters that tell where a visitor came from, and nothing about the page.
_TRACKING_NAMES = (
    "utm_[a-z_]*",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "fbclid",
    "msclkid",
    "yclid",
    "twclid",
    "ttclid",
    "li_fat_id",
    "igshid",
    "igsh",
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "__hssc",
    "__hstc",
    "__hsfp",
    "hsctatracking",
    "mkt_tok",
    "vero_id",
    "vero_conv",
    "oly_anon_id",
    "oly_enc_id",
    "wickedid",
    "_openstat",
    "ga_source",
    "ga_medium",
    "ga_campaign",
    "_ga",
    "_gl",
)
_TRACKING = re.compile(f"^(?:{'|'.join(_TRACKING_NAMES)})$", re.IGNORECASE)
# Most addresses are in normal form, but for slashes at their end. To see that costs a tenth of taking them
# apart.
_PLAIN = re.compile(
    r"https?://(?:[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,2}\.){1,4}[a-z]{2,20}(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/*"
)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_NOT_ALLOWED = re.compile(r"[\x00-\x20\x7f\ud800-\udfff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LABEL = re.compile(r"[a-z0-9_\-]+")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def canonical_url(url: str) -> str | None:
    """The normal form of an absolute http(s) address, or None when the text is not one.

    Scheme and host are in lower case, a host in other scripts is in its ASCII form (UTS 46). There is no
    default port, no fragment, no tracking parameter, and no slash at the end. Dot segments are resolved, and
    escapes have one spelling (RFC 3986, section 6.2.2; RFC 3987, section 3.1). Parameters keep their order,
    because it can matter.
    """
    if _PLAIN.fullmatch(url):
        return url.rstrip("/")
    parts, port = _split(url.strip())
    if parts is None or parts.hostname is None or "\\" in parts.netloc:
        return None
    scheme = parts.scheme.lower()
    host = _host(parts.hostname, numeric="[" in parts.netloc)
    if scheme not in _DEFAULT_PORTS or host is None:
        return None
    user = parts.netloc.rpartition("@")[0].removesuffix(":")
    authority = (
        (f"{user}@" if user else "")
        + host
        + (f":{port}" if port is not None and port != _DEFAULT_PORTS[scheme] else "")
    )
    query = "&".join(
        _one_spelling(p) for p in parts.query.split("&") if p and not _TRACKING.match(p.partition("=")[0])
    )
    path = _without_dots(_one_spelling(parts.path)).rstrip("/")
    return f"{scheme}://{authority}{path}" + (f"?{query}" if query else "")


def _host(written: str, *, numeric: bool) -> str | None:
    """The host's one spelling, or None when it cannot be a host. `numeric`: it stood in brackets."""
    if numeric:
        address, percent, zone = written.partition("%")
        try:
            return f"[{IPv6Address(address).compressed}{percent}{zone}]"
        except AddressValueError:
            return None
    host = written.lower()
    if not host.isascii() or "%" in host:
        try:
            mapped = idna.uts46_remap(unquote(host), std3_rules=False)
            host = ".".join(
                label if label.isascii() else idna.alabel(label).decode() for label in mapped.split(".")
            )
        except idna.IDNAError:
            return None
    host = host.removesuffix(".")
    return host if all(map(_LABEL.fullmatch, host.split("."))) else None


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

    escaped = _NOT_ASCII.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)
    return _ESCAPE.sub(spell, escaped)


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
