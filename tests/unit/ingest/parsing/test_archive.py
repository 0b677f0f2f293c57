"""What a zip container may unpack to."""

import io
import random
import struct
import zipfile

import pytest

from footnote_ingest.parsing.archive import check_container
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parse_limits import MIB
from tests.unit.ingest.defaults import parse_limits


def refusal(data: bytes) -> str | None:
    try:
        check_container(data, parse_limits())
    except ParseFailed as failed:
        return failed.code
    return None


def container(zeros: int, noise: int = 0) -> bytes:
    """A container of a part of zeros, which hardly take room, and a part that cannot be compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(zeros))
        archive.writestr("noise", random.Random(1).randbytes(noise), zipfile.ZIP_STORED)
    return out.getvalue()


def claiming(size: int, data: bytes) -> bytes:
    """The same container, whose directory says that its first part has this size."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.start_dir
    return data[: start + 24] + struct.pack("<I", size) + data[start + 28 :]


@pytest.mark.parametrize(("size", "code"), [(10 * MIB, None), (10 * MIB + 1, "bomb")])
def test_up_to_10_mib_any_ratio_is_taken(size: int, code: str | None) -> None:
    assert refusal(container(size)) == code


@pytest.mark.parametrize(("ratio", "code"), [(195, None), (205, "bomb")])
def test_beyond_it_200_times_the_size_are_taken(ratio: int, code: str | None) -> None:
    zeros = 12 * MIB
    frame = len(container(zeros))
    assert refusal(container(zeros, (zeros - ratio * frame) // (ratio - 1))) == code


@pytest.mark.parametrize(("size", "code"), [(500 * MIB, None), (500 * MIB + 1, "bomb")])
def test_500_mib_are_taken_in_all(size: int, code: str | None) -> None:
    """A container that claims more is refused, whatever it really holds."""
    noise = 3 * MIB
    assert refusal(claiming(size - noise, container(MIB, noise))) == code


@pytest.mark.parametrize(("parts", "code"), [(10_000, None), (10_001, "bomb")])
def test_10000_parts_are_taken(parts: int, code: str | None) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(parts):
            archive.writestr(str(number), b"")
    assert refusal(out.getvalue()) == code
