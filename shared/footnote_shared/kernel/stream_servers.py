"""On which Redis the streams of a turn are, where several share them (docs/adr/0100)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Generic, TypeVar
from urllib.parse import parse_qs, urlsplit

T = TypeVar("T")
U = TypeVar("U")

_PORT = 6379
_REMEMBERED = 8192
"""Turns whose server is remembered. Loops that look after running turns ask several times a second."""


def server_of(turn_id: str, names: Sequence[str]) -> str:
    """The name to which the turn belongs, by rendezvous hashing. The order of the names does not matter.

    With one name more, only the turns that now belong to it have moved.
    """
    return max(names, key=lambda name: (blake2b(f"{name} {turn_id}".encode(), digest_size=8).digest(), name))


def server_name(url: str) -> str:
    """What an address of Redis is called by all processes: host, port and database, or socket and database.

    The password is no part of it: a new one moves no turn. Raises ValueError for what is no such address.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or _PORT
    except ValueError:
        raise ValueError("an address of Redis cannot be read") from None
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise ValueError("an address of Redis begins with redis://, rediss:// or unix://")
    of_query = parse_qs(parts.query).get("db")
    if parts.scheme == "unix":
        return f"{parts.path}/{of_query[0] if of_query else 0}"
    database = of_query[0] if of_query else parts.path.strip("/") or 0
    return f"{parts.hostname or 'localhost'}:{port}/{database}"


class StreamServers(Generic[T]):
    """What a process has for each Redis that keeps streams of turns, such as its client."""

    def __init__(self, by_name: Mapping[str, T]) -> None:
        """Names are those of `server_name`. Raises ValueError where there is none."""
        if not by_name:
            raise ValueError("no server")
        self._by_name = dict(by_name)
        self._names = tuple(self._by_name)
        self._remembered = lru_cache(_REMEMBERED)(self._found)

    def __iter__(self) -> Iterator[T]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._names)

    def items(self) -> Iterable[tuple[str, T]]:
        """Each name with what is had for it, in the order of the settings."""
        return self._by_name.items()

    def name_of(self, turn_id: str) -> str:
        """The name of the server on which the turn is."""
        return self._remembered(turn_id)

    def of(self, turn_id: str) -> T:
        """What is had for the server on which the turn is."""
        return self._by_name[self._remembered(turn_id)]

    def each(self, make: Callable[[T], U]) -> "StreamServers[U]":
        """What is made of each."""
        return StreamServers({name: make(one) for name, one in self._by_name.items()})

    def checks(self, look: Callable[[T], U]) -> dict[str, U]:
        """A look at each: `redis`, or `redis-1` and so on where there are more.

        Anybody may ask how ready a process is, so no address is named.
        """
        names = ["redis"] if len(self) == 1 else [f"redis-{number}" for number in range(1, len(self) + 1)]
        return dict(zip(names, map(look, self), strict=True))

    def _found(self, turn_id: str) -> str:
        return self._names[0] if len(self._names) == 1 else server_of(turn_id, self._names)
