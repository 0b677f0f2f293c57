"""What titles and metadata may hold."""

import json

import pytest

from footnote_ingest.api.fields import check_metadata, given_title, metadata_of
from footnote_shared.kernel.errors import InvalidRequest


def metadata_of_size(size: int) -> str:
    frame = json.dumps({"a": ""})
    return json.dumps({"a": "x" * (size - len(frame))})


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


UNFIT = (
    metadata_of_size(64 * 1024 + 1),
    nested(9),
    '{"a": "\\u0000"}',
    '{"a": "\\ud800"}',
    '{"\\udfff": 1}',
    '{"a": [1e400]}',
    '{"a": -1e400}',
    '{"a": NaN}',
)


@pytest.mark.parametrize("text", [metadata_of_size(64 * 1024), nested(8), '{"a": "\\ud83d\\ude00 é"}'])
def test_metadata_may_be_as_large_and_as_deep_as_this(text: str) -> None:
    assert metadata_of(text) == json.loads(text)
    check_metadata(json.loads(text))


@pytest.mark.parametrize("text", UNFIT)
def test_other_metadata_is_refused_by_name_in_a_form(text: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        metadata_of(text)
    assert [error.field for error in refused.value.errors] == ["metadata"]


@pytest.mark.parametrize("text", UNFIT)
def test_other_metadata_is_refused_by_name_in_a_body_of_json(text: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_metadata(json.loads(text))
    assert [error.field for error in refused.value.errors] == ["metadata"]


def test_a_title_of_spaces_is_none() -> None:
    assert (given_title("  "), given_title(None), given_title(" A ")) == (None, None, "A")
