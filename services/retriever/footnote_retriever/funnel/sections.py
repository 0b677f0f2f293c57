"""The step "parent": what stands around passages comes from ingest, which knows what the caller sees now."""

from anyio import to_thread

from footnote_retriever.funnel.enrich import look_up
from footnote_retriever.funnel.fates import Fates
from footnote_retriever.funnel.neighbours import Shown
from footnote_retriever.funnel.parent import Section, grown, in_section
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.funnel.trace import Trace
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry.logs import logger

PLACES = 8
"""Chunks that are looked up for a section before the one that was found, and behind it."""

_log = logger(__name__)


async def in_sections(
    funnel: SearchResources,
    caller: Principal,
    shown: Shown,
    budget: int,
    *,
    memory: bool,
    trace: Trace,
    fates: Fates,
) -> Shown:
    """The passages in their sections; one in the section of a better one is left out.

    They stay as they are where one of them was cut, because there is no room then. Where ingest fails they do
    too, and `degraded` says `parent`.
    """
    with trace.step("parent", len(shown)) as step:
        step.given = len(shown)
        if not shown or any(passage.clipped for _, passage in shown):
            step.notes["no_room"] = bool(shown)
            return shown
        found = [live for live, _ in shown]
        try:
            answer = await look_up(
                funnel.ingest, caller, [one.candidate.ref for one in found], memory, PLACES
            )
        except FootnoteError as error:
            _log.warning("search.parent_failed", reason=str(error))
            trace.degrade("parent")
            return shown

        def work() -> dict[int, Section]:
            return grown(found, answer.around, budget, funnel.model.count_tokens)

        # Counting takes milliseconds, which a thread is for.
        sections = await to_thread.run_sync(work)
        fates.keep("parent", "parent", [found[rank] for rank in sections])
        step.given = len(sections)
        step.notes["chunks"] = sum(len(section.chunks) for section in sections.values())
    return [(found[rank], in_section(shown[rank][1], section)) for rank, section in sections.items()]
