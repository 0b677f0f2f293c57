"""The tasks of `footnote eval agent`: what the scripted model does, and what counts as done."""

import json
from typing import Any

from footnote_cli.evaluation.agent import TaskModel
from footnote_cli.evaluation.agent_tasks import AgentTask, read_tasks
from footnote_cli.evaluation.task_grade import grade_task, shares_of
from footnote_cli.evaluation.task_planner import NOTHING_FOUND, task_reply

SENTENCE = "The fee is 14 crowns a day."
TASK = AgentTask.model_validate(
    {
        "kind": "look_up",
        "question": "What is the fee?",
        "calls": [
            {"tool": "list_documents", "arguments": {}},
            {"tool": "analyze_document", "arguments": {"doc": "{Harbour rules}", "question": "Fee?"}},
        ],
        "facts": [{"document": "Harbour rules", "sentence": SENTENCE}],
    }
)
LISTED = "D4: Harbour rules, text/markdown"
SHOWN = f"<retrieved_context>\n[7] A boat may moor.\n{SENTENCE}</document>\n</retrieved_context>"
RECORD = {"status": "completed", "steps": 3, "tools": [{"tool": "list_documents", "failed": False}]}


BOTH = ("list_documents", "analyze_document")


def request(*results: str, offered: tuple[str, ...] = BOTH) -> dict[str, Any]:
    messages = [{"role": "user", "content": TASK.question}]
    messages += [{"role": "tool", "content": result} for result in results]
    return {"messages": messages, "tools": [{"function": {"name": name}} for name in offered]}


def entry(title: str = "Harbour rules", quote: str = SENTENCE) -> dict[str, Any]:
    return {"n": 7, "display": {"title": title}, "quote": quote}


class TestTheScriptedModel:
    def test_calls_what_is_planned_with_the_handles_that_it_was_shown(self) -> None:
        assert task_reply(TASK, request()).calls == (("list_documents", "{}"),)
        ((name, arguments),) = task_reply(TASK, request(LISTED)).calls
        assert (name, json.loads(arguments)) == ("analyze_document", {"doc": "D4", "question": "Fee?"})

    def test_says_what_it_was_shown_and_nothing_else(self) -> None:
        assert task_reply(TASK, request(LISTED, SHOWN)).text == "The fee is 14 crowns a day [7]."
        assert task_reply(TASK, request(LISTED, "Nothing.")).text == NOTHING_FOUND

    def test_answers_when_it_may_call_no_more(self) -> None:
        assert task_reply(TASK, {**request(LISTED), "tool_choice": "none"}).calls == ()

    def test_tells_of_tools_that_are_not_there(self) -> None:
        model = TaskModel({TASK.question: TASK})
        model.reply(request(offered=("list_documents",)))
        assert model.impossible == {"look_up"}


class TestATask:
    def test_is_done_when_its_fact_leads_to_its_document(self) -> None:
        message = {"text": "The fee is 14 crowns a day [citation:7].", "citations": [entry()]}
        figures = shares_of(grade_task(TASK, message, RECORD))
        assert (figures["done"], figures["right_numbers"], figures["calls"]) == (1.0, 1.0, 1.0)

    def test_is_not_done_behind_a_number_of_another_document(self) -> None:
        message = {"text": "The fee is 14 crowns a day [citation:7].", "citations": [entry("Marina rules")]}
        counts = grade_task(TASK, message, RECORD)
        assert (counts["done"], counts["numbers"], counts["right_numbers"]) == (0, 1, 0)

    def test_is_not_done_without_a_number(self) -> None:
        message = {"text": "The fee is 14 crowns a day.", "citations": []}
        assert grade_task(TASK, message, RECORD)["done"] == 0

    def test_without_an_answer_is_done_when_nothing_is_said(self) -> None:
        absent = TASK.model_copy(update={"facts": []})
        assert grade_task(absent, {"text": NOTHING_FOUND, "citations": []}, RECORD)["done"] == 1
        assert grade_task(absent, {"text": "It is Bo.", "citations": []}, RECORD)["done"] == 0


def test_every_fact_of_the_set_stands_in_its_document() -> None:
    given = read_tasks()
    texts = {document.title: " ".join(document.text.split()) for document in given.documents}
    made = [use.arguments for task in given.tasks for use in task.calls if "markdown" in use.arguments]
    written = {note["title"]: note["markdown"] for note in made}
    for fact in (fact for task in given.tasks for fact in task.facts):
        assert fact.sentence in {**texts, **written}[fact.document]
    assert len({task.question for task in given.tasks}) == len(given.tasks)
