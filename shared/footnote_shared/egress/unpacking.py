"""Unpacking what a site sends: what is packed wrongly is the fault of the site."""

from collections.abc import Iterator
from contextlib import contextmanager

from footnote_shared.egress.errors import SiteFailed
from footnote_shared.kernel.unpacking import Unpacker, UnpackFailed


class SiteUnpacker(Unpacker):
    """Raises SiteFailed where the general one raises UnpackFailed."""

    def __init__(self, encoding: str) -> None:
        with _of_the_site():
            super().__init__(encoding)

    def unpack(self, received: bytes) -> Iterator[bytes]:
        with _of_the_site():
            yield from super().unpack(received)

    def check_end(self) -> None:
        with _of_the_site():
            super().check_end()


@contextmanager
def _of_the_site() -> Iterator[None]:
    try:
        yield
    except UnpackFailed as failed:
        raise SiteFailed(f"{failed}") from failed
