"""The console's page and its files. They are the same for everybody, so no key is asked for."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from footnote_agent.console.page_files import PAGE, PageFile, release
from footnote_agent.console.sample_files import read_sample
from footnote_shared.kernel.errors import NotFound

router = APIRouter(tags=["console"], include_in_schema=False)

_FOR_EVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


@router.get("/")
async def front() -> Response:
    return RedirectResponse("/console")


@router.get("/console")
async def page(request: Request) -> Response:
    """The page itself, which names the release of all other files."""
    headers = {
        "Content-Security-Policy": release().policy,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    }
    return _answer(request, release().files[PAGE], _ASK_AGAIN, headers)


@router.get("/console/samples/{path:path}")
def sample(path: str) -> Response:
    """A sample document, as a file to save: no browser shows one of them as a page of ours."""
    content = read_sample(path)
    if content is None:
        raise NotFound
    headers = {
        "Cache-Control": _ASK_AGAIN,
        "Content-Disposition": "attachment",
        "X-Content-Type-Options": "nosniff",
    }
    kind = "application/json" if path == "corpus.json" else "application/octet-stream"
    return Response(content, media_type=kind, headers=headers)


@router.get("/console/{path:path}")
async def file(request: Request, path: str) -> Response:
    """A file of this release, or of whichever release there is where the address names none."""
    head, _, rest = path.partition("/")
    named = head == release().name
    found = release().files.get(rest if named else path)
    if found is None or found is release().files[PAGE]:
        raise NotFound
    return _answer(request, found, _FOR_EVER if named else _ASK_AGAIN, {})


def _answer(request: Request, found: PageFile, caching: str, headers: dict[str, str]) -> Response:
    headers |= {
        "Cache-Control": caching,
        "ETag": found.etag,
        "Referrer-Policy": "no-referrer",
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
    }
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if found.etag in known:
        return Response(status_code=304, headers=headers)
    body = found.body
    if found.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body = found.packed
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type=found.media_type, headers=headers)
