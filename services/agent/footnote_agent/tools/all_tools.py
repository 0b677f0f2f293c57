"""All tools, in the order in which a model is told of them. A tool that is not here does not exist."""

from collections.abc import Collection, Mapping, Sequence

from footnote_agent.store.tool_switches import ToolSwitches
from footnote_agent.tools.chats import read_chat
from footnote_agent.tools.connector_acts import act
from footnote_agent.tools.connector_items import OF_A_KIND, get_item, search_items
from footnote_agent.tools.delegation import task
from footnote_agent.tools.documents import analyze_document, get_document, list_documents
from footnote_agent.tools.file_changes import edit_file, move_file, rm, rmdir, write_file
from footnote_agent.tools.file_reading import glob, grep, list_tree, ls, read_file
from footnote_agent.tools.knowledge import read_passages, search_knowledge_base
from footnote_agent.tools.memory import recall, update_memory
from footnote_agent.tools.planning import write_todos
from footnote_agent.tools.scheduling import create_automation
from footnote_agent.tools.tool import Tool, tool
from footnote_agent.tools.web import scrape_webpage, web_search
from footnote_agent.tools.web_access import WebAccess
from footnote_agent.tools.writing import create_document
from footnote_shared.kernel.errors import Misconfigured

_FILES = "knowledge_base"

TOOLS: Mapping[str, Tool] = {
    one.name: one
    for one in (
        tool(search_knowledge_base, doing="searching", label="Searching your knowledge base"),
        tool(read_passages, doing="reading", label="Reading passages again"),
        tool(list_documents, doing="searching", label="Looking through your documents"),
        tool(get_document, doing="reading", label="Looking at a document"),
        tool(analyze_document, doing="reading", label="Reading a document closely", patience=1.5),
        tool(read_chat, doing="reading", label="Reading an earlier chat"),
        tool(create_document, doing="writing", label="Writing a document", changes=True),
        tool(recall, doing="searching", label="Remembering"),
        tool(update_memory, doing="writing", label="Noting something to remember", changes=True),
        tool(web_search, doing="searching", label="Searching the web", web="search"),
        tool(scrape_webpage, doing="reading", label="Reading a page of the web", patience=2, web="pages"),
        tool(task, doing="delegating", label="Handing on a part of the work", patience=4),
        tool(write_todos, doing="planning", label="Planning the next steps"),
        tool(
            create_automation,
            doing="planning",
            label="Scheduling a question",
            changes=True,
            asks_first=True,
        ),
        tool(search_items, doing="searching", label="Searching what a connector brought", only_for=OF_A_KIND),
        tool(get_item, doing="reading", label="Reading an item of a connector", only_for=OF_A_KIND),
        tool(
            act,
            doing="writing",
            label="Writing into another system",
            patience=3,
            changes=True,
            asks_first=True,
            only_for=OF_A_KIND,
        ),
        tool(ls, doing="reading", label="Looking into a folder", only_for=_FILES),
        tool(list_tree, doing="reading", label="Looking at the folders", only_for=_FILES),
        tool(glob, doing="searching", label="Looking for files", only_for=_FILES),
        tool(grep, doing="searching", label="Looking for a text in files", only_for=_FILES),
        tool(read_file, doing="reading", label="Reading a file", only_for=_FILES),
        tool(write_file, doing="writing", label="Writing a file", changes=True, only_for=_FILES),
        tool(
            edit_file,
            doing="writing",
            label="Changing a file",
            changes=True,
            asks_first=True,
            only_for=_FILES,
        ),
        tool(
            move_file, doing="writing", label="Moving a file", changes=True, asks_first=True, only_for=_FILES
        ),
        tool(rm, doing="writing", label="Deleting a file", changes=True, asks_first=True, only_for=_FILES),
        tool(
            rmdir, doing="writing", label="Deleting a folder", changes=True, asks_first=True, only_for=_FILES
        ),
    )
}


def switched_on(off: str) -> dict[str, Tool]:
    """The tools without those that are named in `off`, separated by commas. Raises Misconfigured."""
    names = {name.strip() for name in off.split(",")} - {""}
    if unknown := names - TOOLS.keys():
        raise Misconfigured(
            f"FOOTNOTE_AGENT_TOOLS_OFF names no tool: {', '.join(sorted(unknown))}. "
            f"There are: {', '.join(TOOLS)}."
        )
    return {name: one for name, one in TOOLS.items() if name not in names}


def with_means(tools: Mapping[str, Tool], web: WebAccess | None) -> dict[str, Tool]:
    """Those of the tools that can do their work here: the web is closed until an operator opens it."""
    if web is None:
        return {name: one for name, one in tools.items() if one.web is None}
    return {name: one for name, one in tools.items() if one.web != "search" or web.search is not None}


def asking_first(
    tools: Mapping[str, Tool], switches: ToolSwitches, names: Collection[str] | None
) -> frozenset[str]:
    """The tools that ask a person first: by the workspace, by the turn, or by themselves."""
    by_themselves = {one.name for one in tools.values() if one.asks_first} - switches.decided
    return frozenset(by_themselves | switches.ask_first | set(names or ()))


def allowed(
    tools: Mapping[str, Tool], names: Sequence[str] | None, off: Collection[str] = ()
) -> dict[str, Tool]:
    """Those of the tools that a turn names, where it names any, without those that are off."""
    return {name: one for name, one in tools.items() if (names is None or name in names) and name not in off}
