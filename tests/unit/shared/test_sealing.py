"""Sealed texts open where they were put, with the key that sealed them, and nowhere else."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.security.sealing import Seals
from footnote_shared.settings.base import Settings

FIRST, SECOND = "the first key of the operator here", "the second key of the operator here"


def test_a_text_opens_where_it_was_put_and_nowhere_else() -> None:
    seals = Seals.of(FIRST)
    sealed = seals.seal("hunter2 和", "connectors/1")
    assert seals.open(sealed, "connectors/1") == "hunter2 和"
    with pytest.raises(Misconfigured):
        seals.open(sealed, "connectors/2")


def test_nothing_of_it_shows_and_no_two_are_alike() -> None:
    seals = Seals.of(FIRST)
    sealed = [seals.seal("hunter2", "a") for _ in range(3)]
    assert len(set(sealed)) == 3
    assert not any("hunter2" in one for one in sealed)
    assert FIRST not in repr(seals)


def test_after_a_change_of_keys_the_first_seals_and_each_opens() -> None:
    old = Seals.of(FIRST).seal("x", "a")
    both = Seals.of(SECOND, FIRST)
    assert both.open(old, "a") == "x"
    new = both.seal("y", "a")
    assert Seals.of(SECOND).open(new, "a") == "y"
    with pytest.raises(Misconfigured, match="FOOTNOTE_CREDENTIALS_KEY does not give"):
        Seals.of(SECOND).open(old, "a")


@pytest.mark.parametrize("broken", ["", "v1", "v1..", "v2.x.y", "{}A", "{}====", "\0"])
def test_what_was_changed_does_not_open(broken: str) -> None:
    seals = Seals.of(FIRST)
    with pytest.raises(Misconfigured):
        seals.open(broken.format(seals.seal("x", "a")[:-6]), "a")


def test_a_short_key_is_refused() -> None:
    with pytest.raises(Misconfigured, match="32 characters"):
        Seals.of("short")


def test_keys_come_from_the_settings_the_service_secret_or_a_file_that_others_cannot_read(
    tmp_path: Path,
) -> None:
    made = Seals.from_settings(Settings(data=tmp_path))
    file = tmp_path / "credentials_key"
    assert file.stat().st_mode & 0o077 == 0
    assert Seals.from_settings(Settings(data=tmp_path)).open(made.seal("x", "a"), "a") == "x"
    shared = Seals.from_settings(Settings(data=tmp_path, service_secret=SecretStr(FIRST)))
    sealed = shared.seal("x", "a")
    given = Settings(data=tmp_path, service_secret=SecretStr(FIRST), credentials_key=SecretStr(SECOND))
    assert Seals.from_settings(given).open(sealed, "a") == "x"
