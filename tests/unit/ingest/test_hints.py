"""How documents are named in messages: as few messages as the task allows."""

from footnote_ingest.hints.dispatch import Hint, hints_of, joined
from footnote_ingest.hints.queues import Task


def test_a_message_names_as_many_documents_as_are_worked_on_together() -> None:
    ids = [str(n) for n in range(40)]
    assert [len(hint.document_ids) for hint in hints_of(Task.PARSE, ids)] == [16, 16, 8]
    assert [len(hint.document_ids) for hint in hints_of(Task.EMBED, ids)] == [32, 8]
    assert [len(hint.document_ids) for hint in hints_of(Task.REMOVE, ids)] == [1] * 40


def test_hints_that_wait_are_joined_by_task_and_name_each_document_once() -> None:
    waiting = [
        Hint(Task.PARSE, ("a",), "first"),
        Hint(Task.REMOVE, ("x",), "second"),
        Hint(Task.PARSE, ("b", "a"), "third"),
    ]
    assert joined(waiting) == [Hint(Task.PARSE, ("a", "b"), "first"), Hint(Task.REMOVE, ("x",), "second")]
