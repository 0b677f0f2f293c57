"""An S3 of the test's own, in this process (moto)."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
from moto.server import ThreadedMotoServer

from footnote_shared.blobs.objects import ObjectBlobs
from footnote_testing.eventually import LIMIT_S


@dataclass(frozen=True, slots=True)
class S3Server:
    """Where the server answers."""

    address: str

    @property
    def options(self) -> dict[str, str]:
        """What a store needs to reach it (`FOOTNOTE_BLOB_OPTIONS`)."""
        return {
            "endpoint": self.address,
            "region": "us-east-1",
            "access_key_id": "test",
            "secret_access_key": "test",
            "allow_http": "true",
        }

    def blobs(self) -> ObjectBlobs:
        """A store in a bucket that nobody else uses."""
        bucket = f"bucket-{uuid.uuid4().hex}"
        httpx.put(f"{self.address}/{bucket}", trust_env=False, timeout=LIMIT_S).raise_for_status()
        return ObjectBlobs(f"s3://{bucket}/some/prefix", self.options)


@contextmanager
def running_s3() -> Iterator[S3Server]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield S3Server(f"http://{host}:{port}")
    server.stop()
