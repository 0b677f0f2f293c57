"""The check of any text against any passages (spec 2.6)."""

from fastapi import APIRouter

from footnote_resolver.api.deps import Parts
from footnote_resolver.claims import answer_sentences, plain
from footnote_resolver.verification.run import SCORES, Grounded, Passage
from footnote_shared.contracts.evidence import GroundedClaim, GroundRequest, GroundResult, Support
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.web.dependencies import Reader

router = APIRouter(prefix="/v1/ground", tags=["ground"])
_MOST_CLAIMS = 500


@router.post("", summary="Which claims the passages support, and what could be cited for each")
async def post_ground(request: GroundRequest, caller: Reader, parts: Parts) -> GroundResult:
    if (request.text is None) == (request.claims is None):
        raise InvalidRequest(
            "Send either text or claims.", errors=[FieldError("text", "either this or claims")]
        )
    if request.text is not None:
        claims = [(plain(s.text), (s.start, s.end)) for s in answer_sentences(request.text) if s.claims]
    else:
        claims = [(claim, (0, len(claim))) for claim in request.claims or ()]
    if len(claims) > _MOST_CLAIMS:
        field = "text" if request.text is not None else "claims"
        raise InvalidRequest(
            f"At most {_MOST_CLAIMS} claims are checked at once.",
            errors=[FieldError(field, f"holds {len(claims)} claims")],
        )
    found = await parts.verifier.ground(claims, [Passage(p.id, p.text) for p in request.passages])
    score = sum(SCORES[claim.best.support] for claim in found) / len(found) if found else 0.0
    return GroundResult(score=round(score, 4), claims=[_claim(request.text, claim) for claim in found])


def _claim(text: str | None, claim: Grounded) -> GroundedClaim:
    start, end = claim.span
    holding = [(name, h) for name, h in claim.holdings if h.support != "unsupported"]
    return GroundedClaim(
        text=text[start:end] if text is not None else claim.text,
        span=claim.span,
        verdict=claim.best.support,
        support=[Support(id=name, score=round(h.score, 4)) for name, h in holding],
        citations=[name for name, h in holding if h.support == "supported"],
    )
