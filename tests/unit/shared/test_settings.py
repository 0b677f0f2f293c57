"""Settings: unknown names are errors that help, secrets never show, URLs get our drivers."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from footnote_cli.commands.doctor import shown
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.base import Settings, child_environment, load_settings, source_of, unknown_names


def test_a_misspelt_name_is_named_with_the_nearest_setting() -> None:
    (message,) = unknown_names({"FOOTNOTE_CHUNK_TOKEN": "1", "FOOTNOTE_PORT": "1", "PATH": "/bin"})
    assert "FOOTNOTE_CHUNK_TOKEN " in message
    assert "FOOTNOTE_CHUNK_TOKENS" in message


def test_who_uses_the_old_name_of_a_setting_is_told_the_new_one() -> None:
    (message,) = unknown_names({"FOOTNOTE_STREAM_CLAIM_S": "1"})
    assert message.endswith("Did you mean FOOTNOTE_STREAM_LEASE_S?")


def test_who_sets_a_value_that_is_none_is_told_the_place_in_it_and_what_to_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load_settings.cache_clear()
    monkeypatch.setenv("FOOTNOTE_CHAT_PRICES", '{"input": 3}')
    with pytest.raises(Misconfigured, match=r'CHAT_PRICES at output: Field required\. .* \{"input": 3'):
        load_settings()


def test_every_setting_has_a_description() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_a_plain_postgres_url_gets_the_driver_that_we_use() -> None:
    assert Settings(database_url="postgres://u@h/d").sql_url == "postgresql+psycopg://u@h/d"
    assert Settings(database_url="postgresql://u@h/d").sql_url == "postgresql+psycopg://u@h/d"


def test_without_a_url_the_database_lies_in_the_data_folder(tmp_path: Path) -> None:
    assert Settings(data=tmp_path, database_url="").sql_url == f"sqlite:///{tmp_path}/footnote.db"


def test_doctor_masks_secrets_and_passwords_in_urls() -> None:
    assert shown(SecretStr("hunter2")) == "********"
    assert shown("postgresql://anna:hunter2@db/footnote") == "postgresql://anna:********@db/footnote"
    assert shown("redis://127.0.0.1:6379/0") == "redis://127.0.0.1:6379/0"
    assert "hunter2" not in shown({"secret_access_key": "hunter2"})


class TestSecretsFromFiles:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        return tmp_path / "secret"

    def test_are_read_as_if_they_stood_in_the_environment(
        self, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file.write_text("hunter2 \n")
        options = tmp_path / "options"
        options.write_text('{"secret_access_key": "hunter3"}')
        for name, where in (("SERVICE_SECRET", file), ("BLOB_OPTIONS", options)):
            monkeypatch.setenv(f"FOOTNOTE_{name}_FILE", str(where))
        settings = Settings()
        assert settings.service_secret.get_secret_value() == "hunter2 "
        assert settings.blob_options == {"secret_access_key": "hunter3"}
        assert (source_of("service_secret"), source_of("port")) == ("file", "default")
        assert Settings(service_secret="given").service_secret.get_secret_value() == "given"

    def test_have_the_common_names_of_stores_too(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file.write_text("redis://:hunter2@r/0")
        monkeypatch.setenv("REDIS_URL_FILE", str(file))
        assert Settings().redis_url == "redis://:hunter2@r/0"

    @pytest.mark.parametrize("content", [None, b"\xff", b"x" * 70_000])
    def test_that_cannot_be_read_end_the_start_without_showing_them(
        self, file: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
    ) -> None:
        if content is not None:
            file.write_bytes(content)
        monkeypatch.setenv("FOOTNOTE_SERVICE_SECRET_FILE", str(file))
        with pytest.raises(Misconfigured, match="FOOTNOTE_SERVICE_SECRET_FILE"):
            Settings()

    def test_are_not_chosen_between(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file.write_text("one")
        monkeypatch.setenv("FOOTNOTE_SERVICE_SECRET_FILE", str(file))
        monkeypatch.setenv("FOOTNOTE_SERVICE_SECRET", "another")
        with pytest.raises(Misconfigured, match="Both"):
            Settings()
        # A process that we start with a value of ours has no file for it.
        assert "FOOTNOTE_SERVICE_SECRET_FILE" not in child_environment({"FOOTNOTE_SERVICE_SECRET": "ours"})

    def test_have_names_that_are_known_and_no_other_setting_has(self) -> None:
        assert unknown_names({"FOOTNOTE_CHAT_API_KEY_FILE": "/x"}) == []
        assert len(unknown_names({"FOOTNOTE_PORT_FILE": "/x"})) == 1
