"""Signatures of requests to S3 are those of Amazon's own library."""

from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.connectors.s3_signing import S3Keys, signed_get

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def test_the_example_of_the_documentation_is_signed_as_it_says() -> None:
    """docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, GET Bucket (List Objects)."""
    keys = S3Keys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    url = "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J"
    headers = signed_get(url, "us-east-1", keys, datetime(2013, 5, 24, tzinfo=UTC))
    assert headers["Authorization"].endswith(
        "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    )


@given(key=_TEXT, prefix=_TEXT, session=st.none() | st.just("lent"))
def test_any_key_and_any_prefix_are_signed_as_by_botocore(key: str, prefix: str, session: str | None) -> None:
    url = f"http://store.example:9000/bucket/{quote(key)}?list-type=2&prefix={quote(prefix, safe='')}"
    with pytest.MonkeyPatch.context() as patch:
        moment = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
        patch.setattr("botocore.auth.get_current_datetime", lambda: moment.replace(tzinfo=None))
        theirs = AWSRequest("GET", url)
        S3SigV4Auth(Credentials("AKIA", "s/e+c=", session), "s3", "eu-west-1").add_auth(theirs)
    ours = signed_get(url, "eu-west-1", S3Keys("AKIA", "s/e+c=", session), moment)
    assert ours["Authorization"] == theirs.headers["Authorization"]
