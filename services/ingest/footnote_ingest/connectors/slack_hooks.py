"""What Slack says by its Events API (docs.slack.dev/apis/events-api): a question, or an event."""

from dataclasses import dataclass

from footnote_ingest.connectors.json_values import Json, text_of

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class SlackWord:
    """`challenge` is to be sent back; empty where nothing is asked. The same `event_id` is the same event."""

    challenge: str
    event_id: str


def slack_word(body: Json) -> SlackWord:
    """What a hook says whose signature is good."""
    event_id = text_of(body.get("event_id"))
    fit = event_id.isascii() and event_id.isprintable()
    is_question = body.get("type") == "url_verification"
    challenge = text_of(body.get("challenge")) if is_question else ""
    return SlackWord(challenge[:_LONGEST], event_id[:_LONGEST] if fit else "")
