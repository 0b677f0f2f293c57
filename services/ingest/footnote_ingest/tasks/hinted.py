"""The tasks that a hint starts. A hint carries ids and says no more than: look now."""

from celery import Celery

from footnote_ingest.connectors.apply import apply_changes
from footnote_ingest.connectors.sync import sync as sync_run
from footnote_ingest.facts.facts_of_document import extract_facts
from footnote_ingest.hints.queues import Task
from footnote_ingest.lanes.work import work_on_version
from footnote_ingest.maintenance.erase_avatar import erase_avatar as erase_one_avatar
from footnote_ingest.maintenance.erase_workspace import erase_workspace
from footnote_ingest.pipeline.embed import embed_documents
from footnote_ingest.pipeline.index import index_documents
from footnote_ingest.pipeline.parse import parse_documents, read_by_model
from footnote_ingest.pipeline.remove import settle
from footnote_ingest.tasks.base_task import FootnoteTask
from footnote_ingest.tasks.resources import resources


def register(app: Celery) -> None:
    """Make the tasks known to the application."""

    @app.task(name=Task.PARSE.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def parse(*document_ids: str) -> None:
        parse_documents(resources().work, resources().parse_resources(), *document_ids)

    @app.task(name=Task.MEDIA.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def media(document_id: str) -> None:
        read_by_model(resources().work, resources().parse_resources(), document_id)

    @app.task(name=Task.EMBED.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def embed(*document_ids: str) -> None:
        embed_documents(resources().work, resources().embed_resources(), *document_ids)

    @app.task(name=Task.LANE.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def lane(version_id: str) -> None:
        work_on_version(resources().work, resources().lane_resources(), version_id)

    @app.task(name=Task.INDEX.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def index(*document_ids: str) -> None:
        index_documents(resources().work, resources().index_resources(), *document_ids)

    @app.task(name=Task.REMOVE.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def remove(document_id: str) -> None:
        settle(resources().work.database, resources().remove_resources(), document_id)

    @app.task(name=Task.SYNC.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def sync(run_id: str) -> None:
        sync_run(resources().work, resources().sync_resources(), run_id)

    @app.task(name=Task.APPLY.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def apply(connector_id: str) -> None:
        apply_changes(resources().work, resources().sync_resources(), connector_id)

    @app.task(name=Task.FACTS.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def facts(document_id: str) -> None:
        extract_facts(resources().work, resources().fact_resources(), document_id)

    @app.task(name=Task.ERASE.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def erase(workspace_id: str) -> None:
        erase_workspace(resources().work, resources().erase_resources(), workspace_id)

    @app.task(name=Task.ERASE_AVATAR.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def erase_avatar(avatar_id: str) -> None:
        erase_one_avatar(resources().work, resources().erase_resources(), avatar_id)
