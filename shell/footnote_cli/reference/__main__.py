"""`python -m footnote_cli.reference ROOT`: write what follows from the code anew: the tables of the pages in
`ROOT/docs`, and of the Python client its models and the half that needs no asyncio.

What stands between `<!-- tables: NAME -->` and `<!-- end -->` is written from the code. The rest of a page is
written by people and stays.
"""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from fastapi import FastAPI

from footnote_cli.reference.api_tables import api_tables
from footnote_cli.reference.blocking_client import blocking_client
from footnote_cli.reference.client_models import client_models
from footnote_cli.reference.error_tables import error_tables
from footnote_cli.reference.metric_tables import metric_tables
from footnote_cli.reference.room_tables import room_tables
from footnote_cli.reference.setting_tables import setting_tables
from footnote_cli.services import SERVICES, load_app
from footnote_shared.settings.base import Settings

_BLOCK = re.compile(r"<!-- tables: ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def tables(root: Path, apps: Mapping[str, FastAPI]) -> dict[str, str]:
    """Every block of tables by its name, for the repository at this root and all applications.

    The errors of a service are known once its application has been loaded.
    """
    return {
        **api_tables(apps),
        **error_tables(),
        **metric_tables(),
        **setting_tables(),
        **room_tables(root),
    }


def client_files(root: Path, apps: Mapping[str, FastAPI]) -> dict[Path, str]:
    """The written files of the Python client, by their path below the root of the repository."""
    return client_models(apps) | blocking_client(root)


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """The page with its blocks as they are now. Raises KeyError for a block that nobody writes."""
    return _BLOCK.sub(
        lambda found: f"<!-- tables: {found[1]} -->\n\n{blocks[found[1]]}\n\n<!-- end -->", page
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m footnote_cli.reference", description=__doc__)
    parser.add_argument("root", type=Path, help="the root of the repository")
    root: Path = parser.parse_args().root
    settings = Settings()
    apps = {name: load_app(name, settings) for name in SERVICES}
    for path, code in client_files(root, apps).items():
        (root / path).write_text(code, "utf-8")
    blocks = tables(root, apps)
    for page in sorted((root / "docs").rglob("*.md")):
        page.write_text(filled(page.read_text("utf-8"), blocks), "utf-8")


if __name__ == "__main__":
    main()
