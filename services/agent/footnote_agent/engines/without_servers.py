"""A turn whose model refuses the request goes on without the tools that servers have added."""

from footnote_agent.engines.tool_calls import CallLog
from footnote_agent.tool_servers.errors import PART
from footnote_agent.tool_servers.listing import SEPARATOR
from footnote_agent.tools.tool import Tool
from footnote_shared.contracts.events import Progress
from footnote_shared.models.protocol import ModelFailed
from footnote_shared.telemetry import metrics


def given_up(failure: ModelFailed, tools: dict[str, Tool], log: CallLog) -> Progress | None:
    """That the model is asked again without tools of servers, which are taken out of `tools`.

    None where that cannot help: it was not refused for what it holds, or there are none among the tools.
    """
    added = [name for name, tool in tools.items() if tool.counted_as == PART]
    if not (failure.over_tools and failure.before_first_token and added):
        return None
    for name in added:
        del tools[name]
    servers = sorted({name.partition(SEPARATOR)[0] for name in added})
    log.away.update(servers)
    metrics.DEGRADED.labels(PART).inc()
    told = ", ".join(servers)
    return Progress(stage="degraded", label=f"The model refuses tools of servers: going on without {told}")
