"""The settings of one search: session over preset over flags, resolved once, then frozen (spec 4.4)."""

import difflib
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from pydantic import ValidationError

from footnote_shared.contracts.answers import AnswerSettings
from footnote_shared.contracts.flags import EffectiveFlag, FlagName
from footnote_shared.contracts.search import Preset, Reranker, SearchSettings
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.settings.flag_values import SEARCH_FLAGS, decided

DEFAULT_PRESET = "default"
MAX_RETRIEVE_K = 1000

BUILT_IN: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(name=DEFAULT_PRESET, settings={}, built_in=True),
        Preset(
            name="fast",
            settings={"top_k": 5, "retrieve_k": 20, "fusion": "dbsf", "reranker": "none"},
            built_in=True,
        ),
        Preset(
            name="high_recall",
            settings={"top_k": 20, "retrieve_k": 200, "context_tokens": 8000},
            built_in=True,
        ),
        Preset(
            name="precise",
            settings={"top_k": 5, "sentences": 2.0, "context_tokens": 1500},
            built_in=True,
        ),
    )
}


@dataclass(frozen=True)
class Plan:
    """The effective settings of one search. `settings` leaves nothing open: neither `auto` nor a default.

    `flags` tells who decided what of it. `missing` names parts that a flag asks for and that are not here.
    """

    preset: str
    settings: SearchSettings
    retrieve_k: int
    flags: Mapping[FlagName, EffectiveFlag] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """16 hex digits that change with any effective setting."""
        return hashlib.sha256(self.settings.model_dump_json().encode()).hexdigest()[:16]

    @cached_property
    def shown(self) -> Mapping[str, Any]:
        """The settings as the log of a search shows them."""
        return self.settings.model_dump()

    @cached_property
    def whole(self) -> str:
        """Digits that change with the preset, with any setting and with who decided it."""
        flags = {name: flag.model_dump() for name, flag in self.flags.items()}
        plain = json.dumps([self.preset, self.settings.model_dump(mode="json"), flags], sort_keys=True)
        return hashlib.sha256(plain.encode()).hexdigest()


def resolve(
    preset: Preset,
    session: Mapping[str, Any] | None,
    rerankers: Collection[Reranker],
    flags: Mapping[FlagName, EffectiveFlag],
) -> Plan:
    """The plan of a search. Of the configured `rerankers`, `auto` becomes the first, or `none`.

    `flags` are those of the workspace. Raises InvalidRequest for a setting that is not known, a value that is
    not valid, and a reranker that is not configured. The error names the setting. A reranker that only a flag
    asks for is `missing`: nobody who searches could mend that.
    """
    if preset.built_in and not session and BUILT_IN.get(preset.name) is preset:
        # Most searches set nothing, and to check all settings takes as long as to fuse what is found.
        decided_by = tuple((name, repr(flag.value), flag.source) for name, flag in flags.items())
        return _as_built_in(_Given(flags), preset.name, tuple(rerankers), decided_by)
    return _resolved(preset, session, rerankers, flags)


@dataclass(frozen=True, slots=True)
class _Given:
    """Flags that are told apart by what stands beside them."""

    flags: Mapping[FlagName, EffectiveFlag] = field(compare=False)


@lru_cache(maxsize=64)
def _as_built_in(
    given: _Given, name: str, rerankers: tuple[Reranker, ...], decided_by: tuple[tuple[str, str, str], ...]
) -> Plan:
    """The plan of a preset alone, by what the flags say."""
    return _resolved(BUILT_IN[name], None, rerankers, given.flags)


def _resolved(
    preset: Preset,
    session: Mapping[str, Any] | None,
    rerankers: Collection[Reranker],
    flags: Mapping[FlagName, EffectiveFlag],
) -> Plan:
    of_search, _ = check_preset(preset.settings, f"preset {preset.name}")
    asked = session or {}
    wanted = check_settings({**of_search, **asked}, "settings")
    by_flags = decided(flags, of_search, asked)
    below = {name: by_flags[name].value for name in SEARCH_FLAGS}
    settings = SearchSettings.model_validate({**below, **wanted})
    retrieve_k = max(settings.retrieve_k or max(4 * settings.top_k, 40), settings.top_k)
    missing: tuple[str, ...] = ()
    if "reranker" not in wanted and settings.reranker not in (*rerankers, "auto", "none"):
        reranker: Reranker = "none"
        missing = ("rerank",)
    else:
        reranker = _reranker(settings.reranker, rerankers)
    settings = settings.model_copy(update={"retrieve_k": retrieve_k, "reranker": reranker})
    by_flags["reranker"] = by_flags["reranker"].model_copy(update={"value": reranker})
    shown = {name: by_flags[name] for name in ("hybrid", *SEARCH_FLAGS)}
    return Plan(preset.name, settings, retrieve_k, shown, missing)


def check_preset(given: Mapping[str, Any], where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of a preset, those of the search apart from those of the answer.

    Raises InvalidRequest for one that is not known or not valid.
    """
    of_answer = {name: value for name, value in given.items() if name in AnswerSettings.model_fields}
    of_search = check_settings({n: v for n, v in given.items() if n not in of_answer}, where)
    _validate(AnswerSettings, of_answer, where)
    return of_search, of_answer


def check_settings(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The same settings. Raises InvalidRequest with a field for each that is not known or not valid.

    Types are strict: neither the text "8" nor `true` is a number.
    """
    known = SearchSettings.model_fields
    errors = [FieldError(f"{where}.{_shown(name)}", _unknown(name)) for name in given if name not in known]
    if errors:
        raise _invalid(errors)
    _validate(SearchSettings, given, where)
    return dict(given)


def _validate(model: type[SearchSettings | AnswerSettings], given: Mapping[str, Any], where: str) -> None:
    try:
        model.model_validate(given, strict=True)
    except ValidationError as error:
        # A setting that takes a word or a number is refused once for each.
        said: dict[str, list[str]] = {}
        for item in error.errors():
            said.setdefault(f"{where}.{item['loc'][0]}", []).append(item["msg"])
        raise _invalid([FieldError(name, " Or: ".join(why)) for name, why in said.items()]) from error


def _invalid(errors: Sequence[FieldError]) -> InvalidRequest:
    names = ", ".join(error.field for error in errors)
    return InvalidRequest(f"Not valid: {names}. {errors[0].message}", errors=errors)


def unknown_preset(name: str, known: Collection[str]) -> InvalidRequest:
    """The error for a preset that is neither built in nor one of the workspace's own."""
    close = difflib.get_close_matches(name, known, n=1)
    message = f"There is no preset of this name.{f' Did you mean {close[0]}?' if close else ''}"
    return InvalidRequest(f"Not valid: preset. {message}", errors=[FieldError("preset", message)])


def _reranker(wanted: Reranker, configured: Collection[Reranker]) -> Reranker:
    if wanted == "auto":
        # MaxSim without training puts passages in a worse order than fusion does (docs/howto/rerank.md).
        return next((name for name in configured if name != "late"), "none")
    if wanted != "none" and wanted not in configured:
        message = f"The reranker {wanted} is not configured here."
        raise InvalidRequest(message, errors=[FieldError("settings.reranker", message)])
    return wanted


def _unknown(name: str) -> str:
    close = difflib.get_close_matches(name, SearchSettings.model_fields, n=1)
    return f"There is no such setting.{f' Did you mean {close[0]}?' if close else ''}"


def _shown(name: str) -> str:
    """A name that the caller made up, printable and short."""
    return name[:60].encode("ascii", "backslashreplace").decode()
