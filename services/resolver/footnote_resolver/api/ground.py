"""The check of any text against any passages (spec 2.6)."""

from dataclasses import dataclass, replace

from anyio import to_thread
from fastapi import APIRouter

from footnote_resolver.api.dependencies import Resources
from footnote_resolver.api.ground_bodies import GroundedClaim, GroundRequest, GroundResult, Support
from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.sentences.claims import plain
from footnote_resolver.sentences.judged_parts import JudgedPart, judged_parts
from footnote_resolver.verification.verify import SCORES, Grounded, NamedPassage
from footnote_shared.kernel.errors import FieldError, InvalidRequest, TooLarge
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Reader

router = APIRouter(prefix="/v1/ground", tags=["ground"])
_MOST_CLAIMS = 500
_MOST_CLAIM_CHARS = 100_000
_MOST_PASSAGE_CHARS = 400_000
_HIGHEST_MARK = 999


@dataclass(frozen=True, slots=True)
class _Stated:
    """A claim as it was sent and without its marks, its range in the text, the numbers in the marks."""

    given: str
    text: str
    span: tuple[int, int]
    marks: tuple[int, ...] = ()


@router.post("", summary="Which claims the passages support, and what could be cited for each")
@body_limit(LARGE_BODY)
async def post_ground(request: GroundRequest, caller: Reader, resources: Resources) -> GroundResult:
    """Check each claim of a text against the passages.

    Each sentence that claims something is a claim. So is each cell of a table, with the first cell of its
    row and the head of its column. Citation marks in the text (`[1]`, `[citation:1]`, `[1, 2]`) are no part
    of a claim. Where they name passages by their ids, `cited` says so. Several passages with one id are
    parts of one source.
    """
    claims = await to_thread.run_sync(_claims, request, limiter=resources.text_work)
    if sum(len(passage.text) for passage in request.passages) > _MOST_PASSAGE_CHARS:
        raise TooLarge(f"The passages may hold {_MOST_PASSAGE_CHARS} characters together.")
    found, degraded = await resources.verifier.ground(
        [(claim.text, claim.span) for claim in claims], [NamedPassage(p.id, p.text) for p in request.passages]
    )
    ids = {passage.id for passage in request.passages}
    score = sum(SCORES[claim.best.support] for claim in found) / len(found) if found else 0.0
    return GroundResult(
        score=round(score, 4),
        claims=[_claim(stated, claim, ids) for stated, claim in zip(claims, found, strict=True)],
        degraded=list(degraded),
    )


def _claims(request: GroundRequest) -> list[_Stated]:
    """The claims of a request.

    Raises InvalidRequest for both or neither of text and claims and for too many, TooLarge for too much text.
    """
    if (request.text is None) == (request.claims is None):
        raise InvalidRequest(
            "Send either text or claims.", errors=[FieldError("text", "either this or claims")]
        )
    given = [request.text] if request.text is not None else request.claims or []
    if sum(map(len, given)) > _MOST_CLAIM_CHARS:
        raise TooLarge(f"Text or claims may hold {_MOST_CLAIM_CHARS} characters together.")
    if request.text is None:
        _check_count(len(given), "claims")
        return [_stated(claim, (0, len(claim))) for claim in given]
    parts = [part for part in judged_parts(request.text) if part.in_table or part.sentence.is_claim]
    _check_count(sum(len(part.wordings) for part in parts), "text")
    return [claim for part in parts for claim in _parts(part)]


def _check_count(claims: int, field: str) -> None:
    if claims > _MOST_CLAIMS:
        raise InvalidRequest(
            f"At most {_MOST_CLAIMS} claims are checked at once.",
            errors=[FieldError(field, f"holds {claims} claims")],
        )


def _parts(part: JudgedPart) -> list[_Stated]:
    """A sentence as one claim, and each cell of a row."""
    sentence = part.sentence
    span = (sentence.start, sentence.end)
    if not part.in_table:
        return [_stated(sentence.text, span)]
    of_row = _stated(sentence.text, span).marks
    cells = [_stated(words, span) for words, _ in part.wordings]
    return [replace(cell, marks=cell.marks or of_row) for cell in cells]


def _stated(sentence: str, span: tuple[int, int]) -> _Stated:
    wire = finalize(sentence, lambda n: n <= _HIGHEST_MARK, lambda: 0)
    return _Stated(sentence, plain(wire.text), span, wire.citations)


def _claim(stated: _Stated, claim: Grounded, ids: set[str]) -> GroundedClaim:
    holding = [(name, h) for name, h in claim.holdings if h.support != "unsupported"]
    supporting = [name for name, h in holding if h.support == "supported"]
    cited = [str(n) for n in stated.marks if str(n) in ids]
    return GroundedClaim(
        text=stated.given,
        span=claim.span,
        verdict=claim.best.support,
        support=[Support(id=name, score=round(h.score, 4)) for name, h in holding],
        citations=supporting,
        cited=cited,
        misattributed=bool(cited and supporting and not set(cited) & set(supporting)),
    )
