"""What is taken out of an image: what is named, and what only that leads to."""

from deploy.lean_packages import Needs, installed, unneeded

NEEDS: Needs = {
    "footnote": {"": ("parser[docx]", "torch", "numpy")},
    "parser": {"": ("nlp",), "docx": ("xml",), "odt": ("zip",)},
    "nlp": {"": ("numpy", "parser")},
    "xml": {"": ()},
    "zip": {"": ()},
    "torch": {"": ("sympy", "numpy")},
    "sympy": {"": ("mpmath",)},
    "mpmath": {"": ()},
    "numpy": {"": ()},
    "by-hand": {"": ("xml",)},
}


def test_what_something_else_needs_stays() -> None:
    assert unneeded(NEEDS, ["torch"]) == ["by-hand", "mpmath", "sympy", "torch", "zip"]
    assert unneeded(NEEDS, ["parser"]) == ["by-hand", "nlp", "parser", "xml", "zip"]


def test_extras_count_where_they_were_asked_for() -> None:
    assert unneeded(NEEDS, []) == ["by-hand", "zip"]


def test_a_name_is_known_in_each_of_its_spellings() -> None:
    needs: Needs = {"footnote": {"": ("a-b",)}, "a-b": {"": ()}}
    assert unneeded(needs, ["A_B"]) == unneeded(needs, ["a.b"]) == ["a-b"]


def test_of_what_is_installed_here_the_parsers_go_and_what_runs_stays() -> None:
    needs: Needs = {**installed(), "footnote": {"": ("unstructured[docx]", "celery[redis]", "uvicorn")}}
    left_out = unneeded(needs, ["unstructured"])
    assert {"unstructured", "python-docx", "torch"} <= set(left_out)
    assert not {"celery", "redis", "kombu", "uvicorn", "h11"} & set(left_out)
