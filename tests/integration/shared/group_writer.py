"""A process whose threads write notes together, and say of each when it is durable.

Started as `python -m tests.integration.shared.group_writer URL`. Each note is two rows. It never ends: the
last work, of which "inside" is said, keeps its transaction open.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import text

from footnote_shared.db.engine import Database, WriteSession

THREADS, NOTES = 8, 20


def say(word: str) -> None:
    # In one call: what two threads print may come out mixed.
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main(url: str) -> None:
    database = Database(url)

    def write(said: str) -> None:
        def work(session: WriteSession) -> None:
            for half in (1, 2):
                session.connection().execute(
                    text("INSERT INTO notes VALUES (:said, :half)"), {"said": said, "half": half}
                )
            if said == "last":
                say("inside")
                threading.Event().wait()

        database.write_together(work)
        say(said)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(write, [f"note{n}" for n in range(THREADS * NOTES)]))
        pool.submit(write, "last")


if __name__ == "__main__":
    main(*sys.argv[1:])
