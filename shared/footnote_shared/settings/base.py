"""Where settings come from: `FOOTNOTE_*` variables and `.env`. No other module reads the environment."""

import difflib
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings.exceptions import SettingsError

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.access import AccessSettings
from footnote_shared.settings.encryption import EncryptionSettings
from footnote_shared.settings.models import ModelSettings
from footnote_shared.settings.resolver import ResolverSettings
from footnote_shared.settings.secret_sources import SUFFIX, SecretFiles, may_be_a_file
from footnote_shared.settings.services import AgentSettings, IngestSettings, RetrieverSettings
from footnote_shared.settings.stores import StoreSettings
from footnote_shared.settings.telemetry import TelemetrySettings
from footnote_shared.settings.tool_servers import ToolServerSettings
from footnote_shared.settings.users import UserTokenSettings

PREFIX = "FOOTNOTE_"


class Settings(
    StoreSettings,
    AccessSettings,
    EncryptionSettings,
    UserTokenSettings,
    ModelSettings,
    IngestSettings,
    RetrieverSettings,
    AgentSettings,
    ToolServerSettings,
    ResolverSettings,
    TelemetrySettings,
    BaseSettings,
):
    """Every setting of Footnote. All defaults work for an embedded run (spec 7.1)."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given by name comes first, then the environment, files that it names, and `.env`."""
        files = SecretFiles(settings_cls, os.environ, secret_file_names())
        return init_settings, env_settings, files, dotenv_settings


@lru_cache(maxsize=1)
def load_settings() -> Settings:
    """The settings of this process, read once.

    Raises Misconfigured for a value that is not valid, and for an unknown name, with the nearest known one.
    """
    unknown = unknown_names(os.environ)
    if unknown:
        raise Misconfigured(" ".join(unknown))
    try:
        return Settings()
    except ValidationError as error:
        raise Misconfigured(" ".join(map(_told, error.errors()))) from error
    except SettingsError as error:
        # Its cause would show the value, which may hold keys.
        raise Misconfigured(f"A value that has to be JSON is none: {error}.") from None


def _told(error: ErrorDetails) -> str:
    """What is wrong with a setting, where in it, and what the setting is."""
    field, *inner = map(str, error["loc"] or ("",))
    place = f" at {'.'.join(inner)}" if inner else ""
    wrong = f"{PREFIX}{field.upper()}{place}: {error['msg'].rstrip('.')}."
    about = Settings.model_fields[field].description if field in Settings.model_fields else None
    return f"{wrong} {about}" if about else wrong


def unknown_names(environment: Mapping[str, str]) -> list[str]:
    """A sentence for each `FOOTNOTE_*` variable that no setting reads."""
    known = known_names()
    messages = []
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            messages.append(f"{name} is not a setting of Footnote.{hint}")
    return messages


def known_names() -> set[str]:
    """Every `FOOTNOTE_*` name that Footnote reads; `FOOTNOTE_DATASETS` is for tests and evaluations."""
    names = {f"{PREFIX}{field.upper()}" for field in Settings.model_fields}
    return names | set(secret_file_names().values()) | {f"{PREFIX}DATASETS"}


def secret_file_names() -> dict[str, str]:
    """The variables that can be given as files, each with the variable that names its file."""
    fields = [field for field, info in Settings.model_fields.items() if may_be_a_file(field, info)]
    names = [name for field in fields for name in (f"{PREFIX}{field.upper()}", *_ALIASES.get(field, ()))]
    return {name: name + SUFFIX for name in names}


def source_of(field: str) -> str:
    """Where the value of a field comes from: `environment`, `file`, `.env` or `default`."""
    names = [f"{PREFIX}{field.upper()}", *_ALIASES.get(field, ())]
    if any(name in os.environ for name in names):
        return "environment"
    files = secret_file_names()
    if any(files[name] in os.environ for name in names if name in files):
        return "file"
    dotenv = Path(".env")
    if dotenv.is_file() and any(
        line.split("=")[0].strip() in names for line in dotenv.read_text().splitlines()
    ):
        return ".env"
    return "default"


def child_environment(overrides: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process that we start: our own, with the overrides.

    What is overridden is not read from a file there.
    """
    files = {name + SUFFIX for name in overrides}
    return {**{name: value for name, value in os.environ.items() if name not in files}, **overrides}


def in_environment(name: str, value: str) -> bool:
    """Whether a variable that some library reads has this value already."""
    return os.environ.get(name) == value


def put_in_environment(name: str, value: str) -> None:
    """Set a variable that some library reads, for this process and those that it starts."""
    os.environ[name] = value


def forget_environment() -> None:
    """Take what is set for Footnote out of the environment, but for the place of corpora: for tests."""
    aliases = {alias for known in _ALIASES.values() for alias in known}
    for name in [name for name in os.environ if name.startswith(PREFIX) or name in aliases]:
        if name != f"{PREFIX}DATASETS":
            del os.environ[name]


def datasets_dir() -> Path:
    """Where corpora with judgements lie, for tests, benchmarks and evaluations (`FOOTNOTE_DATASETS`)."""
    return Path(os.environ.get(f"{PREFIX}DATASETS", "../shared/data"))


_ALIASES: dict[str, tuple[str, ...]] = {
    "database_url": ("DATABASE_URL",),
    "redis_url": ("REDIS_URL",),
    "qdrant_url": ("QDRANT_URL",),
    "otlp_endpoint": ("OTEL_EXPORTER_OTLP_ENDPOINT",),
    "otlp_headers": ("OTEL_EXPORTER_OTLP_HEADERS",),
}
