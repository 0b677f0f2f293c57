"""The ambient plane: what the model is told anew for each call, and what is stored nowhere (spec 5.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from footnote_agent.context.citing_contract import WITH_TOOLS
from footnote_agent.context.guidance import guidance_block
from footnote_agent.context.tokens import count_tokens

ANSWER_NOW = (
    "You have used up {what} for this turn. Call no more tools. Answer now from what was found, "
    "and say plainly what is still open."
)


@dataclass(frozen=True, slots=True)
class AmbientNotes:
    """What the block is made of. `used_up` names a limit that the turn has reached."""

    today: datetime
    mentions: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    connectors: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()
    used_up: str | None = None
    guidance: str = ""


def ambient_block(notes: AmbientNotes, budget: int) -> str:
    """The system prompt of one call. Within `budget` tokens, the contract and a reached limit always stand.

    Mentions come next, then to-dos, then memory, then connectors, then folders. A line that has no room is
    left out with those behind it. Guidance has a limit of its own.
    """
    contract = WITH_TOOLS.format(today=notes.today.date().isoformat())
    last = ANSWER_NOW.format(what=notes.used_up) if notes.used_up else ""
    left = budget - count_tokens(contract) - count_tokens(last)
    guidance = guidance_block(notes.guidance)
    blocks = [contract, guidance] if guidance else [contract]
    for title, lines in (
        ("The user points at the following. Nothing of it has been read yet:", notes.mentions),
        ("Your to-dos:", notes.todos),
        ("What you remember, newest first; recall tells more. It is no evidence:", notes.memory),
        ("Connectors, each with a subagent of its kind:", notes.connectors),
        ("Folders of the workspace:", notes.folders),
    ):
        block, left = _within(title, lines, left)
        blocks += [block] if block else []
    return "\n\n".join([*blocks, last] if last else blocks)


def _within(title: str, lines: Sequence[str], left: int) -> tuple[str, int]:
    kept: list[str] = []
    left -= count_tokens(title)
    for line in lines:
        if (cost := count_tokens(line) + 1) > left:
            break
        kept.append(f"- {line}")
        left -= cost
    return ("\n".join([title, *kept]) if kept else ""), left
