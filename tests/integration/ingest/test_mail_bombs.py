"""Messages within messages: one file becomes so many documents and no more, and says what was left out."""

from collections.abc import Sequence
from dataclasses import replace
from email.message import EmailMessage

from footnote_ingest.store.tables import DocumentRow, VersionRow
from tests.integration.ingest.workshop import Workshop


def message(subject: str, inner: Sequence[EmailMessage | str] = ()) -> EmailMessage:
    """A message that contains others, or files of text."""
    made = EmailMessage()
    made["Subject"] = subject
    made.set_content(f"This is {subject}.")
    for number, item in enumerate(inner):
        if isinstance(item, EmailMessage):
            made.add_attachment(item, filename=f"{subject}-{number}.eml")
        else:
            made.add_attachment(item, filename=f"{subject}-{number}.txt")
    return made


def chain(levels: int) -> EmailMessage:
    made = message("innermost")
    for level in range(levels):
        made = message(f"level{level}", [made])
    return made


def tree(fan: int, levels: int, name: str = "m") -> EmailMessage:
    inner = [tree(fan, levels - 1, f"{name}{n}") for n in range(fan)] if levels else []
    return message(name, inner)


def hand_in(workshop: Workshop, sent: EmailMessage, name: str = "bomb.eml") -> str:
    accepted = workshop.accept(name, sent.as_bytes())
    workshop.run_all()
    return accepted.id


def below(workshop: Workshop, root: str) -> list[DocumentRow]:
    """Every live document but the one that was handed in."""
    found = [workshop.row(name) for name in workshop.ids() if name != root]
    return [row for row in found if row.deleted_at is None]


def warnings(workshop: Workshop, document_id: str) -> list[str]:
    row = workshop.row(document_id)
    with workshop.database.read() as session:
        version = session.get(VersionRow, (row.id, row.version))
    assert version is not None
    return version.warnings


def test_a_chain_of_messages_ends_at_the_fifth_level_and_says_so(workshop: Workshop) -> None:
    root = hand_in(workshop, chain(30))
    children = below(workshop, root)
    assert {row.status for row in children} == {"indexed"}
    assert len(children) == 5
    told = [sentence for row in children for sentence in warnings(workshop, row.id)]
    assert told == ["1 attachment was left out: files may contain each other on 5 levels."]


def test_all_branches_together_have_one_budget_of_documents(workshop: Workshop) -> None:
    workshop.budget = replace(workshop.budget, documents=20)
    root = hand_in(workshop, tree(4, 3))
    assert len(below(workshop, root)) == 20
    told = [sentence for row in below(workshop, root) for sentence in warnings(workshop, row.id)]
    assert told
    assert all("a file may contain 20 attachments, on all levels together" in sentence for sentence in told)


def test_no_attachment_is_taken_once_the_bytes_are_used_up(workshop: Workshop) -> None:
    workshop.budget = replace(workshop.budget, size=2500)
    root = hand_in(workshop, message("m", ["x" * 1000] * 5))
    assert sorted(row.filename for row in below(workshop, root)) == ["m-0.txt", "m-1.txt", "m-2.txt"]
    assert warnings(workshop, root) == [
        "2 attachments were left out: the attachments of a file may have 2,500 bytes together."
    ]


def test_a_new_version_may_exchange_all_its_attachments(workshop: Workshop) -> None:
    workshop.budget = replace(workshop.budget, documents=3)
    hand_in(workshop, message("old", ["a", "b", "c"]))
    root = hand_in(workshop, message("new", ["d", "e", "f"]))
    assert sorted(row.filename for row in below(workshop, root)) == ["new-0.txt", "new-1.txt", "new-2.txt"]
    assert warnings(workshop, root) == []


def test_a_version_with_one_attachment_too_many_keeps_those_it_had(workshop: Workshop) -> None:
    workshop.budget = replace(workshop.budget, documents=2)
    root = hand_in(workshop, message("m", ["a", "b"]))
    before = {row.id for row in below(workshop, root)}
    hand_in(workshop, message("m", ["a", "b", "c"]))
    assert {row.id for row in below(workshop, root)} == before
    assert len(warnings(workshop, root)) == 1
