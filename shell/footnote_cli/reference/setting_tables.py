"""The settings as tables: environment variables by section, and the fields of `settings` in a request."""

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from footnote_cli.reference.markdown import code, table
from footnote_shared.contracts.answers import AnswerSettings
from footnote_shared.contracts.search import SearchSettings
from footnote_shared.contracts.turns import TurnSettings
from footnote_shared.settings.base import PREFIX, Settings

_COLUMNS = ("type", "default", "meaning")
_PLAIN: dict[Any, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "`true` or `false`",
    Path: "path",
    SecretStr: "secret text",
}
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def setting_tables() -> dict[str, str]:
    """`settings` is the environment by section, `request-settings` what a search, answer or turn takes."""
    sections = [base for base in Settings.__bases__ if own_fields(base)]
    requests = (SearchSettings, AnswerSettings, TurnSettings)
    return {
        "settings": "\n\n".join(_section(section) for section in sections),
        "request-settings": "\n\n".join(_request(model) for model in requests),
    }


def own_fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields that the model declares itself."""
    return {name: field for name, field in model.model_fields.items() if name in model.__annotations__}


def _section(section: type[BaseModel]) -> str:
    title = section.__name__.removesuffix("Settings")
    rows = [(_variables(name, field), *_about(field)) for name, field in own_fields(section).items()]
    return f"## {title}\n\n{section.__doc__}\n\n{table(('variable', *_COLUMNS), rows)}"


def _request(model: type[BaseModel]) -> str:
    rows = [(code(name), *_about(field)) for name, field in own_fields(model).items()]
    return f"### {model.__name__}\n\n{table(('field', *_COLUMNS), rows)}"


def _about(field: FieldInfo) -> tuple[str, str, str]:
    return _kind(field), _default(field), field.description or ""


def _variables(name: str, field: FieldInfo) -> str:
    names = getattr(field.validation_alias, "choices", None) or [PREFIX + name.upper()]
    return " or ".join(map(code, names))


def _kind(field: FieldInfo) -> str:
    bounds = [
        f"{word} {getattr(limit, name):g}"
        for name, word in _BOUNDS.items()
        for limit in field.metadata
        if hasattr(limit, name)
    ]
    return ", ".join([_annotation(field.annotation), *bounds])


def _annotation(kind: Any) -> str:
    if kind in _PLAIN:
        return _PLAIN[kind]
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(code, get_args(kind)))
    if get_origin(kind) in (dict, list):
        return f"JSON {'object' if get_origin(kind) is dict else 'list'}"
    return " or ".join(_annotation(part) for part in get_args(kind) if part is not type(None))


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, bool):
        return code(str(value).lower())
    return code(value) if value not in ("", None) else ""
