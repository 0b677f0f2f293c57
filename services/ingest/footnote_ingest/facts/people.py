"""Which people that facts name are one person. Pure.

A name alone never makes two of them one person, and who could be two others stays alone. Two are one person
if their names fit and they share, in this order of trust: an address; an organisation; the document; a role,
where both names are full. Whoever has another address, another organisation, another form of address
(`Herr`, `Ms`) or another `junior` is somebody else.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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
    """What is known to be one person, and what that says together.

    `members`, `clashing` and `full` are sets of those who are named, as the bits of a number: those whom this
    is, those whose names do not fit one of them, and those who have a full name in common with one.
    """

    named: list[NamedPerson]
    members: int
    clashing: int
    full: int
    addresses: set[str]
    organisations: set[str]
    roles: set[str]
    documents: set[str]

    @classmethod
    def of(cls, alike: Sequence[NamedPerson], place: int, clashing: int, full: int) -> "_Person":
        """Whom facts of one document name by the same words."""
        one = alike[0]
        return cls(
            list(alike),
            1 << place,
            clashing,
            full,
            {folded(one.address)} if one.address else set(),
            {organisation_of(one.organisation)} if one.organisation else set(),
            {folded(one.role)} if one.role else set(),
            {one.document_id},
        )

    def joined(self, other: "_Person") -> "_Person":
        """Both as one person."""
        return _Person(
            [*self.named, *other.named],
            self.members | other.members,
            self.clashing | other.clashing,
            self.full | other.full,
            self.addresses | other.addresses,
            self.organisations | other.organisations,
            self.roles | other.roles,
            self.documents | other.documents,
        )


def _names_in_full(one: _Person, other: _Person) -> bool:
    """Whether they have a full name in common."""
    return bool(one.full & other.members)


def _apart(one: _Person, other: _Person) -> bool:
    """Whether something says that these are two people."""
    if one.clashing & other.members:
        return True
    if one.addresses and other.addresses:
        return one.addresses.isdisjoint(other.addresses)
    return bool(
        one.organisations and other.organisations and one.organisations.isdisjoint(other.organisations)
    )


def _same_address(one: _Person, other: _Person) -> bool:
    return not one.addresses.isdisjoint(other.addresses)


def _same_organisation(one: _Person, other: _Person) -> bool:
    """A short name could be a colleague's: another role says that it is."""
    if one.organisations.isdisjoint(other.organisations):
        return False
    if _names_in_full(one, other):
        return True
    return not (one.roles and other.roles and one.roles.isdisjoint(other.roles))


def _same_document(one: _Person, other: _Person) -> bool:
    return not one.documents.isdisjoint(other.documents)


def _same_role(one: _Person, other: _Person) -> bool:
    return _names_in_full(one, other) and not one.roles.isdisjoint(other.roles)


_REASONS: tuple[Callable[[_Person, _Person], bool], ...] = (
    _same_address,
    _same_organisation,
    _same_document,
    _same_role,
)
"""Why two could be one, the most trusted first."""


def told_apart(named: Iterable[NamedPerson]) -> list[list[NamedPerson]]:
    """Who of them is one person, in an order that does not depend on that of `named`."""
    families: dict[str, list[NamedPerson]] = {}
    for one in sorted(named, key=lambda one: one.id):
        families.setdefault(read_name(one.name).family, []).append(one)
    people = [person for family in families.values() for person in _of_family(family)]
    return sorted(
        (sorted(person, key=lambda one: one.id) for person in people), key=lambda group: group[0].id
    )


def _of_family(named: Sequence[NamedPerson]) -> list[list[NamedPerson]]:
    """Who is one person of those with one family name, which are in the order of their ids."""
    alike: dict[tuple[object, ...], list[NamedPerson]] = {}
    for one in named:
        said = (one.document_id, one.name, one.role, one.organisation, one.address)
        alike.setdefault(said, []).append(one)
    groups = list(alike.values())
    people = [
        _Person.of(group, place, clashing, full)
        for place, (group, (clashing, full)) in enumerate(
            zip(groups, _compared([read_name(group[0].name) for group in groups]), strict=True)
        )
    ]
    for reason in _REASONS:
        before = -1
        while before != len(people):
            before = len(people)
            people = _joined(people, reason)
    return [person.named for person in people]


def _compared(names: Sequence[PersonName]) -> list[tuple[int, int]]:
    """For each name the places of those that do not fit, and of those that fit in full, as bits."""
    places: dict[PersonName, int] = {}
    for place, name in enumerate(names):
        places[name] = places.get(name, 0) | 1 << place
    found: dict[PersonName, tuple[int, int]] = {}
    for name in places:
        clashing = full = 0
        for other, theirs in places.items():
            fit = likeness(name, other)
            clashing |= theirs if fit == "none" else 0
            full |= theirs if fit == "full" else 0
        found[name] = clashing, full
    return [found[name] for name in names]


def _joined(people: list[_Person], reason: Callable[[_Person, _Person], bool]) -> list[_Person]:
    """Join those for whom a reason speaks, but nobody who could be two of the others.

    Whoever writes documents decides how many have one name, so nothing here grows faster than by the pairs.
    """
    could_be = [0] * len(people)
    apart = [0] * len(people)
    for at, person in enumerate(people):
        for beside in range(at + 1, len(people)):
            other = people[beside]
            if _apart(person, other):
                apart[at] |= 1 << beside
                apart[beside] |= 1 << at
            elif reason(person, other):
                could_be[at] |= 1 << beside
                could_be[beside] |= 1 << at
    clear = [not any(apart[one] & others for one in _places(others)) for others in could_be]
    taken: set[int] = set()
    joined = []
    for at, person in enumerate(people):
        if at in taken:
            continue
        for place in _places(could_be[at]) if clear[at] else ():
            free = place > at and place not in taken and clear[place]
            if free and not _apart(person, people[place]):
                person = person.joined(people[place])
                taken.add(place)
        joined.append(person)
    return joined


def _places(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]


_FOLDED_FORMS = {folded(word): form for word, form in _ADDRESSED.items()}
