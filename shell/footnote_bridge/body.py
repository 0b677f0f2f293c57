"""Reading request bodies strictly: what is not understood is refused with its place, never left out.

A filter clause that is dropped in silence would show one tenant the points of another.
"""

from collections.abc import Callable
from typing import TypeAlias, TypeGuard, TypeVar

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
Record: TypeAlias = dict[str, Json]
T = TypeVar("T")


class Refused(Exception):
    """A request that cannot be served, with the HTTP status that says why."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def missing_collection(name: str) -> Refused:
    return Refused(f"Not found: Collection `{name}` doesn't exist!", status=404)


def bad(message: str) -> Refused:
    """A refusal in the words with which Qdrant begins those about a request's content."""
    return Refused(f"Wrong input: {message}")


def record(value: Json, where: str, known: frozenset[str] | None = None) -> Record:
    """An object without its null members; a member outside `known` is refused."""
    if not isinstance(value, dict):
        raise bad(f"{where} must be an object")
    found: Record = {key: member for key, member in value.items() if member is not None}
    if known is not None and not found.keys() <= known:
        raise bad(f"{where} has members that are not served here: {', '.join(sorted(found.keys() - known))}")
    return found


def items(value: Json, where: str) -> list[Json]:
    if not isinstance(value, list):
        raise bad(f"{where} must be a list")
    return value


def text(value: Json, where: str) -> str:
    if not isinstance(value, str):
        raise bad(f"{where} must be a text")
    return value


def flag(value: Json, where: str) -> bool:
    if not isinstance(value, bool):
        raise bad(f"{where} must be true or false")
    return value


def whole(value: Json, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise bad(f"{where} must be a whole number from 0")
    return value


def number(value: Json, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise bad(f"{where} must be a number")
    return float(value)


def numbers(value: Json, where: str) -> list[float]:
    elements = items(value, where)
    if not _are_numbers(elements):
        raise bad(f"{where} must be a list of numbers")
    return elements


def whole_numbers(value: Json, where: str) -> list[int]:
    elements = items(value, where)
    if not _are_whole(elements) or min(elements, default=0) < 0:
        raise bad(f"{where} must be a list of whole numbers from 0")
    return elements


# By the set of their types, without a step of Python per element: an upsert holds a hundred thousand numbers.
def _are_numbers(elements: list[Json]) -> TypeGuard[list[float]]:
    return {float, int}.issuperset(map(type, elements))


def _are_whole(elements: list[Json]) -> TypeGuard[list[int]]:
    return {int}.issuperset(map(type, elements))


def texts(value: Json, where: str) -> list[str]:
    return [text(element, where) for element in items(value, where)]


def required(found: Record, key: str, where: str) -> Json:
    if key not in found:
        raise bad(f"{where} needs `{key}`")
    return found[key]


def optional(read: Callable[[Json, str], T], found: Record, key: str, where: str) -> T | None:
    """The member read by `read`, or None where it is absent."""
    return read(found[key], f"{where}.{key}") if key in found else None


def choice(options: dict[str, T]) -> Callable[[Json, str], T]:
    """A reader of one of the named options."""

    def read(value: Json, where: str) -> T:
        name = text(value, where)
        if name not in options:
            raise bad(f"{where} must be one of {', '.join(options)}")
        return options[name]

    return read
