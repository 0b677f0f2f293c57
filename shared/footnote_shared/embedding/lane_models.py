"""The embedder of a lane: that of its fingerprint, if it is one of the models that the operator has set."""

from collections.abc import Sequence
from pathlib import Path

from footnote_shared.embedding.load import load_embedder
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.settings.base import Settings


def model_names(settings: Settings) -> list[str]:
    """The models that are set, by the names that fingerprints have: the last part of a folder or hub name."""
    return list(dict.fromkeys(_label(source) for source in _sources(settings)))


def set_prefixes(settings: Settings) -> dict[str, tuple[str, str]]:
    """The prefixes of queries and of documents of a model that can have no others: the model of the settings.

    Where it is one of the further models too, the settings leave its prefixes to each version of a lane.
    """
    own = _label(settings.embedding_model)
    if own in {_label(source) for source in settings.embedding_models}:
        return {}
    return {own: (settings.embedding_query_prefix, settings.embedding_document_prefix)}


def embedder_named(
    settings: Settings, name: str, query_prefix: str, document_prefix: str, *, short: bool = False
) -> Embedder:
    """The embedder of one of these models. An empty prefix is the model's own prompt.

    Raises Misconfigured for a name that is not set, and for a model that is not there. The first call reads
    the weights, as that of `load_embedder` does.
    """
    for source in _sources(settings):
        if _label(source) == name:
            changes = {
                "embedding_model": source,
                "embedding_query_prefix": query_prefix,
                "embedding_document_prefix": document_prefix,
            }
            return load_embedder(settings.model_copy(update=changes), short=short)
    raise Misconfigured(
        f"The embedding model {name} is neither FOOTNOTE_EMBEDDING_MODEL nor one of "
        "FOOTNOTE_EMBEDDING_MODELS."
    )


def embedder_of(
    settings: Settings, lane: str, fingerprint: LaneFingerprint, *, short: bool = False
) -> Embedder:
    """The embedder whose vectors are those of the lane. `short`: for queries (`load_embedder`).

    FOOTNOTE_EMBEDDING_MODEL has the prefixes of the settings. The further models have those that the lane was
    made with. Raises Misconfigured, with both fingerprints, if no model makes such vectors.
    """
    further = {_label(source) for source in settings.embedding_models}
    if _label(settings.embedding_model) == fingerprint.model or fingerprint.model not in further:
        own = load_embedder(settings, short=short)
        if own.fingerprint == fingerprint:
            return own
        if fingerprint.model not in further:
            raise Misconfigured(_differs(lane, fingerprint, own.fingerprint))
    prefixes = fingerprint.query_prefix, fingerprint.document_prefix
    found = embedder_named(settings, fingerprint.model, *prefixes, short=short)
    if found.fingerprint != fingerprint:
        raise Misconfigured(_differs(lane, fingerprint, found.fingerprint))
    return found


def _sources(settings: Settings) -> Sequence[str]:
    return [settings.embedding_model, *settings.embedding_models]


def _label(source: str) -> str:
    return Path(source.rstrip("/")).name


def _differs(lane: str, found: LaneFingerprint, configured: LaneFingerprint) -> str:
    return (
        f"The lane {lane!r} holds vectors of {found}, but this service is configured for {configured}. The "
        "two cannot be compared. Go back to the former embedding settings, or name the former model in "
        "FOOTNOTE_EMBEDDING_MODELS and re-embed the lane."
    )
