"""AWS Signature Version 4, as stores that speak S3 ask for it.

docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html. `obstore` signs too,
but opens connections of its own, which the guard would not see (ADR 0068).
"""

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

_ALGORITHM = "AWS4-HMAC-SHA256"
_OF_NOTHING = hashlib.sha256(b"").hexdigest()
"""The digest of the body of a request that has none."""


@dataclass(frozen=True, slots=True)
class S3Keys:
    """By what a store lets us in. `session` comes with keys that were lent for a while."""

    access: str
    secret: str = field(repr=False)
    session: str | None = field(default=None, repr=False)


def signed_get(url: str, region: str, keys: S3Keys, moment: datetime) -> dict[str, str]:
    """The headers of a GET that the store takes for fifteen minutes around the moment (UTC).

    Path and query of the URL are escaped already, and the parts of the query in the order of their names.
    """
    parts = urlsplit(url)
    stamp = moment.strftime("%Y%m%dT%H%M%SZ")
    headers = {"x-amz-content-sha256": _OF_NOTHING, "x-amz-date": stamp}
    if keys.session is not None:
        headers["x-amz-security-token"] = keys.session
    told = {"host": parts.netloc, **headers}
    names = ";".join(sorted(told))
    lines = "".join(f"{name}:{told[name]}\n" for name in sorted(told))
    request = "\n".join(("GET", parts.path or "/", parts.query, lines, names, _OF_NOTHING))
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    to_sign = "\n".join((_ALGORITHM, stamp, scope, hashlib.sha256(request.encode()).hexdigest()))
    key = f"AWS4{keys.secret}".encode()
    for part in (stamp[:8], region, "s3", "aws4_request"):
        key = _mac(key, part)
    signature = _mac(key, to_sign).hex()
    said = f"Credential={keys.access}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {**headers, "Authorization": f"{_ALGORITHM} {said}"}


def _mac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
