"""The settings as tables: environment variables by section, and the fields of `settings` in a request."""

from collections.abc import Iterable
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

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
    return f"## {title}\n\n{cleandoc(section.__doc__ or '')}\n\n{table(('variable', *_COLUMNS), rows)}"


def _request(model: type[BaseModel]) -> str:
    rows = [(code(name), *_about(field)) for name, field in own_fields(model).items()]
    return f"### {model.__name__}\n\n{table(('field', *_COLUMNS), rows)}"


def _about(field: FieldInfo) -> tuple[str, str, str]:
    return _kind(field), _default(field), field.description or ""


def _variables(name: str, field: FieldInfo) -> str:
    names = getattr(field.validation_alias, "choices", None) or [PREFIX + name.upper()]
    return " or ".join(map(code, names))


def _kind(field: FieldInfo) -> str:
    return _bounded(_annotation(field.annotation), field.metadata)


def _bounded(kind: str, limits: Iterable[Any]) -> str:
    bounds = [
        f"{word} {getattr(limit, name):g}"
        for limit in _flat(limits)
        for name, word in _BOUNDS.items()
        if hasattr(limit, name)
    ]
    return ", ".join([kind, *bounds])


def _flat(limits: Iterable[Any]) -> Iterable[Any]:
    """The limits, with those that a `Field` within an `Annotated` carries."""
    for limit in limits:
        yield from limit.metadata if isinstance(limit, FieldInfo) else (limit,)


def _annotation(kind: Any) -> str:
    if kind in _PLAIN:
        return _PLAIN[kind]
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        named = ", ".join(code(value) for value in parts if value != "")
        empty = " or empty" if "" in parts else ""
        return (f"one of {named}" if len(parts) > 1 else named) + empty
    if origin is Annotated:
        return _bounded(_annotation(parts[0]), parts[1:])
    if origin is dict or (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return "JSON object"
    if origin in (list, tuple):
        named = _annotation(parts[0]).removeprefix("one of ") if get_origin(parts[0]) is Literal else ""
        return f"JSON list of {named}" if named else "JSON list"
    return " or ".join(_annotation(part) for part in parts if part is not type(None))


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, bool):
        return code(str(value).lower())
    if isinstance(value, tuple):
        value = list(value)
    return code(value) if value not in ("", None) else ""
