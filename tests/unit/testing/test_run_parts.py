"""The parts of the suite run to their end, whatever comes of one of them."""

from pathlib import Path

import pytest

from tests import run_parts
from tests.run_parts import BESIDE_OTHERS, PARTS, summary

ALONE = ("-p", "no:cacheprovider", "--rootdir")


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two parts of one file each: one with a test that fails, and the one that runs beside others."""
    broken = "def test_good():\n    pass\n\ndef test_bad():\n    raise ValueError('on purpose')\n"
    for part, content in (("broken", broken), (BESIDE_OTHERS, "def test_good():\n    print('said')\n")):
        file = tmp_path / f"test_{part}.py"
        file.write_text(content)
        monkeypatch.setitem(PARTS, part, (str(file), *ALONE, str(tmp_path)))
    return ["broken", BESIDE_OTHERS]


def test_every_part_runs_though_one_fails(
    parts: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outcomes = run_parts.run_parts(parts, [], tmp_path)
    assert [(o.part, o.passed, o.failures) for o in outcomes] == [("broken", 1, 1), (BESIDE_OTHERS, 1, 0)]
    assert "FAILED test_broken::test_bad" in summary(outcomes)
    said = capfd.readouterr().out
    assert said.index("on purpose") < said.index(f"== {BESIDE_OTHERS}: ")


def test_a_part_that_does_not_end_is_named(
    parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_broken.py").write_text(
        "import threading\n\n\ndef test_hangs():\n    threading.Event().wait()\n"
    )
    monkeypatch.setattr(run_parts, "LONGEST_S", 1.0)
    outcome = run_parts.run_part("broken")
    assert (outcome.failures, outcome.broken) == (1, "it did not end within 1 s")
