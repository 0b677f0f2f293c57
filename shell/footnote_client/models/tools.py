"""Answers about tools. Written by `make reference` from the OpenAPI documents."""

from footnote_client.answer_model import AnswerModel


class ToolCard(AnswerModel):
    """A tool as the operator has it: `label` is the line that people see while it works.

    One that `changes` something can be told to ask whoever asks the question first.
    """

    name: str
    label: str
    description: str
    allowed: bool
    changes: bool
    ask_first: bool


class ToolList(AnswerModel):
    """The tools, in the order in which models are told of them."""

    items: list[ToolCard]
