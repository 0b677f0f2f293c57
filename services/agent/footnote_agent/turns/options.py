"""The settings of a turn: fields of TurnSettings and SearchSettings in one flat object, checked by name."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from footnote_shared.contracts.answers import AnswerSettings
from footnote_shared.contracts.base import from_any_release
from footnote_shared.contracts.flags import EffectiveFlag, FlagName
from footnote_shared.contracts.search import SearchSettings
from footnote_shared.contracts.turns import TurnSettings
from footnote_shared.kernel.errors import FieldError, InvalidRequest


def split_settings(given: dict[str, Any] | None) -> tuple[TurnSettings, dict[str, Any]]:
    """The turn's own settings, and the given ones of its search. Raises InvalidRequest for wrong ones."""
    given = given or {}
    for_turn = {name: value for name, value in given.items() if name in TurnSettings.model_fields}
    for_search = {name: value for name, value in given.items() if name in SearchSettings.model_fields}
    wrong = [
        FieldError(f"settings.{_printable(name)}", "no such setting")
        for name in given
        if name not in for_turn and name not in for_search
    ]
    settings = TurnSettings()
    try:
        settings = TurnSettings.model_validate(for_turn)
    except ValidationError as error:
        wrong += _fields(error)
    try:
        SearchSettings.model_validate(for_search)
    except ValidationError as error:
        wrong += _fields(error)
    if wrong:
        raise InvalidRequest(
            f"Not valid: {', '.join(dict.fromkeys(field.field for field in wrong))}.", errors=wrong
        )
    return settings, for_search


def kept_settings(kept: dict[str, Any] | None) -> tuple[TurnSettings, dict[str, Any]]:
    """The same of an accepted turn, perhaps by a newer release: what is unknown is left out."""
    for_search = from_any_release(SearchSettings, kept or {})
    return from_any_release(TurnSettings, kept or {}), for_search.model_dump(mode="json", exclude_unset=True)


def with_preset(given: dict[str, Any] | None, preset: Mapping[str, Any]) -> dict[str, Any] | None:
    """The settings of a turn, and those of its preset about answers that the turn itself does not give.

    The preset is read once, when the turn is accepted. Whoever carries the turn on later uses the same.
    """
    named = {
        name: value
        for name, value in preset.items()
        if name in AnswerSettings.model_fields and (given or {}).get(name) is None
    }
    return {**(given or {}), **named} if named else given


def with_flags(
    given: dict[str, Any] | None, flags: Mapping[FlagName, EffectiveFlag]
) -> dict[str, Any] | None:
    """The settings of a turn, and what its workspace has set about answers.

    The resolver's own setting holds where the workspace has set nothing. Like a preset, flags are read once.
    """
    named: dict[str, Any] = {
        name: flag.value
        for name, flag in flags.items()
        if name in AnswerSettings.model_fields and flag.source == "workspace"
    }
    return {**(given or {}), **named} if named else given


def settings_hash(
    engine: str, preset: str | None, given: dict[str, Any] | None, guidance: str | None = None
) -> str:
    """16 hex digits that change with whatever the caller can change about an answer."""
    chosen: dict[str, Any] = {"engine": engine, "preset": preset, "settings": given or {}}
    if guidance:
        chosen["guidance"] = guidance
    plain = json.dumps(chosen, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _printable(name: str) -> str:
    return name[:100].encode("utf-8", "replace").decode()


def _fields(error: ValidationError) -> list[FieldError]:
    return [
        FieldError(".".join(["settings", *map(str, item["loc"])]), item["msg"]) for item in error.errors()
    ]
