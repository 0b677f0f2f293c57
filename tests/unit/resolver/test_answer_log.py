"""What one relay notes, the next one does again; what comes behind it is the next one's own."""

from footnote_resolver.relay.answer_log import AnswerLog


def test_a_log_without_news_writes_nothing() -> None:
    log = AnswerLog()
    log.take(1)
    assert log.encode() == b""


def test_a_successor_repeats_answers_and_joins() -> None:
    log = AnswerLog()
    log.take(1)
    log.take(4)
    log.note_answer(7)
    log.note_answer(None)
    note = log.encode().decode()
    successor = AnswerLog(["", note, ""])
    sizes = []
    while successor.repeats:
        sizes.append(successor.noted_size())
        successor.take_again(sizes[-1])
    assert sizes == [1, 4]
    assert [successor.answer_again(), successor.answer_again()] == [7, None]
    assert not successor.has_answer()
    assert successor.encode() == b"", "it has noted nothing of its own"


def test_notes_of_several_appends_add_up() -> None:
    first = AnswerLog()
    first.take(3)
    notes = [first.encode().decode()]
    first.written()
    first.take(1)
    first.note_answer(5)
    notes.append(first.encode().decode())
    successor = AnswerLog(notes)
    assert successor.noted_size() == 3
    successor.take_again(3)
    assert successor.repeats
    successor.take_again(1)
    assert not successor.repeats
    assert successor.answer_again() == 5


def test_what_is_written_is_not_written_again() -> None:
    log = AnswerLog()
    log.take(2)
    assert log.encode()
    log.written()
    assert log.encode() == b""
