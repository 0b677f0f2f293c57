"""What a server may say by IMAP, and how much of it."""

import pytest

from footnote_ingest.connectors import imap_answers
from footnote_ingest.connectors.imap_answers import NotImap, answers


@pytest.mark.parametrize("said", [[b"() " * 10], [b"1 " * 10], [b"(1) 2"] * 10, [b'"" ' * 10]])
def test_more_values_than_any_answer_has_are_refused(
    said: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes forty times its bytes: a few megabytes would fill the memory of a worker."""
    monkeypatch.setattr(imap_answers, "_MOST_VALUES", 9)
    with pytest.raises(NotImap):
        list(answers(said))
    monkeypatch.setattr(imap_answers, "_MOST_VALUES", 40)
    assert list(answers(said))


def test_the_numbers_of_a_million_messages_are_read() -> None:
    (found,) = answers([b" ".join(b"%d" % n for n in range(1, 1_000_001))])
    assert found[-1] == b"1000000"
