"""What the end of a measured run says."""

from pathlib import Path

from tests.covered import lines_of, summary


def file(executed: int, known: int) -> dict[str, dict[str, int]]:
    return {"summary": {"covered_lines": executed, "num_statements": known}}


def test_each_package_has_a_line_and_the_last_one_is_for_all() -> None:
    files = {
        "services/agent/footnote_agent/app.py": file(30, 40),
        "services/agent/footnote_agent/turns/crew.py": file(0, 20),
        "/home/me/footnote/shared/footnote_shared/kernel/ids.py": file(40, 40),
    }
    assert [" ".join(line.split()) for line in summary(files)] == [
        "footnote_agent 50% of 60 lines executed",
        "footnote_shared 100% of 40 lines executed",
        "all 70% of 100 lines executed",
    ]


def test_a_package_without_lines_is_left_out() -> None:
    assert summary({"footnote_agent/__init__.py": file(0, 0)}) == []


def test_a_run_that_left_nothing_says_so(tmp_path: Path) -> None:
    assert lines_of(tmp_path) == ["coverage: nothing was measured"]
