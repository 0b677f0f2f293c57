"""A program of its own: HTML comes in, the text that the page is about goes out, as JSON.

It runs with little memory and little time and without the settings of the agent, because pages are written by
anybody.
"""

import json
import resource
import sys

TEXT_CHARS = 400_000
TITLE_CHARS = 1000


def main(cpu_s: int, memory: int) -> None:
    """Read standard input to its end. Nothing is written for a page without a text."""
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    # Behind the limits, so that they hold for what it loads as well.
    from trafilatura import bare_extraction  # noqa: PLC0415

    page = sys.stdin.buffer.read().decode("utf-8", "replace")
    found = bare_extraction(page, with_metadata=True, include_comments=False)
    if found is None or isinstance(found, dict):
        return
    told = {
        "title": (found.title or "")[:TITLE_CHARS],
        "date": (found.date or "")[:TITLE_CHARS],
        "text": (found.text or "")[:TEXT_CHARS].replace("\0", ""),
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
