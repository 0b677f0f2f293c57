"""Operators of a query, through the whole funnel."""

from datetime import UTC, datetime
from typing import Any

from footnote_shared.contracts.search import SearchResult, SearchScope
from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, caller, short


def titles(result: SearchResult) -> list[str]:
    return [passage.title for passage in result.passages]


def understood(result: SearchResult) -> dict[str, Any]:
    return next(report.notes for report in result.explanation or [] if report.stage == "understand")


async def ships() -> FunnelOnFakes:
    on = FunnelOnFakes()
    await on.add(
        Book("harbour log", ["The tall ship left at dawn."], created_at=datetime(2024, 5, 1, tzinfo=UTC)),
        Book("yard notes", ["A ship so tall that it left the yard late."]),
        Book(
            "sea log",
            ["The tall ship came back with torn sails."],
            created_at=datetime(2025, 5, 1, tzinfo=UTC),
        ),
    )
    return on


async def test_a_phrase_must_stand() -> None:
    on = await ships()
    result = await on.search('"tall ship" left', explain=True)
    assert titles(result) == ["harbour log", "sea log"]
    assert understood(result)["phrases"] == ["tall ship"]
    enriched = next(report for report in result.explanation or [] if report.stage == "enrich")
    assert enriched.notes["other_words"] == 1
    assert titles(await on.search('"tall harbour" ship')) == []


async def test_a_word_to_leave_out_is_in_no_passage() -> None:
    on = await ships()
    assert titles(await on.search("tall ship -sails")) == ["harbour log", "yard notes"]
    assert "harbour log" not in titles(await on.search("tall ship -harbour"))


async def test_names_and_dates_narrow_one_search_and_no_other() -> None:
    on = await ships()
    plain = titles(await on.search("tall ship"))
    assert titles(await on.search("tall ship title:log")) == [title for title in plain if "log" in title]
    assert titles(await on.search("tall ship title:log after:2025")) == ["sea log"]
    assert titles(await on.search("tall ship before:2025")) == ["harbour log"]
    assert titles(await on.search("tall ship title:nowhere")) == []
    assert titles(await on.search("tall ship")) == plain


async def test_names_narrow_the_scope_of_the_request_and_never_widen_it() -> None:
    on = await ships()
    scope = SearchScope(created_to=datetime(2024, 12, 31, tzinfo=UTC))
    assert titles(await on.search("tall ship title:log", scope=scope)) == ["harbour log"]
    assert titles(await on.search("tall ship after:2025", scope=scope)) == []


async def test_a_name_of_what_the_caller_does_not_see_stands_for_nothing() -> None:
    on = await ships()
    await on.add(Book("secret log", ["The tall ship sank."], private=True))
    other = caller().model_copy(update={"avatar_id": "another"})
    result = await on.search("tall ship title:secret", by=other, explain=True)
    assert (titles(result), understood(result)["documents"]) == ([], 0)


async def test_operators_can_be_switched_off() -> None:
    on = await ships()
    assert len(titles(await on.search('"tall harbour" -sails title:log', operators=False))) == 3


async def test_a_rare_phrase_is_looked_for_far_down() -> None:
    on = FunnelOnFakes()
    await on.add(*(short("tall ship ship tall", number) for number in range(150)))
    await on.add(
        Book("found", ["Of all that is tall, ship and mast and crane, no tall old ship is left in the port."])
    )
    assert titles(await on.search('tall ship "old ship"')) == ["found"]


async def test_identifiers_are_shown() -> None:
    on = await ships()
    result = await on.search("ERR-4042 on the ship", explain=True)
    assert understood(result)["identifiers"] == ["err-4042"]
    assert "understand" not in [
        report.stage for report in (await on.search("ship", explain=True)).explanation or []
    ]
