"""`python -m footnote_cli.reference ROOT`: write the tables of the pages in `ROOT/docs` anew.

What stands between `<!-- tables: NAME -->` and `<!-- end -->` is written from the code. The rest of a page is
written by people and stays.
"""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from footnote_cli.reference.api_tables import api_tables
from footnote_cli.reference.error_tables import error_tables
from footnote_cli.reference.metric_tables import metric_tables
from footnote_cli.reference.room_tables import room_tables
from footnote_cli.reference.setting_tables import setting_tables
from footnote_cli.services import SERVICES, load_app
from footnote_shared.settings.base import Settings

_BLOCK = re.compile(r"<!-- tables: ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def tables(root: Path) -> dict[str, str]:
    """Every block of tables by its name, for the repository at this root."""
    settings = Settings()
    apps = {name: load_app(name, settings) for name in SERVICES}
    # The applications come first: the errors of a service are known once it has been loaded.
    return {
        **api_tables(apps),
        **error_tables(),
        **metric_tables(),
        **setting_tables(),
        **room_tables(root),
    }


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """The page with its blocks as they are now. Raises KeyError for a block that nobody writes."""
    return _BLOCK.sub(
        lambda found: f"<!-- tables: {found[1]} -->\n\n{blocks[found[1]]}\n\n<!-- end -->", page
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m footnote_cli.reference", description=__doc__)
    parser.add_argument("root", type=Path, help="the root of the repository")
    root: Path = parser.parse_args().root
    blocks = tables(root)
    for page in sorted((root / "docs").rglob("*.md")):
        page.write_text(filled(page.read_text("utf-8"), blocks), "utf-8")


if __name__ == "__main__":
    main()
