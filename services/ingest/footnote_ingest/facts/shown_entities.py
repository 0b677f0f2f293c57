"""People, organisations, places and things by the facts that one caller sees.

Who is one person is decided for each reader from what that reader sees: what a hidden document says of
somebody changes nothing for others (docs/adr/0063).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from footnote_ingest.facts.named_entities import looked_up, plain
from footnote_ingest.facts.people import NamedPerson, folded, likeness, read_name, told_apart
from footnote_ingest.store import fact_entities as store
from footnote_ingest.store.fact_entities import ShownEntityRow
from footnote_shared.contracts.facts import Entities, Entity, EntityKind, FactEntity, FactOfEntity, SourceRef
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession
from footnote_shared.db.sealed_rows import SealingKey
from footnote_shared.kernel.text import text_hash

_LOOKED_AT = 200
"""To compare each with each takes some hundredths of a second then."""

_FACTS_SHOWN = 20
_OTHERS: tuple[EntityKind, ...] = ("organisation", "place", "thing")


def hash_of(looked_up_by: str, key: SealingKey | None) -> str:
    """What is stored of a name to find it by. Beside encrypted texts a plain hash would give it away."""
    digest = text_hash(looked_up_by)
    return digest if key is None else key.keyed(digest)


def entities_of_facts(
    session: ReadSession, principal: Principal, document_id: str, allowed: Collection[str]
) -> dict[str, list[FactEntity]]:
    """Whom the facts of a document name, by the fact's id. The caller sees the document."""
    own = store.of_document(session, principal, document_id)
    if not own:
        return {}
    hashes = sorted({row.entity.name_hash for row in own})
    beside = store.by_name(session, principal, hashes, allowed, _LOOKED_AT)
    ids = {
        row.entity.id: group[0].entity.id
        for group in _told_apart({row.entity.id: row for row in (*beside, *own)}.values())
        for row in group
    }
    found: dict[str, list[FactEntity]] = defaultdict(list)
    for row in sorted(own, key=lambda one: one.entity.id):
        entity = row.entity
        found[entity.fact_id].append(
            FactEntity(
                entity_id=ids[entity.id],
                kind=entity.kind,
                name=entity.name,
                role=entity.role,
                organisation=entity.organisation,
                address=entity.address,
            )
        )
    return found


def entities_named(
    session: ReadSession, principal: Principal, name: str, allowed: Collection[str], key: SealingKey | None
) -> Entities:
    """Who and what has this name, each person apart."""
    asked = plain(name)
    kinds: tuple[EntityKind, ...] = ("person", *_OTHERS)
    wanted = {looked_up(kind, asked) for kind in kinds} - {""}
    # What was stored before texts were encrypted has its plain hash until that is done.
    hashes = sorted({hash_of(one, with_key) for one in wanted for with_key in (key, None)})
    rows = store.by_name(session, principal, hashes, allowed, _LOOKED_AT + 1) if hashes else []
    groups = _told_apart(rows[:_LOOKED_AT])
    items = [_entity(group) for group in groups if any(_is_meant(row, asked) for row in group)]
    return Entities(items=items, more=len(rows) > _LOOKED_AT)


def _is_meant(row: ShownEntityRow, asked: str) -> bool:
    if row.entity.kind == "person":
        return likeness(read_name(row.entity.name), read_name(asked)) != "none"
    return looked_up(row.entity.kind, row.entity.name) == looked_up(row.entity.kind, asked)


def _told_apart(rows: Iterable[ShownEntityRow]) -> list[list[ShownEntityRow]]:
    """The rows of each entity, each group in the order of ids, and so the groups."""
    by_id = {row.entity.id: row for row in rows}
    others: dict[tuple[str, str], list[str]] = defaultdict(list)
    people = []
    for entity_id, row in sorted(by_id.items()):
        entity = row.entity
        if entity.kind == "person":
            people.append(
                NamedPerson(
                    entity_id,
                    row.fact.document_id,
                    entity.name,
                    entity.role,
                    entity.organisation,
                    entity.address,
                )
            )
        else:
            others[entity.kind, looked_up(entity.kind, entity.name)].append(entity_id)
    groups = [*others.values(), *([one.id for one in group] for group in told_apart(people))]
    return [[by_id[entity_id] for entity_id in group] for group in sorted(groups)]


def _entity(group: Sequence[ShownEntityRow]) -> Entity:
    facts = {row.fact.id: row for row in sorted(group, key=lambda one: one.fact.id, reverse=True)}
    entities = [row.entity for row in group]
    return Entity(
        id=entities[0].id,
        kind=entities[0].kind,
        names=_each_once(one.name for one in entities),
        roles=_each_once(one.role for one in entities),
        organisations=_each_once(one.organisation for one in entities),
        addresses=_each_once(one.address for one in entities),
        facts=[
            FactOfEntity(
                id=row.fact.id,
                text=row.fact.text,
                source_ref=SourceRef(
                    document_id=row.fact.document_id, chunk_id=row.fact.chunk_id, title=row.title
                ),
            )
            for row in list(facts.values())[:_FACTS_SHOWN]
        ],
    )


def _each_once(said: Iterable[str | None]) -> list[str]:
    """Each as it was written first."""
    found: dict[str, str] = {}
    for one in said:
        if one:
            found.setdefault(folded(one), one)
    return list(found.values())
