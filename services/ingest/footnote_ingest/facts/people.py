"""Which people that facts name are one person. Pure.

A name alone never makes two of them one person, and who could be two others stays alone. Two are one person
if their names fit and they share, in this order of trust: an address; an organisation; the document; a role,
where both names are full. Whoever has another address, another organisation, another form of address
(`Herr`, `Ms`) or another `junior` is somebody else.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

Likeness = Literal["full", "short", "none"]
"""How two names fit. `full`: both have the same first name. `short`: one has an initial or no first name."""

_TITLES = frozenset(
    [
        *("dr", "prof", "professor", "doctor", "doktor", "dipl", "ing", "mag", "sir", "dame", "lord", "lady"),
        *("phd", "msc", "bsc", "mba", "md", "ra", "rer", "nat", "hc"),
    ]
)
_ADDRESSED = {
    **dict.fromkeys(("mr", "herr", "monsieur", "señor", "signor"), "he"),
    **dict.fromkeys(("mrs", "ms", "miss", "frau", "madame", "mme", "señora", "signora"), "she"),
}
_GENERATIONS = {"jr": "junior", "junior": "junior", "sr": "senior", "senior": "senior"}
_GENERIC = frozenset(
    [
        *("the", "of", "department", "dept", "team", "division", "unit", "office", "group", "abteilung"),
        *("bereich", "gmbh", "ag", "inc", "ltd", "llc", "corp", "company"),
    ]
)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name in its parts, folded. `given` are first names and initials, in their order."""

    family: str
    given: tuple[str, ...]
    addressed: str | None
    generation: str | None


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A person as one fact names them. What its passage does not say is None."""

    id: str
    document_id: str
    name: str
    role: str | None = None
    organisation: str | None = None
    address: str | None = None


def folded(text: str) -> str:
    """Without case, accents and layout."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(char for char in plain if not unicodedata.combining(char)).split())


def organisation_of(text: str) -> str:
    """`the Finance department` is `finance`. A name of such words alone stays as it is."""
    words = _WORD.findall(folded(text))
    telling = [word for word in words if word not in _GENERIC]
    return " ".join(telling or words)


@lru_cache(maxsize=4096)
def read_name(text: str) -> PersonName:
    """The parts of a name: `Dr. A. Schmidt`, `Schmidt, Anna`, `Anna-Maria Schmidt`."""
    before, _, after = text.partition(",")
    words = [*_WORD.findall(folded(after)), *_WORD.findall(folded(before))]
    addressed = next((_FOLDED_FORMS[word] for word in words if word in _FOLDED_FORMS), None)
    generation = next((_GENERATIONS[word] for word in words if word in _GENERATIONS), None)
    beside = _TITLES | _FOLDED_FORMS.keys() | _GENERATIONS.keys()
    names = [word for word in words if word not in beside]
    if not names:
        return PersonName(" ".join(words), (), addressed, generation)
    return PersonName(names[-1], tuple(names[:-1]), addressed, generation)


def likeness(one: PersonName, other: PersonName) -> Likeness:
    """How two names fit; `none` where they are those of two people."""
    if one.family != other.family:
        return "none"
    if one.addressed and other.addressed and one.addressed != other.addressed:
        return "none"
    if one.generation and other.generation and one.generation != other.generation:
        return "none"
    full = False
    for place, (mine, theirs) in enumerate(zip(one.given, other.given, strict=False)):
        if mine != theirs and not (min(len(mine), len(theirs)) == 1 and mine[0] == theirs[0]):
            return "none"
        full = full or (place == 0 and mine == theirs and len(mine) > 1)
    return "full" if full else "short"


@dataclass(slots=True)
class _Person:
    """What is known to be one person, and what that says together."""

    named: list[NamedPerson]
    names: set[PersonName] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    organisations: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, named: Sequence[NamedPerson]) -> "_Person":
        found = cls(list(named))
        for one in named:
            found.names.add(read_name(one.name))
            found.documents.add(one.document_id)
            if one.address:
                found.addresses.add(folded(one.address))
            if one.organisation:
                found.organisations.add(organisation_of(one.organisation))
            if one.role:
                found.roles.add(folded(one.role))
        return found


def _fit(one: _Person, other: _Person) -> Likeness:
    """The best likeness of their names, if all of them fit."""
    found = {likeness(mine, theirs) for mine in one.names for theirs in other.names}
    if "none" in found:
        return "none"
    return "full" if "full" in found else "short"


def _apart(one: _Person, other: _Person) -> bool:
    """Whether something says that these are two people."""
    if _fit(one, other) == "none":
        return True
    if one.addresses and other.addresses:
        return not one.addresses & other.addresses
    return bool(one.organisations and other.organisations and not one.organisations & other.organisations)


def _same_address(one: _Person, other: _Person) -> bool:
    return bool(one.addresses & other.addresses)


def _same_organisation(one: _Person, other: _Person) -> bool:
    """A short name could be a colleague's: another role says that it is."""
    if not one.organisations & other.organisations:
        return False
    return _fit(one, other) == "full" or not (one.roles and other.roles and not one.roles & other.roles)


def _same_document(one: _Person, other: _Person) -> bool:
    return bool(one.documents & other.documents)


def _same_role(one: _Person, other: _Person) -> bool:
    return _fit(one, other) == "full" and bool(one.roles & other.roles)


_REASONS: tuple[Callable[[_Person, _Person], bool], ...] = (
    _same_address,
    _same_organisation,
    _same_document,
    _same_role,
)
"""Why two could be one, the most trusted first."""


def told_apart(named: Iterable[NamedPerson]) -> list[list[NamedPerson]]:
    """Who of them is one person, in an order that does not depend on that of `named`."""
    alike: dict[tuple[object, ...], list[NamedPerson]] = {}
    for one in sorted(named, key=lambda one: one.id):
        said = (one.document_id, one.name, one.role, one.organisation, one.address)
        alike.setdefault(said, []).append(one)
    people = [_Person.of(group) for group in alike.values()]
    for reason in _REASONS:
        before = -1
        while before != len(people):
            before = len(people)
            people = _joined(people, reason)
    return sorted(
        (sorted(person.named, key=lambda one: one.id) for person in people), key=lambda group: group[0].id
    )


def _joined(people: list[_Person], reason: Callable[[_Person, _Person], bool]) -> list[_Person]:
    """Join those for whom a reason speaks, but nobody who could be two of the others."""
    could_be = [
        [
            at
            for at, other in enumerate(people)
            if other is not person and not _apart(person, other) and reason(person, other)
        ]
        for person in people
    ]
    clear = [
        not any(_apart(people[one], people[other]) for one in others for other in others)
        for others in could_be
    ]
    taken: set[int] = set()
    joined = []
    for at, person in enumerate(people):
        if at in taken:
            continue
        for other in could_be[at] if clear[at] else ():
            free = other > at and other not in taken and clear[other]
            if free and not _apart(person, people[other]):
                person = _Person.of([*person.named, *people[other].named])
                taken.add(other)
        joined.append(person)
    return joined


_FOLDED_FORMS = {folded(word): form for word, form in _ADDRESSED.items()}
