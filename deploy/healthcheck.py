"""Asks each address that is given; ends with 1 and says so where one does not answer with 200.

python healthcheck.py http://127.0.0.1:8000/readyz ...

The images have no curl. It takes nothing but Python's own library, so that a probe costs little.
"""

import sys
import urllib.error
import urllib.request

_ANSWER_S = 5.0


def problem(address: str) -> str | None:
    """What is wrong at this address, in a sentence; None if it answers with 200."""
    try:
        with urllib.request.urlopen(address, timeout=_ANSWER_S) as answer:  # noqa: S310  # ours
            return None if answer.status == 200 else f"{address} answers {answer.status}."
    except urllib.error.HTTPError as error:
        return f"{address} answers {error.code}: {error.read(500).decode(errors='replace')}"
    except OSError as error:
        return f"{address} does not answer: {error}."


def main() -> None:
    problems = [told for address in sys.argv[1:] if (told := problem(address))]
    sys.stderr.writelines(f"{told}\n" for told in problems)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
