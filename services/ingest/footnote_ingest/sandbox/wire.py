"""How a worker and the processes of its sandbox talk: one stream socket for each child.

- Worker to template: the seconds that the document may take, with the template's end of its socket.
- Worker to child: a frame of JSON with the request, then the bytes of each document, then the end of that
  way.
- Child to worker: a frame of JSON (`Extracted` or a failure), then for each attachment a frame of facts
  and a frame of bytes. If there are several documents, none has attachments, and each has one frame.
- Template to worker: the epitaph with the child's fate. It is always the last thing before the end.

A frame is a length in 8 bytes, big endian, and so many bytes.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from footnote_ingest.parsing.elements import Attachment, Extracted
from footnote_ingest.parsing.errors import FailureCode, ParseFailed

LENGTH = struct.Struct(">Q")
WALL = struct.Struct(">d")
EPITAPH = struct.Struct(">8sii")
_MARK = b"\x00FNPARSE"


@dataclass(frozen=True, slots=True)
class Fate:
    """How a child ended: its exit code, and the signal that killed it (0 if none did)."""

    code: int
    signal: int


def frame(payload: bytes) -> bytes:
    return LENGTH.pack(len(payload)) + payload


def epitaph(fate: Fate) -> bytes:
    return EPITAPH.pack(_MARK, fate.code, fate.signal)


def split_epitaph(answer: memoryview) -> tuple[memoryview, Fate | None]:
    """The child's own bytes, and its fate; the fate is None if the template died too."""
    if len(answer) < EPITAPH.size:
        return answer, None
    mark, code, signal = EPITAPH.unpack(answer[-EPITAPH.size :])
    return (answer[: -EPITAPH.size], Fate(code, signal)) if mark == _MARK else (answer, None)


def result_frames(extracted: Extracted) -> Iterator[bytes]:
    yield frame(b"E" + extracted.to_json())
    for attachment in extracted.attachments:
        yield frame(json.dumps({"name": attachment.name, "mime": attachment.mime}).encode())
        yield LENGTH.pack(len(attachment.content))
        yield attachment.content


def failure_frame(failed: ParseFailed) -> bytes:
    body = {"reason": failed.reason, "code": failed.code, "retryable": failed.retryable}
    return frame(b"F" + json.dumps(body).encode())


def read_result(answer: memoryview) -> Extracted | ParseFailed | None:
    """The child's result for its one document; None if it is incomplete."""
    frames, whole = _frames(answer)
    if not whole or len(frames) % 2 == 0:
        return None
    attachments = []
    for about, content in zip(frames[1::2], frames[2::2], strict=True):
        facts = json.loads(bytes(about))
        attachments.append(Attachment(facts["name"], facts["mime"], bytes(content)))
    return _result(frames[0], attachments)


def read_results(answer: memoryview, most: int) -> list[Extracted | ParseFailed]:
    """The child's results for its several documents, as far as it came."""
    return [_result(found, []) for found in _frames(answer)[0][:most]]


def _frames(answer: memoryview) -> tuple[list[memoryview], bool]:
    """The frames that are complete, and whether nothing is behind them."""
    frames: list[memoryview] = []
    at = 0
    while at + LENGTH.size <= len(answer):
        (length,) = LENGTH.unpack(answer[at : at + LENGTH.size])
        if at + LENGTH.size + length > len(answer):
            break
        at += LENGTH.size
        frames.append(answer[at : at + length])
        at += length
    return frames, at == len(answer)


def _result(found: memoryview, attachments: list[Attachment]) -> Extracted | ParseFailed:
    kind, body = bytes(found[:1]), bytes(found[1:])
    if kind == b"F":
        failed = json.loads(body)
        code: FailureCode = failed["code"]
        return ParseFailed(failed["reason"], code, retryable=failed["retryable"])
    return Extracted.from_json(body, attachments)
