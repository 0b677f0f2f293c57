"""What a new connector is made of: given by flags, and asked for where a person sits at the terminal."""

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin
from urllib.parse import urlsplit

import typer
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from footnote_cli.render import errors, neutral, outside
from footnote_shared.contracts.connector_kinds import KIND_FIELDS
from footnote_shared.contracts.connectors import SCHEDULE, ConnectorKind
from footnote_shared.kernel.errors import FieldError, InvalidRequest


@dataclass(frozen=True, slots=True)
class Given:
    """What the flags say: `NAME=VALUE` for the configuration and the credentials.

    With `hurried` nobody is asked for what may be left out.
    """

    kind: str | None
    config: Sequence[str]
    credentials: Sequence[str]
    name: str | None
    hurried: bool = False


def asked_for(given: Given) -> dict[str, Any]:
    """The body of a new connector. Raises InvalidRequest for what is missing where nobody can be asked."""
    kind = _kind(given.kind)
    config_fields, credential_fields = (model.model_fields for model in KIND_FIELDS[kind])
    config = _read("--set", given.config, config_fields)
    for name, field in config_fields.items():
        if name not in config and (field.is_required() or _may_ask(given)):
            answer = _answered(name, field)
            config |= {} if answer is None else {name: answer}
    credentials = _read("--credential", [_from_file(one) for one in given.credentials], credential_fields)
    for name, field in credential_fields.items():
        if name not in credentials and field.is_required():
            credentials[name] = _ask(name, field, "--credential", hidden=True)
        elif name not in credentials and _may_ask(given):
            answer = typer.prompt(
                question(name, field), default="", hide_input=True, show_default=False, err=True
            )
            credentials |= {name: answer} if answer else {}
    name = given.name or _name_of(kind, config)
    body: dict[str, Any] = {"kind": kind, "name": name, "config": config}
    return {**body, "credentials": credentials} if credentials else body


def asked_again(body: Mapping[str, Any], wrong: Collection[str] = ()) -> dict[str, Any]:
    """The body with other answers where somebody gives them: Enter keeps what was answered before.

    Only the fields that are `wrong` are asked for, where the server has named any of this kind.
    """
    kind: ConnectorKind = body["kind"]
    config_fields, credential_fields = (model.model_fields for model in KIND_FIELDS[kind])
    known = set(wrong) & (config_fields.keys() | credential_fields.keys())
    config, credentials = dict(body["config"]), dict(body.get("credentials", {}))
    for name, field in config_fields.items():
        if name in known or not known:
            answer = _other_answer(name, field, config.get(name))
            config |= {} if answer is None else {name: answer}
    for name, field in credential_fields.items():
        if name in known or not known:
            said = f"{question(name, field, kept=name in credentials)}"
            answer = typer.prompt(said, default="", hide_input=True, show_default=False, err=True)
            credentials |= {name: answer} if answer else {}
    changed = {**body, "config": config}
    if body["name"] == _name_of(kind, body["config"]):
        changed["name"] = _name_of(kind, config)
    return {**changed, "credentials": credentials} if credentials else changed


def schedule_asked() -> str | None:
    """The time between two syncs, where a person sits at the terminal; None if they are only asked for."""
    while sys.stdin.isatty():
        answer = typer.prompt(
            "schedule (Time between two syncs: 15m, 6h, 1d; Enter: only when asked for)",
            default="",
            show_default=False,
            err=True,
        ).strip()
        if not answer or re.fullmatch(SCHEDULE, answer):
            return answer or None
        errors.print("That is no time such as 15m, 6h or 1d.")
    return None


def kinds_named() -> str:
    """Every kind, for people."""
    return ", ".join(KIND_FIELDS)


def fields_named(*, secret: bool) -> str:
    """The fields of each kind's configuration, or of its credentials; what may be left out in brackets."""
    said = []
    for kind, models in KIND_FIELDS.items():
        fields = models[secret].model_fields
        names = (name if field.is_required() else f"({name})" for name, field in fields.items())
        said += [f"{kind}: {' '.join(names)}"] if fields else []
    return "; ".join(said)


def _may_ask(given: Given) -> bool:
    return sys.stdin.isatty() and not given.hurried


def _kind(given: str | None) -> ConnectorKind:
    kinds = list(KIND_FIELDS)
    if given is None and sys.stdin.isatty():
        errors.print(f"Kinds: {', '.join(kinds)}")
        given = str(typer.prompt("Kind", err=True))
    found = next((kind for kind in kinds if kind == given), None)
    if found is None:
        said = "Say which kind" if given is None else f"There is no kind `{neutral(given)}`"
        raise InvalidRequest(f"{said}: {', '.join(kinds)}.")
    return found


def _read(flag: str, given: Sequence[str], fields: Mapping[str, FieldInfo]) -> dict[str, Any]:
    """The values of the flags, in the types of their fields."""
    found: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or name not in fields:
            known = ", ".join(fields) or "none"
            raise InvalidRequest(f"{flag} takes NAME=VALUE; the names of this kind: {known}.")
        found[name] = _typed(name, value, fields[name])
    return found


def _typed(name: str, value: str, field: FieldInfo) -> Any:
    """The value in the type of its field; several are divided by commas."""
    kind = field.annotation
    if get_origin(kind) is list:
        return [part.strip() for part in value.split(",") if part.strip()]
    if kind is str or str in get_args(kind):
        return value
    try:
        return TypeAdapter(kind or str).validate_strings(value)
    except ValidationError as error:
        message = error.errors()[0]["msg"]
        raise InvalidRequest(f"Not valid: {name}.", errors=[FieldError(name, message)]) from error


def _answered(name: str, field: FieldInfo) -> Any:
    """What a person answers, in the type of the field, asked for until it has one; None to leave it out."""
    while True:
        if field.is_required():
            answer = _ask(name, field, "--set")
        else:
            answer = str(typer.prompt(question(name, field), default="", show_default=False, err=True))
            if not answer:
                return None
        try:
            return _typed(name, answer, field)
        except InvalidRequest as error:
            if not sys.stdin.isatty():
                raise
            errors.print(f"{error.errors[0].message if error.errors else error.detail}.")


def _other_answer(name: str, field: FieldInfo, before: Any) -> Any:
    """Another answer, in the type of the field, asked for until it has one; None to keep what there is."""
    while True:
        said = question(name, field, kept=before is not None)
        if before is not None:
            shown = ", ".join(map(str, before)) if isinstance(before, list) else str(before)
            said += f" [{neutral(shown)}]"
        answer = str(typer.prompt(said, default="", show_default=False, err=True))
        if not answer:
            return None
        try:
            return _typed(name, answer, field)
        except InvalidRequest as error:
            errors.print(f"{error.errors[0].message if error.errors else error.detail}.")


def _ask(name: str, field: FieldInfo, flag: str, *, hidden: bool = False) -> str:
    if not sys.stdin.isatty():
        raise InvalidRequest(f"Nobody can be asked here: add {flag} {name}=VALUE. {field.description or ''}")
    return str(typer.prompt(question(name, field), err=True, hide_input=hidden))


def question(name: str, field: FieldInfo, *, kept: bool = False) -> str:
    """`parts (What is taken of it: files, issues, pulls, divided by commas; Enter: all of them)`.

    `kept`: there is an answer already, and Enter keeps it.
    """
    said = (field.description or "").rstrip(".")
    kind = field.annotation
    several = get_origin(kind) is list
    choices = get_args(get_args(kind)[0] if several else kind)
    if kind is bool:
        said += " (yes or no)"
    elif choices and all(isinstance(choice, str) for choice in choices):
        said += f": {', '.join(choices)}"
    # What is said of an absent field is true of an empty answer.
    said, _, absent = said.partition("Absent: ")
    said = said.rstrip(". ")
    if several:
        said += ", divided by commas"
    parts = [said] if said else []
    if kept:
        parts.append("Enter: as before")
    elif not field.is_required():
        parts.append(f"Enter: {absent or _without(field)}")
    return f"{name} ({'; '.join(parts)})"


def _without(field: FieldInfo) -> str:
    """What holds where nothing is answered."""
    default = field.get_default(call_default_factory=True)
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, list):
        return ", ".join(map(str, default)) or "none"
    return str(default) if default not in (None, "") else "none"


def _from_file(given: str) -> str:
    """A value that begins with `@` is the first line of a file, so that no secret stands in a command."""
    name, equals, value = given.partition("=")
    if not value.startswith("@"):
        return given
    try:
        lines = Path(value[1:]).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{outside(value[1:])} cannot be read.") from error
    return f"{name}{equals}{lines[0].strip() if lines else ''}"


def _name_of(kind: ConnectorKind, config: Mapping[str, Any]) -> str:
    """A name for people: the host of an address, or what else is asked for."""
    url = str(config.get("url") or "")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InvalidRequest("Not valid: url.", errors=[FieldError("url", "is no address")]) from error
    host = f"{parts.hostname or ''}{parts.path.rstrip('/')}" if url else ""
    named = next((str(config[name]) for name in ("repository", "bucket", "path") if config.get(name)), kind)
    return (host or named)[:200]
