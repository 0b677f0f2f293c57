"""What is said in a recording, with its times: the role `transcribe` (spec 5.6).

`POST /audio/transcriptions` as OpenAI has defined it. Servers of open models speak it too.
"""

import html
import unicodedata
from collections.abc import Sequence
from typing import Annotated

import httpx
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from footnote_ingest.pipeline.media_call import FileRefused, MediaEndpoint
from footnote_shared.settings.models import ModelSettings

_LONGEST_S = 10**6
_MOST_SEGMENTS = 100_000
"""A day of speech has some 30,000. Each costs memory before anything else looks at how many there are."""


class SaidSegment(BaseModel):
    """Some words, and when they are said, in seconds from the beginning.

    Models round: the first word may begin less than a second before the beginning.
    """

    start: float = Field(gt=-1, le=_LONGEST_S, allow_inf_nan=False)
    end: float = Field(ge=0, le=_LONGEST_S, allow_inf_nan=False)
    text: str


def _none_is_empty(given: object) -> object:
    return [] if given is None else given


class Transcript(BaseModel):
    """What a recording says. A model that knows no times gives `text` alone, or null for the segments."""

    text: str = ""
    segments: Annotated[list[SaidSegment], BeforeValidator(_none_is_empty)] = Field(
        default_factory=list, max_length=_MOST_SEGMENTS
    )


class Transcriber:
    """The model of the role. Safe to call from several threads."""

    def __init__(self, endpoint: MediaEndpoint) -> None:
        self._endpoint = endpoint

    def transcribe(self, content: bytes, filename: str, mime: str) -> Transcript:
        """Raises FileRefused, Misconfigured and Unavailable("transcribe")."""
        answer = self._endpoint.post(
            "/audio/transcriptions",
            files={"file": (filename, content, mime)},
            data={
                "model": self._endpoint.model,
                "response_format": "verbose_json",
                "timestamp_granularities[]": "segment",
                "temperature": "0",
            },
        )
        try:
            return Transcript.model_validate_json(answer)
        except ValidationError as error:
            raise FileRefused("The model transcribe answered in a way that cannot be read.") from error


def transcriber(
    settings: ModelSettings, transport: httpx.AsyncBaseTransport | None = None
) -> Transcriber | None:
    """The transcriber of these settings; None where there is none."""
    endpoint = settings.transcribe_endpoint
    if endpoint is None:
        return None
    return Transcriber(MediaEndpoint(endpoint, "transcribe", settings.transcribe_timeout_s, transport))


def as_subtitles(segments: Sequence[SaidSegment]) -> str:
    """The segments as SubRip (.srt) in the order of time, each on one line.

    What somebody says can be no time of ours, and no markup.
    """
    said = [
        f"{at}\n{_time(max(0.0, one.start))} --> {_time(max(0.0, one.start, one.end))}\n{words}\n"
        for at, one in enumerate(sorted(segments, key=lambda one: one.start), 1)
        if (words := html.escape(" ".join(_printed(one.text).split())))
    ]
    return "\n".join(said)


def _printed(text: str) -> str:
    """The text without control characters: for one of these the parser would take all of it for no text."""
    return "".join(" " if unicodedata.category(char) == "Cc" else char for char in text)


def _time(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    rest, thousandths = divmod(milliseconds, 1000)
    minutes, second = divmod(rest, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02},{thousandths:03}"
