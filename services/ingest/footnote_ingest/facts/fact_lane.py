"""The lane of facts: one version at a time, whose vectors are of the model of the documents' lane.

It is not re-embedded beside the live one (docs/adr/0063). When documents are searched by another model, the
next work on facts makes an empty version and removes the former one. All facts are brought into it from SQL,
without asking a chat model again; until then a search has those that are in.
"""

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.kernel.vector_values import LaneFingerprint


def open_fact_lane(lane: LaneIndex, fingerprint: LaneFingerprint) -> None:
    """Have `lane` mean a version for these vectors, which is made if it is not there. Safe to repeat."""
    live = lane.live_version()
    if live is None:
        lane.open(fingerprint)
        live = lane.live_version()
        if live is None:
            raise Misconfigured("The lane of facts was just made and is not there.")
    number = live.number
    if live.fingerprint != fingerprint:
        number += 1
        lane.make_version(number, fingerprint)
        lane.switch(number)
        lane.drop_version(live.number)
    lane.turn_to(number)
