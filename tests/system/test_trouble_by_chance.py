"""A short `make chaos`: parts die while users and another system work, and every promise holds (spec 8.3).

Its file comes last of those that share the stack, so that nobody meets what it may have broken.
"""

import random

import pytest

from footnote_testing.postgres_process import PostgresProcess
from tests.chaos.audit import audit
from tests.chaos.faults import Faults
from tests.chaos.run import under_faults
from tests.chaos.stack import ChaosStack

pytestmark = pytest.mark.system

SEED = 1
NAMES = ["kill indexer", "kill beat", "kill agent1", "empty redis", "kill vectors", "cut postgresql"]


def test_every_promise_holds_when_parts_die_one_after_the_other(
    distributed: ChaosStack, postgres: PostgresProcess
) -> None:
    names = random.Random(SEED).sample(NAMES, len(NAMES))
    ledger = under_faults(distributed, Faults(distributed, postgres, SEED), names, SEED, users=1)
    assert audit(distributed, ledger) == [], (names, ledger.refused)
    # Nobody was promised anything if nothing was taken.
    assert ledger.statuses["upload 202"] > 0
    assert ledger.statuses["hook 202"] > 0
