#!/usr/bin/python3
"""Two commands of `mc` for the stand-in of the store: `alias set NAME URL ...` and `mb --ignore-existing`."""

import json
import sys
import urllib.request
from pathlib import Path

ALIASES = Path("/tmp/aliases.json")


def main(words: list[str]) -> None:
    """Remember an alias, or make a bucket at the address of one."""
    match words:
        case ["alias", "set", name, url, *_]:
            ALIASES.write_text(json.dumps({name: url}))
        case ["mb", "--ignore-existing", place]:
            name, _, bucket = place.partition("/")
            address = f"{json.loads(ALIASES.read_text())[name]}/{bucket}"
            urllib.request.urlopen(urllib.request.Request(address, method="PUT"), timeout=10).close()
        case _:
            sys.exit(f"The stand-in knows no {' '.join(words)}.")


main(sys.argv[1:])
