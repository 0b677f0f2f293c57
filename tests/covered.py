"""How much of each of our packages a run of the tests has executed."""

import io
import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from coverage import Coverage
from coverage.exceptions import NoDataError

_DATA = "coverage"


def measured(arguments: Sequence[str], folder: Path) -> list[str]:
    """Arguments for Python: run pytest, and leave in the folder what its tests execute in their beginnings.

    What every process executes counts that they start.
    """
    measuring = ["coverage", "run", f"--data-file={folder / _DATA}"]
    return ["-m", *measuring, "-m", "pytest", "-p", "tests.measured_begins", *arguments]


def lines_of(folder: Path) -> list[str]:
    """A line for each package and one for all, from what runs have left in the folder."""
    with tempfile.TemporaryDirectory() as place, redirect_stdout(io.StringIO()):
        report = Path(place) / "report.json"
        coverage = Coverage(data_file=str(folder / _DATA))
        try:
            coverage.combine([str(folder)])
            coverage.json_report(outfile=str(report))
        except NoDataError:
            return ["coverage: nothing was measured"]
        return summary(json.loads(report.read_text())["files"])


def summary(files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The lines, by the files of a JSON report of coverage."""
    executed: dict[str, int] = defaultdict(int)
    known: dict[str, int] = defaultdict(int)
    for name, file in files.items():
        package = next(part for part in Path(name).parts if part.startswith("footnote_"))
        for key in (package, "all"):
            executed[key] += file["summary"]["covered_lines"]
            known[key] += file["summary"]["num_statements"]
    return [
        f"{package:<20} {executed[package] / known[package]:>4.0%} of {known[package]:>5} lines executed"
        for package in sorted(known, key=lambda package: (package == "all", package))
        if known[package]
    ]
