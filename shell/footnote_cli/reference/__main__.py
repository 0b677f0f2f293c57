"""`python -m footnote_cli.reference FOLDER`: write the tables of the reference pages in that folder anew.

What stands between `<!-- tables: NAME -->` and `<!-- end -->` is written from the code. The rest of a page is
written by people and stays.
"""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from footnote_cli.embedded.gateway import load_app
from footnote_cli.reference.api_tables import api_tables
from footnote_cli.reference.error_tables import error_tables
from footnote_cli.reference.metric_tables import metric_tables
from footnote_cli.reference.setting_tables import setting_tables
from footnote_shared.settings.base import Settings

SERVICES = ("ingest", "retriever", "agent", "resolver")
_BLOCK = re.compile(r"<!-- tables: ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def tables() -> dict[str, str]:
    """Every block of tables by its name."""
    settings = Settings()
    apps = {name: load_app(name, settings) for name in SERVICES}
    # The applications come first: the errors of a service are known once it has been loaded.
    return {**api_tables(apps), **error_tables(), **metric_tables(), **setting_tables()}


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """The page with its blocks as they are now. Raises KeyError for a block that nobody writes."""
    return _BLOCK.sub(
        lambda found: f"<!-- tables: {found[1]} -->\n\n{blocks[found[1]]}\n\n<!-- end -->", page
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m footnote_cli.reference", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of the reference pages")
    folder: Path = parser.parse_args().folder
    blocks = tables()
    for page in sorted(folder.glob("*.md")):
        page.write_text(filled(page.read_text("utf-8"), blocks), "utf-8")


if __name__ == "__main__":
    main()
