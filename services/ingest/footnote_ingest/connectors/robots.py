"""What a site's robots.txt lets us read (RFC 9309).

Python's own reader knows no wildcards, and takes the first rule that fits where the longest one counts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

_LONGEST_TEXT = 500 * 1024
"""Characters that are read: what RFC 9309 (2.5) asks a reader to read at least."""

_MOST_RULES = 5000
_LONGEST_RULE = 2000
_MOST_WILDCARDS = 2000
"""Wildcards of all rules together. Large sites have hundreds."""

_LONGEST_DELAY_S = 10.0
"""The longest pause between two requests that is kept to. With a longer one a site would never be read."""

_KEPT = "/%?=&*$;:@,+!'()~#[]"


@dataclass(frozen=True, slots=True)
class RobotRules:
    """The rules for us: whether each allows, and its pattern. `delay_s` lies between two requests."""

    rules: tuple[tuple[bool, str], ...] = ()
    delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allow(self, url: str) -> bool:
        """Whether this address of the site may be read. The longest pattern counts, and `Allow` in a tie."""
        parts = urlsplit(url)
        path = _canonical(parts.path or "/") + (f"?{_canonical(parts.query)}" if parts.query else "")
        if path == "/robots.txt":
            return True
        fitting = [(len(pattern), allows) for allows, pattern in self.rules if _fits(pattern, path)]
        return max(fitting)[1] if fitting else True


def read_robots(text: str, agent: str) -> RobotRules:
    """The rules for a product of this name: its own group, else that for all. `Sitemap` is for everybody."""
    # Groups of other names are passed over: a file can name so many that to keep them would take gigabytes.
    named = (agent.lower(), "*")
    groups: dict[str, list[tuple[str, str]]] = {}
    current: set[str] = set()
    sitemaps: list[str] = []
    naming = False
    for name, value in _lines(text):
        if name == "sitemap":
            sitemaps.append(value)
        elif name == "user-agent":
            # Several names in a row begin one group; groups of the same name are one.
            current = current if naming else set()
            if value.lower() in named:
                current.add(value.lower())
                groups.setdefault(value.lower(), [])
            naming = True
        else:
            naming = False
            for each in current:
                groups[each].append((name, value))
    ours = groups.get(agent.lower(), groups.get("*", []))
    rules = [
        (name == "allow", _canonical(value)[:_LONGEST_RULE])
        for name, value in ours
        if name in ("allow", "disallow") and value
    ]
    delays = [_seconds(value) for name, value in ours if name == "crawl-delay"]
    kept = tuple(_within_means(rules[:_MOST_RULES]))
    return RobotRules(kept, max(delays, default=0.0), tuple(sitemaps))


def _within_means(rules: Iterable[tuple[bool, str]]) -> Iterator[tuple[bool, str]]:
    """The rules with few enough wildcards that an address is judged in a millisecond.

    Of a rule beyond that only what stands before its first wildcard counts. It forbids more, or allows
    nothing.
    """
    room = _MOST_WILDCARDS
    for allows, pattern in rules:
        room -= pattern.count("*")
        if room >= 0 or "*" not in pattern:
            yield allows, pattern
        elif not allows:
            yield allows, pattern.partition("*")[0]


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text[:_LONGEST_TEXT].removeprefix("\ufeff").splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield name.strip().lower(), value.strip()


def _fits(pattern: str, path: str) -> bool:
    """Whether the pattern fits the start of the path; `*` is any text, and `$` at the end is the end."""
    ends = pattern.endswith("$")
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    last = others.pop() if ends and others else None
    for part in others:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    if last is not None:
        return len(path) - at >= len(last) and path.endswith(last)
    return not ends or at == len(path)


def _canonical(text: str) -> str:
    """One spelling of the same octets, since `é` and `%C3%A9` name the same."""
    return quote(unquote(text, errors="replace"), safe=_KEPT)


def _seconds(value: str) -> float:
    whole, _, _ = value.partition(".")
    return min(_LONGEST_DELAY_S, float(whole[:6])) if whole.isascii() and whole.isdecimal() else 0.0
