"""Reading the facts of one document that is indexed (spec 3.9, docs/adr/0063).

Whether this works or not changes nothing of the document but lines of its timeline. A worker that dies loses
one reply of the model at most: all is committed at once, and what was written to the index without that is
removed by whoever comes next.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

from footnote_ingest.facts.fact_lane import open_fact_lane
from footnote_ingest.facts.fact_lease import FactLease, take_facts
from footnote_ingest.facts.merging import audience_of, grouped
from footnote_ingest.facts.named_entities import NamedEntity, looked_up
from footnote_ingest.facts.reading import (
    ReadReply,
    ReplyNotUnderstood,
    prompt_for,
    read_reply,
    shown,
)
from footnote_ingest.facts.shown_entities import hash_of
from footnote_ingest.pipeline.embed import Dense, EmbedderOf
from footnote_ingest.pipeline.index import payload_of
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.pipeline.live_lane import turn_to_live
from footnote_ingest.store import facts as store
from footnote_ingest.store import folders, summaries
from footnote_ingest.store.chunks_in_work import ChunkInWork, chunks_of_versions
from footnote_ingest.store.fact_tables import FactEntityRow, FactJobRow, FactRow
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.summaries import digest_of, passages_of
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.recorded_work import RecordedWork
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.row_lease import WorkLost
from footnote_shared.db.engine import WriteSession, lock_for_transaction
from footnote_shared.db.sealed_rows import SealingKey
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError, Misconfigured, TryLater
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.models.protocol import ModelFailed, Prompt
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.filters import Match
from footnote_shared.vectors.protocol import HybridQuery, VectorPoint

_log = logger(__name__)

_NEIGHBOURS = 10
_NO_TERMS = SparseVector([], [])

_LATER = 3
"""Tries by which a back-off is longer than that of a stage: a model does not come back within seconds."""

_MENDED_BY_OPERATOR = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class FactResources:
    """What reading facts needs beside the work.

    `documents` is the lane of documents, by whose model facts are embedded, and `facts` their own. `ask` puts
    a question to the model and raises ModelFailed. `allowed` are the classifications that it may be shown.
    """

    documents: LaneIndex
    facts: LaneIndex
    embedder_of: EmbedderOf
    ask: Callable[[Prompt], str]
    allowed: Collection[str]


@dataclass(frozen=True, slots=True)
class _Read:
    """A document as it is when its facts are read: one snapshot. `known` are the facts that it has."""

    row: DocumentRow
    version: VersionRow
    folder_ids: list[str]
    chunks: Mapping[str, ChunkInWork]
    passages: list[ChunkInWork]
    known: list[FactRow]


def extract_facts(work: WorkResources, resources: FactResources, document_id: str) -> bool:
    """Read the facts of the document. Returns False if there was nothing for us to do."""
    lease = take_facts(work, document_id)
    if lease is None:
        return False
    with lease, _Recorded(work, lease):
        _extract(work, resources, lease)
    return True


class _Recorded(RecordedWork[FactLease]):
    foreseen = (ReplyNotUnderstood, FootnoteError)

    def record(self, error: Exception) -> None:
        policy = self.work.policy
        match error:
            case WorkLost():
                _log.info("facts.lost", document=self.lease.taken.document_id)
            case ModelFailed():
                self._fail(error.detail)
            case ReplyNotUnderstood():
                self._fail("The chat model did not answer in the form that it was asked for.")
            case TryLater():
                _log.warning("facts.wait", reason=error.detail)
                self.lease.let_go(policy.back_off(_LATER))
            case Misconfigured():
                _log.error("facts.misconfigured", reason=error.detail)
                self.lease.let_go(_MENDED_BY_OPERATOR)
            case _:
                self._fail("An unexpected error; its operator finds it in the log.")

    def _fail(self, reason: str) -> None:
        policy = self.work.policy
        with self.lease.commit() as (session, row, job):
            ended = job.attempts >= policy.max_attempts
            metrics.FACT_EXTRACTIONS.labels("failed" if ended else "tried_again").inc()
            _log.warning("facts.try_failed", document=row.id, reason=reason, attempt=job.attempts)
            if ended:
                give_up(session, row, job, reason)
                return
            job.available_at = now() + policy.back_off(job.attempts + _LATER)
            if job.attempts == 1:
                stages.note(session, row, row.status, f"Facts: {reason} Another try follows.", attempt=1)


def give_up(session: WriteSession, row: DocumentRow, job: FactJobRow, reason: str) -> None:
    """Ask no more about this version. Another version, or another classification, is read again."""
    job.status, job.reason, job.passages = "failed", reason, None
    summaries.drop(session, [row.id])
    stages.note(
        session,
        row,
        row.status,
        f"Facts: {reason} Given up; the document is as it was.",
        attempt=job.attempts,
    )


def _extract(work: WorkResources, resources: FactResources, lease: FactLease) -> None:
    read = _read(work, lease.taken)
    if read is None or lease.taken.classification not in resources.allowed:
        lease.let_go(timedelta())
        return
    live = turn_to_live(work.database, resources.documents)
    if live is None:
        lease.let_go(work.policy.back_off(_LATER))
        return
    digest = digest_of(read.passages)
    entities: list[FactEntityRow] = []
    reply = None
    if lease.taken.passages == digest:
        facts = _still_there(read)
    else:
        facts, entities, reply = _asked(resources, read, work.database.sealing_key(read.row.workspace_id))
    vectors = _vectors(resources, live.fingerprint, facts)
    open_fact_lane(resources.facts, live.fingerprint)
    # An earlier try may have written these and died before its commit.
    resources.facts.delete(sorted(resources.facts.of_document(read.row.id) - {one.id for one in read.known}))
    lease.keep()
    _write(resources, read, facts, vectors)
    near = _near(resources, read, facts, vectors)
    ids, known = {fact.id for fact in facts}, {fact.id for fact in read.known}
    try:
        _commit(work, lease, read, facts, near, _Outcome(digest, live.fingerprint.digest, entities, reply))
    except WorkLost:
        # The document has changed or gone, and nobody else knows of these points.
        resources.facts.delete(sorted(ids - known))
        raise
    resources.facts.delete(sorted(known - ids))
    if ids - resources.facts.present(sorted(ids)):
        # Whoever settled the document meanwhile did not know them yet.
        _write(resources, read, facts, vectors)


def _read(work: WorkResources, job: FactJobRow) -> _Read | None:
    with work.database.read() as session:
        row = session.get(DocumentRow, job.document_id)
        if row is None or row.deleted_at is not None or row.live_version != job.version:
            return None
        version = session.get(VersionRow, (row.id, job.version))
        if version is None:
            return None
        chunks = chunks_of_versions(session, [(row.id, job.version)]).get((row.id, job.version), [])
        path = folders.path_of(session, row.folder_id)
        return _Read(
            row,
            version,
            folders.ids_of_path(session, row.workspace_id, path),
            {chunk.chunk_id: chunk for chunk in chunks},
            passages_of(chunks),
            store.of_document(session, row.id),
        )


def _still_there(read: _Read) -> list[FactRow]:
    """The facts that the document has, if the model has been asked about these very passages before."""
    return [
        fact
        for fact in read.known
        if fact.chunk_id in read.chunks and read.chunks[fact.chunk_id].embed_hash == fact.chunk_hash
    ]


def _asked(
    resources: FactResources, read: _Read, key: SealingKey | None
) -> tuple[list[FactRow], list[FactEntityRow], ReadReply]:
    """New facts, whom they name, and what the model replied."""
    if not read.passages:
        return [], [], ReadReply([], 0)
    texts = [shown(passage) for passage in read.passages]
    reply = read_reply(resources.ask(prompt_for(read.version.title, texts)), texts)
    facts: list[FactRow] = []
    entities: list[FactEntityRow] = []
    for ordinal, found in enumerate(sorted(reply.facts, key=lambda one: one.passage)):
        passage = read.passages[found.passage]
        fact_id = new_id()
        facts.append(
            FactRow(
                id=fact_id,
                workspace_id=read.row.workspace_id,
                document_id=read.row.id,
                chunk_id=passage.chunk_id,
                chunk_hash=passage.embed_hash,
                ordinal=ordinal,
                group_id=fact_id,
                text=found.text,
                quote=found.quote,
            )
        )
        entities += [_entity(read.row.workspace_id, fact_id, one, key) for one in found.entities]
    return facts, entities, reply


def _entity(workspace_id: str, fact_id: str, found: NamedEntity, key: SealingKey | None) -> FactEntityRow:
    looked_up_by = looked_up(found.kind, found.name)
    return FactEntityRow(
        workspace_id=workspace_id,
        fact_id=fact_id,
        name_hash=hash_of(looked_up_by, key),
        looked_up=looked_up_by,
        **asdict(found),
    )


def _vectors(
    resources: FactResources, fingerprint: LaneFingerprint, facts: Sequence[FactRow]
) -> dict[str, Dense]:
    if not facts:
        return {}
    made = resources.embedder_of(fingerprint).embed_documents([fact.text for fact in facts])
    return {fact.id: vector for fact, vector in zip(facts, made, strict=True)}


def _write(
    resources: FactResources, read: _Read, facts: Sequence[FactRow], vectors: Mapping[str, Dense]
) -> None:
    resources.facts.upsert(
        [
            VectorPoint(
                fact.id,
                vectors[fact.id],
                _NO_TERMS,
                payload_of(
                    read.row, read.version, read.chunks[fact.chunk_id], read.folder_ids, with_text=False
                ),
            )
            for fact in facts
        ]
    )


def _near(
    resources: FactResources, read: _Read, facts: Sequence[FactRow], vectors: Mapping[str, Dense]
) -> dict[str, list[tuple[str, float]]]:
    """For each fact the nearest ones of the workspace, with their cosines."""
    ours = Match("workspace_id", read.row.workspace_id)
    near = {}
    for fact in facts:
        query = HybridQuery(vectors[fact.id], None, _NEIGHBOURS, ours, bare=True)
        near[fact.id] = [(hit.id, hit.score) for hit in resources.facts.search(query).dense]
    return near


@dataclass(frozen=True, slots=True)
class _Outcome:
    """`reply` is None where the model was not asked again."""

    passages: str
    lane_digest: str
    entities: Sequence[FactEntityRow]
    reply: ReadReply | None


def _commit(
    work: WorkResources,
    lease: FactLease,
    read: _Read,
    facts: Sequence[FactRow],
    near: Mapping[str, Sequence[tuple[str, float]]],
    outcome: _Outcome,
) -> None:
    known = {fact.id for fact in read.known}
    new = [fact for fact in facts if fact.id not in known]
    gone = known - {fact.id for fact in facts}
    with lease.commit() as (session, row, job):
        # One worker after the other: if two find the same fact, the second one has to see the first.
        lock_for_transaction(session, "facts", row.workspace_id)
        store.drop(session, gone)
        others = sorted({other for fact in new for other, _ in near[fact.id]})
        audience = audience_of(row)
        groups = {
            fact_id: group
            for fact_id, group, document in store.live_among(session, row.workspace_id, others)
            if audience_of(document) == audience
        }
        joined = grouped([fact.id for fact in new], near, groups)
        for fact in new:
            fact.group_id = joined[fact.id]
            session.add(fact)
        session.flush()
        session.add_all(outcome.entities)
        reply = outcome.reply
        if reply is None:
            summaries.keep_for(session, row.id, job.version)
        else:
            summaries.keep(session, row, job.version, outcome.passages, reply.summary)
        job.status, job.reason, job.attempts = "completed", None, 0
        job.passages, job.lane_digest = outcome.passages, outcome.lane_digest
        if reply is not None:
            said = f"Facts: {len(new)} found." if new else "Facts: none found."
            stages.note(session, row, row.status, said)
        raise_generation(session, row.workspace_id)
    if reply is not None:
        metrics.FACT_EXTRACTIONS.labels("completed").inc()
        metrics.FACTS_READ.labels("kept").inc(len(new))
        metrics.FACTS_READ.labels("dropped").inc(reply.dropped)
