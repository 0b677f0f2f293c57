"""By what a document was cut, in a few letters, so that it is known which documents to cut again."""

import hashlib
import json

from footnote_ingest.chunking.policies import VERSIONS
from footnote_shared.settings.services import IngestSettings

_LETTERS = 16


def cut_digest(settings: IngestSettings) -> str:
    """The same for all documents that these settings and this release cut alike.

    The lane is not in it: its tokenizer and its limit change with the vectors, which have a digest of theirs.
    """
    policies = {name: policy.model_dump() for name, policy in settings.chunk_policies.items()}
    cut_by = [VERSIONS, settings.chunk_tokens, settings.chunk_overlap, policies]
    return hashlib.sha256(json.dumps(cut_by, sort_keys=True).encode()).hexdigest()[:_LETTERS]
