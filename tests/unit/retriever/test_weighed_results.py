"""Results that depend on where documents come from, how old they are, and what else is returned."""

from datetime import UTC, datetime

from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FakeReranker, FunnelOnFakes, short


class TestWeights:
    async def test_a_source_type_and_a_folder_can_count_less(self) -> None:
        on = FunnelOnFakes()
        await on.add(
            Book("mail", ["tea milk"], source_type="email"),
            Book("old", ["tea milk in cups"], folder_ids=("attic", "attic/old")),
            Book("plain", ["tea milk in cups and pots"]),
            Book("far", ["ships sail on the sea"]),
        )
        assert (await on.search("tea milk")).passages[0].title == "mail"
        result = await on.search(
            "tea milk",
            weights=[
                {"source_type": "email", "weight": 0.1},
                {"folder_id": "attic", "weight": 0},
            ],
            explain=True,
        )
        assert result.passages[0].title == "plain"
        assert result.passages[0].ranks.fused == 3
        *_, step = [report for report in result.explanation or [] if report.stage == "weigh"]
        best = step.notes["weights"][0]
        assert (best["weight"], best["before"], best["after"]) == (1.0, 3, 1)
        assert result.settings.weights[0].source_type == "email"

    async def test_of_two_that_are_equal_the_newer_comes_first(self) -> None:
        on = FunnelOnFakes()
        await on.add(
            Book("old", ["tea milk cup one"], created_at=datetime(2001, 1, 1, tzinfo=UTC)),
            Book("new", ["tea milk cup one two"], created_at=datetime(2025, 1, 1, tzinfo=UTC)),
            Book("far", ["ships sail on the sea"]),
        )
        assert [p.title for p in (await on.search("tea milk cup")).passages][:2] == ["old", "new"]
        weighed = await on.search("tea milk cup", half_life_days=365)
        assert [p.title for p in weighed.passages][:2] == ["new", "old"]

    async def test_they_hold_for_the_scores_of_a_reranker_too(self) -> None:
        on = FunnelOnFakes(FakeReranker())
        await on.add(
            Book("short", ["tea milk"]),
            Book("middle", ["tea milk and more of it"]),
            Book("long", ["tea milk and more of it in a cup"], source_type="email"),
        )
        assert (await on.search("tea")).passages[0].title == "long"
        result = await on.search("tea", weights=[{"source_type": "email", "weight": 0.1}])
        assert (result.passages[0].title, result.passages[0].ranks.reranked) == ("middle", 1)

    async def test_without_them_no_step_is_there(self) -> None:
        on = FunnelOnFakes()
        await on.add(short("tea", 1))
        stages = [r.stage for r in (await on.search("tea", explain=True)).explanation or []]
        assert not {"weigh", "spread"} & set(stages)


class TestSpread:
    async def test_of_one_document_come_as_many_as_are_asked_for(self) -> None:
        on = FunnelOnFakes()
        await on.add(
            Book("much", [f"tea milk number{n}" for n in range(30)]),
            *(Book(f"other {n}", [f"tea in a cup with much else around it {n}"]) for n in range(6)),
        )
        assert {p.title for p in (await on.search("tea milk")).passages} == {"much"}
        # Two that stand side by side would be one passage, and chance says which two are found.
        result = await on.search("tea milk", per_document=2, neighbours=False, explain=True)
        titles = [p.title for p in result.passages]
        assert (len(titles), titles.count("much"), len(set(titles))) == (8, 2, 7)
        (step,) = [report for report in result.explanation or [] if report.stage == "spread"]
        assert step.taken > step.given

    async def test_what_is_nearly_the_same_comes_once_if_that_is_asked_for(self) -> None:
        on = FunnelOnFakes()
        text = "the tea is kept in the green tin on the upper shelf of the small kitchen"
        await on.add(Book("first", [text]), Book("copy", [f"{text} today"]), Book("else", ["tea with milk"]))
        assert len((await on.search("tea")).passages) == 3
        titles = {p.title for p in (await on.search("tea", near_duplicates=0.8)).passages}
        assert len(titles) == 2
        assert "else" in titles
