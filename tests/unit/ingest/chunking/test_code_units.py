"""Where code is best cut, in every language that a document may name."""

import pytest
from langchain_text_splitters import Language

from footnote_ingest.chunking.code_units import unit_starts

CODE = "x = 1\n\ndef f():\n    pass\n\nclass A:\n    pass\n"


@pytest.mark.parametrize("language", ["python", "py", "Python3"])
def test_a_unit_begins_where_a_function_or_a_class_does(language: str) -> None:
    assert {CODE[at:].split()[0] for at in unit_starts(CODE, language)} == {"def", "class"}


@pytest.mark.parametrize("language", [*(known.value for known in Language), "no such language", "", None])
def test_code_in_any_language_can_be_cut(language: str | None) -> None:
    assert all(0 <= at <= len(CODE) for at in unit_starts(CODE, language))
