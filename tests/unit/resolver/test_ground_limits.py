"""How much `POST /v1/ground` takes, and which marks of a text it reads."""

from collections.abc import Sequence

import pytest
from anyio import CapacityLimiter

from footnote_resolver.api.dependencies import ResolverResources
from footnote_resolver.api.ground import post_ground
from footnote_resolver.api.ground_bodies import GroundPassage, GroundRequest, GroundResult
from footnote_resolver.verification.verify import Grounded, NamedPassage, Verifier
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import InvalidRequest, TooLarge

CALLER = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"read"}))


class NothingSupported(Verifier):
    def __init__(self) -> None:
        return

    async def ground(
        self, claims: Sequence[tuple[str, tuple[int, int]]], passages: Sequence[NamedPassage]
    ) -> tuple[list[Grounded], tuple[str, ...]]:
        return [Grounded(text, span, []) for text, span in claims], ()


class OnlyVerifier(ResolverResources):
    def __init__(self) -> None:
        object.__setattr__(self, "verifier", NothingSupported())
        object.__setattr__(self, "text_work", CapacityLimiter(1))


async def grounded(
    *, text: str | None = None, claims: list[str] | None = None, passages: tuple[str, ...] = ()
) -> GroundResult:
    """The answer for passages that are named by their numbers, from 1."""
    named = [GroundPassage(id=str(n), text=passage) for n, passage in enumerate(passages, 1)]
    request = GroundRequest(text=text, claims=claims, passages=named)
    return await post_ground(request, CALLER, OnlyVerifier())


async def test_five_hundred_claims_and_no_more() -> None:
    claims = [f"The comet returned {n} times." for n in range(501)]
    assert len((await grounded(claims=claims[:500])).claims) == 500
    with pytest.raises(InvalidRequest):
        await grounded(claims=claims)


async def test_each_cell_of_a_table_is_one_of_them() -> None:
    def table(rows: int) -> str:
        return "\n".join(["| dish | price |", "|---|---|", *["| Soup | 2.80 |"] * rows])

    assert len((await grounded(text=table(500))).claims) == 500
    with pytest.raises(InvalidRequest) as refused:
        await grounded(text=table(501))
    assert [error.message for error in refused.value.errors] == ["holds 501 claims"]


async def test_a_hundred_thousand_characters_of_text_and_no_more() -> None:
    await grounded(text=" " * 100_000)
    with pytest.raises(TooLarge):
        await grounded(text=" " * 100_001)
    with pytest.raises(TooLarge):
        await grounded(claims=["a" * 50_000, "b" * 50_001])


async def test_four_hundred_thousand_characters_of_passages_and_no_more() -> None:
    await grounded(claims=[], passages=("a" * 200_000, "b" * 200_000))
    with pytest.raises(TooLarge):
        await grounded(claims=[], passages=("a" * 200_000, "b" * 200_001))


@pytest.mark.parametrize("mark", ["[{}]", "[citation:{}]"])
@pytest.mark.parametrize(("number", "cited"), [(1, ["1"]), (999, ["999"]), (1000, [])])
async def test_a_mark_names_one_of_up_to_999_passages(mark: str, number: int, cited: list[str]) -> None:
    request = GroundRequest(
        claims=[f"The tail of the comet is green {mark.format(number)}."],
        passages=[GroundPassage(id=str(number), text="The tail is green.")],
    )
    result = await post_ground(request, CALLER, OnlyVerifier())
    assert result.claims[0].cited == cited
