"""What is counted of the citations that a reader gets."""

import pytest

from footnote_cli.evaluation.grade import behind, grade, shares
from footnote_cli.evaluation.tempers import Temper
from footnote_cli.evaluation.writing import WrittenAnswer
from tests.unit.cli.evaluation.gulls import written


def test_citations_belong_to_the_statement_before_them() -> None:
    statements = written(Temper.OBEDIENT).statements
    first, second, third = (one.statement.text for one in statements)
    text = f"{first[:-1]} [citation:2].\n\n{second} [citation:1][citation:3] {third}"
    assert behind(text, statements) == [(2,), (1, 3), ()]
    assert behind(f"{first} {third} [citation:1]", statements) == [(), None, (1,)]


def test_what_arrived_is_counted() -> None:
    obedient = written(Temper.OBEDIENT)
    first, second, third = (one.statement.text for one in obedient.statements)
    counts = grade(obedient, {"text": f"{first} [citation:2] {second} [citation:1] {third} [citation:2]"})
    assert counts["statements"] == counts["cited"] == counts["meant"] == 3
    assert (counts["arrived"], counts["strange"]) == (2, 1)


def test_what_injection_placed_is_counted() -> None:
    lazy = written(Temper.LAZY)
    first, second, third = (one.statement.text for one in lazy.statements)
    counts = grade(lazy, {"text": f"{first} [citation:2]\n\n{second} [citation:3] {third}"})
    assert (counts["injected_right"], counts["injected_wrong"], counts["not_injected"]) == (1, 1, 1)
    assert shares(counts)["recall"] == pytest.approx(1 / 3)


def test_what_was_rightly_left_alone_is_counted() -> None:
    unsupported = written(Temper.UNSUPPORTED)
    first, second = (one.statement.text for one in unsupported.statements)
    counts = grade(unsupported, {"text": f"{first} [citation:2]\n\n{second}"})
    assert (counts["unsupported"], counts["left_uncited"]) == (2, 1)
    assert shares(counts)["precision"] == 0


def test_what_the_server_reports_is_counted() -> None:
    message = {
        "text": "",
        "compliance": {"report": {"dropped": [41, 42], "repaired": 1}},
        "verification": {"supported": 2, "weak": 1, "unsupported": 0, "misattributed": 1},
    }
    counts = grade(written(Temper.INVENTING), message)
    assert (counts["dropped"], counts["repaired"], counts["lost"]) == (2, 1, 3)
    assert shares(counts)["supported"] == 0.5
    assert shares(counts)["misattributed"] == 0.25


def test_what_injection_leaves_to_a_model_that_cites_is_not_counted_against_it() -> None:
    cites, silent = written(Temper.OBEDIENT).statements[0], written(Temper.LAZY).statements[1]
    text = f"{cites.statement.text} [citation:2]\n\n{silent.statement.text}"
    assert grade(WrittenAnswer((text,), (cites, silent)), {"text": text})["injectable"] == 0
    assert grade(WrittenAnswer((text,), (silent,)), {"text": text})["injectable"] == 1
