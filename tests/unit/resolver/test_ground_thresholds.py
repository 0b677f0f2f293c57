"""How many passages a claim is compared with, how many the model is asked about, and what verdicts score."""

from collections.abc import Sequence

from anyio import CapacityLimiter

from footnote_resolver.api.dependencies import ResolverResources
from footnote_resolver.api.ground import post_ground
from footnote_resolver.api.ground_bodies import GroundPassage, GroundRequest
from footnote_resolver.sentences.vectors import SentenceVectors
from footnote_resolver.verification.entailment import EntailmentCheck
from footnote_resolver.verification.judge import Holding
from footnote_resolver.verification.verify import Grounded, NamedPassage, Verifier
from footnote_shared.contracts.identity import Principal
from footnote_shared.models.cross_encoder import Entailment
from footnote_testing.fake_embedder import FakeEmbedder
from tests.unit.resolver.plain_words import PLAIN

CLAIM = "The tail of the comet is green"
PASSAGES = [NamedPassage(word, f"{CLAIM} over the {word}.") for word in PLAIN[:9]]


class AskedPairs:
    """Says of no pair that it is entailed or contradicted, and remembers how many it was asked about."""

    def __init__(self) -> None:
        self.count = 0

    def classify(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        self.count += len(pairs)
        return [Entailment(0.0, 0.0)] * len(pairs)


async def test_a_claim_is_compared_with_the_eight_nearest_passages_and_the_model_reads_three() -> None:
    asked = AskedPairs()
    verifier = Verifier(SentenceVectors(FakeEmbedder), 30.0, EntailmentCheck(lambda: asked, 30.0))
    (found,), degraded = await verifier.ground([(f"{CLAIM}.", (0, 31))], PASSAGES)
    assert degraded == ()
    assert [held.support for _, held in found.holdings] == ["supported"] * 8
    assert asked.count == 3


class OneOfThreeWeak(Verifier):
    """Two claims of three are supported."""

    def __init__(self) -> None:
        return

    async def ground(
        self, claims: Sequence[tuple[str, tuple[int, int]]], passages: Sequence[NamedPassage]
    ) -> tuple[list[Grounded], tuple[str, ...]]:
        held = [Holding("supported", 0.9), Holding("weak", 0.5), Holding("supported", 0.9)]
        return [
            Grounded(text, span, [("1", holding)]) for (text, span), holding in zip(claims, held, strict=True)
        ], ()


class ScoringResources(ResolverResources):
    def __init__(self) -> None:
        object.__setattr__(self, "verifier", OneOfThreeWeak())
        object.__setattr__(self, "text_work", CapacityLimiter(1))


async def test_a_weak_claim_counts_half_in_the_score_of_a_text() -> None:
    me = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"read"}))
    claims = [f"The comet returned {times}." for times in ("once", "twice", "often")]
    body = GroundRequest(text=None, claims=claims, passages=[GroundPassage(id="1", text="The comet.")])
    assert round((await post_ground(body, me, ScoringResources())).score, 3) == 0.833
