"""The files of the console as they go out: named by their release, compressed once, with a tag for caches.

All of them together are a release, and its name is a part of their address. A browser keeps them for ever,
and a page never mixes the modules of two versions. Only the page itself is asked for anew each time.
"""

import base64
import gzip
import hashlib
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGE = "index.html"
_FOLDER = Path(__file__).parent / "static"
_TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".ts": "text/plain"}
_RELEASE_CHARS = 16
_LEAST_PACKED = 512
"""Below this many bytes compression saves nothing that a network would notice."""
_RELEASE_MARK = b"{{release}}"
_INLINE_SCRIPT = re.compile(rb"<script type=\"importmap\">([^<]*)</script>")


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as it is sent. `packed` are its bytes under gzip, None where that would not make it smaller."""

    body: bytes
    packed: bytes | None
    media_type: str
    etag: str


@dataclass(frozen=True, slots=True)
class Release:
    """All files of the console by their path, and the policy under which the page runs."""

    name: str
    files: Mapping[str, PageFile]
    policy: str


@cache
def release() -> Release:
    """The files as they are installed, read once in a process."""
    bodies = {
        path.relative_to(_FOLDER).as_posix(): path.read_bytes()
        for path in sorted(_FOLDER.rglob("*"))
        if path.is_file()
    }
    name = _digest(b"".join(key.encode() + b"\0" + body for key, body in bodies.items()))
    bodies[PAGE] = bodies[PAGE].replace(_RELEASE_MARK, name.encode())
    return Release(
        name, {path: _page_file(path, body) for path, body in bodies.items()}, _policy(bodies[PAGE])
    )


def _page_file(path: str, body: bytes) -> PageFile:
    media_type = _TYPES.get(Path(path).suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    packed = gzip.compress(body, mtime=0) if len(body) >= _LEAST_PACKED else body
    return PageFile(body, packed if len(packed) < len(body) else None, media_type, f'"{_digest(body)}"')


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_RELEASE_CHARS]


def _policy(page: bytes) -> str:
    """The page's own files, its API, and nothing else. The map of module names is allowed by its hash.

    `require-trusted-types-for` has the browser refuse text where it expects HTML, unless the sanitiser of the
    console has made it.
    """
    hashes = [
        base64.b64encode(hashlib.sha256(script).digest()).decode() for script in _INLINE_SCRIPT.findall(page)
    ]
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *(f"'sha256-{value}'" for value in hashes)]),
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types dompurify",
        ]
    )
