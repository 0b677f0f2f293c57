"""Settings: unknown names are errors that help, secrets never show, URLs get our drivers."""

from pathlib import Path

from pydantic import SecretStr

from footnote_cli.commands.doctor import shown
from footnote_shared.settings.base import Settings, unknown_names


def test_a_misspelt_name_is_named_with_the_nearest_setting() -> None:
    (message,) = unknown_names({"FOOTNOTE_CHUNK_TOKEN": "1", "FOOTNOTE_PORT": "1", "PATH": "/bin"})
    assert "FOOTNOTE_CHUNK_TOKEN " in message
    assert "FOOTNOTE_CHUNK_TOKENS" in message


def test_who_uses_the_old_name_of_a_setting_is_told_the_new_one() -> None:
    (message,) = unknown_names({"FOOTNOTE_STREAM_CLAIM_S": "1"})
    assert message.endswith("Did you mean FOOTNOTE_STREAM_LEASE_S?")


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
