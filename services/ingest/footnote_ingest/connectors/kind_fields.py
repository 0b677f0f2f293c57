"""What each kind of connector needs to know, said so that a form can be made of it."""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from footnote_ingest.connectors.kinds import has_source
from footnote_shared.contracts.connector_kinds import KIND_FIELDS
from footnote_shared.contracts.connectors import FieldType, KindCard, KindField

_TYPES: Mapping[Any, FieldType] = {str: "text", int: "number", float: "number", bool: "boolean"}


def kind_cards() -> list[KindCard]:
    """Every kind, in the order in which the contract names them."""
    return [
        KindCard(
            kind=kind,
            config=[_field(name, field) for name, field in config.model_fields.items()],
            credentials=[_field(name, field) for name, field in credentials.model_fields.items()],
            syncs=has_source(kind),
        )
        for kind, (config, credentials) in KIND_FIELDS.items()
    ]


def _field(name: str, field: FieldInfo) -> KindField:
    required = field.is_required()
    default = None if required else field.get_default(call_default_factory=True, validated_data={})
    annotation = _alone(field.annotation)
    holds_several = get_origin(annotation) is list
    if holds_several:
        annotation = _alone(get_args(annotation)[0])
    words = get_args(annotation) if get_origin(annotation) is Literal else ()
    return KindField(
        name=name,
        type="list" if holds_several else "text" if words else _TYPES[annotation],
        description=field.description or "",
        required=required,
        choices=[str(word) for word in words],
        default=default,
    )


def _alone(annotation: Any) -> Any:
    """A type without what is said beside it: of `Annotated[str, ...]` and of `str | None` that is `str`."""
    if get_origin(annotation) is Annotated:
        return _alone(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        (annotation,) = (one for one in get_args(annotation) if one is not NoneType)
        return _alone(annotation)
    return annotation
