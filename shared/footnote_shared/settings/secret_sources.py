"""Secrets from files: `FOOTNOTE_SERVICE_SECRET_FILE` names the file that holds what the setting would."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource

from footnote_shared.kernel.errors import Misconfigured

SUFFIX = "_FILE"
_MOST_BYTES = 64 * 1024
_HOLD_PASSWORDS = frozenset(
    {"database_url", "redis_url", "stream_redis_urls", "blob_options", "chat_fallbacks", "fast_fallbacks"}
)
"""Settings that are no secrets as a whole and may hold some."""


def may_be_a_file(field: str, info: FieldInfo) -> bool:
    """Whether the setting can be given by the name of a file: secrets, and what may hold passwords."""
    return info.annotation is SecretStr or field in _HOLD_PASSWORDS


class SecretFiles(EnvSettingsSource):
    """What stands in the files that the environment names, as if it stood in the environment itself."""

    def __init__(
        self, settings_cls: type[BaseSettings], environment: Mapping[str, str], names: Mapping[str, str]
    ) -> None:
        """`names` are those of variables that can be files, each with that of its file."""
        self._found: Mapping[str, str | None] = {
            name.lower(): _content(name, file, environment)
            for name, file in names.items()
            if file in environment
        }
        super().__init__(settings_cls)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return self._found


def _content(name: str, file: str, environment: Mapping[str, str]) -> str:
    if environment.get(name):
        raise Misconfigured(f"Both {name} and {file} are set. Set one of them.")
    try:
        with Path(environment[file]).open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise Misconfigured(f"The file that {file} names is longer than {_MOST_BYTES} bytes.")
        return content.decode().rstrip("\r\n")
    except (OSError, UnicodeError) as error:
        raise Misconfigured(f"The file that {file} names cannot be read as text.") from error
