"""The keys of blobs."""

from collections.abc import Callable

import pytest

from footnote_shared.blobs import keys
from footnote_shared.kernel.errors import OurFault
from footnote_shared.kernel.ids import new_id

_WORKSPACE = "0190b7a0-0000-7000-8000-000000000001"
_DOCUMENT = "0190b7a0-0000-7000-8000-000000000002"
_SHA = "ab" * 32


def test_everything_of_a_document_but_its_original_is_below_its_prefixes() -> None:
    prefixes = keys.document_prefixes(_WORKSPACE, _DOCUMENT)
    named = [
        keys.text(_WORKSPACE, _DOCUMENT, 3),
        keys.elements(_WORKSPACE, _DOCUMENT, 3),
        keys.vectors(_WORKSPACE, _DOCUMENT, 3, "0123456789abcdef"),
    ]
    assert [any(key.startswith(f"{prefix}/") for prefix in prefixes) for key in named] == [True] * 3
    assert not any(keys.original(_WORKSPACE, _SHA).startswith(prefix) for prefix in prefixes)


def test_the_key_of_a_documents_blob_says_what_it_belongs_to() -> None:
    named = {
        "text": keys.text(_WORKSPACE, _DOCUMENT, 3),
        "elements": keys.elements(_WORKSPACE, _DOCUMENT, 3),
        "vectors": keys.vectors(_WORKSPACE, _DOCUMENT, 3, "0123456789abcdef"),
    }
    for kind, key in named.items():
        assert keys.parsed(key) == keys.DocumentKey(kind, _DOCUMENT, 3)
        assert any(key.startswith(f"{prefix}/") for prefix in keys.prefixes_of_documents(_WORKSPACE))
    for foreign in (keys.original(_WORKSPACE, _SHA), "elements/a/b", "elements/a/b/c", "mine/a/b/1"):
        assert keys.parsed(foreign) is None


def test_everything_of_a_workspace_is_below_its_prefixes_and_nothing_of_another() -> None:
    named = [keys.original(_WORKSPACE, _SHA), keys.text(_WORKSPACE, _DOCUMENT, 0)]
    assert all(
        any(key.startswith(f"{prefix}/") for prefix in keys.workspace_prefixes(_WORKSPACE)) for key in named
    )
    assert not any(key.startswith(prefix) for key in named for prefix in keys.workspace_prefixes(new_id()))


def test_an_id_in_capitals_names_the_same_blob() -> None:
    assert keys.text(_WORKSPACE.upper(), _DOCUMENT, 1) == keys.text(_WORKSPACE, _DOCUMENT, 1)


@pytest.mark.parametrize(
    "hostile", ["", "..", "../..", "a/b", f"{_WORKSPACE}/..", f"{_WORKSPACE}\n", "{" + _WORKSPACE + "}"]
)
def test_what_is_not_an_id_names_nothing(hostile: str) -> None:
    names: list[Callable[[], object]] = [
        lambda: keys.original(hostile, _SHA),
        lambda: keys.text(_WORKSPACE, hostile, 1),
        lambda: keys.elements(hostile, _DOCUMENT, 1),
        lambda: keys.document_prefixes(_WORKSPACE, hostile),
        lambda: keys.workspace_prefixes(hostile),
    ]
    for name in names:
        with pytest.raises(OurFault):
            name()


def test_what_is_not_a_hash_or_a_version_names_nothing() -> None:
    names: list[Callable[[], object]] = [
        lambda: keys.original(_WORKSPACE, _SHA.upper()),
        lambda: keys.original(_WORKSPACE, f"{_SHA}/.."),
        lambda: keys.vectors(_WORKSPACE, _DOCUMENT, 1, "../x"),
        lambda: keys.text(_WORKSPACE, _DOCUMENT, -1),
    ]
    for name in names:
        with pytest.raises(OurFault):
            name()


def test_every_name_is_a_valid_key() -> None:
    for key in (keys.original(_WORKSPACE, _SHA), keys.vectors(_WORKSPACE, _DOCUMENT, 12, "0123456789abcdef")):
        assert keys.checked(key) == key
