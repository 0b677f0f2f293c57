"""`python -m deploy.monitoring`: write the dashboards and the rules anew into the chart."""

from collections.abc import Mapping
from pathlib import Path

import yaml
from deploy.monitoring.dashboards import DASHBOARDS
from deploy.monitoring.panels import drawn
from deploy.monitoring.rules import rules

FILES = Path(__file__).parents[1] / "helm/footnote/files"
"""A chart can only read what lies in it. Compose mounts the same files."""


def files() -> Mapping[str, str]:
    """The text of each file, by its path below `FILES`."""
    head = "# Written by `python -m deploy.monitoring` from deploy/monitoring.\n"
    written = {f"dashboards/{board.name}.json": drawn(board) for board in DASHBOARDS}
    return {**written, "rules.yaml": head + yaml.safe_dump(rules(), sort_keys=False, width=105)}


def main() -> None:
    for name, text in files().items():
        path = FILES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
