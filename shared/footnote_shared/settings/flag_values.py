"""What each flag is: its values, the operator's setting behind it, and who decides in one request. Pure."""

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from footnote_shared.contracts.flags import FLAGS, EffectiveFlag, FlagName, FlagSource, FlagValue
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.settings.base import Settings, source_of

SEARCH_FLAGS: tuple[FlagName, ...] = ("fusion", "alpha", "rrf_k", "reranker", "facts", "correct")
"""Those that are settings of a search under the same name. `hybrid` decides about `fusion`."""

_ONE_LEG = ("dense_only", "sparse_only")
_SOURCES: Mapping[str, FlagSource] = {"environment": "environment", ".env": ".env", "default": "default"}


def check_flag(name: FlagName, value: object) -> FlagValue:
    """The value as its setting holds it. Raises InvalidRequest for one that it cannot hold.

    Types are strict: neither the text "8" nor `true` is a number.
    """
    try:
        checked: FlagValue = _ADAPTERS[name].validate_python(value, strict=True)
    except ValidationError as error:
        said = f"The flag {name} takes {accepted(name)}."
        raise InvalidRequest(f"Not valid: value. {said}", errors=[FieldError("value", said)]) from error
    return checked


def understood(stored: Mapping[str, object]) -> dict[FlagName, FlagValue]:
    """The stored overrides that this release knows and accepts. Another release may have written others."""
    found: dict[FlagName, FlagValue] = {}
    for name in FLAGS:
        if name in stored:
            try:
                found[name] = check_flag(name, stored[name])
            except InvalidRequest:
                continue
    return found


def choices(name: FlagName) -> list[str]:
    """All values of a flag whose values are words; empty for others."""
    field = Settings.model_fields[name]
    return list(get_args(field.annotation)) if get_origin(field.annotation) is Literal else []


def accepted(name: FlagName) -> str:
    """The values of a flag, in words."""
    field = Settings.model_fields[name]
    return _accepted(field.annotation, field.metadata)


def _accepted(kind: Any, bounds: Sequence[Any]) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(get_args(kind))
    if get_origin(kind) is Annotated:
        inner, *others = get_args(kind)
        return _accepted(inner, [bound for other in others for bound in getattr(other, "metadata", [other])])
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(_accepted(part, bounds) for part in get_args(kind))
    if kind is bool:
        return "true or false"
    limits: dict[str, Any] = {}
    for bound in bounds:
        limits |= {limit: getattr(bound, limit) for limit in ("ge", "le") if hasattr(bound, limit)}
    number = "a whole number" if kind is int else "a number"
    return f"{number} from {limits['ge']} to {limits['le']}"


def describe(name: FlagName) -> str:
    """What a flag does, as its setting says it."""
    return Settings.model_fields[name].description or ""


def fallbacks(settings: Settings) -> dict[FlagName, EffectiveFlag]:
    """The operator's values, which hold where a workspace has set nothing."""
    return {
        name: EffectiveFlag(value=getattr(settings, name), source=_SOURCES[source_of(name)]) for name in FLAGS
    }


def effective(
    overrides: Mapping[FlagName, FlagValue], operators: Mapping[FlagName, EffectiveFlag]
) -> dict[FlagName, EffectiveFlag]:
    """The flags of a workspace: its override, else the operator's value."""
    return {
        name: EffectiveFlag(value=overrides[name], source="workspace") if name in overrides else fallback
        for name, fallback in operators.items()
    }


def decided(
    flags: Mapping[FlagName, EffectiveFlag], preset: Mapping[str, Any], request: Mapping[str, Any]
) -> dict[FlagName, EffectiveFlag]:
    """The flags of one search or turn: what its request says, else its preset, else the workspace's flag.

    `hybrid` switched off makes the fusion that the flags name `dense_only`, unless that is `sparse_only`. A
    fusion that the request or the preset names stands, and `hybrid` then tells what follows from it.
    """
    found: dict[FlagName, EffectiveFlag] = {}
    for name, flag in flags.items():
        if request.get(name) is not None:
            found[name] = EffectiveFlag(value=request[name], source="request")
        elif preset.get(name) is not None:
            found[name] = EffectiveFlag(value=preset[name], source="preset")
        else:
            found[name] = flag
    fusion, hybrid = found["fusion"], flags["hybrid"]
    named = fusion.source in ("request", "preset")
    if not named and not hybrid.value and fusion.value not in _ONE_LEG:
        found["fusion"] = EffectiveFlag(value="dense_only", source=hybrid.source)
    elif named or fusion.value in _ONE_LEG:
        found["hybrid"] = EffectiveFlag(value=fusion.value not in _ONE_LEG, source=fusion.source)
    return found


def _adapter(name: FlagName) -> TypeAdapter[Any]:
    field = Settings.model_fields[name]
    bounded: Any = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
    return TypeAdapter(bounded)


_ADAPTERS: Mapping[FlagName, TypeAdapter[Any]] = {name: _adapter(name) for name in FLAGS}
