"""Answers about presets. Written by `make reference` from the OpenAPI documents."""

from typing import Any

from footnote_client.answer_model import AnswerModel


class Preset(AnswerModel):
    """A named set of settings of search and answer. Nobody can edit one that is built in."""

    name: str
    settings: dict[str, Any]
    built_in: bool


class PresetList(AnswerModel):
    """One page of PresetList."""

    items: list[Preset]
    next_cursor: str | None = None
