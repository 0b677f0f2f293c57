"""Where settings come from: `FOOTNOTE_*` variables, `.env`, secret files. The only module that reads the environment."""

import difflib
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.sections import (
    AccessSettings,
    AgentSettings,
    IngestSettings,
    ModelSettings,
    ResolverSettings,
    RetrieverSettings,
    StoreSettings,
    TelemetrySettings,
)

PREFIX = "FOOTNOTE_"


class Settings(
    StoreSettings,
    AccessSettings,
    ModelSettings,
    IngestSettings,
    RetrieverSettings,
    AgentSettings,
    ResolverSettings,
    TelemetrySettings,
    BaseSettings,
):
    """Every setting of Footnote. All defaults work embedded (spec 7.1)."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )


@lru_cache(maxsize=1)
def load_settings() -> Settings:
    """The settings of this process, read once. An unknown `FOOTNOTE_*` name is an error that names the nearest one."""
    unknown = unknown_names(os.environ)
    if unknown:
        raise Misconfigured(" ".join(unknown))
    try:
        return Settings()
    except ValidationError as error:
        problems = "; ".join(
            f"{PREFIX}{'.'.join(map(str, e['loc'])).upper()}: {e['msg']}" for e in error.errors()
        )
        raise Misconfigured(problems) from error


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
    """Every environment name that Footnote reads, `FOOTNOTE_DATASETS` of its tests and benchmarks included."""
    names = {f"{PREFIX}{field.upper()}" for field in Settings.model_fields}
    return names | {f"{PREFIX}DATASETS"}


def source_of(field: str) -> str:
    """Where the value of a field comes from: `environment`, `.env` or `default`, for `footnote doctor`."""
    names = [f"{PREFIX}{field.upper()}", *_ALIASES.get(field, ())]
    if any(name in os.environ for name in names):
        return "environment"
    dotenv = Path(".env")
    if dotenv.is_file() and any(
        line.split("=")[0].strip() in names for line in dotenv.read_text().splitlines()
    ):
        return ".env"
    return "default"


def child_environment(overrides: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process that we start: ours, with the overrides."""
    return {**os.environ, **overrides}


def in_environment(name: str, value: str) -> bool:
    """Whether a variable that a library reads for itself has this value already."""
    return os.environ.get(name) == value


def datasets_dir() -> Path:
    """Where corpora with judgements lie, for tests, benchmarks and evaluations (`FOOTNOTE_DATASETS`)."""
    return Path(os.environ.get(f"{PREFIX}DATASETS", "../shared/data"))


_ALIASES: dict[str, tuple[str, ...]] = {
    "database_url": ("DATABASE_URL",),
    "redis_url": ("REDIS_URL",),
    "qdrant_url": ("QDRANT_URL",),
}
