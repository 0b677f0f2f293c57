"""What a model is told: the contract of citing, and the evidence as data (spec 2, 5.2)."""

from collections.abc import Sequence
from datetime import datetime

from footnote_agent.context.asked_turn import Exchange
from footnote_agent.context.citing_contract import WITH_PASSAGES
from footnote_agent.context.guidance import guidance_block
from footnote_shared.kernel.citation_tokens import with_numbers
from footnote_shared.models.protocol import ChatMessage

_CHITCHAT = """\
You are the assistant that answers questions from the user's own documents. Today is {today}.
The user is being polite and asks nothing: answer in one or two friendly sentences, in the user's language, \
and write no numbers in square brackets."""

_COMMAND = """\
You are the assistant that answers questions from the user's own documents. Today is {today}.
The user wants you to work on your earlier answer. \
Do that with what the conversation holds and add no new facts.
Keep each number in square brackets, such as [3], behind the claim that it belongs to, and write no other."""

_NOTHING = "<retrieved_context>\n(no passage was found)\n</retrieved_context>"


def system_prompt(intent: str, today: datetime, guidance: str = "") -> str:
    """The instructions for this kind of message, and below them what the program that asks wishes."""
    prompt = {"chitchat": _CHITCHAT, "command": _COMMAND}.get(intent, WITH_PASSAGES)
    rules = prompt.format(today=today.date().isoformat())
    wishes = guidance_block(guidance)
    return f"{rules}\n\n{wishes}" if wishes else rules


def messages_for(history: Sequence[Exchange], text: str, evidence: str | None) -> list[ChatMessage]:
    """The conversation, then the evidence with the question. Earlier citations stand as numbers."""
    messages = [
        ChatMessage("assistant" if exchange.role == "assistant" else "user", with_numbers(exchange.text))
        for exchange in history
    ]
    question = text if evidence is None else f"{evidence or _NOTHING}\n\nQuestion: {text}"
    return [*messages, ChatMessage("user", question)]
