"""The parts of the suite run to their end, whatever comes of one of them."""

from pathlib import Path

import pytest

from tests import run_parts
from tests.run_parts import LANES, PARTS, summary

SHOWN, BESIDE = (lane[0] for lane in LANES)
ALONE = ("-p", "no:cacheprovider", "--rootdir")


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two parts of one file each, in two lanes. In the one whose output is shown at once, a test fails."""
    broken = "def test_good():\n    pass\n\ndef test_bad():\n    raise ValueError('on purpose')\n"
    for part, content in ((SHOWN, broken), (BESIDE, "def test_good():\n    print('said')\n")):
        file = tmp_path / f"test_{part}.py"
        file.write_text(content)
        monkeypatch.setitem(PARTS, part, (str(file), *ALONE, str(tmp_path)))
    return [BESIDE, SHOWN]


def test_every_part_runs_though_one_fails(
    parts: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outcomes = run_parts.run_parts(parts, [], tmp_path)
    assert [(o.part, o.passed, o.failures) for o in outcomes] == [(BESIDE, 1, 0), (SHOWN, 1, 1)]
    assert f"FAILED test_{SHOWN}::test_bad" in summary(outcomes)
    said = capfd.readouterr().out
    assert said.index("on purpose") < said.index(f"== {BESIDE}: ")


def test_a_part_that_does_not_end_is_named(
    parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"test_{SHOWN}.py").write_text(
        "import threading\n\n\ndef test_hangs():\n    threading.Event().wait()\n"
    )
    monkeypatch.setattr(run_parts, "LONGEST_S", 1.0)
    outcome = run_parts.run_part(SHOWN)
    assert (outcome.failures, outcome.broken) == (1, "it did not end within 1 s")
