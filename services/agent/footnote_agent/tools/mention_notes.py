"""What a mention says to a model: its handle, its name and its use. Nothing of it is read (spec 5.3)."""

from footnote_agent.context.handles import HandleTarget, TargetKind
from footnote_agent.context.plain_name import plain_name
from footnote_agent.store.threads import find_thread
from footnote_agent.tools.tool_context import ToolContext
from footnote_shared.contracts.memory import is_memory
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.errors import FootnoteError, NotFound
from footnote_shared.kernel.ids import is_id
from footnote_shared.telemetry import metrics

_HOW: dict[TargetKind, str] = {
    "document": "search within it by scope; analyze_document reads it",
    "folder": "search within it by scope; list_documents lists it",
    "connector": "search within it by scope, or hand work to the subagent of its kind",
    "chat": "read_chat reads it",
}
_FOLDERS_AT_MOST = 30
_UPLOADS_AT_MOST = 20


async def mention_notes(context: ToolContext) -> tuple[str, ...]:
    """A line for each mention. One that is not there, or not the caller's to see, is said to be missing."""
    found: list[HandleTarget] = []
    missing = 0
    for mention in context.turn.mentions:
        try:
            found.append(await _target(context, mention))
        except NotFound:
            missing += 1
    handles = await context.name(found)
    lines = [
        f"{handle}: the {target.kind} {plain_name(target.name)}; {_HOW[target.kind]}"
        for handle, target in zip(handles, found, strict=True)
    ]
    if missing:
        lines.append(f"{missing} more that cannot be found any more; say so if it matters")
    return tuple(lines)


async def upload_notes(context: ToolContext) -> tuple[str, ...]:
    """A line for each upload of the turn's session, newest first. Without ingest the turn does without."""
    caller = context.turn.caller
    if caller.session_id is None:
        return ()
    try:
        page = await context.resources.ingest.documents(
            caller, {"type": "anonymous", "limit": _UPLOADS_AT_MOST}
        )
        targets = [HandleTarget("document", one.id, one.title) for one in page.items]
        handles = await context.name(targets)
    except FootnoteError:
        metrics.DEGRADED.labels("ingest").inc()
        return ()
    return tuple(
        f"{handle}: the file {plain_name(one.title)} ({one.status}), uploaded for this session alone; "
        f"{_HOW['document']}"
        for handle, one in zip(handles, page.items, strict=True)
    )


async def folder_notes(context: ToolContext) -> tuple[str, ...]:
    """The folders of the workspace with their handles. Without ingest the turn does without them.

    Those of memory are not searched and are left out.
    """
    try:
        page = await context.resources.ingest.folders(context.turn.caller, _FOLDERS_AT_MOST)
        shown = [one for one in page.items if not is_memory(one.path)]
        targets = [HandleTarget("folder", one.id, one.path) for one in shown]
        handles = await context.name(targets)
    except FootnoteError:
        metrics.DEGRADED.labels("ingest").inc()
        return ()
    return tuple(
        f"{handle}: {plain_name(one.path)} ({one.documents} documents)"
        for handle, one in zip(handles, shown, strict=True)
    )


async def _target(context: ToolContext, mention: Mention) -> HandleTarget:
    """What is mentioned, by name. Raises NotFound."""
    caller = context.turn.caller
    match mention.type:
        case "document":
            return HandleTarget("document", mention.id, await _title(context, mention.id))
        case "folder":
            folder = await context.resources.ingest.folder(caller, mention.id)
            return HandleTarget("folder", mention.id, folder.path)
        case "chat":
            title = await context.resources.database.read_async(
                lambda session: find_thread(session, caller, mention.id).title
            )
            return HandleTarget("chat", mention.id, title or "Chat")
        case "connector":
            connector = await context.resources.ingest.connector(caller, mention.id)
            return HandleTarget("connector", mention.id, f"{connector.name} ({connector.kind})")


async def _title(context: ToolContext, document_id: str) -> str:
    if not is_id(document_id):
        raise NotFound
    return (await context.resources.ingest.document(context.turn.caller, document_id)).title
