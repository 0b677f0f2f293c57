"""A process that brings what is stored into the form of today, and says after each portion how much is done.

Started as `python -m tests.integration.ingest.sealing_worker URL MASTER_KEY`.
"""

import sys

from footnote_ingest.store.tables import CHUNK_TEXTS
from footnote_shared.db.engine import Database
from footnote_shared.security.keyring import Keyring
from footnote_shared.security.master_key import GivenMasterKey
from footnote_shared.security.sealing_work import SealingWork


def main(url: str, master: str) -> None:
    database = Database(url)
    keyring = database.sealer = Keyring(GivenMasterKey(master), seals=True)
    work = SealingWork(database, keyring, [CHUNK_TEXTS], rows=1)
    while work.once():
        print("a portion", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
