"""Archives: each file inside is a document of its own, and no archive unpacks to more than is allowed."""

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable

import pytest

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parse_limits import MIB
from tests.unit.ingest.parsing import sample_files
from tests.unit.ingest.parsing.here import parsed_here

FILES = {"docs/a.md": b"# Harbour\n\nIt opens at six.\n", "src/b.py": b"def opens():\n    return 6\n"}


def tarred(files: dict[str, bytes], link: str | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        if link is not None:
            member = tarfile.TarInfo("link.txt")
            member.type, member.linkname = tarfile.SYMTYPE, link
            archive.addfile(member)
    return out.getvalue()


def names(data: bytes, name: str) -> list[str]:
    return [item.name for item in parsed_here(data, name).attachments]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", sample_files.zipped({name: content.decode() for name, content in FILES.items()})),
        ("a.tar", tarred(FILES)),
        ("a.tar.gz", gzip.compress(tarred(FILES))),
        ("a.tgz", gzip.compress(tarred(FILES))),
        ("a.tar.bz2", bz2.compress(tarred(FILES))),
        ("a.tar.xz", lzma.compress(tarred(FILES))),
    ],
)
def test_the_files_of_an_archive_are_handed_on_and_listed(name: str, data: bytes) -> None:
    extracted = parsed_here(data, name)
    assert [(item.name, item.content) for item in extracted.attachments] == [
        ("a.md", FILES["docs/a.md"]),
        ("b.py", FILES["src/b.py"]),
    ]
    assert extracted.text == "- docs/a.md\n- src/b.py"
    assert extracted.warnings == ()


@pytest.mark.parametrize(
    ("name", "inner"),
    [("notes.txt.gz", "notes.txt"), ("ls.1.gz", "ls.1"), ("README.gz", "README"), ("no ending", "no ending")],
)
def test_a_compressed_file_is_called_as_before(name: str, inner: str) -> None:
    assert names(gzip.compress(b"It opens at six."), name) == [inner]


def test_files_of_one_name_are_told_apart_by_their_folders_and_keep_their_endings() -> None:
    files = {"a/README.md": b"one", "b/README.md": b"two"}
    assert names(tarred(files), "a.tar") == ["README.md", "b › README.md"]


def test_hidden_files_links_and_folders_of_programs_are_passed_over() -> None:
    files = {**FILES, ".git/config": b"x = 1", "__MACOSX/a.md": b"x", "x/node_modules/y/z.js": b"x()"}
    assert names(tarred(files, link="/etc/passwd"), "a.tar") == ["a.md", "b.py"]


def test_five_kinds_are_named_of_what_is_not_read() -> None:
    endings = ("exe", "dll", "sys", "ocx", "scr", "com")
    files = {**FILES, **{f"a.{ending}": b"MZ\x90\x00\x03" * 9 for ending in endings}}
    (warning,) = parsed_here(tarred(files), "a.tar").warnings
    assert [ending for ending in endings if f"1 .{ending}" in warning] == list(endings[:5])


def test_what_is_not_read_is_counted_by_its_kind() -> None:
    files = {**FILES, "a.exe": b"MZ\x90\x00\x03" * 9, "b.exe": b"MZ\x90\x00\x03" * 9, "c.txt": b" \n"}
    assert parsed_here(tarred(files), "a.tar").warnings == (
        "Of the archive 2 files were left out whose kind is not read (2 .exe).",
    )


def test_what_is_beyond_the_limits_is_counted() -> None:
    files = {f"{number}.txt": b"six " * number for number in range(1, 7)}
    assert parsed_here(tarred(files), "a.tar", attachments=4).warnings == (
        "Of the archive 2 files were left out: the first 4 files were taken.",
    )
    large = {"a.txt": b"six", "b.txt": b"six " * MIB}
    warned = parsed_here(gzip.compress(tarred(large)), "a.tgz", size=MIB).warnings
    assert warned == ("Of the archive 1 file was left out with more than 1 MiB.",)


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.tar", tarred({"a.exe": b"MZ\x90\x00\x03" * 9}), "empty"),
        ("a.gz", gzip.compress(b"six " * 5_000)[:-30], "corrupt"),
        ("a.tar.gz", gzip.compress(tarred(FILES))[:90], "corrupt"),
        ("a.tar", tarred(FILES)[:700], "corrupt"),
        ("a.gz", gzip.compress(bytes(100_000)), "empty"),
    ],
)
def test_a_bad_archive_is_refused(name: str, data: bytes, code: str) -> None:
    with pytest.raises(ParseFailed) as refused:
        parsed_here(data, name)
    assert refused.value.code == code


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_is_stopped_while_it_is_unpacked(packed: Callable[[bytes], bytes]) -> None:
    with pytest.raises(ParseFailed) as refused:
        parsed_here(packed(tarred({"a.txt": b"a" * 12 * MIB})), "a.tgz")
    assert refused.value.code == "bomb"


def test_many_members_are_a_bomb() -> None:
    with pytest.raises(ParseFailed) as refused:
        parsed_here(tarred({str(number): b"" for number in range(30)}), "a.tar", entries=20)
    assert refused.value.code == "bomb"
