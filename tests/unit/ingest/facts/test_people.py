"""People of one name are told apart: nobody is made one person by a name alone."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.facts.people import NamedPerson, likeness, organisation_of, read_name, told_apart

ANNA = "Anna Schmidt"


def groups(*named: NamedPerson) -> set[frozenset[str]]:
    """The ids of what is one person; the same in every order."""
    found = {
        frozenset(frozenset(one.id for one in group) for group in told_apart(order))
        for order in permutations(named)
    }
    assert len(found) == 1, "the order decides"
    return set(found.pop())


def people(*together: str) -> set[frozenset[str]]:
    """`ab`, `c`: a and b are one person, c is another."""
    return {frozenset(ids) for ids in together}


class TestHundredsOfOneName:
    """They cost what their pairs cost. By triples each of these would take minutes."""

    def test_who_could_all_be_one_are_one(self) -> None:
        named = [NamedPerson(f"{n:03}", "1", "Schmidt", role=f"role {n}") for n in range(400)]
        assert [len(person) for person in told_apart(named)] == [400]

    def test_who_all_could_be_two_stay_apart(self) -> None:
        named = [
            NamedPerson(f"{n:03}", str(n), "A Schmidt", role=f"role {n}", organisation="Finance")
            for n in range(400)
        ]
        assert len(told_apart(named)) == 400


class TestANameAlone:
    def test_makes_nobody_one_person(self) -> None:
        assert groups(NamedPerson("a", "1", ANNA), NamedPerson("b", "2", ANNA)) == people("a", "b")

    @pytest.mark.parametrize("other", ["Anna Meyer", "Bert Schmidt", "B. Schmidt", "Anna B. Schmidt"])
    def test_that_does_not_fit_is_another_person_whatever_else_they_share(self, other: str) -> None:
        first = NamedPerson("a", "1", "Anna C. Schmidt", "clerk", "Finance", "info@x.example")
        second = NamedPerson("b", "1", other, "clerk", "Finance", "info@x.example")
        assert groups(first, second) == people("a", "b")

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Herr Schmidt", "Frau Schmidt"),
            ("Mr Schmidt", "Ms. A. Schmidt"),
            ("J. Smith Jr.", "J. Smith Sr."),
        ],
    )
    def test_is_told_apart_by_how_somebody_is_addressed(self, one: str, other: str) -> None:
        assert groups(NamedPerson("a", "1", one), NamedPerson("b", "1", other)) == people("a", "b")


class TestTwoOfOneName:
    def test_in_two_departments_are_two(self) -> None:
        finance = NamedPerson("a", "1", ANNA, organisation="Finance")
        sales = NamedPerson("b", "1", ANNA, organisation="the Sales department")
        assert groups(finance, sales) == people("a", "b")

    def test_with_two_addresses_are_two(self) -> None:
        one = NamedPerson("a", "1", ANNA, organisation="Finance", address="anna.schmidt@x.example")
        other = NamedPerson("b", "1", ANNA, organisation="Finance", address="anna.schmidt2@x.example")
        assert groups(one, other) == people("a", "b")

    def test_leave_whoever_could_be_either_alone(self) -> None:
        finance = NamedPerson("a", "1", ANNA, organisation="Finance")
        sales = NamedPerson("b", "1", ANNA, organisation="Sales")
        somebody = NamedPerson("c", "1", "Frau Schmidt")
        assert groups(finance, sales, somebody) == people("a", "b", "c")

    def test_an_address_says_which_one(self) -> None:
        finance = NamedPerson("a", "1", ANNA, organisation="Finance", address="anna.schmidt@x.example")
        sales = NamedPerson("b", "2", ANNA, organisation="Sales", address="a.schmidt@x.example")
        doctor = NamedPerson("c", "3", "Dr. A. Schmidt", address="Anna.Schmidt@x.example")
        assert groups(finance, sales, doctor) == people("ac", "b")

    def test_an_organisation_says_which_one(self) -> None:
        finance = NamedPerson("a", "1", ANNA, organisation="Finance")
        sales = NamedPerson("b", "2", ANNA, organisation="Sales")
        doctor = NamedPerson("c", "3", "Schmidt, Anna", organisation="Finance Department")
        assert groups(finance, sales, doctor) == people("ac", "b")


class TestOnePerson:
    def test_is_known_by_an_address(self) -> None:
        full = NamedPerson("a", "1", ANNA, address="anna@x.example")
        assert groups(full, NamedPerson("b", "2", "Dr. A. Schmidt", address="anna@x.example")) == people("ab")

    def test_is_known_by_the_organisation_of_a_full_name(self) -> None:
        head = NamedPerson("a", "1", ANNA, "head", "Finance")
        assert groups(head, NamedPerson("b", "2", ANNA, "controller", "Finance")) == people("ab")

    def test_is_not_known_by_it_where_an_initial_has_another_role(self) -> None:
        head = NamedPerson("a", "1", ANNA, "head", "Finance")
        assert groups(head, NamedPerson("b", "2", "A. Schmidt", "controller", "Finance")) == people("a", "b")
        assert groups(head, NamedPerson("b", "2", "A. Schmidt", "Head", "Finance")) == people("ab")
        assert groups(head, NamedPerson("b", "2", "A. Schmidt", None, "Finance")) == people("ab")

    def test_is_known_within_a_document(self) -> None:
        assert groups(NamedPerson("a", "1", ANNA), NamedPerson("b", "1", "Dr. Schmidt")) == people("ab")

    def test_is_known_by_a_role_with_a_full_name_only(self) -> None:
        one = NamedPerson("a", "1", ANNA, "head of travel")
        assert groups(one, NamedPerson("b", "2", "Schmidt, Anna", "Head of Travel")) == people("ab")
        assert groups(one, NamedPerson("b", "2", "A. Schmidt", "Head of Travel")) == people("a", "b")

    def test_may_be_known_by_steps(self) -> None:
        first = NamedPerson("a", "1", ANNA, organisation="Finance")
        second = NamedPerson("b", "2", "A. Schmidt", organisation="Finance", address="as@x.example")
        third = NamedPerson("c", "3", "Dr. Schmidt", address="as@x.example")
        assert groups(first, second, third) == people("abc")


@pytest.mark.parametrize(
    ("one", "other", "fit"),
    [
        ("Anna Schmidt", "SCHMIDT, Anna", "full"),
        ("Prof. Dr. Anna Müller", "anna muller", "full"),
        ("Anna-Maria Schmidt", "Anna Schmidt", "full"),
        ("A. Schmidt", "Anna Schmidt", "short"),
        ("A.B. Schmidt", "Anna B. Schmidt", "short"),
        ("Schmidt", "Anna Schmidt", "short"),
        ("王小明", "王小明", "short"),
        ("王小明", "王小红", "none"),
        ("Dr.", "Dr.", "short"),
    ],
)
def test_names_fit(one: str, other: str, fit: str) -> None:
    assert likeness(read_name(one), read_name(other)) == fit
    assert likeness(read_name(other), read_name(one)) == fit


def test_a_department_is_known_without_the_word() -> None:
    assert organisation_of("The Finance Department") == organisation_of("finance") == "finance"
    assert organisation_of("the team") == "the team"


SOME = st.lists(
    st.builds(
        NamedPerson,
        st.uuids().map(str),
        st.sampled_from("123"),
        st.sampled_from(["Anna Schmidt", "A. Schmidt", "Frau Schmidt", "Herr Schmidt", "Bert Schmidt"]),
        st.sampled_from([None, "head", "clerk"]),
        st.sampled_from([None, "Finance", "Sales"]),
        st.sampled_from([None, None, "a@x.example", "b@x.example"]),
    ),
    max_size=12,
    unique_by=lambda one: one.id,
)


@given(SOME)
def test_everybody_is_somebody_and_nobody_is_two(named: list[NamedPerson]) -> None:
    found = told_apart(named)
    assert sorted(one.id for group in found for one in group) == sorted(one.id for one in named)
    assert found == told_apart(list(reversed(named)))
    for group in found:
        addresses = {one.address for one in group} - {None}
        organisations = {one.organisation for one in group} - {None}
        assert len(addresses) <= 1
        assert len(organisations) <= 1 or addresses
        assert all(likeness(read_name(a.name), read_name(b.name)) != "none" for a in group for b in group)
        if len(group) > 1 and len({one.document_id for one in group}) == len(group):
            assert addresses or organisations or len({one.role for one in group} - {None}) == 1
