"""How long does the command line take for a folder of tiny files?

    .venv/bin/python -m tests.benchmarks.tiny_files [--files 2000]

Starts `footnote up` in an empty folder, and runs `footnote ingest FOLDER` over notes of one line, then the
same command again. Prints the seconds of both, and the processor time that the processes of the run took for
each file of the first.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from footnote_cli.bench.measured import measured_run, upload
from footnote_cli.bench.processor_time import processor_s, spent_ms
from footnote_shared.settings.base import child_environment

_LINE = "Note {n}: the pump of line {n} was looked at on day {n}, and its pressure was {n} bar.\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=2_000)
    files = parser.parse_args().files
    with tempfile.TemporaryDirectory() as root:
        notes = Path(root) / "notes"
        notes.mkdir()
        for number in range(files):
            (notes / f"note-{number}.txt").write_text(_LINE.format(n=number))
        data = Path(root) / "data"
        with measured_run(data) as run:
            upload(run.server, ["The first document of all loads the model."])
            environment = {
                "FOOTNOTE_URL": str(run.server.base_url).rstrip("/"),
                "FOOTNOTE_API_KEY": (data / "api_key").read_text().strip(),
            }
            before = processor_s(run.top)
            print(f"{files} files: {ingest(notes, environment):.1f} s", flush=True)
            spent = spent_ms(before, processor_s(run.top), files)
            print(
                "processor time of the run for each, ms:", {role: round(ms, 1) for role, ms in spent.items()}
            )
            print(f"the same again: {ingest(notes, environment):.1f} s")


def ingest(folder: Path, environment: dict[str, str]) -> float:
    """Seconds of the command."""
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "footnote_cli", "ingest", str(folder)],
        check=True,
        stdout=subprocess.DEVNULL,
        env=child_environment(environment),
    )
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
