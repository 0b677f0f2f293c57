"""An S3 of the test's own: in this process (moto), or wherever one answers."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import botocore.session
import httpx
from moto.server import ThreadedMotoServer

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.blobs.objects import ObjectBlobs
from footnote_testing.eventually import LIMIT_S

_REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class S3Server:
    """Where the server answers, and the keys that it takes. The one in this process takes any."""

    address: str
    access_key: str
    secret_key: str

    @property
    def options(self) -> dict[str, str]:
        """What a store needs to reach it (`FOOTNOTE_BLOB_OPTIONS`)."""
        return {
            "endpoint": self.address,
            "region": _REGION,
            "access_key_id": self.access_key,
            "secret_access_key": self.secret_key,
            "allow_http": "true",
        }

    def blobs(self) -> ObjectBlobs:
        """A store in a bucket that nobody else uses."""
        return ObjectBlobs(f"s3://{self.new_bucket()}/some/prefix", self.options)

    def new_bucket(self) -> str:
        name = f"bucket-{uuid.uuid4().hex}"
        _client(self).create_bucket(Bucket=name)
        return name

    def serves(self) -> bool:
        """Whether there is an answer, which may be that a key is wanted."""
        return not httpx.get(
            self.address, trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
        ).is_server_error


@cache
def _client(server: S3Server) -> Any:
    """One for all buckets: to make it, botocore reads the description of every operation of S3."""
    return botocore.session.Session().create_client(
        "s3",
        region_name=_REGION,
        endpoint_url=server.address,
        aws_access_key_id=server.access_key,
        aws_secret_access_key=server.secret_key,
    )


@contextmanager
def running_s3() -> Iterator[S3Server]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield S3Server(f"http://{host}:{port}", "test", "test")
    server.stop()
