"""What tests of a machine make once: whoever asks gets the same, until what it was made from changes."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from footnote_testing.made_once import made_once


class Maker:
    """Writes a file, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, file: Path) -> None:
        self.times += 1
        file.write_text("made")


def test_it_is_made_once_for_all_that_ask_at_once(tmp_path: Path) -> None:
    make, together = Maker(), threading.Barrier(4)

    def ask(_: int) -> Path:
        together.wait()
        return made_once("file", ["the same"], make, tmp_path / "place")

    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(ask, range(4)))
    assert make.times == 1
    assert [file.read_text() for file in found] == ["made"]


def test_another_text_or_file_makes_another_one(tmp_path: Path) -> None:
    make, source = Maker(), tmp_path / "source.py"
    source.write_text("one")
    first = made_once("file", ["text", source], make, tmp_path / "place")
    source.write_text("two")
    second = made_once("file", ["text", source], make, tmp_path / "place")
    third = made_once("file", ["texts", source], make, tmp_path / "place")
    assert len({first, second, third}) == make.times == 3
    assert made_once("file", ["text", source], make, tmp_path / "place") == second
    assert make.times == 3


def test_what_could_not_be_made_is_made_by_the_next(tmp_path: Path) -> None:
    def fail(file: Path) -> None:
        file.write_text("half of it")
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        made_once("file", ["text"], fail, tmp_path)
    assert made_once("file", ["text"], Maker(), tmp_path).read_text() == "made"
    assert len(list(tmp_path.glob("file-*"))) == 1


def test_four_of_a_kind_are_kept(tmp_path: Path) -> None:
    make = Maker()
    made = [made_once("file", [str(number)], make, tmp_path) for number in range(5)]
    assert all(file.exists() for file in made), "all have been asked for just now"
    for age, file in enumerate(made):
        os.utime(file, (1000.0 - age, 1000.0 - age))
    made_once("file", ["0"], make, tmp_path)
    made_once("file", ["one more"], make, tmp_path)
    assert [file.exists() for file in made] == [True, True, True, False, False]
