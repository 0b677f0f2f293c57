"""What a JSON text would cost to parse, told in linear time from its bytes, and whether it can be stored."""

import json
import re
from dataclasses import dataclass

import numpy as np

from footnote_shared.kernel.errors import FieldError, InvalidRequest

_STEP = np.zeros(256, dtype=np.int8)
_STEP[list(b"[{")] = 1
_STEP[list(b"]}")] = -1
_BEGINS_A_VALUE = np.zeros(256, dtype=np.bool_)
_BEGINS_A_VALUE[list(b"[{,")] = True
_QUOTE = ord('"')
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class JsonShape:
    """How deep brackets nest, and the most values that the text can hold. Strings count as one value each."""

    depth: int
    values: int


def json_shape(body: bytes) -> JsonShape:
    """The shape of a text that may or may not be JSON. A string that is not closed counts as no string."""
    bare = np.frombuffer(body.replace(b"\\\\", b"").replace(b'\\"', b""), dtype=np.uint8)
    quotes = np.flatnonzero(bare == _QUOTE)
    outside = np.cumsum(bare == _QUOTE, dtype=np.int32) % 2 == 0
    if len(quotes) % 2:
        outside[quotes[-1] :] = True
    marks = bare[outside]
    deepest = int(np.cumsum(_STEP[marks], dtype=np.int32).max(initial=0))
    return JsonShape(deepest, 1 + int(np.count_nonzero(_BEGINS_A_VALUE[marks])))


def check_json(body: bytes, most_deep: int, most_values: int) -> None:
    """Refuse a body that costs too much to parse, or that holds what is no text.

    Raises InvalidRequest for a body that is not UTF-8 (RFC 8259, section 8.1), that nests deeper than
    `most_deep`, that holds more than `most_values` values, or that writes half of a surrogate pair.
    """
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise _refused("The JSON is not UTF-8.", "not UTF-8") from error
    brackets = body.count(b"[") + body.count(b"{")
    # Most bodies are small. Some of these stand in strings, so that the shape is this at most.
    if brackets > most_deep or 1 + brackets + body.count(b",") > most_values:
        shape = json_shape(body)
        if shape.depth > most_deep:
            raise _refused(f"The JSON is nested deeper than {most_deep} levels.", "nested too deep")
        if shape.values > most_values:
            raise _refused(f"The JSON holds more than {most_values} values.", "too many values")
    if _SURROGATE.search(body) and _has_half_a_pair(body):
        raise _refused("The JSON writes half of a surrogate pair.", "half of a surrogate pair")


def _has_half_a_pair(body: bytes) -> bool:
    """Whether a string or a name of a valid JSON text cannot be written in UTF-8."""
    try:
        json.dumps(json.loads(body), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except ValueError:
        return False
    return False


def _refused(detail: str, message: str) -> InvalidRequest:
    return InvalidRequest(detail, errors=[FieldError("body", message)])
