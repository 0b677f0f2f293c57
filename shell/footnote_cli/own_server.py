"""Which server and which key the commands of a person use, and where that is said.

A person who works with one server does not want to name it in each terminal. So the URL and the key may
stand in a file of that person. What runs the server does not read it: a service must not meet another server
by it.
"""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path

import typer
from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.base import Settings, load_settings, source_of


class OwnServer(BaseModel):
    """What the file may hold, under the names of the settings that it stands for."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    url: str = ""
    api_key: SecretStr = SecretStr("")


def own_file() -> Path:
    """Where the file is: `~/.config/footnote/config.toml` on Linux, elsewhere where such files are kept."""
    return Path(typer.get_app_dir("footnote")) / "config.toml"


def client_settings() -> Settings:
    """The settings of this process, completed by the file of the person who runs the command.

    The environment and `.env` come first. Raises Misconfigured for a file that cannot be understood.
    """
    settings = load_settings()
    return settings.model_copy(update={name: getattr(_own(), name) for name in from_own_file()})


def from_own_file() -> set[str]:
    """The settings that come from the file, because nothing nearer gives them."""
    own = _own()
    return {
        name
        for name in OwnServer.model_fields
        if name in own.model_fields_set and source_of(name) == "default"
    }


def _own() -> OwnServer:
    file = own_file()
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return OwnServer()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Misconfigured(f"{file} cannot be read: {error}.") from error
    unknown = _unknown(given)
    if unknown:
        raise Misconfigured(f"{file}: {' '.join(unknown)}")
    try:
        return OwnServer(**given)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise Misconfigured(f"{file}: {problems}") from error


def _unknown(given: Mapping[str, object]) -> list[str]:
    sentences = []
    for name in sorted(given.keys() - OwnServer.model_fields.keys()):
        close = difflib.get_close_matches(name, OwnServer.model_fields, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        sentences.append(f"{name} is no setting of the command line.{hint}")
    return sentences
